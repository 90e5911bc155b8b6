package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/matryer/is"
)

// docsApplications is what "flow new -docs" writes. It is a module of its own, since it needs
// libraries.
func docsApplications(t *testing.T) []application {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "manual")
	build{dir: filepath.Join("..", "cmd", "flow")}.run(t, "go", "run", ".", "new", "-docs", dir)
	a := application{name: "newdocs", dir: filepath.Join(dir, "app"), binary: filepath.Join(t.TempDir(), "manual")}
	build{dir: dir}.run(t, "go", "build", "-o", a.binary, ".")
	return []application{a}
}

// TestNewDocs looks at the site of "flow new -docs" in the widths of a phone and a desk, in light
// and in dark: it fits, axe-core finds nothing, and its policy refuses nothing.
func TestNewDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	newTab(t) // skips first what has no browser
	origin, stop := docsApplications(t)[0].serveToBrowser(t)
	t.Cleanup(stop)
	for name, path := range map[string]string{
		"home": "/", "docs": "/docs", "first-page": "/docs/first-page", "section": "/docs/writing", "links": "/docs/writing/links",
		"code": "/docs/writing/code", "blog": "/blog", "post": "/blog/hello", "nothing": "/nothing",
	} {
		t.Run(name, func(t *testing.T) {
			is, tb := is.New(t), newTab(t)
			tb.open(origin + path)
			is.Equal(tb.refused(), "")
			for _, scheme := range []string{"light", "dark"} {
				for _, width := range []int64{390, 1280} {
					tb.look(width, scheme)
					tb.accessible(t)
					is.True(tb.fits())
					tb.picture(fmt.Sprintf("newdocs-%s-%d-%s", name, width, scheme))
				}
			}
		})
	}
	t.Run("the sidebar", func(t *testing.T) {
		is, tb := is.New(t), newTab(t)
		const shown = `document.getElementById("pages").checkVisibility()`
		tb.open(origin + "/docs/writing/code")
		tb.look(1280, "light")
		is.Equal(tb.do(`return `+shown), "true") // beside the page
		tb.look(390, "light")
		is.Equal(tb.do(`return `+shown), "false")
		tb.do(`document.querySelector(".menu button").focus()`)
		tb.run(chromedp.KeyEvent(kb.Enter))
		tb.until("the button opens it", shown)
		tb.accessible(t)
		tb.picture("newdocs-sidebar-390-light")
		tb.run(chromedp.KeyEvent(kb.Escape))
		tb.until("Escape closes it", "!"+shown)
		is.Equal(tb.do(`return document.activeElement.textContent`), `"All pages"`)
		tb.run(chromedp.Click(".menu button"), chromedp.Click(`#pages a[href="/docs/first-page"]`))
		tb.until("a link of it leads on", `location.pathname === "/docs/first-page"`)
	})
}
