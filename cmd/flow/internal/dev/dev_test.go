package dev

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

// TestDev is a day with one application: each step begins where the one before has ended.
func TestDev(t *testing.T) {
	s := newSite(t)
	s.start()
	is := is.New(t)
	s.shows("/", "<p>v0</p>")
	// step begins when the tool has said all about the one before: changes that come
	// together are told together.
	step := func(name string, f func(*testing.T)) {
		ok := t.Run(name, func(t *testing.T) {
			s.out.rest()
			f(t)
		})
		if !ok {
			t.FailNow() // what comes next would wait for what cannot come
		}
	}

	step("a template", func(t *testing.T) {
		s.write("app/router/index.html", "<p>new {{.}}</p>\n")
		s.out.until(t, "flow: app/router/index.html changed: pages are loaded again")
		s.shows("/", "<p>new v0</p>")
	})
	step("templates that are wrong", func(t *testing.T) {
		page := s.listen()
		page.first(t)
		s.write("app/router/users/list.html", "<p>users</p>\n{{end}}\n")
		s.out.until(t, "flow: the templates have ")
		s.out.until(t, "app/router/users/list.html:2: unexpected {{end}}")
		s.out.until(t, "  2 | {{end}}")
		is.True(strings.Contains(page.until(t, "one of the template", func(e event) bool { return len(e.faults()) > 0 }).faults()[0].Text, "unexpected"))
		s.shows("/", "<p>new v0</p>") // which needs it not
		s.write("app/router/users/list.html", "<p>users</p>\n{{end}}\n<p></p>\n")
		s.out.until(t, "flow: the templates ") // still wrong, and said again
		s.version("v0b")                       // the next program says it, too
		s.out.until(t, "flow: app/version.go changed: built in ")
		s.out.until(t, "flow: the templates still have 1 fault")
		s.version("v0")
		s.out.until(t, "flow: app/version.go changed: built in ")
		s.write("app/router/users/list.html", "<p>users</p>\n")
		s.out.until(t, "flow: the templates are good again")
		s.listen().faults(t, 0)
	})
	step("public files", func(t *testing.T) {
		s.write("app/public/a.css", "p { color: red }\n")
		s.out.until(t, "flow: app/public/a.css changed: style sheets are changed")
		s.shows("/a.css", "red")
		s.write("app/public/new/b.css", "b{}\n")
		s.out.until(t, "flow: app/public/new/b.css changed: style sheets are changed")
		s.shows("/new/b.css", "b{}") // without a build
	})
	step("Go code", func(t *testing.T) {
		s.version("v1")
		s.out.until(t, "flow: app/version.go changed: built in ")
		s.shows("/", "<p>new v1</p>")
	})
	step("what was logged", func(t *testing.T) { // is not gone with the program
		for _, v := range []string{"v0", "v1"} {
			s.says("http://localhost/said-by-" + v)
			s.version("next to " + v)
			s.out.until(t, "flow: app/version.go changed: built in ")
			s.shows("/_flow", `<a href="http://localhost/said-by-`+v+`">`)
		}
		_, page := s.get("/_flow")
		is.Equal(strings.Count(page, `<a href="http://localhost/said-by-`), 2) // each once
		s.version("v1")
		s.out.until(t, "flow: app/version.go changed: built in ")
	})
	step("nothing", func(t *testing.T) {
		s.version("v1")
		s.write("app/notes.txt", "more\n")
		s.write("app/app_test.go", "package app // x\n")
		s.write("app/router/.#index.html", "x")
		s.write("app/version.go~", "x")
		s.out.quiet(t)
	})
	step("a save by rename", func(t *testing.T) {
		s.write("app/.version.tmp", "package app\n\nconst Version = \"v2\"\n")
		is.NoErr(os.Rename(s.path("app/version.go"), s.path("app/version.go~")))
		time.Sleep(100 * time.Millisecond) // the file is not there
		is.NoErr(os.Rename(s.path("app/.version.tmp"), s.path("app/version.go")))
		s.out.until(t, "flow: app/version.go changed: built in ")
		s.shows("/", "<p>new v2</p>")
	})
	step("a save by truncation", func(t *testing.T) {
		s.write("app/version.go", "")
		time.Sleep(100 * time.Millisecond)
		s.version("v3")
		s.out.until(t, "flow: app/version.go changed: built in ")
		s.shows("/", "<p>new v3</p>")
	})
	step("a build that fails", func(t *testing.T) {
		s.write("app/version.go", "package app\n\nconst Version = missing\n\nconst Other = lacking\n")
		s.out.until(t, "flow: the build has failed after ")
		s.out.until(t, "app/version.go:3:17: undefined: missing")
		s.out.until(t, "  3 | const Version = missing")
		s.out.until(t, "app/version.go:5:15: undefined: lacking")
		s.out.until(t, "flow: the program from before goes on answering")
		s.shows("/", "<p>new v3</p>")
		s.version("v3")
		s.out.until(t, "flow: app/version.go changed: the program is as it was before")
		s.shows("/", "<p>new v3</p>")
	})
	step("a test without a package", func(t *testing.T) {
		s.write("app/half_test.go", "")
		s.version("v3a")
		s.out.until(t, "flow: the build has failed after ")
		s.out.until(t, "app/half_test.go:1:")
		s.write("app/half_test.go", "package app\n")
		s.out.until(t, "flow: app/half_test.go changed: built in ")
		s.shows("/", "<p>new v3a</p>")
	})
	step("a main package without imports", func(t *testing.T) {
		s.write("main.go", "pack")
		s.out.until(t, "main.go:1:1: expected 'package', found pack")
		time.Sleep(500 * time.Millisecond) // what there is to watch is found out anew
		s.write("app/public/a.css", "p { color: blue }\n")
		s.out.until(t, "flow: the build has failed after ") // it is still watched
		s.write("app/router/late.html", "<p>late</p>\n")
		s.out.until(t, "flow: the build has failed after ")
		s.write("main.go", siteFiles["main.go"])
		s.out.until(t, "flow: main.go changed: built in ")
		s.shows("/late", "<p>late</p>")
		s.write("app/router/late.html", "<p>later</p>\n")
		s.out.until(t, "flow: app/router/late.html changed: pages are loaded again")
	})
	step("no public files", func(t *testing.T) {
		is.NoErr(os.Rename(s.path("app/public"), s.path("app/private")))
		s.out.until(t, "pattern all:public: no matching files found")
		is.NoErr(os.Rename(s.path("app/private"), s.path("app/public")))
		s.out.until(t, "flow: app/public")
	})
	step("a new directory", func(t *testing.T) {
		s.write("app/version.go", "package app\n\nimport \"example.org/site/app/deep/number\"\n\nconst Version = number.Version\n")
		s.out.until(t, "app/version.go:3:8: no required module provides package example.org/site/app/deep/number")
		s.write("app/deep/number/number.go", "package number\n\nconst Version = \"v4\"\n")
		s.out.until(t, "flow: app/deep/number/number.go changed: built in ")
		s.shows("/", "<p>new v4</p>")
		s.write("app/deep/number/number.go", "package number\n\nconst Version = \"v5\"\n")
		s.out.until(t, "flow: app/deep/number/number.go changed: built in ")
		s.shows("/", "<p>new v5</p>")
	})
	step("routes", func(t *testing.T) {
		s.write("app/router/teams/[id].html", "<p>team</p>\n")
		s.out.until(t, "flow: app/router/teams/[id].html changed: built in ")
		s.shows("/teams/7", "<p>team</p>")
		s.write("app/router/teams/[id].html", "<p>the team</p>\n")
		s.out.until(t, "flow: app/router/teams/[id].html changed: pages are loaded again")
		s.write("app/router/teams/+layout.html", "<main>{{block \"content\" .}}{{end}}</main>\n")
		s.out.until(t, "flow: app/router/teams/+layout.html changed: pages are loaded again")
		is.NoErr(os.Rename(s.path("app/router/teams"), s.path("app/router/groups")))
		s.out.until(t, "changed: built in ")
		s.shows("/groups/7", "the team")
	})
	step("faults of Check", func(t *testing.T) {
		s.write("app/router/users.html", "<p>users</p>\n")
		s.write("app/router/users/index.html", "<p>users</p>\n")
		s.out.until(t, "flow: the application has 1 fault")
		s.out.until(t, "app/router/users.html and app/router/users/index.html both answer /users: rename one of them")
		s.out.until(t, "flow: the program from before goes on answering")
		s.shows("/groups/7", "the team")
		is.NoErr(os.Remove(s.path("app/router/users.html")))
		s.out.until(t, "flow: app/router/users.html changed: built in ")
		s.shows("/users", "<p>users</p>")
	})
	step("a crash", func(t *testing.T) {
		if resp, err := client.Get(s.url + "/exit"); err == nil {
			resp.Body.Close()
		}
		s.out.until(t, "the last words")
		s.out.until(t, "flow: the program has ended: exit status 3")
		s.out.until(t, "\n\nthe last words\n")
		s.out.until(t, "flow: it is started again when a file is saved")
		s.shows("/", "the last words")
		status, _ := s.get("/")
		is.Equal(status, 503)
		s.out.quiet(t) // it is not started in a loop
		s.write("app/router/index.html", "<p>again {{.}}</p>\n")
		s.out.until(t, "flow: app/router/index.html changed: built in ")
		s.shows("/", "<p>again v5</p>")
	})
	step("a crash at the start", func(t *testing.T) {
		s.write("app/crash.go", "package app\n\nfunc init() {\n\tpanic(\"not today\")\n}\n")
		s.out.until(t, "panic: not today")
		s.out.until(t, "flow: the program has ended before it was ready: exit status 2")
		s.out.until(t, "app/crash.go:4: panic: not today\n")
		s.out.until(t, "  4 | panic(\"not today\")")
		s.shows("/", "<p>again v5</p>")
		is.NoErr(os.Remove(s.path("app/crash.go")))
		s.out.until(t, "flow: app/crash.go changed: the program is as it was before")
	})
	step("go.mod", func(t *testing.T) {
		text, err := os.ReadFile(s.path("go.mod"))
		is.NoErr(err)
		s.write("go.mod", string(text)+"\nnonsense\n")
		s.out.until(t, "flow: the build has failed after ")
		s.out.until(t, "go.mod:11: unknown directive: nonsense")
		s.write("go.mod", string(text))
		s.out.until(t, "flow: go.mod changed: the program is as it was before")
	})
}

