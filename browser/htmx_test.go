package browser

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	sample "example.com/flow/app"
	"example.com/flow/browser/htmx/app"
)

// The sample registers its handlers in this program, too, since other tests serve it. All
// Routers of a program are made before the first one is checked.
var _ = sample.New(&sample.App{})

// htmxVersions are those that the recipe of docs/recipes/htmx.md works with.
var htmxVersions = []string{"2.0.11", "4.0.1"}

// htmxSite serves the application of the recipe with a version of htmx, and a policy that
// allows neither scripts nor styles inside of pages. What violates the policy is an error.
func htmxSite(t *testing.T, version string) string {
	t.Helper()
	text, err := npmFile("htmx.org", version, "dist/htmx.min.js")
	if err != nil {
		missing(t, err.Error())
	}
	script, err := app.Router.Asset("htmx.min.js")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; object-src 'none'; base-uri 'none'; report-uri /violations")
		switch r.URL.Path {
		case script:
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, text)
		case "/violations":
			report, err := io.ReadAll(r.Body)
			t.Errorf("%s %v", report, err)
		default:
			app.Router.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestHTMX uses the recipe as a visitor does.
func TestHTMX(t *testing.T) {
	for _, version := range htmxVersions {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			url, tb := htmxSite(t, version), newTab(t)
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

			tb.do("history.back()")
			tb.until("the page of before is whole", `location.pathname === "/notes" && document.title === "Notes" && `+listed+` === "`+id+` tea" && document.querySelectorAll("nav").length === 1`)

			tb.do(`document.querySelector("[hx-target='#mail']").click()`)
			tb.until("a stranger is sent to the form", `location.pathname === "/login" && document.title === "Sign in" && !window.stays`)
		})
	}
}

// TestHTMXErrors has htmx ask for what answers with an error: it leaves the page as it is.
func TestHTMXErrors(t *testing.T) {
	for _, version := range htmxVersions {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			url, tb := htmxSite(t, version), newTab(t)
			tb.open(url + "/about")
			tb.do(`for (const name of ["htmx:responseError", "htmx:response:error"]) document.addEventListener(name, () => window.wrong = true);
				htmx.ajax("GET", "/nobody", "main")`)
			tb.until("htmx has the answer", "window.wrong === true")
			is.Equal(tb.do(`return document.querySelector("main").textContent.trim()`), `"About"`)
		})
	}
}
