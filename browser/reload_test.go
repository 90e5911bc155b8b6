package browser

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/testkit/servertest"
)

// tall is a page with a form that is higher than the window.
const tall = `<!doctype html><title>tall</title><link rel="stylesheet" href="/app.css?v=1">
<h1>%s</h1>
<form><input name="name" value="of the page"><textarea name="text"></textarea><input type="checkbox" name="check" value="1">
<select name="choice"><option>a<option>b</select><input type="password" name="word"><input name="api_token"><input name="card" autocomplete="billing cc-number"><input id="newPassword2"><input name="card_no"><input name="country_code"><input name="shipping"><input id="passenger">
<input type="hidden" name="hidden" value="of the page"><input type="file" name="file"></form>
<div id="box" style="height: 50px; overflow: auto"><div style="height: 500px"></div></div>
<div style="height: 5000px"></div>`

func tallSite(t *testing.T, register func(*flow.Router)) *site {
	return newSite(t, map[string]string{
		"router/index.html": fmt.Sprintf(tall, "before"),
		"router/other.html": `<!doctype html><h1>other</h1>`,
		"public/app.css":    "h1 { color: rgb(1, 1, 1) }",
	}, register)
}

func TestTemplateIsShownAgain(t *testing.T) {
	is := is.New(t)
	s, tb := tallSite(t, nil), newTab(t)
	tb.open(s.url + "/")
	tb.connected()
	tb.do(`scrollTo(0, 1234); document.getElementById("box").scrollTop = 77`)
	tb.do(`const f = document.forms[0]; f.name.value = "Ada"; f.text.value = "two\nlines"; f.check.checked = true; f.choice.value = "b";
		f.word.value = "s3cret-1"; f.api_token.value = "s3cret-2"; f.card.value = "s3cret-3"; f.newPassword2.value = "s3cret-4"; f.card_no.value = "s3cret-5"; f.country_code.value = "DE"; f.shipping.value = "ship"; f.passenger.value = "Bob"; f.hidden.value = "changed"; f.text.focus({preventScroll: true}); f.text.setSelectionRange(1, 3)`)
	tb.do(`addEventListener("pagehide", () => localStorage.setItem("stored", JSON.stringify(sessionStorage)))`)
	s.save("router/index.html", fmt.Sprintf(tall, "after"))
	tb.until("the new page is shown", `document.querySelector("h1").textContent === "after"`)
	tb.until("it is scrolled as before", `scrollY === 1234 && document.getElementById("box").scrollTop === 77`)
	is.Equal(tb.do(`const f = document.forms[0]; return [f.name.value, f.text.value, f.check.checked, f.choice.value, f.word.value, f.api_token.value, f.card.value, f.newPassword2.value, f.card_no.value, f.country_code.value, f.shipping.value, f.passenger.value, f.hidden.value]`),
		`["Ada","two\nlines",true,"b","","","","","","DE","ship","Bob","of the page"]`)
	is.Equal(tb.do(`const el = document.activeElement; return [el.name, el.selectionStart, el.selectionEnd]`), `["text",1,3]`)
	stored := tb.do(`return localStorage.getItem("stored")`)
	is.True(strings.Contains(stored, "Ada"))
	is.True(!strings.Contains(stored, "s3cret")) // what is secret was not even kept for the moment
	is.Equal(tb.do(`return sessionStorage.getItem("flow.reload.page")`), "null")
}

// TestWhatIsTypedOutlivesAFault, whose page comes between.
func TestWhatIsTypedOutlivesAFault(t *testing.T) {
	is := is.New(t)
	s, tb := tallSite(t, nil), newTab(t)
	tb.open(s.url + "/")
	tb.connected()
	tb.do(`document.forms[0].name.value = "Ada"; scrollTo(0, 999)`)
	s.save("router/index.html", "<h1>{{if}}")
	tb.until("the fault is shown", `document.querySelector(".status")?.textContent.includes(" failed")`)
	tb.connected()
	s.save("router/index.html", fmt.Sprintf(tall, "mended"))
	tb.until("the page is back", `document.querySelector("h1").textContent === "mended" && scrollY === 999`)
	is.Equal(tb.do(`return document.forms[0].name.value`), `"Ada"`)
}

func TestStyleSheetsChangeWithoutAReload(t *testing.T) {
	is := is.New(t)
	s, tb := tallSite(t, nil), newTab(t)
	tb.open(s.url + "/")
	tb.connected()
	tb.do(`window.here = true`)
	for i := range 3 {
		s.save("public/app.css", fmt.Sprintf("h1 { color: rgb(%d, 2, 2) }", i))
		tb.until("the new color is shown", fmt.Sprintf(`getComputedStyle(document.querySelector("h1")).color === "rgb(%d, 2, 2)"`, i))
		tb.until("the old sheet is gone", `document.querySelectorAll("link").length === 1`)
	}
	is.Equal(tb.do(`return [window.here, new URL(document.querySelector("link").href).searchParams.get("v")]`), `[true,"1"]`)
	s.save("public/app.js", "1")
	tb.until("anything else loads the page again", `window.here === undefined && document.querySelector("h1") !== null`)
}