// TestPages listens as open pages do.
func TestPages(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.start()
	page := s.listen()
	is.Equal(len(page.first(t).Excerpts), 0)
	s.write("app/version.go", "package app\n\nconst Version = missing\n")
	faults := page.faults(t, 1)
	is.Equal(faults[0].String(), "app/version.go:3:17: undefined: missing")
	is.Equal(len(page.first(t).Excerpts[0].Rows), 3)
	is.Equal(s.listen().faults(t, 1), faults) // whoever comes later sees them, too
	s.version("v0")
	page.faults(t, 0)

	// Faults of Check are those of a program that never answers.
	s.write("app/router/exit.html", "<p>exit</p>\n")
	is.True(strings.Contains(page.faults(t, 1)[0].Text, "both answer /exit"))
	is.NoErr(os.Remove(s.path("app/router/exit.html")))
	page.faults(t, 0)

	before := page.first(t)
	s.write("app/router/index.html", "<p>new {{.}}</p>\n")
	page.until(t, "a new page", func(e event) bool { return e.Pages > before.Pages })
	s.write("app/public/a.css", "p { color: red }\n")
	page.until(t, "a new style sheet", func(e event) bool { return e.Styles > before.Styles })

	// The next program ends the stream, and tells that it is another one.
	s.version("v1")
	page.ends(t)
	is.True(s.listen().first(t).Process != before.Process)
}

