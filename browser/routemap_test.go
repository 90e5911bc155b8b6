package browser

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/matryer/is"

	"example.com/flow/app"
)

// TestRouteMap asks the map of the sample application.
func TestRouteMap(t *testing.T) {
	is := is.New(t)
	t.Chdir("..") // files are named from here
	router := app.New(&app.App{Logger: slog.New(slog.DiscardHandler)})
	router.Dev("app")
	s := httptest.NewServer(router)
	t.Cleanup(s.Close) // after the tab, which keeps an event stream open
	tb := newTab(t)
	for _, path := range []string{"/users", "/nowhere"} { // for the list of the last requests
		resp, err := http.Get(s.URL + path)
		is.NoErr(err)
		resp.Body.Close()
	}
	tb.open(s.URL + "/_flow")
	text := tb.do(`return document.body.textContent`)
	for _, want := range []string{"router/users/[id].html", "/nowhere", "404"} {
		is.True(strings.Contains(text, want))
	}
	tb.look(1280, "light")
	tb.run(chromedp.SetValue("#path", "/users/new"), chromedp.Click("form button"))
	tb.until("it says which file answers", `location.search.includes("path=") && document.body.innerText.includes("GET /users/new is answered by app/router/users/[id].html")`)
	// The box filters the routes, by keyboard too, and stays as it is when the page is loaded again.
	const shown = `[...document.querySelectorAll(".route")].filter((r) => r.checkVisibility()).length`
	tb.until("the box is there", `document.getElementById("filter").checkVisibility()`)
	all, err := strconv.Atoi(tb.do("return " + shown))
	is.NoErr(err)
	is.Equal(all, len(router.Routes()))                                                                    // a line for each
	const slash = `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }))` // a key of chromedp would be typed as well
	tb.do(slash)
	tb.run(chromedp.KeyEvent("signedIn GET"))
	tb.until("the others are hidden", shown+` === 3 && document.querySelector("[role=status]").textContent === "3 of `+strconv.Itoa(all)+`"`)
	tb.picture("map-filtered")
	tb.run(chromedp.Reload())
	tb.until("they stay hidden", shown+` === 3`)
	tb.until("the box is there", `document.getElementById("filter").checkVisibility()`)
	tb.do(slash)
	tb.run(chromedp.KeyEvent(kb.Escape))
	tb.until("all are back", shown+` === `+strconv.Itoa(all)+` && document.getElementById("filter").value === ""`)
	tb.do(`document.querySelector(".route summary").focus()`)
	tb.run(chromedp.KeyEvent(kb.Enter))
	tb.until("a line opens", `document.querySelector(".route details").open`)
	for _, query := range []string{"", "?method=POST&path=/users/new", "?path=/nowhere"} {
		tb.open(s.URL + "/_flow" + query)
		for _, scheme := range []string{"light", "dark"} {
			for width, size := range map[int64]string{1280: "wide", 360: "narrow"} {
				tb.look(width, scheme)
				tb.do(`document.querySelector(".route details").open = true`)
				tb.accessible(t)
				is.True(tb.fits())
				tb.picture("map" + strings.NewReplacer("?", "-", "/", "-", "&", "-", "=", "-").Replace(query) + "-" + size + "-" + scheme)
			}
		}
	}
}
