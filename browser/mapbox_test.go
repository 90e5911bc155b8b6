package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
)

// mapSite has what the route map shows.
func mapSite(t *testing.T) *site {
	return newSite(t, map[string]string{
		"router/index.html":                                           `<!doctype html><html lang="en"><title>home</title><h1>home</h1>`,
		"router/(admin)/users/[id=int].html":                          "<p>user</p>",
		"router/[[language]]/a-rather-long-name-of-a-page/about.http": "",
		"router/users/[...rest].http":                                 "",
		"public/app.css":                                              "b{}",
	}, func(r *flow.Router) {
		r.Use(flow.RequestID)
		r.In("(admin)").Use(func(*flow.Request) flow.Response { return flow.Next() })
		do := func(*flow.Request) string { return "" }
		r.At("[[language]]/a-rather-long-name-of-a-page/about").GET().Do(do)
		r.At("users/[...rest]").ANY().Do(do)
		r.Mount("/files/", http.NotFoundHandler())
	})
}

// TestRouteMapBox asks the box of a map with mounts, groups and matchers, and holds the page
// against the rules for accessibility at both widths and in both color schemes.
func TestRouteMapBox(t *testing.T) {
	is := is.New(t)
	s, tb := mapSite(t), newTab(t)
	tb.open(s.url + "/nowhere/at/all")
	tb.open(s.url + "/_flow")
	tb.do(`document.querySelector("#path").value = "/users/ada"; document.querySelector("#method").value = "DELETE"; document.querySelector(".ask button").click()`)
	tb.until("it is explained", `(document.querySelector(".answer h3")?.innerText ?? "").includes("DELETE /users/ada is answered by router/users/[...rest].http")`)
	is.Equal(tb.do(`return [document.querySelector("#path").value, document.querySelector("#method").value]`), `["/users/ada","DELETE"]`)
	is.True(strings.Contains(tb.do(`return document.querySelector(".answer").innerText`), `[id=int] does not take \"ada\"`))
	is.True(strings.Contains(tb.do(`return document.querySelector(".requests").textContent`), "GET /nowhere/at/all"))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1600} {
			t.Run(fmt.Sprint(scheme, width), func(t *testing.T) {
				is := is.New(t)
				tb.look(width, scheme)
				is.True(tb.fits())
				is.True(tb.do(`return getComputedStyle(document.querySelector("main")).maxWidth`) == `"1480px"`) // the policy allows the style sheet
				tb.accessible(t)
			})
		}
	}

	// The path of a request leads to its explanation.
	tb.do(`[...document.querySelectorAll(".requests a")].find((a) => a.textContent.includes("/nowhere/at/all")).click()`) // the first may be for the icon of the page
	tb.until("it is explained", `(document.querySelector(".answer h3")?.innerText ?? "").includes("GET /nowhere/at/all is answered with 404")`)

	// What is malformed is told beside the box.
	tb.do(`const path = document.querySelector("#path"); path.value = "users"; path.form.requestSubmit()`)
	tb.until("it says what is wrong", `(document.querySelector("[role=alert]")?.innerText ?? "").includes("begins with a slash")`)
	tb.accessible(t)

	// A route file that is new on disk shows by itself.
	tb.connected()
	tb.do(`window.same = true`)
	s.save("router/new.html", "<p>new</p>")
	tb.until("it is loaded again", `window.same === undefined && (document.querySelector(".notice")?.innerText ?? "").includes("router/new.html")`)
}