// TestNewProcess reaches an application that was built anew, at the same address.
func TestNewProcess(t *testing.T) {
	var log servertest.Log
	logs := func(r *flow.Router) { r.Logger = slog.New(slog.NewTextHandler(&log, nil)) }
	s, tb := tallSite(t, logs), newTab(t)
	tb.open(s.url + "/")
	tb.connected()
	tb.do(`window.here = true`)
	s.restart() // which waits for the old one
	if said := log.String(); strings.Contains(said, "cuts off") {
		t.Errorf("an event stream has held it up: %s", said)
	}
	tb.until("the page of the new process is shown", `window.here === undefined && document.querySelector("h1") !== null`)
}

// TestPageThatAnswersAForm is not sent again without asking.
func TestPageThatAnswersAForm(t *testing.T) {
	is := is.New(t)
	posts := 0
	s := newSite(t, map[string]string{
		"router/index.html": `<!doctype html><title>form</title><form method="post"><button>Send</button></form>`,
		"router/done.html":  `<!doctype html><title>done</title><link rel="stylesheet" href="/app.css"><h1>done</h1>`,
		"public/app.css":    "h1 { color: rgb(1, 1, 1) }",
	}, func(r *flow.Router) {
		r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
		r.At("index").POST().Do(func(*flow.Request) flow.Response { posts++; return flow.View("done", nil) })
	})
	tb := newTab(t)
	tb.open(s.url + "/")
	tb.run(chromedp.Click("button"))
	tb.until("the form is answered", `document.title === "done"`)
	tb.connected()
	tb.do(`window.here = true`)
	s.save("router/done.html", "changed")
	tb.until("a bar says so", `document.querySelector("flow-development")?.shadowRoot.querySelector(".bar")?.textContent.includes("answers a form") === true`)
	tb.picture("bar")
	s.save("public/app.css", "h1 { color: rgb(2, 2, 2) }")
	tb.until("style sheets change all the same", `getComputedStyle(document.querySelector("h1")).color === "rgb(2, 2, 2)"`)
	is.Equal(tb.do(`return [window.here, document.title]`), `[true,"done"]`)
	is.Equal(posts, 1)
	tb.do(`document.querySelector("flow-development").shadowRoot.querySelectorAll(".bar button")[1].click()`)
	tb.until("it can be closed", `document.querySelector("flow-development").shadowRoot.querySelector(".bar") === null`)
}

// TestPageThatChangesFiles is not loaded again for ever, however long it takes to make.
func TestPageThatChangesFiles(t *testing.T) {
	is := is.New(t)
	var asked atomic.Int32
	var s *site
	s = newSite(t, map[string]string{"router/index.http": ""}, func(r *flow.Router) {
		r.At("index").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			time.Sleep(100 * time.Millisecond)
			s.save("public/count.txt", fmt.Sprint(asked.Add(1)))
			io.WriteString(w, "<!doctype html><h1>counts</h1>")
		}))
	})
	tb := newTab(t)
	tb.open(s.url + "/")
	tb.until("it says so", `document.querySelector("flow-development")?.shadowRoot.textContent.includes("Files change all the time")`)
	is.True(asked.Load() > 5)
}

// TestPageOfTwoApplications: one in development has got it from another, and each has put
// its script there.
func TestPageOfTwoApplications(t *testing.T) {
	is := is.New(t)
	behind := newSite(t, map[string]string{"router/index.html": "<!doctype html><h1>behind</h1>"}, nil)
	target, err := url.Parse(behind.url)
	is.NoErr(err)
	var asked atomic.Int32
	front := newSite(t, map[string]string{"router/[[...path]].http": ""}, func(r *flow.Router) {
		r.At("[[...path]]").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			asked.Add(1)
			proxy := httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}
			proxy.ServeHTTP(w, req)
		}))
	})
	tb := newTab(t)
	tb.open(front.url + "/")
	tb.until("both have", `document.querySelectorAll("script[data-state]").length === 2`)
	time.Sleep(500 * time.Millisecond)
	is.True(asked.Load() <= 2) // and perhaps one for the icon
}

