package browser

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	sample "example.com/flow/app"
	"example.com/flow/browser/htmx/app"
	"example.com/flow/internal/testkit/servertest"
)

// The sample registers its handlers in this program, too, since other tests serve it. All
// Routers of a program are made before the first one is checked.
var _ = sample.New(&sample.App{})

// htmxVersions are those that the recipe of docs/recipes/htmx.md works with. Each has an
// extension for server-sent events.
var htmxVersions = map[string]struct{ name, version, file string }{
	"2.0.11": {"htmx-ext-sse", "2.2.4", "dist/sse.min.js"},
	"4.0.1":  {"htmx.org", "4.0.1", "dist/ext/hx-sse.min.js"},
}

// htmxSite is the application of the recipe with a version of htmx. The tests run it in the
// same process, so it is a handler that other handlers may stand in front of.
func htmxSite(t *testing.T, version string) http.Handler {
	t.Helper()
	scripts := map[string]string{}
	for asset, file := range map[string]struct{ name, version, file string }{
		"htmx.min.js": {"htmx.org", version, "dist/htmx.min.js"},
		"sse.min.js":  htmxVersions[version],
	} {
		text, err := npmFile(file.name, file.version, file.file)
		if err != nil {
			missing(t, err.Error())
		}
		path, err := app.Router.Asset(asset)
		if err != nil {
			t.Fatal(err)
		}
		scripts[path] = text
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := scripts[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, text)
			return
		}
		app.Router.ServeHTTP(w, r)
	})
}

// serveHTMX serves the recipe with a version of htmx, and opens a tab that notes what the
// policy of its pages refuses.
func serveHTMX(t *testing.T, version string) (url string, tb *tab) {
	t.Helper()
	server := httptest.NewServer(htmxSite(t, version))
	t.Cleanup(server.Close)
	tb = newTab(t)
	tb.watchPolicy()
	return server.URL, tb
}

// TestHTMX uses the recipe as a visitor does.
func TestHTMX(t *testing.T) {
	for version := range htmxVersions {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			url, tb := serveHTMX(t, version)
			tb.open(url + "/notes")
			is.Equal(tb.do("return htmx.version"), `"`+version+`"`)
			tb.do("window.stays = true") // until the page is loaded anew
			id := rand.Text()

			add := func(text string) {
				tb.until("htmx has put in what came before", `!document.querySelector(".htmx-settling, .htmx-added, .htmx-swapping, .htmx-request")`)
				tb.do(`document.querySelector("#text").value = "` + text + `"; document.querySelector("#notes button").click()`)
			}
			const listed = `[...document.querySelectorAll("#notes li")].map((li) => li.textContent).join()`
			add(" ")
			tb.until("the message is shown", `document.querySelector("#text-wrong")?.textContent === "Note is required."`)
			add(id + " tea")
			tb.until("a note is added, and the form empty", listed+` .endsWith("`+id+` tea") && document.querySelector("#text").value === "" && !document.querySelector("#text-wrong")`)
			add(id + " milk")
			tb.until("another one is added", listed+` .endsWith("`+id+` milk")`)

			tb.run(chromedp.SendKeys(`[name="q"]`, id+" t"))
			tb.until("what is found is shown", listed+` === "`+id+` tea" && location.search !== ""`)
			is.Equal(tb.do(`return document.querySelectorAll("nav, main, [name=q]").length`), "3") // the part alone was put in
			is.Equal(tb.do("return window.stays"), "true")

			tb.do(`document.querySelector("nav a[href='/about']").click()`)
			tb.until("the boosted link leads to a page", `document.title === "About" && document.querySelector("h1").textContent === "About" && location.pathname === "/about"`)
			is.Equal(tb.do(`return document.querySelectorAll("nav").length`), "1")
			is.Equal(tb.do("return window.stays"), "true")

			is.Equal(tb.do("return refused"), "[]")

			tb.do("history.back()")
			tb.until("the page of before is whole", `location.pathname === "/notes" && document.title === "Notes" && `+listed+` === "`+id+` tea" && document.querySelectorAll("nav").length === 1`)

			tb.do(`document.querySelector("[hx-target='#mail']").click()`)
			tb.until("a stranger is sent to the form", `location.pathname === "/login" && document.title === "Sign in" && !window.stays`)
		})
	}
}