// gate is a file of an application, which does not start before there is a file open.
const gate = `package app

import (
	"os"
	"time"
)

func init() {
	os.Stderr.WriteString("at the gate\n")
	for {
		if _, err := os.Stat("open"); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
`

// TestFailureWhileStarting: a build fails while the program of the one before is not ready
// yet. When that answers, its pages show what is wrong with the newest source.
func TestFailureWhileStarting(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.start()
	s.write("app/gate.go", gate)
	s.out.until(t, "at the gate")
	s.write("app/version.go", "package app\n\nconst Version = missing\n")
	s.out.until(t, "flow: the build has failed after ")
	s.write("open", "x")
	s.out.until(t, "flow: app/gate.go changed: built in ")
	page := s.listen()
	is.Equal(page.faults(t, 1)[0].String(), "app/version.go:3:17: undefined: missing")
	s.version("v0")
	s.out.until(t, "flow: app/version.go changed: the program is as it was before")
	page.faults(t, 0)
}

// TestOldProgramGoesOn: an old program accepts connections for a while after it was told to
// stop. Whoever connects after the tool has said that the new one answers does not find it.
func TestOldProgramGoesOn(t *testing.T) {
	if !canPassSockets {
		t.Skip("each program has a socket of its own")
	}
	is := is.New(t)
	s := newSite(t)
	// It speaks with the tool as internal/develop/devlink does, which other modules cannot import.
	s.write("main.go", `package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	_ "example.com/flow"
)

func main() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	tool, err := net.Dial("unix", os.Getenv("FLOW_DEV"))
	if err != nil {
		panic(err)
	}
	l, err := net.FileListener(os.NewFile(3, "socket"))
	if err != nil {
		panic(err)
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "the old one") }))
	fmt.Fprintln(tool, `+"`{\"ready\":true,\"url\":\"http://localhost\"}`"+`)
	<-stop
	time.Sleep(300 * time.Millisecond)
	l.Close()
	tool.Close()
	for _, err := os.Stat("asked"); err != nil; _, err = os.Stat("asked") { // as if it answered still
		time.Sleep(10 * time.Millisecond)
	}
}
`)
	s.start()
	t.Cleanup(func() { s.write("asked", "") })
	s.shows("/", "the old one")
	s.write("main.go", siteFiles["main.go"])
	s.out.until(t, "flow: main.go changed: built in ")
	for range 20 {
		_, body := s.get("/")
		is.True(strings.HasPrefix(body, "<p>v0</p>"))
	}
}

