package routetree

import (
	"go/build"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

func TestCounterpart(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"index.html", "index"},
		{"about.html", "about"},
		{"users/index.http", "users.index"},
		{"users/store.http", "users.store"},
		{"users/[id].html", "users.id"},
		{"shop/[p]/reviews.html", "shop.p.reviews"},
		{"(auth)/login.html", "login"},
		{"(auth)/(new)/[id].html", "id"},
		{"[[lang]]/about.html", "lang.about"},
		{"docs/[...rest].html", "docs.rest"},
		{"docs/[[...rest]].html", "docs.rest"},
		{"[...rest]/index.html", "rest.index"},
		{"feed.xml.http", "feed.xml"},
		{".well-known/jwks.json.http", ".well-known.jwks.json"},
		{"a(b).html", "a(b)"}, // affixes are literal
		{"...x/y.html", ""},   // hidden: no route at all
	} {
		t.Run(tt.file, func(t *testing.T) {
			is := is.New(t)
			routes := Parse(flowtest.Files("router/"+tt.file), nil).Routes
			if tt.want == "" {
				is.Equal(len(routes), 0)
				return
			}
			is.Equal(len(routes), 1)
			is.Equal(routes[0].Stem, tt.want)
		})
	}
}

// builtEverywhere asks go/build whether a Go file of that name is part of its
// package, not only of its tests, on two platforms that have nothing in common.
func builtEverywhere(t *testing.T, goFile string) bool {
	t.Helper()
	for _, platform := range [][2]string{{"plan9", "386"}, {"linux", "amd64"}} {
		ctxt := build.Context{
			GOOS: platform[0], GOARCH: platform[1], Compiler: "gc",
			OpenFile: func(string) (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader("package app\n")), nil
			},
		}
		match, err := ctxt.MatchFile("/app", goFile)
		if err != nil {
			t.Fatal(err)
		}
		if !match {
			return false
		}
	}
	return !strings.HasSuffix(goFile, "_test.go") // MatchFile takes these too
}

func TestWhyNotBuilt(t *testing.T) {
	stems := []string{
		"index", "users.id", "_x", ".x", ".well-known.jwks.json", "x_", "x__", "é", "0", "a b", "a-b_c",
		"linux", "linux.go", "test", "amd64", "test_test.x", "x_test", "x_test.y", "x.y_test", "_test",
		"x_linux", "x_linux.y", "a.b_linux", "a.b_linux.c", "a_b_linux", "a_linux_b", "linux_amd64", "x_linux_amd64", "x_amd64_linux",
		"x_linux_test", "x_linux_test.y", "x_test_linux", "x_linux_test_test", "x_linux_amd64_test.y",
		"x_js", "x_js.y", "x.js", "js", "x_wasm", "x_arm", "x_unix", "x_Linux", "x_LINUX", "x_cgo", "x_race", "x_go", "x_gc",
		"users_windows.id", "users.id_windows", "x_linux ", "x_é_linux",
	}
	for _, system := range systems {
		stems = append(stems, "x_"+system, "x_"+system+".y", "x."+system, system)
	}
	for _, stem := range stems {
		t.Run(stem, func(t *testing.T) {
			is := is.New(t)
			reason := WhyNotBuilt(stem + ".go")
			is.Equal(reason == "", builtEverywhere(t, stem+".go")) // as go/build decides
		})
	}
}

// The test fails if a new release of Go finds a system in file names that systems lacks.
func TestSystemsAreGos(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	is := is.New(t)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	is.NoErr(err)
	list, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "syslist", "syslist.go"))
	is.NoErr(err)
	var want []string
	for _, m := range regexp.MustCompile(`"(\w+)": +true`).FindAllStringSubmatch(string(list), -1) {
		want = append(want, m[1])
	}
	slices.Sort(want)
	is.Equal(slices.Sorted(slices.Values(systems)), slices.Compact(want)) // the list has the Unix systems twice
}

func TestWhyNotBuiltReasons(t *testing.T) {
	for _, tt := range []struct{ goFile, want string }{
		{"_x.go", "the go tool ignores _x.go, which begins with _"},
		{".well-known.x.go", "the go tool ignores .well-known.x.go, which begins with ."},
		{"x_test.go", "the go tool builds x_test.go for tests only"},
		{"x_linux_test.go", "the go tool builds x_linux_test.go for tests only"},
		{"x_linux.id.go", "the go tool builds x_linux.id.go for linux only"},
		{"x_linux_test.id.go", "the go tool builds x_linux_test.id.go for linux only"},
		{"x_linux_amd64.go", "the go tool builds x_linux_amd64.go for amd64 only"},
		// go/build takes these; cmd/go refuses the package (load.SafeArg).
		{"@me.go", "the go tool refuses @me.go, which begins with @"},
		{"-x.go", "the go tool refuses -x.go, which begins with -"},
		{"~x.go", "the go tool refuses ~x.go, which begins with ~"},
		{" x.go", "the go tool refuses  x.go, which begins with  "},
		{"x@me.go", ""},
		{"x_unix.go", ""},
		{"élan.go", ""},
	} {
		t.Run(tt.goFile, func(t *testing.T) {
			is := is.New(t)
			is.Equal(WhyNotBuilt(tt.goFile), tt.want)
		})
	}
}
