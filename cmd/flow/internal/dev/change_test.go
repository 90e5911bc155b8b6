package dev

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/cmd/flow/internal/project"
)

// testLayout is that of a program with a main package, an application, and migrations.
func testLayout() *layout {
	main := &project.ListedModule{Path: "example.org/site", Dir: native("/m"), Main: true}
	return layoutOf([]project.Package{
		{ImportPath: "fmt", Dir: native("/go/src/fmt"), Standard: true},
		{ImportPath: "example.com/x", Dir: native("/mod/x"), Module: &project.ListedModule{Path: "example.com/x", Dir: native("/mod/x")}},
		{ImportPath: "example.com/near", Dir: native("/near"), Module: &project.ListedModule{Path: "example.com/near", Dir: native("/near"), Replace: &project.ListedModule{Path: "../near"}}},
		{ImportPath: "example.com/fork", Dir: native("/mod/fork"), Module: &project.ListedModule{Path: "example.com/fork", Dir: native("/mod/fork"), Replace: &project.ListedModule{Path: "example.com/fork2", Version: "v1.0.0"}}},
		{ImportPath: "example.org/site/gone"},
		{ImportPath: "example.com/unknown"},
		{ImportPath: "example.org/site/db", Dir: native("/m/db"), Module: main, EmbedPatterns: []string{"sql/*.sql", "seed"}, EmbedFiles: []string{"sql/1.sql", "seed/a.json"}},
		{ImportPath: "example.org/site/app", Dir: native("/m/app"), Module: main, EmbedPatterns: []string{"all:router", "all:public"}, EmbedFiles: []string{"router/a.html", "public/a.css"}},
		{ImportPath: "example.org/site", Dir: native("/m"), Module: main},
	})
}

func native(path string) string { return filepath.FromSlash(path) }

func TestLayout(t *testing.T) {
	is := is.New(t)
	l := testLayout()
	is.Equal(l.apps, []string{native("/m/app")})
	is.Equal(l.modules, []string{native("/near"), native("/m")})
	is.Equal(l.missing, []string{native("/m/gone")})
	is.Equal(l.reviewed, []string{"example.org/site/db", "example.org/site/app", "example.org/site"})
	is.Equal(len(l.packages), 4) // of the main module and the one that is replaced by a directory
}

func TestDecide(t *testing.T) {
	l := testLayout()
	for _, tt := range []struct {
		path  string
		there bool // now; else it was removed
		want  effect
	}{
		// Route files: those of the program are a.html, +layout.html, users/[id].html, api.http
		// and intro.md.
		{"/m/app/router/a.html", true, reload},
		{"/m/app/router/a.html", false, build},
		{"/m/app/router/new.html", true, build},
		{"/m/app/router/new.html", false, nothing}, // it came and went
		{"/m/app/router/failed.html", true, build},
		{"/m/app/router/failed.html", false, build}, // which may mend what has failed
		{"/m/app/router/users/[id].html", true, reload},
		{"/m/app/router/users", false, build}, // the directory was moved away
		{"/m/app/router/other", false, nothing},
		{"/m/app/router/api.http", true, reload},
		{"/m/app/router/intro.md", true, reload},
		{"/m/app/router/intro.md", false, build},
		{"/m/app/router/new.md", true, build}, // a page, or what Check reports
		{"/m/app/router/_draft.md", true, nothing},
		{"/m/app/router/intro.md~", true, nothing},
		{"/m/app/router/+layout.html", true, reload},
		{"/m/app/router/+layout.html", false, reload},
		{"/m/app/router/x/+error.html", true, reload},
		{"/m/app/router/+layout.htm", true, build}, // which Check reports
		{"/m/app/router/notes.txt", true, build},   // which Check reports
		{"/m/app/router/_draft.html", true, nothing},
		{"/m/app/router/_old/a.html", true, nothing},
		{"/m/app/router/.hidden.html", true, nothing},
		{"/m/app/router/.well-known/x.http", true, build},
		{"/m/app/router/.a.html.swp", true, nothing},
		{"/m/app/router/a.html~", true, nothing},
		{"/m/app/router/4913", true, nothing},
		{"/m/app/router", false, build},
		// Public files.
		{"/m/app/public/a.css", true, reload},
		{"/m/app/public/a.css", false, reload},
		{"/m/app/public/img/new.png", true, reload},
		{"/m/app/public", false, build},
		// Go files.
		{"/m/main.go", true, build},
		{"/m/main.go", false, build},
		{"/m/app/new.go", true, build},
		{"/m/app/a_test.go", true, nothing},
		{"/m/app/.#a.go", true, nothing},
		{"/m/gone/gone.go", true, build},
		{"/near/near.go", true, build},
		{"/m/app", false, build}, // a whole package
		{"/m/cmd", false, nothing},
		{"/m/app/README.md", true, nothing},
		{"/m/app/app.templ", true, nothing},
		// Modules.
		{"/m/go.mod", true, build},
		{"/m/go.sum", true, build},
		{"/near/go.mod", true, build},
		{"/m/app/go.mod", true, nothing},
		// Other embedded files.
		{"/m/db/sql/1.sql", true, build},
		{"/m/db/sql/2.sql", true, build}, // a new one
		{"/m/db/sql/1.sql", false, build},
		{"/m/db/sql/notes.txt", true, nothing},
		{"/m/db/seed/b.json", true, build},
		{"/m/db/seed/deep/b.json", true, build},
		{"/m/db/data.sqlite", true, nothing},
		{"/m/db/sql", false, build},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			before := past{served: fileSet{}, tried: fileSet{native("/m/app/router/failed.html"): true}}
			for _, file := range []string{"a.html", "+layout.html", "users/[id].html", "api.http", "intro.md"} {
				before.served[native("/m/app/router/"+file)] = true
			}
			is.Equal(l.decide(native(tt.path), before, func(string) bool { return tt.there }), tt.want)
		})
	}

	// Of an application that the program does not read from disk, all that is embedded needs a
	// build.
	elsewhere := past{served: fileSet{native("/m/app/router/a.html"): true}, fromDisk: []string{native("/m/other")}}
	for _, file := range []string{"router/a.html", "router/+layout.html", "public/a.css"} {
		for _, there := range []bool{true, false} {
			is.New(t).Equal(l.decide(native("/m/app/"+file), elsewhere, func(string) bool { return there }), build)
		}
	}

	// A test in which the go tool finds no package keeps it from building.
	is := is.New(t)
	for _, there := range []bool{true, false} {
		is.Equal(l.decide(native("/m/app/a_test.go"), past{failed: true}, func(string) bool { return there }), build)
	}
}

