package dev

import (
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestReview: what flow vet finds is told after a good build, in the terminal and on the
// route map, and stands in the way of nothing.
func TestReview(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.write("app/router/users/[id].html", "<p>user</p>\n")
	handler := func(param, block string) {
		s.write("app/users.id.go", `package app

import "example.com/flow"

func init() { flow.GET().Do(showUser) }

func showUser(req *flow.Request) flow.Response {
	if req.Param("`+param+`") == "" {
		return flow.Page(nil)
	}
	return flow.Page(nil).Block("`+block+`")
}
`)
	}
	handler("idd", "row")
	s.start()
	s.out.until(t, "flow: flow vet has 2 warnings")
	s.out.until(t, `app/users.id.go:8: Param("idd"): app/router/users/[id].html has no such parameter: did you mean "id"?`)
	s.out.until(t, `  8 | if req.Param("idd") == "" {`)
	s.out.until(t, `app/users.id.go:11: Block("row"): app/router/users/[id].html has no such {{define}} or {{block}}`)
	const shown = `<code>app/users.id.go:8</code> Param(&#34;idd&#34;)`
	s.shows("/_flow", shown)
	page := s.listen()
	is.Equal(len(page.first(t).Excerpts), 0) // pages of the application say nothing of it

	s.version("v1")
	s.out.until(t, "flow: app/version.go changed: built in ")
	s.out.until(t, "flow: flow vet still has 2 warnings")
	s.shows("/_flow", shown)

	handler("id", "row")
	s.out.until(t, "flow: app/users.id.go changed: built in ")
	s.out.until(t, "flow: flow vet has 1 warning")
	s.shows("/_flow", "<h2 id=\"vetted\">1 warning of <code>flow vet</code></h2>")

	// A template may mend it, too.
	s.write("app/router/users/[id].html", "<p>{{block \"row\" .}}user{{end}}</p>\n")
	s.out.until(t, "flow: app/router/users/[id].html changed: pages are loaded again")
	s.out.until(t, "flow: flow vet has no warnings any more")
	s.hides("/_flow", "vetted") // the program gets to know it while the terminal says it

	// A change ends a review, and the next one comes after its build.
	s.version("v2")
	s.out.until(t, "flow: app/version.go changed: built in ")
	handler("none", "row")
	s.out.until(t, "flow: app/users.id.go changed: built in ")
	s.out.until(t, "flow: flow vet has 1 warning")
	is.Equal(strings.Count(s.out.String(), "cannot look"), 0)
}

// TestTemplatesWaitForTheBuild: while Go does not compile, templates are not judged by the
// program from before.
func TestTemplatesWaitForTheBuild(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.start()
	page := s.listen()
	s.write("app/version.go", "package app\n\nconst Version = missing\n")
	s.out.until(t, "flow: the build has failed after ")
	s.write("app/router/late.html", "<p>late</p>\n")
	s.write("app/late.go", "package app\n\nimport \"example.com/flow\"\n\nfunc init() { flow.GET().Name(\"tardy\") }\n")
	s.out.until(t, "flow: the build has failed after ")
	const waits = "flow: the templates wait for a build that is good"
	for _, text := range []string{"a", "b"} {
		s.write("app/router/index.html", "<p>"+text+` {{route "tardy"}}</p>`)
		if text == "a" {
			s.out.until(t, waits)
		}
		s.out.rest()
	}
	for _, f := range page.faults(t, 1) {
		is.Equal(f.String(), "app/version.go:3:17: undefined: missing")
	}
	s.version("v1")
	s.out.until(t, "answers after ")
	s.shows("/", "<p>b /late</p>")
	s.out.rest()
	is.Equal(strings.Count(s.out.String(), waits), 1)
	is.Equal(strings.Count(s.out.String(), "no route is called"), 0)
	s.listen().faults(t, 0)

	// With the next good build they are judged, be it another program or the same.
	s.write("app/router/index.html", "<p>{{route \"nobody\"}}</p>\n")
	s.out.until(t, `no route is called "nobody"`)
	for _, end := range []string{"built in ", "the program is as it was before"} {
		s.write("app/version.go", "package app\n\nconst Version = missing\n")
		s.out.until(t, "flow: the build has failed after ")
		s.out.until(t, waits)
		s.version("v1")
		s.out.until(t, "flow: app/version.go changed: "+end)
		s.out.until(t, "flow: the templates still have 1 fault")
		s.listen().faults(t, 1)
	}
}

// TestStrayFile: what the failed program has said is not told again as a fault of templates.
func TestStrayFile(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.start()
	s.listen()
	s.write("app/router/notes.txt", "notes\n")
	s.out.until(t, "flow: the application has 1 fault")
	s.out.rest()
	is.NoErr(os.Remove(s.path("app/router/notes.txt")))
	s.out.until(t, "the program is as it was before")
	is.Equal(strings.Count(s.out.String(), "the templates"), 0)
}

// TestSharedTemplates: those of another package are in the binary, so that a change needs a
// build, also one that came while the first program was not ready yet.
func TestSharedTemplates(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.write("theme/theme.go", "package theme\n\nimport \"embed\"\n\n//go:embed all:router\nvar Files embed.FS\n")
	s.write("theme/router/+layout.html", "<main>{{template \"content\" .}}</main>\n")
	s.write("app/app.go", strings.NewReplacer("flow.New(files)", "flow.New(files, theme.Files)", `"example.com/flow"`, "\"example.com/flow\"\n\t\"example.org/site/theme\"").Replace(siteFiles["app/app.go"]))
	s.write("app/gate.go", gate)
	s.launch()
	s.out.until(t, "at the gate")
	s.write("theme/router/+layout.html", "<article>{{template \"content\" .}}</article>\n")
	s.out.rest()
	s.write("open", "x")
	s.out.until(t, "flow: ready on ")
	s.out.until(t, "flow: theme/router/+layout.html changed: built in ")
	s.shows("/", "<article><p>v0</p>")

	s.write("theme/router/+layout.html", "<section>{{template \"content\" .}}</section>\n")
	s.out.until(t, "flow: theme/router/+layout.html changed: built in ")
	s.shows("/", "<section><p>v0</p>")
	s.write("app/router/index.html", "<p>own {{.}}</p>\n")
	s.out.until(t, "flow: app/router/index.html changed: pages are loaded again")
	s.shows("/", "<section><p>own v0</p>")
	is.NoErr(os.Remove(s.path("theme/router/+layout.html")))
	s.out.until(t, "theme/theme.go:5:12: pattern all:router: ")
	s.write("theme/router/+row.html", "<li></li>\n")
	s.out.until(t, "flow: theme/router/+row.html changed: built in ")
	s.shows("/", "<p>own v0</p>")
}
