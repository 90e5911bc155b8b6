package browser

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/matryer/is"

	"example.com/flow/docs"
	"example.com/flow/ecosystem/site/app"
	"example.com/flow/export"
)

// openSite serves the site of the documentation, and opens a tab for it.
func openSite(t *testing.T) (tb *tab, url string) {
	s := httptest.NewServer(app.Router)
	t.Cleanup(s.Close)
	return newTab(t), s.URL
}

// TestSiteOfDocuments: each document fits on a phone, and its policy refuses nothing of it.
func TestSiteOfDocuments(t *testing.T) {
	tb, url := openSite(t)
	tb.look(360, "light")
	err := fs.WalkDir(docs.Files, ".", func(name string, _ fs.DirEntry, err error) error {
		document, isDocument := strings.CutSuffix(name, ".md")
		if err != nil || !isDocument {
			return err
		}
		t.Run(document, func(t *testing.T) {
			is := is.New(t)
			tb.open(url + "/docs" + strings.TrimSuffix("/"+document, "/index"))
			is.Equal(tb.do(`return document.querySelectorAll("h1").length`), "1")
			is.True(tb.fits())
			is.Equal(tb.refused(), "")
		})
		return nil
	})
	is.New(t).NoErr(err)
}

// TestLooksOfSite looks at pages of each kind: axe-core finds nothing.
func TestLooksOfSite(t *testing.T) {
	const typed = `const input = document.getElementById("page-query"); input.focus(); input.value = "guards"; input.dispatchEvent(new Event("input"))`
	const openTree = `document.querySelector(".bar button").click()`
	for _, tt := range []struct{ name, path, do, shows string }{
		{"home", "/", "", `document.querySelector(".hero img").naturalWidth > 0`},
		{"index", "/docs", "", `document.querySelectorAll("article td a").length > 15`},
		{"document", "/docs/pages", "", `document.querySelectorAll("#page-toc li").length > 10`},
		{"table", "/docs/routes", "", `document.querySelector("article table")`},
		{"recipe", "/docs/recipes/forms", "", `document.querySelectorAll("#page-tree li li").length > 20`},
		{"tree", "/docs/recipes/forms", `if (innerWidth < 990) ` + openTree, `innerWidth > 990 || document.querySelector("#page-tree:popover-open")`},
		{"typed", "/docs/routes", typed, `document.querySelectorAll("#page-found mark").length > 5`},
		{"search", "/search?q=layout", "", `document.querySelectorAll("#page-found mark").length > 20`},
		{"search-nothing", "/search?q=xyzzy", "", `document.querySelector("#page-found [role=status]").innerText === "0 results"`},
		{"error", "/docs/nothing", "", `document.querySelector(".status").innerText === "404"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tb, url := openSite(t)
			for _, width := range []int64{390, 1280} {
				for _, scheme := range []string{"light", "dark"} {
					tb.look(width, scheme)
					tb.open(url + tt.path)
					tb.do(tt.do)
					tb.until("the page is there", "!!("+tt.shows+")")
					tb.accessible(t)
					is.True(tb.fits())
					tb.picture(fmt.Sprintf("site-%s-%d-%s", tt.name, width, scheme))
				}
			}
			is.Equal(tb.refused(), "")
		})
	}
}

// TestSearchOfSite drives the search by keys.
func TestSearchOfSite(t *testing.T) {
	is := is.New(t)
	tb, url := openSite(t)
	press := func(key string) { tb.run(chromedp.KeyEvent(key)) }
	tb.open(url + "/docs/routes")
	press("/")
	is.Equal(tb.do("return document.activeElement.id"), `"page-query"`)
	tb.run(chromedp.KeyEvent("guards"))
	tb.until("there are results", `!document.getElementById("page-found").hidden && document.querySelectorAll("#page-found a").length === 8`)
	is.Equal(tb.do(`return document.querySelector("#page-found a").pathname + document.querySelector("#page-found a").hash`), `"/docs/middleware#guards"`)

	press(kb.ArrowDown)
	press(kb.ArrowDown)
	press(kb.ArrowUp)
	is.Equal(tb.do("return document.activeElement.hash"), `"#guards"`)
	press(kb.Escape)
	is.Equal(tb.do(`return document.activeElement.id + document.getElementById("page-found").hidden`), `"page-querytrue"`)
	press("x") // nothing has this word
	tb.until("it says so", `document.querySelector("#page-found [role=status]").innerText === "0 results"`)
	press(kb.Backspace)
	tb.until("there are results again", `document.querySelectorAll("#page-found a").length === 8`)
	press(kb.ArrowDown)
	press(kb.Enter)
	tb.until("the page is at the section", `location.pathname + location.hash === "/docs/middleware#guards" && document.readyState === "complete"`)
	is.Equal(tb.refused(), "")
}

// TestSearchByServer: the page of results has what the script finds.
func TestSearchByServer(t *testing.T) {
	tb, url := openSite(t)
	for _, query := range []string{"layout", "optimistic lock", "Router.Mount", "ETag", "a", "form field wrong", "naïve", "x-1"} {
		t.Run(query, func(t *testing.T) {
			is := is.New(t)
			const shown = `return [...document.querySelectorAll("#page-found [role=status], #page-found a")].map((e) => e.href + " " + e.innerText.split("\n")[0])`
			tb.open(url + "/search?q=" + strings.ReplaceAll(query, " ", "+"))
			answered := tb.do(shown)
			tb.do(`document.getElementById("page-found").firstElementChild.textContent = ""; document.getElementById("page-query").dispatchEvent(new Event("input"))`)
			tb.until("the script has searched", `document.querySelector("#page-found [role=status]").innerText !== ""`)
			is.Equal(tb.do(shown), answered)
		})
	}
}

// TestSearchOfFiles searches in the files of the site, below a path. The server of files answers to a search
// with the page without results, and the script finds them.
func TestSearchOfFiles(t *testing.T) {
	is := is.New(t)
	tb, dir := newTab(t), t.TempDir()
	_, err := export.Site(t.Context(), app.Router, export.Options{Dir: dir, Base: "/flow"})
	is.NoErr(err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, below := strings.CutPrefix(r.URL.Path, "/flow/")
		if !below {
			http.NotFound(w, r)
			return
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(file + ".html"); err == nil {
			file += ".html"
		}
		http.ServeFile(w, r, file)
	}))
	t.Cleanup(s.Close)
	tb.open(s.URL + "/flow/search?q=guards")
	tb.until("there are results", `document.querySelector("#page-found a")?.hash === "#guards"`)
	is.Equal(tb.do(`return document.getElementById("page-query").value`), `"guards"`)
	tb.run(chromedp.Click("#page-found a"))
	tb.until("a result has led to its page", `location.pathname === "/flow/docs/middleware" && document.querySelector("h1")?.innerText === "Middleware"`)
}

// TestSiteWithoutScripts: the tree opens, and the form of the search leads to its page.
func TestSiteWithoutScripts(t *testing.T) {
	is := is.New(t)
	tb, url := openSite(t)
	tb.look(390, "light")
	tb.run(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return none, err
	})
	tb.open(url + "/docs/routes")
	is.Equal(tb.do(`return document.querySelector("#page-tree").checkVisibility()`), "false")
	tb.run(chromedp.Click(`.bar button`))
	tb.until("the tree is open", `document.querySelector("#page-tree").checkVisibility()`)
	tb.run(chromedp.Click(`#page-tree a[href="/docs/pages"]`))
	tb.until("it has led to a page", `location.pathname === "/docs/pages"`)
	tb.run(chromedp.SetValue("#page-query", "guards"), chromedp.KeyEvent(""), chromedp.Submit("#page-search"))
	tb.until("the server has searched", `location.pathname === "/search" && document.querySelector("#page-found a")?.hash === "#guards"`)
}
