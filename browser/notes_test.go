package browser

import (
	"net/http"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/develop/livereload"
)

// note is an expression for what a page shows of warnings, null if that is nothing.
const note = `(document.querySelector("flow-development")?.shadowRoot.querySelector(".note") ?? null)`

// TestNotes: warnings are a note in a corner, which opens, and leaves the page to its visitor.
func TestNotes(t *testing.T) {
	is := is.New(t)
	hub := livereload.NewHub(disk.NewWatcher(disk.Dir(t.TempDir())))
	hub.SetPolling(false)
	const page = "<!doctype html><html lang=\"en\"><title>home</title><style nonce=\"{{nonce}}\">aside, details { display: none }</style>\n<main><h1>home</h1><button>Save</button>\n<img alt=\"\" src=\"{{1}}\">\n</main>"
	s := newSite(t, map[string]string{"router/index.html": page}, func(r *flow.Router) {
		r.ContentSecurityPolicy = "default-src 'none'; script-src 'nonce' 'strict-dynamic'; style-src 'nonce'"
	})
	router := s.make(s.dir)
	s.stop()
	s.make = func(string) http.Handler {
		front := &livereload.Front{Hub: hub}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { front.ServeHTTP(w, r, router.ServeHTTP) })
	}
	s.start(freeAddr(t))
	warnings := devpage.Parse("router/index.html:3:1: warning: <img> has no alt: describe it\nrouter/index.html:3:6: warning: another\nrouter/+row.html: warning: no template calls it", s.dir)
	hub.SetTemplateFaults(nil, warnings[:2])

	tb := newTab(t)
	tb.open(s.url + "/")
	tb.until("it is there", note+`?.innerText.startsWith("2 warnings")`)
	is.Equal(tb.do("return "+overlay), `""`) // which is for faults
	tb.do(`window.clicked = 0; window.refused = 0; document.querySelector("button").onclick = () => { window.clicked++; };
		document.addEventListener("securitypolicyviolation", () => { window.refused++; })`)
	tb.do(`const box = document.querySelector("button").getBoundingClientRect(); document.elementFromPoint(box.x + 2, box.y + 2).click()`)
	is.Equal(tb.do("return window.clicked"), "1") // nothing is above the page
	is.Equal(tb.do(`return `+note+`.innerText.includes("<img> has no alt")`), "false")

	tb.do(note + `.querySelector("summary").click()`)
	tb.until("it shows them, with their source", note+`.innerText.includes("<img> has no alt: describe it") && `+note+`.innerText.includes("another") && `+note+`.querySelectorAll(".row.marked").length === 1`)
	is.Equal(tb.do(`return `+note+`.innerText.includes("warning: ")`), "false") // the summary says it
	for _, scheme := range []string{"light", "dark"} {
		for name, width := range map[string]int64{"wide": 1280, "narrow": 360} {
			tb.look(width, scheme)
			tb.accessible(t)
			tb.picture("note-" + name + "-" + scheme)
		}
	}
	tb.look(1280, "light")
	hub.SetTemplateFaults(nil, warnings[:1])
	tb.until("it follows, and stays open", note+`.innerText.startsWith("1 warning\n") && `+note+`.querySelector("details").open`)
	hub.SetTemplateFaults(devpage.Parse("router/index.html:1: bad"), warnings[:1])
	tb.until("a fault is above it", overlay+`.includes("bad")`)
	hub.SetTemplateFaults(nil, warnings[:2])
	tb.until("and goes", overlay+`=== ""`)
	is.Equal(tb.do("return window.refused"), "0")

	tb.do(note + `.querySelector(":scope > button").click()`)
	is.Equal(tb.do("return "+note), "null")
	for _, now := range [][]devpage.Fault{warnings[:1], warnings[:2]} { // some go, and come again, as with a fault of their template
		hub.SetTemplateFaults(nil, now)
		tb.open(s.url + "/")
		tb.connected()
		second := newTab(t)
		second.open(s.url + "/") // in another tab nobody has closed it
		second.until("it is there", note+"!== null")
		is.Equal(tb.do("return "+note), "null")
	}
	hub.SetTemplateFaults(nil, warnings)
	tb.until("one that is new comes with all", note+`?.innerText.startsWith("3 warnings")`)
	hub.SetTemplateFaults(nil, nil)
	tb.until("without warnings there is no note", note+` === null`)
}