func TestIgnoredFiles(t *testing.T) {
	for name, want := range map[string]bool{
		"a.go": false, "a.html": false, "4913": true, "a.go~": true, ".#a.go": true, "#a.go#": true, ".a.go.swp": true, ".a.go.swx": true,
		".git": true, ".DS_Store": true, ".env": false, ".goutputstream-X1": true, "a.go___jb_tmp___": true, "node_modules": true, "+layout.html": false,
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(ignoredFile(name), want)
		})
	}
}

func TestSplitFlags(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"-race", "-race"},
		{" -tags  sqlite\t-race ", "-tags|sqlite|-race"},
		{`-ldflags "-X main.v=1 -s" -race`, "-ldflags|-X main.v=1 -s|-race"},
		{`-ldflags='-X "a b"'`, `-ldflags=-X "a b"`},
		{`-tags ""`, "-tags|"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			flags, err := splitFlags(tt.text)
			is.NoErr(err)
			is.Equal(strings.Join(flags, "|"), tt.want)
		})
	}
	_, err := splitFlags(`-tags "x`)
	is.New(t).True(err != nil)
}

// TestGoList asks the go tool for what a layout is made of.
func TestGoList(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.write("app/db/db.go", "package db\n\nimport \"embed\"\n\n//go:embed sql/*.sql\nvar Files embed.FS\n")
	s.write("app/db/sql/1.sql", "x")
	s.write("app/use.go", "package app\n\nimport _ \"example.org/site/app/db\"\nimport _ \"example.org/site/lib/far/away\"\n")
	l, err := look(t.Context(), s.dir, nil, ".")
	is.NoErr(err)
	var dirs []string
	for _, dir := range l.dirs() {
		if below, err := filepath.Rel(s.dir, dir); err == nil && filepath.IsLocal(below) {
			dirs = append(dirs, filepath.ToSlash(below))
		}
	}
	is.Equal(dirs, []string{".", "app", "app/db", "app/db/sql", "app/public", "app/router", "app/router/users"})
	is.True(slices.Contains(l.missing, s.path("lib/far/away"))) // of which the module is the nearest that is there
	is.Equal(l.apps, []string{s.path("app")})
	is.True(l.routeFiles()[s.path("app/router/users/list.html")])
}

// TestJoin: what a program that does not build hides is still watched.
func TestJoin(t *testing.T) {
	is := is.New(t)
	whole := testLayout()
	l := layoutOf([]project.Package{{Dir: native("/m"), Module: &project.ListedModule{Path: "example.org/site", Dir: native("/m"), Main: true}}})
	l.join(whole)
	l.join(whole)
	is.Equal(l.apps, whole.apps)
	is.Equal(len(l.modules), len(whole.modules))
	is.Equal(l.embeds, whole.embeds)
	is.Equal(l.packages, whole.packages)
	is.Equal(l.embedded, whole.embedded)
}