// TestPolicies of pages neither forbid the script nor are loosened for others.
func TestPolicies(t *testing.T) {
	for _, policy := range []string{
		"default-src 'none'; script-src 'nonce-abc'; require-trusted-types-for 'script'; trusted-types 'none'",
		"default-src 'none'",
		"default-src 'none'; script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'strict-dynamic'",
		"default-src 'self'; base-uri 'none'; object-src 'none'",
	} {
		t.Run(policy, func(t *testing.T) {
			is := is.New(t)
			s := newSite(t, map[string]string{"router/index.html": `<!doctype html><h1>before</h1>`}, func(r *flow.Router) {
				r.Use(func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
						w.Header().Set("Content-Security-Policy", policy)
						next.ServeHTTP(w, q)
					})
				})
			})
			tb := newTab(t)
			tb.open(s.url + "/")
			tb.connected()
			s.save("router/index.html", `<!doctype html><h1>after</h1><script>window.loose = true</script>`)
			tb.until("the page is shown again", `document.querySelector("h1").textContent === "after"`)
			is.Equal(tb.do(`return window.loose`), "undefined") // its own script is forbidden as before
			s.save("router/index.html", `{{if}}`)
			tb.until("faults are shown, too", `document.querySelector(".status")?.textContent.includes(" failed")`)
		})
	}
}

// TestFrames are loaded again with the page around them, over its connection.
func TestFrames(t *testing.T) {
	is := is.New(t)
	s := newSite(t, map[string]string{
		"router/index.html":  `<!doctype html><title>around</title>` + strings.Repeat(`<iframe src="/inside"></iframe>`, 7),
		"router/inside.html": `<!doctype html><link rel="stylesheet" href="/app.css"><h1>before</h1>`,
		"public/app.css":     "h1 { color: rgb(1, 1, 1) }",
	}, nil)
	tb := newTab(t)
	tb.open(s.url + "/")
	tb.connected()
	frames := `[...document.querySelectorAll("iframe")].map((f) => f.contentWindow)`
	inside := frames + `.every((f) => f.document.querySelector("h1")?.textContent === "%s")`
	tb.until("the frames are there", fmt.Sprintf(inside, "before"))
	s.save("public/app.css", "h1 { color: rgb(2, 2, 2) }")
	tb.until("their style sheets change", frames+`.every((f) => getComputedStyle(f.document.querySelector("h1")).color === "rgb(2, 2, 2)")`)
	s.save("router/inside.html", `<!doctype html><h1>after</h1>`)
	tb.until("they are loaded again", frames+`.length === 7 && `+fmt.Sprintf(inside, "after"))
	is.Equal(tb.do(`return `+frames+`.filter((f) => f.performance.getEntriesByType("resource").some((e) => e.name.endsWith("/events"))).length`), "0")
}

// TestPagesOfOthers are those of net/http handlers, and error pages.
func TestPagesOfOthers(t *testing.T) {
	s := newSite(t, map[string]string{"router/index.html": "home", "router/std.http": "", "router/+error.html": "<!doctype html><h1>before</h1>"}, func(r *flow.Router) {
		r.At("std").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { io.WriteString(w, "<!doctype html><h1>std</h1>") }))
	})
	tb := newTab(t)
	tb.open(s.url + "/std")
	tb.connected()
	tb.do(`window.here = true`)
	s.save("router/index.html", "changed")
	tb.until("it is loaded again", `window.here === undefined && document.querySelector("h1")?.textContent === "std"`)
	tb.open(s.url + "/none")
	tb.connected()
	s.save("router/+error.html", "<!doctype html><h1>after</h1>")
	tb.until("the 404 is loaded again", `document.querySelector("h1")?.textContent === "after"`)
}

// TestHundredSaves measures the time from a save to the new page, and asserts only that
// each of them is shown.
func TestHundredSaves(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	s, tb := tallSite(t, nil), newTab(t)
	tb.open(s.url + "/other")
	tb.connected()
	var took []time.Duration
	for i := range 100 {
		// The page itself notes when it has its new content, by the clock of this machine.
		s.save("router/other.html", fmt.Sprintf(`<!doctype html><h1>%d</h1><script>window.shown = Date.now()</script>`, i))
		began := time.Now().UnixMilli()
		tb.until("the new page is shown", fmt.Sprintf(`document.querySelector("h1")?.textContent === "%d" && window.shown > 0`, i))
		var shown int64
		fmt.Sscan(tb.do(`return window.shown`), &shown)
		took = append(took, time.Duration(shown-began)*time.Millisecond)
		tb.connected()
		// Not always at the same point between two looks at the disk, and far from 60 times in 5
		// seconds, when a page no longer believes that somebody has saved.
		time.Sleep(time.Duration(50+i*7%50) * time.Millisecond)
	}
	slices.Sort(took)
	under := 0
	for _, d := range took {
		if d < 200*time.Millisecond {
			under++
		}
	}
	t.Logf("from a save to the new page: %d of 100 under 200 ms; median %v, 95th %v, longest %v", under, took[50], took[95], took[99])
}
