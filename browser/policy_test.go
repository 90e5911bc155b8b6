package browser

import (
	"context"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/app"
)

// samplePolicy is the Content-Security-Policy of the sample, but for what it says of forms and
// frames.
const samplePolicy = "default-src 'self'; script-src 'nonce' 'strict-dynamic'; object-src 'none'; base-uri 'none'"

// watchPolicy has each page that is opened from now on note what its policy refuses.
func (tb *tab) watchPolicy() {
	tb.t.Helper()
	tb.run(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
			window.refused = [];
			addEventListener("securitypolicyviolation", (e) => refused.push(e.effectiveDirective + " " + e.blockedURI + " " + e.sample), true);`})
		return chromedp.Void{}, err
	})
}

// TestPolicyOfTheSample opens every page of the sample. Its policy is strict, and refuses
// nothing that the pages need.
func TestPolicyOfTheSample(t *testing.T) {
	for _, dev := range []bool{false, true} {
		t.Run(map[bool]string{false: "production", true: "development"}[dev], func(t *testing.T) {
			is := is.New(t)
			router := app.New(&app.App{Logger: slog.New(slog.DiscardHandler)})
			if dev {
				router.Dev("../app")
			}
			is.NoErr(router.Check())
			missing := map[string]bool{}
			for _, route := range router.Routes() {
				if strings.HasSuffix(route.File, ".html") && (route.Method == "GET" || route.Method == "ANY") {
					missing[route.File] = true
				}
			}
			files := map[string]string{}
			for _, route := range router.Routes() {
				files[route.Method+" "+route.Pattern] = route.File
			}
			var mu sync.Mutex
			policies := map[string]bool{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				router.ServeHTTP(w, r)
				mu.Lock()
				defer mu.Unlock()
				delete(missing, files[r.Pattern])
				if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
					policies[strings.Join(w.Header()["Content-Security-Policy"], " AND ")] = true
				}
			}))
			defer server.CloseClientConnections()
			tb := newTab(t)
			tb.watchPolicy()
			tb.open(server.URL + "/login")
			tb.do(`document.querySelector("#name").value = document.querySelectorAll("kbd")[0].textContent;
				document.querySelector("#password").value = document.querySelectorAll("kbd")[1].textContent;
				document.querySelector("form").requestSubmit();`)
			tb.until("it is signed in", `location.pathname === "/dashboard"`)
			asked, waiting := map[string]bool{}, []string{"/", "/dashboard", "/login", "/users/999", "/nowhere", "/users/1"}
			for len(waiting) > 0 {
				path := waiting[0]
				if waiting = waiting[1:]; asked[path] {
					continue
				}
				asked[path] = true
				tb.open(server.URL + path)
				tb.until("it is there", `document.readyState === "complete"`)
				if got := tb.do(`return refused`); got != "[]" {
					t.Errorf("%s: the policy refuses %s", path, got)
				}
				links := tb.do(`return [...document.links].filter((a) => a.origin === location.origin).map((a) => a.pathname).join(" ")`)
				for link := range strings.FieldsSeq(strings.Trim(links, `"`)) {
					if !strings.Contains(link, ".") && !strings.HasPrefix(link, "/api/") && !strings.HasPrefix(link, "/_flow") && link != "/events/stream" && link != "/livez" && link != "/readyz" {
						waiting = append(waiting, link)
					}
				}
			}
			// The scripts of the pages run.
			tb.open(server.URL + "/users")
			tb.do(`const q = document.querySelector("#q"); q.value = "nobody has this name"; q.dispatchEvent(new Event("input", { bubbles: true }))`)
			tb.until("the search runs", `document.querySelector("#list").textContent.includes("There is nobody")`)
			tb.open(server.URL + "/events") // which is rendered once
			tb.until("the events arrive", `document.querySelectorAll("#log li").length > 0`)
			is.Equal(tb.do(`return refused`), "[]")

			mu.Lock()
			defer mu.Unlock()
			delete(missing, "router/(auth)/login.html") // who is signed in is sent to the dashboard
			is.Equal(len(missing), 0)                   // a page was not opened
			for policy := range policies {
				is.True(strings.HasPrefix(policy, "default-src 'self'; script-src '")) // each page has the policy
			}
			is.True(len(policies) > len(asked)/2) // with nonces
		})
	}
}