// TestRows adds and removes the lines of an order as a visitor does, with htmx and without
// scripts.
func TestRows(t *testing.T) {
	for _, version := range []string{"2.0.11", "4.0.1", "none"} {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			served, scripts := version, version != "none"
			if !scripts {
				served = "2.0.11"
			}
			url, tb := serveHTMX(t, served)
			if !scripts {
				tb.run(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
					_, err = cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
					return none, err
				})
			}
			tb.open(url + "/orders")
			tb.do("window.stays = true") // until the page is loaded anew
			customer := rand.Text()
			const fields = `[...document.querySelectorAll("#orders input")].map((e) => e.value).join()`
			press := func(button, what, shows string) {
				t.Helper()
				tb.until("htmx has put in what came before", `!document.querySelector(".htmx-settling, .htmx-added, .htmx-swapping, .htmx-request")`)
				tb.run(chromedp.Click(button))
				tb.until(what, shows)
				is.Equal(tb.do("return window.stays === true"), fmt.Sprint(scripts))
				tb.do("window.stays = true")
			}
			const add, remove1, order = `[name=add]`, `[name=remove][value="1"]`, `button:not([name]):not([hidden])`

			tb.run(chromedp.SendKeys("#customer", customer), chromedp.SendKeys("#lines--0--article", "tea"), chromedp.SendKeys("#lines--0--count", "0"))
			press(add, "a line is added", fields+` === "`+customer+`,tea,0,,"`)
			tb.until("it has the focus", `document.activeElement.id === "lines--1--article"`)
			tb.run(chromedp.SendKeys("#lines--1--article", "milk"), chromedp.SendKeys("#lines--1--count", "2"))
			tb.do(`document.querySelector("form").noValidate = true`)
			press(order, "the message is at its line", `document.querySelector("#lines--0--count-wrong")?.textContent === "Count must be at least 1." && `+fields+` === "`+customer+`,tea,0,milk,2"`)
			for _, width := range []int64{390, 1280} {
				tb.look(width, "light")
				if scripts { // axe-core is one
					tb.accessible(t)
				}
				is.True(tb.fits())
				tb.picture(fmt.Sprintf("rows-%s-%d", version, width))
			}
			press(remove1, "the first line is gone", fields+` === "`+customer+`,milk,2"`)
			tb.run(chromedp.SendKeys("#customer", "\r")) // Enter presses the hidden button
			tb.until("it is ordered", `[...document.querySelectorAll("#orders li")].at(-1)?.textContent === "`+customer+`: 2 × milk" && `+fields+` === ",,"`)
			if scripts {
				is.Equal(tb.do("return refused"), "[]")
			}
		})
	}
}

// TestHTMXErrors has htmx ask for what answers with an error: it leaves the page as it is.
func TestHTMXErrors(t *testing.T) {
	for version := range htmxVersions {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			url, tb := serveHTMX(t, version)
			tb.open(url + "/about")
			tb.do(`for (const name of ["htmx:responseError", "htmx:response:error"]) document.addEventListener(name, () => window.wrong = true);
				htmx.ajax("GET", "/nobody", "main")`)
			tb.until("htmx has the answer", "window.wrong === true")
			is.Equal(tb.do(`return document.querySelector("main").textContent.trim()`), `"About"`)
		})
	}
}

// TestLivePages shows the wall in two tabs while notes are added, also while the server is
// away: stopped, or behind a proxy that says so.
func TestLivePages(t *testing.T) {
	for version := range htmxVersions {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			recipe := htmxSite(t, version)
			var streams, away atomic.Int32
			front := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/wall/events" {
					if away.Load() > 0 {
						away.Add(-1)
						w.WriteHeader(http.StatusBadGateway)
						return
					}
					streams.Add(1)
					defer streams.Add(-1)
				}
				recipe.ServeHTTP(w, r)
			})
			server := &site{t: t, make: func(string) http.Handler { return front }}
			server.start(freeAddr(t))
			t.Cleanup(func() { server.stop() })
			add := func(text string) {
				t.Helper()
				r := httptest.NewRequest("POST", "/notes", strings.NewReader("text="+text))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				w := httptest.NewRecorder()
				app.Router.ServeHTTP(w, r)
				is.Equal(w.Code, http.StatusSeeOther)
			}
			shows := func(tb *tab, text string) {
				t.Helper()
				tb.until(text+" is shown", `[...document.querySelectorAll("#live li")].filter((li) => li.textContent === "`+text+`").length === 1`)
			}
			id := rand.Text()
			add(id + "before")
			tabs := []*tab{newTab(t), newTab(t)}
			for _, tb := range tabs {
				tb.watchPolicy()
				tb.open(server.url + "/wall")
				tb.do("window.stays = true")
				shows(tb, id+"before")
			}
			servertest.Until(t, "both listen", func() bool { return streams.Load() == 2 })
			add(id + "tea")
			for _, tb := range tabs {
				shows(tb, id+"tea")
			}

			server.stop() // ends the streams, and waits for that
			is.Equal(streams.Load(), int32(0))
			add(id + "stopped")
			server.start(strings.TrimPrefix(server.url, "http://"))
			for _, tb := range tabs {
				shows(tb, id+"stopped")
			}
			servertest.Until(t, "both listen again", func() bool { return streams.Load() == 2 })
			add(id + "milk")
			for _, tb := range tabs {
				shows(tb, id+"milk")
			}

			away.Store(3) // browsers do not come back by themselves after an error of HTTP
			server.stop()
			add(id + "away")
			server.start(strings.TrimPrefix(server.url, "http://"))
			for _, tb := range tabs {
				shows(tb, id+"away")
				is.Equal(tb.do("return window.stays"), "true") // no page was loaded anew
				is.Equal(tb.do("return refused"), "[]")
			}
			is.Equal(away.Load(), int32(0))

			servertest.Until(t, "both listen once more", func() bool { return streams.Load() == 2 })
			tabs[0].do(`document.querySelector("nav a[href='/about']").click()`)
			servertest.Until(t, "a page that is left listens no longer", func() bool { return streams.Load() == 1 })
		})
	}
}
