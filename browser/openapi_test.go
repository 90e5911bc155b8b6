package browser

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/matryer/is"

	"example.com/flow/app"
)

// TestPageOfTheAPI drives the page of the sample's API by keys alone: the first Tab reaches the link
// past the list of operations, details open, and a command that is reached is selected, so that it can be copied.
func TestPageOfTheAPI(t *testing.T) {
	is := is.New(t)
	s := httptest.NewServer(app.New(&app.App{Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(s.Close)
	tb := newTab(t)
	tb.open(s.URL + "/api/docs")
	press := func(key string) { tb.run(chromedp.KeyEvent(key)) }
	focused := func(script string) string { return tb.do(`const e = document.activeElement; return ` + script) }

	press(kb.Tab)
	is.Equal(focused("e.className + getComputedStyle(e).left"), `"skip16px"`) // it is seen while it has the focus
	press(kb.Enter)
	tb.until("the page is at its operations", `location.hash === "#main"`)

	for range 50 {
		press(kb.Tab)
		if focused(`e.tagName + " " + e.parentElement.parentElement.id`) == `"SUMMARY api.users.create"` {
			break
		}
	}
	is.Equal(focused("e.innerText"), `"Add a user"`)
	press(kb.Enter)
	tb.until("the example is open", "document.activeElement.parentElement.open")
	press(kb.Tab)
	is.Equal(focused("e.tagName + e.selectionStart + (e.selectionEnd === e.value.length)"), `"INPUT0true"`) // all of it, to be copied
	is.Equal(focused("e.value.startsWith('curl -i -X POST \"$URL/')"), "true")

	tb.open(s.URL + "/api/docs#api.users.create")
	is.Equal(tb.do(`return document.querySelector("article:target h3").innerText`), `"Add a user"`)
	is.Equal(tb.do(`return document.scripts.length + document.querySelectorAll("[style]").length + performance.getEntriesByType("resource").length`), "0")
}
