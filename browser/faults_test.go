package browser

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/dev"
	"example.com/flow/internal/devpage"
	"example.com/flow/internal/disk"
)

// overlay is an expression for the text of the dialog with faults on a page, "" if it is not open.
const overlay = `(document.querySelector("flow-development")?.shadowRoot.querySelector("dialog[open]")?.innerText ?? "")`

// brokenSite has a fragment whose template can break, and other requests that fail.
func brokenSite(t *testing.T) *site {
	return newSite(t, map[string]string{
		"router/index.html":     `<!doctype html><html lang="en"><title>home</title><main><h1>home</h1><p id="here"></p></main>`,
		"router/+row.html":      `<b>{{index . 0}}</b>`,
		"router/row.http":       "",
		"router/panics.http":    "",
		"router/users/new.html": "<h1>New user</h1>\n<form method=\"post\">\n\t<label>Name <input name=\"name\"></label>\n\t{{if .Error}}\n\t\t<p>{{.Error.Of \"name\"}}</p>\n\t{{end}}\n\t<label>Password <input type=\"password\" name=\"password\"></label>\n\t<button>Save</button>\n\t{{template \"content\"}}\n</form>\n",
	}, func(r *flow.Router) {
		r.At("row").GET().Do(func(*flow.Request) flow.Response { return flow.View("+row", []string{"good"}) })
		r.At("panics").GET().Do(func(req *flow.Request) (string, error) { return nameOf(findUser(req.Input("user"))), nil })
		r.At("users/new").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
		r.At("users/new").POST().Do(func(req *flow.Request) flow.Response {
			req.Input("name")
			return flow.Page(map[string]any{"Error": errors.New("taken")})
		})
	})
}

type user struct{ name *string }

func findUser(string) *user { return nil }

//go:noinline
func nameOf(u *user) string { return *u.name }

func TestOverlayForAFragment(t *testing.T) {
	is := is.New(t)
	s, tb := brokenSite(t), newTab(t)
	tb.open(s.url + "/")
	tb.connected()
	tb.do(`window.same = true; window.get = () => fetch("/row").then((r) => r.text()).then((text) => { document.getElementById("here").innerHTML = text; })`)
	s.save("router/+row.html", "<b>\n{{index . 7}}</b>")
	tb.until("the page is loaded again", `window.same === undefined && document.getElementById("here") !== null`)
	tb.connected()
	tb.do(`window.same = true; fetch("/row")`)
	tb.until("the fault is shown", overlay+`.includes("router/+row.html:2")`)
	text := tb.do("return " + overlay)
	is.True(strings.Contains(text, "Something is wrong"))
	is.True(strings.Contains(text, "{{index . 7}}")) // the source
	is.Equal(tb.do(`return window.same`), "true")    // the page is the same
	is.Equal(tb.do(`return document.querySelector("flow-development").shadowRoot.activeElement?.textContent`), `"Close"`)
	for _, scheme := range []string{"light", "dark"} {
		tb.look(1280, scheme)
		tb.accessible(t)
		tb.picture("overlay-wide-" + scheme)
		tb.look(360, scheme)
		tb.accessible(t)
		tb.picture("overlay-narrow-" + scheme)
	}
	s.save("router/+row.html", "<b>good again</b>")
	tb.until("a save takes it away", `window.same === undefined && document.querySelector("h1") !== null && `+overlay+` === ""`)
	tb.connected()
	tb.do(`fetch("/row").then((r) => r.text()).then((text) => { document.getElementById("here").innerHTML = text; })`)
	tb.until("the fragment is good", `document.getElementById("here").textContent === "good again"`)
	is.Equal(tb.do("return "+overlay), `""`)
}