// TestFirstBuildFails: the tool answers by itself until there is a program.
func TestFirstBuildFails(t *testing.T) {
	for _, args := range [][]string{nil, {"-proxy"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			is := is.New(t)
			s := newSite(t)
			s.write("app/version.go", "package app\n\nconst Version = missing\n")
			s.launch(args...)
			s.out.until(t, "flow: the build has failed after ")
			s.shows("/any", "undefined: missing")
			status, body := s.get("/any")
			is.Equal(status, 503)
			is.True(strings.Contains(body, "The build has failed"))
			is.True(strings.Contains(body, "/_flow/reload.js")) // it loads itself again
			resp, err := client.Post(s.url+"/echo", "text/plain", strings.NewReader("x"))
			is.NoErr(err)
			resp.Body.Close()
			is.Equal(resp.StatusCode, 503)
			is.Equal(resp.Header.Get("Content-Type"), "text/plain; charset=utf-8")
			s.version("v1")
			s.out.until(t, "answers after ")
			s.out.until(t, "flow: the route map is on "+s.url+"/_flow")
			s.shows("/", "<p>v1</p>")
		})
	}
}

// TestTemplatesAtTheStart: a program comes up with templates that are wrong, and says so.
func TestTemplatesAtTheStart(t *testing.T) {
	s := newSite(t)
	s.write("app/router/users/list.html", "{{if}}\n")
	s.start()
	s.out.until(t, "flow: the templates have 1 fault")
	s.out.until(t, "app/router/users/list.html:1: missing value for if")
	s.listen().faults(t, 1)
	s.write("app/router/users/list.html", "<p>users</p>\n")
	s.out.until(t, "flow: the templates are good again")
}

