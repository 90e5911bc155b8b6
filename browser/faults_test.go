package browser

import (
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/develop/livereload"
)

// overlay is an expression for the text of the dialog with faults on a page, "" if it is not open.
const overlay = `(document.querySelector("flow-development")?.shadowRoot.querySelector("dialog[open]")?.innerText ?? "")`

// wrongIsSeen is an expression that is true if a person sees the first word that is wrong on a
// page of faults.
const wrongIsSeen = `(() => {
	const word = document.querySelector(".source mark")?.getBoundingClientRect(), source = document.querySelector(".source")?.getBoundingClientRect();
	return !!word && word.left >= source.left + 40 && word.right <= source.right;
})()`

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
	is.True(strings.HasPrefix(text, `"error calling index: index out of range: 7\n`)) // the headline says what is wrong
	is.True(strings.Contains(text, "{{index . 7}}"))                                  // the source
	is.Equal(tb.do(`return window.same`), "true")                                     // the page is the same
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
	hub := livereload.NewHub(disk.NewWatcher(disk.Dir(dir), "router", "public"))
	hub.SetPolling(false)
	s := newSite(t, map[string]string{"router/index.html": `<!doctype html><title>home</title><style>html * { all: unset; display: none }</style><input id="field"><h1>home</h1>`}, nil)
	router := s.make(s.dir)
	s.stop()
	s.make = func(string) http.Handler {
		front := &livereload.Front{Hub: hub}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { front.ServeHTTP(w, r, router.ServeHTTP) })
	}
	s.start(freeAddr(t))
	tb := newTab(t)
	tb.open(s.url + "/")
	tb.connected()
	hub.SetFaults(devpage.Parse("app/x.go:1:2: <b>undefined</b>: x\napp/y.go:3: missing return"))
	tb.until("both are shown, whatever the style sheets of the page", overlay+`.includes("2 faults in 2 files")`)
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

// TestCopyAndEditor: a fault leads to the editor, and can be copied, on a page of flow and above
// a page of the application.
func TestCopyAndEditor(t *testing.T) {
	s := brokenSite(t)
	t.Setenv("FLOW_EDITOR", "editor://open?file={file}&line={line}&column={column}")
	s.save("router/+row.html", "<b>\n<i>{{index . 7}}</i></b>")
	for _, tt := range []struct{ name, index, root string }{
		{"page", `{{template "+row" .}}`, "document"},
		{"overlay", "<!doctype html><title>home</title><h1>home</h1>", `document.querySelector("flow-development")?.shadowRoot.querySelector("dialog[open]")`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			s.save("router/index.html", tt.index)
			tb := newTab(t)
			tb.open(s.url + "/")
			tb.connected()
			tb.do(`window.copied = []; Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { if (copied.push(text) > 1) throw 0; } } })`)
			if tt.name == "overlay" {
				tb.do(`fetch("/row")`)
			}
			tb.until("there is the fault", `!!`+tt.root+`?.querySelector(".said button")`)
			is.Equal(tb.do("return "+tt.root+`.querySelector(".place a").href.replace(/file=.*router/, "file=router")`), `"editor://open?file=router/+row.html&line=2&column=6"`)
			is.Equal(tb.do("return "+tt.root+`.querySelector(".place a").textContent`), `"router/+row.html:2:6"`)
			is.Equal(tb.do("return "+tt.root+`.querySelector(".source mark").textContent`), `"index . 7"`)
			tb.do(tt.root + `.querySelector(".said button").click()`)
			tb.until("it is copied", tt.root+`.querySelector(".said button").textContent === "Copied"`)
			is.True(strings.HasPrefix(tb.do("return copied[0]"), `"router/+row.html:2:6: executing \"router/+row.html\" at <index . 7>: error calling index`))
			tb.do(tt.root + `.querySelector(".said button").click()`)
			tb.until("the browser refuses it", tt.root+`.querySelector(".said button").textContent === "Not copied"`)
		})
	}
}

// TestStylesOfOwnPages: browsers apply the style sheets of flow's pages, also of a clone with CRLF.
func TestStylesOfOwnPages(t *testing.T) {
	own := "h1 {\r\n\tcolor: rgb(1, 2, 3);\r}\r\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", devpage.ContentType)
		w.Header().Set("Content-Security-Policy", devpage.PolicyFor(own, devpage.Style))
		w.Write(devpage.Page{Title: "Home", Main: "<h1>Home</h1>", Own: template.CSS(own)}.Render())
	}))
	t.Cleanup(s.Close)
	tb := newTab(t)
	tb.open(s.URL)
	is.New(t).Equal(tb.do(`return getComputedStyle(document.querySelector("h1")).color`), `"rgb(1, 2, 3)"`)
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
	far := newSite(t, map[string]string{"router/index.html": "<p>" + strings.Repeat("A long line. ", 12) + "{{.Nme}} and {{.Titel}} " + strings.Repeat("It goes on. ", 12) + "</p>\n"}, func(r *flow.Router) {
		r.At("index").GET().Do(func(*flow.Request) (struct{ Name, Title string }, error) { return struct{ Name, Title string }{}, nil })
	})
	tb := newTab(t)
	for name, url := range map[string]string{
		"word": far.url + "/", "crash": crashed.URL, "template": s.url + "/?q=shown&token=s3cret", "panic": s.url + "/panics?user=ada", "check": faulty.URL + "/",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			tb.open(url)
			for _, scheme := range []string{"light", "dark"} {
				for width, size := range map[int64]string{1280: "wide", 360: "narrow"} {
					tb.look(width, scheme)
					tb.accessible(t)
					is.True(tb.fits())
					if name == "word" {
						tb.run(chromedp.Reload())
						tb.until("what is wrong is scrolled into view", wrongIsSeen)
						is.Equal(tb.do(`return [...document.querySelectorAll(".source mark")].map((m) => m.textContent).join()`), `"Nme,Titel"`) // in one excerpt
					}
					tb.picture(name + "-" + size + "-" + scheme)
				}
			}
			is.Equal(tb.do(`return getSelection().selectAllChildren(document.querySelector(".place code, .place") ?? document.body)`), "undefined")
		})
	}
}