// TestPolicyRefusesInjectedScripts: whatever comes into a page does not run, and the scripts
// of the page do.
func TestPolicyRefusesInjectedScripts(t *testing.T) {
	layout := `<!doctype html><h1 id="h">page</h1><script nonce="{{nonce}}">window.own = (window.own || 0) + 1</script>
<script nonce="{{nonce}}" src="/own.js"></script>{{template "content" .}}`
	fixed := `<!doctype html><h1 id="h">page</h1><script nonce="{{nonce}}">window.own = 3</script><script src="/evil.js"></script><p onclick="window.evil = 1">`
	r := flow.New(fstest.MapFS{
		"router/+layout.html": {Data: []byte(layout)},
		"router/page.html":    {Data: []byte(`{{raw (request.Input "inject")}}`)},
		"router/std.http":     {},
		"public/own.js":       {Data: []byte(`window.own++; const s = document.createElement("script"); s.src = "/loaded.js"; document.head.append(s)`)},
		"public/loaded.js":    {Data: []byte(`window.own++`)},
		"public/evil.js":      {Data: []byte(`window.evil = 1`)},
	})
	r.ContentSecurityPolicy = samplePolicy
	r.Logger = slog.New(slog.DiscardHandler)
	r.Funcs = template.FuncMap{"raw": func(s string) template.HTML { return template.HTML(s) }}
	r.At("std").GET().Do(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		nonce := flow.From(req.Context()).Nonce()
		io.WriteString(w, `<!doctype html><h1 id="h">page</h1><script nonce="`+nonce+`">window.own = 3</script>`+req.FormValue("inject"))
	})
	alone := flow.New(fstest.MapFS{"router/index.html": {Data: []byte(fixed)}, "public/evil.js": {Data: []byte(`window.evil = 1`)}})
	alone.ContentSecurityPolicy = samplePolicy
	r.Mount("/alone", alone)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(r)
	defer server.Close()
	for _, inject := range []string{
		`<script>window.evil = 1</script>`,
		`<script nonce="">window.evil = 1</script>`,
		`<script nonce="guess">window.evil = 1</script>`,
		`<script src="/evil.js"></script>`,
		`<img src="/nothing.png" onerror="window.evil = 1">`,
		`<svg onload="window.evil = 1">`,
		`<iframe srcdoc="<script>parent.evil = 1</script>"></iframe>`,
		`<object data="/evil.js"></object>`,
		`<base href="https://evil.example/">`,
	} {
		for _, target := range []string{"/page", "/std"} {
			t.Run(target+" "+inject, func(t *testing.T) {
				is := is.New(t)
				tb := newTab(t)
				tb.watchPolicy()
				tb.open(server.URL + target + "?inject=" + template.URLQueryEscaper(inject))
				tb.until("its own scripts run", `document.readyState === "complete" && window.own === 3`)
				tb.until("the other is refused", `refused.length + (frames[0]?.refused?.length ?? 0) > 0`)
				is.Equal(tb.do(`return window.evil`), "undefined")
			})
		}
	}
	t.Run("a page that is rendered once", func(t *testing.T) {
		is := is.New(t)
		tb := newTab(t)
		tb.watchPolicy()
		tb.open(server.URL + "/alone")
		tb.until("its own script runs", `document.readyState === "complete" && window.own === 3`)
		tb.do(`document.querySelector("p").click()`)
		tb.until("the others are refused", `refused.length === 2`)
		is.Equal(tb.do(`return window.evil`), "undefined")
		tb.run(chromedp.Reload()) // from the cache, by its entity tag
		tb.until("its own script runs again", `document.readyState === "complete" && window.own === 3`)
	})
}