// TestFormats: a page in a format of the application is read from disk when it is saved, as a
// template is, and a new one needs a build.
func TestFormats(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.write("app/format.go", `package app

import (
	"html/template"
	"strings"

	"example.com/flow"
)

type front struct{ Title string }

func init() { Router.Formats = map[string]flow.Format{".md": flow.FormatOf(markdown)} }

// markdown knows paragraphs of text, and of a link.
func markdown(src flow.Source) (template.HTML, front, error) {
	html := ""
	for i, line := range strings.Split(strings.TrimSpace(src.Text), "\n") {
		to, isLink := strings.CutPrefix(line, "[link](")
		if isLink {
			to, err := src.Link(strings.TrimSuffix(to, ")"))
			if err != nil {
				return "", front{}, err
			}
			line = "<a href=\"" + to + "\">link</a>"
		} else if line == "wrong" {
			return "", front{}, src.ErrorAt(i+1, "this is wrong")
		}
		html += "<p>" + line + "</p>\n"
	}
	return template.HTML(html), front{}, nil
}
`)
	s.write("app/router/docs/intro.md", "first {{text}}\n")
	s.start()
	s.shows("/docs/intro", "<p>first {{text}}</p>")

	s.write("app/router/docs/intro.md", "second\n")
	s.out.until(t, "flow: app/router/docs/intro.md changed: pages are loaded again")
	s.shows("/docs/intro", "<p>second</p>")

	page := s.listen()
	s.write("app/router/docs/intro.md", "second\nwrong\n")
	s.out.until(t, "flow: the pages have 1 fault\n\napp/router/docs/intro.md:2: this is wrong")
	is.Equal(page.faults(t, 1)[0].String(), "app/router/docs/intro.md:2: this is wrong")
	s.write("app/router/docs/intro.md", "second\n")
	s.out.until(t, "flow: the pages are good again")

	s.write("app/router/docs/more.md", "more\n[link](nowhere.md)\n")
	s.out.until(t, "flow: app/router/docs/more.md changed: built in ")
	s.out.until(t, "app/router/docs/more.md:2:8: nowhere.md leads to no file")
	s.write("app/router/docs/more.md", "more\n[link](intro.md#a)\n")
	s.out.until(t, "flow: the pages are good again")
	s.shows("/docs/more", `<a href="/docs/intro#a">`)

	is.NoErr(os.Rename(s.path("app/router/docs/more.md"), s.path("app/router/docs/less.md")))
	s.shows("/docs/less", "<p>more</p>")
	is.NoErr(os.Remove(s.path("app/router/docs/less.md")))
	s.shows("/docs/less", "404")

	// What an editor leaves is no page, and needs no build.
	s.out.rest()
	for _, name := range []string{"intro.md~", ".intro.md.swp", "4913", "#intro.md#"} {
		s.write("app/router/docs/"+name, "left\n")
	}
	s.out.quiet(t)
}

