package scaffold

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
)

var (
	// fenced is a block of a document.
	fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	// ofFile is the first line of a block that is a file, or the change of one.
	ofFile = regexp.MustCompile(`^(?://|<!--|--|---) (\S+\.\w+)(?: -->)?\n\n?`)
)

// TestAccountsDocument makes the application of docs/accounts.md, and changes it as the document
// says, from top to bottom. Then it has no faults and no warnings, and does what was promised.
func TestAccountsDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an application")
	}
	is := is.New(t)
	library, err := filepath.Abs("../../../..")
	is.NoErr(err)
	os.Getenv("FLOW_TREE") // with another one, this is not what go test has a result of
	text, err := os.ReadFile(filepath.Join(library, "docs", "accounts.md"))
	is.NoErr(err)
	dir := filepath.Join(lay(t, nil), "desk")
	code, _, errs := run(filepath.Dir(dir), "new", "desk", "-accounts", "-flow", library)
	is.Equal(errs, "")
	is.Equal(code, command.OK)

	files, changes := 0, 0
	for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
		if m[1] == "sh" && (strings.HasPrefix(m[2], "rm ") || strings.HasPrefix(m[2], "go test ")) {
			follow(t, dir, "sh", "-ec", m[2])
			continue
		}
		first := ofFile.FindStringSubmatch(m[2])
		if first == nil {
			continue
		}
		name, body := filepath.Join(dir, filepath.FromSlash(first[1])), strings.TrimPrefix(m[2], first[0])
		if m[1] != "diff" {
			files++
			is.NoErr(os.MkdirAll(filepath.Dir(name), 0o777))
			if _, err := os.Stat(name); err == nil {
				t.Fatalf("%s is there already", first[1])
			}
			is.NoErr(os.WriteFile(name, []byte(body), 0o666))
			continue
		}
		changes++
		before, after := sides(body)
		old, err := os.ReadFile(name)
		is.NoErr(err)
		if n := strings.Count(string(old), before); n != 1 {
			t.Fatalf("%s has these lines %d times:\n%s", first[1], n, before)
		}
		is.NoErr(os.WriteFile(name, []byte(strings.Replace(string(old), before, after, 1)), 0o666))
	}
	is.True(files > 10 && changes > 5)

	test, err := os.ReadFile(filepath.Join(library, "cmd/flow/internal/scaffold/testdata/accounts/desk_test.go"))
	is.NoErr(err)
	is.NoErr(os.WriteFile(filepath.Join(dir, "app", "desk_test.go"), test, 0o666))
	is.Equal(follow(t, dir, "gofmt", "-l", "."), "")
	follow(t, dir, "go", "vet", "./...")
	follow(t, dir, "go", "run", ".", "check", "-warnings=fail")
	follow(t, dir, "go", "test", "./app", "-run", "TestDesk")
}

func follow(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-trimpath") // what was compiled before is taken in any directory
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// sides returns the lines of a change before it and after it.
func sides(diff string) (before, after string) {
	for line := range strings.Lines(diff) {
		if line[0] != '+' {
			before += line[1:]
		}
		if line[0] != '-' {
			after += line[1:]
		}
	}
	return before, after
}
