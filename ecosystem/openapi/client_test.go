package openapi

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// packages are those of npm that these tests need.
var packages = []string{"@redocly/cli@2.77.0", "ajv@8.20.0", "openapi-fetch@0.17.0", "openapi-typescript@7.13.0", "typescript@5.9.3"}

// withPackages returns a directory with the packages, and with the files of testdata. npm fetches the packages,
// and they are kept in the cache of the user. Without npm the test is skipped, or fails with CI=true.
func withPackages(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(cache, "flow", "npm-"+strings.NewReplacer("/", "-", "@", "").Replace(strings.Join(packages, "-")))
	if _, err := os.Stat(kept); err != nil {
		if _, err := exec.LookPath("npm"); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		if err := os.MkdirAll(filepath.Dir(kept), 0o777); err != nil {
			t.Fatal(err)
		}
		temp, err := os.MkdirTemp(filepath.Dir(kept), "npm-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(temp)
		run(t, temp, "npm install --silent --no-audit --no-fund --prefix . "+strings.Join(packages, " "))
		if err := os.Rename(temp, kept); err != nil {
			if _, err := os.Stat(kept); err != nil { // another test was first
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(kept, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func save(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRedocly holds the documents against the rules of Redocly for what the specification says.
func TestRedocly(t *testing.T) {
	dir, files := withPackages(t), ""
	for _, of := range applications {
		save(t, dir, of.name+".json", get(of.make(), of.json))
		files += " " + of.name + ".json"
	}
	save(t, dir, "new.json", newDocument(t))
	run(t, dir, "node_modules/.bin/redocly lint --extends=spec new.json"+files, "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
}

// TestAjv sends the suite of the RealWorld API, and holds requests and answers against the document by
// a third judge.
func TestAjv(t *testing.T) {
	dir, r := withPackages(t), newRealworld()
	text := get(r, "/api/openapi.json")
	j := newJudge(t, text)
	j.run(t, r, nil)
	exchanges, err := json.Marshal(j.exchanges)
	if err != nil {
		t.Fatal(err)
	}
	save(t, dir, "openapi.json", text)
	save(t, dir, "exchanges.json", exchanges)
	out := string(run(t, dir, "node judge.mjs"))
	answers, accepted := 0, 0
	for _, e := range j.exchanges {
		if e.Got != "" {
			answers++
		}
		if e.Sent != "" && e.Status < 300 {
			accepted++
		}
	}
	if want := fmt.Sprintf(`{"answers":%d,"accepted":%d,"wrong":0}`, answers, accepted); strings.TrimSpace(out) != want {
		t.Errorf("got %s, want %s", out, want)
	}
}

// TestTypeScript makes the types of a client of the document. Right calls are accepted, and wrong
// ones refused: testdata/client.ts marks them.
func TestTypeScript(t *testing.T) {
	dir := withPackages(t)
	save(t, dir, "openapi.json", get(newRealworld(), "/api/openapi.json"))
	run(t, dir, "node_modules/.bin/openapi-typescript openapi.json -o api.d.ts")
	run(t, dir, "node_modules/.bin/tsc --strict -p .")
}