// TestOverlayForTheBuild is what another process tells: the faults of a build.
func TestOverlayForTheBuild(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	hub := dev.NewHub(disk.NewWatcher(disk.Dir(dir), "router", "public"))
	hub.SetPolling(false)
	s := newSite(t, map[string]string{"router/index.html": `<!doctype html><title>home</title><style>html * { all: unset; display: none }</style><input id="field"><h1>home</h1>`}, nil)
	router := s.make(s.dir)
	s.stop()
	s.make = func(string) http.Handler {
		front := &dev.Front{Hub: hub}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { front.ServeHTTP(w, r, router.ServeHTTP) })
	}
	s.start("127.0.0.1:0")
	tb := newTab(t)
	tb.open(s.url + "/")
	tb.connected()
	hub.SetFaults(devpage.Parse("app/x.go:1:2: <b>undefined</b>: x\napp/y.go:3: missing return"))
	tb.until("both are shown, whatever the style sheets of the page", overlay+`.includes("2 things are wrong")`)
	is.Equal(tb.do(`return document.querySelector("flow-development").shadowRoot.querySelector("dialog").checkVisibility()`), "true")
	is.True(strings.Contains(tb.do("return "+overlay), "<b>undefined</b>: x")) // as text
	tb.do(`document.querySelector("flow-development").shadowRoot.querySelector("dialog").close()`)
	is.Equal(tb.do("return "+overlay), `""`)
	hub.SetFaults(devpage.Parse("app/x.go:1:2: another"))
	tb.until("what is new is shown again", overlay+`.includes("another")`)
	second := newTab(t)
	second.open(s.url + "/")
	second.until("who comes later sees it at once", overlay+`.includes("another")`)
	hub.SetFaults([]devpage.Fault{{Text: "panic: boom", Output: "listening\npanic: boom"}})
	tb.until("what the program has printed is shown", overlay+`.includes("listening\npanic: boom")`)
	tb.picture("overlay-crash")
	hub.SetFaults(nil)
	tb.until("it is gone", overlay+` === ""`)
	second.until("it is gone there, too", overlay+` === ""`)
}

// TestFaultPages are good HTML for everyone, light and dark, wide and narrow.
func TestFaultPages(t *testing.T) {
	s := brokenSite(t)
	s.save("router/index.html", "<h1>Home</h1>\n<ul>\n\t{{range .Users}}\n\t\t<li>{{.Name}}</li>\n\t{{end}}\n</ul>\n<p>{{index . \"a very long line of text that does not fit into the width of a narrow window and has to be scrolled\"}}</p>\n{{if}}\n<footer>\n</footer>\n")
	tree := t.TempDir()
	for _, file := range []string{"a.http", "b.http", "users/[id.html", "users/list.html"} {
		write(t, filepath.Join(tree, "router", filepath.FromSlash(file)), "")
	}
	router := flow.New(os.DirFS(tree))
	router.Logger = slog.New(slog.DiscardHandler)
	router.Dev(tree)
	router.At("users/list").GET().Name("users.list")
	faulty := httptest.NewServer(router)                                                          // flow.Serve refuses it
	t.Cleanup(faulty.Close)                                                                       // after the tab, which keeps an event stream open
	crashed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // as the tool shows it
		fault := devpage.Parse("faults_test.go:24: panic: the stock has "+strings.Repeat("very ", 20)+"few cheeses", ".")[0]
		fault.Output = "time=2026-11-22T07:00:00.000Z level=INFO msg=listening url=http://localhost:8080\n" + string(debug.Stack())
		report := devpage.Report{Title: "The program has ended: exit status 2", Status: "503 Service Unavailable", NoMap: true,
			Faults: []devpage.Fault{fault}, Advice: "Save a file that mends it: this page comes again by itself."}
		w.Header().Set("Content-Type", devpage.ContentType)
		w.Header().Set("Content-Security-Policy", devpage.Policy)
		w.Write(report.Render())
	}))
	t.Cleanup(crashed.Close)
	tb := newTab(t)
	for name, url := range map[string]string{
		"crash": crashed.URL, "template": s.url + "/?q=shown&token=s3cret", "panic": s.url + "/panics?user=ada", "check": faulty.URL + "/",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			tb.open(url)
			for _, scheme := range []string{"light", "dark"} {
				for width, size := range map[int64]string{1280: "wide", 360: "narrow"} {
					tb.look(width, scheme)
					tb.accessible(t)
					is.True(tb.do(`return document.documentElement.scrollWidth <= innerWidth`) == "true") // nothing makes the page wider
					tb.picture(name + "-" + size + "-" + scheme)
				}
			}
			is.Equal(tb.do(`return getSelection().selectAllChildren(document.querySelector(".place code, .place") ?? document.body)`), "undefined")
		})
	}
}