// TestWarningsOfTemplates: they are told in the terminal, to open pages and on the route map, and what
// was told is not told again.
func TestWarningsOfTemplates(t *testing.T) {
	is := is.New(t)
	const text = `app/router/users/list.html:1:1: warning: <img> has no alt: describe the image, or write alt="" if it only adorns`
	s := newSite(t)
	s.write("app/router/users/list.html", "<img>\n")
	s.start()
	s.out.until(t, "flow: the templates have 1 warning")
	s.out.until(t, text)
	s.out.until(t, "  1 | <img>")
	page := s.listen()
	notes := func(n int) {
		page.until(t, "one with the warnings", func(e event) bool { return len(e.Notes) == n && len(e.Excerpts) == 0 })
	}
	notes(1)
	s.shows("/_flow", `<h2 id="warnings">1 warning</h2>`)

	s.write("app/router/users/list.html", "<p>users</p>\n<img>\n<img src=\"{{1}}\">\n")
	s.out.until(t, "flow: the templates have 2 warnings, 1 of them new")
	s.out.until(t, "app/router/users/list.html:3:1: warning: ")
	notes(2)

	s.write("app/router/users/list.html", "<p>all users</p>\n<img>\n<img src=\"{{1}}\">\n")
	s.out.until(t, "flow: the templates still have 2 warnings")

	s.version("v1")
	s.out.until(t, "flow: app/version.go changed: built in ")
	s.listen().until(t, "one with the warnings", func(e event) bool { return len(e.Notes) == 2 })
	page = s.listen()
	s.write("app/router/users/list.html", "<p>users</p>\n<img>\n{{end}}")
	s.out.until(t, "flow: the templates have 1 fault")
	s.write("app/router/users/list.html", "<p>users</p>\n\n<img>\n")
	s.out.until(t, "flow: the templates are good again")
	s.out.until(t, "flow: the templates have 1 warning left")
	notes(1)
	s.write("app/router/users/list.html", "<p>users</p>\n")
	s.out.until(t, "flow: the templates have no warnings any more")
	notes(0)
	is.Equal(strings.Count(s.out.String(), ": warning: "), 2) // each was told once
	_, body := s.get("/_flow")
	is.True(!strings.Contains(body, "warning"))
}

// TestNeverReady: a program has to say that it answers.
func TestNeverReady(t *testing.T) {
	// A program that does something in its time gets more of it, since the machine may be busy.
	for _, tt := range []struct{ name, ready, main, says, page string }{
		{"without flow.Main", "1s", "package main\n\nimport (\n\t_ \"example.com/flow\"\n\t\"time\"\n)\n\nfunc main() { time.Sleep(time.Hour) }\n", needed, "has to call flow.Main or flow.Run"},
		{"it ends", "5m", "package main\n\nimport _ \"example.com/flow\"\n\nfunc main() {}\n", needed, "has to call flow.Main or flow.Run"},
		{"it takes long", "5s", "package main\n\nimport (\n\t\"context\"\n\n\t\"example.com/flow\"\n)\n\nfunc main() {\n\tflow.Run(context.Background(), func(ctx context.Context) (*flow.Router, error) { <-ctx.Done(); return nil, ctx.Err() })\n}\n",
			"What it does before it serves takes too long", "-ready gives it more time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			s.write("main.go", tt.main)
			s.launch("-ready", tt.ready)
			if tt.name == "it ends" {
				s.out.until(t, "flow: the program has ended before it was ready")
			} else {
				s.out.until(t, "flow: waiting for the program to be ready")
				s.out.until(t, "flow: the program is not ready after "+tt.ready)
			}
			s.out.until(t, tt.says)
			s.shows("/", tt.page)
		})
	}
}

// TestTakenPort: what to do is in the message.
func TestTakenPort(t *testing.T) {
	is := is.New(t)
	f, err := openFront("localhost:0", !canPassSockets)
	is.NoErr(err)
	defer f.close()
	_, err = openFront(f.listener.Addr().String(), false)
	is.True(err != nil)
	is.Equal(err.Error(), f.listener.Addr().String()+" is taken: another program listens there. Stop it, or give another address, as with -addr localhost:8081")
	_, err = openFront("nowhere", false)
	is.True(err != nil)
	is.Equal(err.Error(), `cannot listen on "nowhere": listen tcp: address nowhere: missing port in address: -addr takes host:port, and the variable PORT a port`)
}

// TestTakenByOther has words of several systems.
func TestTakenByOther(t *testing.T) {
	for _, tt := range []struct {
		words string
		want  bool
	}{
		{"listen tcp 127.0.0.1:8080: bind: address already in use", true},
		{"listen tcp 127.0.0.1:8080: bind: Only one usage of each socket address (protocol/network address/port) is normally permitted.", true},
		{"database is locked", true},
		{"open app.db: resource temporarily unavailable", true},
		{`open C:\app.db: The process cannot access the file because it is being used by another process.`, true},
		{"the block is too large", false},
	} {
		t.Run(tt.words, func(t *testing.T) {
			is := is.New(t)
			is.Equal(takenByOther.MatchString(tt.words), tt.want)
		})
	}
}

// TestOnStart has a program that takes its time before it serves. The program from before
// answers meanwhile, and goes on if the new one fails.
func TestOnStart(t *testing.T) {
	s := newSite(t)
	s.write("main.go", `package main

import (
	"context"
	"errors"
	"os"
	"time"

	"example.com/flow"
	"example.org/site/app"
)

func main() {
	app.Router.OnStart(func(ctx context.Context) error {
		for {
			switch text, _ := os.ReadFile("tables"); string(text) {
			case app.Version:
				return nil
			case "broken":
				return errors.New("no table for " + app.Version)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	flow.Main(app.Router)
}
`)
	s.write("tables", "v0")
	s.start()
	s.shows("/", "<p>v0</p>")
	s.version("v1")
	s.out.until(t, "flow: waiting for the program to be ready")
	s.shows("/", "<p>v0</p>")
	s.write("tables", "v1")
	s.out.until(t, "flow: app/version.go changed: built in ")
	s.shows("/", "<p>v1</p>")
	s.write("tables", "broken")
	s.version("v2")
	s.out.until(t, "main.go:14: OnStart: no table for v2")
	s.out.until(t, "flow: the program from before goes on answering")
	s.shows("/", "<p>v1</p>")
}

// TestStopFirst has a program that does not run beside another one.
func TestStopFirst(t *testing.T) {
	for _, args := range [][]string{nil, {"-stop-first"}, {"-stop-first", "-proxy"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			is := is.New(t)
			s := newSite(t)
			s.write("main.go", `package main

import (
	"context"
	"os"

	"example.com/flow"
	"example.org/site/app"
)

func main() {
	os.Exit(flow.Run(context.Background(), func(context.Context) (*flow.Router, error) {
		if _, err := os.OpenFile("lock", os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return nil, err
		}
		app.Router.OnStop(func(context.Context) error { return os.Remove("lock") })
		return app.Router, nil
	}))
}
`)
			s.start(args...)
			if args == nil { // what would help is in the message
				s.version("v1")
				s.out.until(t, "open lock: file exists")
				s.out.until(t, stopFirstHelps)
				s.out.until(t, "flow: the program from before goes on answering")
				s.shows("/", "<p>v0</p>")
				return
			}
			s.says("hello of v0")
			l := startLoad(s.url, 50, 4)
			s.version("v1")
			s.out.until(t, "flow: app/version.go changed: built in ")
			s.shows("/", "<p>v1</p>")
			s.shows("/_flow", "hello of v0")
			s.shows("/_flow", `<a href="`+s.url+`">`) // the program knows it by PORT
			s.write("app/version.go", "package app\n\nconst Version = missing\n")
			s.out.until(t, "flow: the program from before goes on answering")
			s.version("v2")
			s.out.until(t, "flow: app/version.go changed: built in ")
			s.shows("/", "<p>v2</p>")
			is.Equal(l.end(), []string(nil))
		})
	}
}
