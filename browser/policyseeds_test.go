package browser

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/browser/internal/chromium"
	"example.com/flow/internal/testkit/seeds"
)

// useAll does what a visitor may do on a page: use all buttons and links that do something here, and
// submit all forms. The first event goes to the code of a form alone, which a page that leaves would
// not report any more.
const useAll = `
	for (const form of document.forms) form.dispatchEvent(new Event("submit", { cancelable: true }));
	setTimeout(() => { for (const e of document.querySelectorAll("button, [hx-get], a[href^=javascript]")) e.click() }, 50)`

// withHTMX returns the Seed with htmx on its page.
func withHTMX(s seeds.Seed) seeds.Seed {
	script := `<meta name="htmx-config" content='{"includeIndicatorStyles":false}'><script src="{{"/htmx.js"}}"`
	if strings.Contains(s.Policy, "'nonce'") {
		script += ` nonce="{{nonce}}"`
	}
	files := map[string]string{}
	for name, text := range s.Files {
		files[name] = strings.Replace(text, "</head>", script+"></script></head>", 1)
	}
	s.Files = files
	return s
}

// TestSeedsUnderPolicy opens the pages of all seeds that have a policy. Chromium reports what is wrong
// with each, under its directive, and nothing of those that are right.
func TestSeedsUnderPolicy(t *testing.T) {
	htmx, err := npmFile("htmx.org", htmx2, "dist/htmx.min.js")
	if err != nil {
		missing(t, err.Error())
	}
	if !all() {
		t.Skip("takes a minute or two: set FLOW_RENDERINGS=all")
	}
	for _, s := range append(seeds.Refused, seeds.Allowed...) {
		t.Run(s.About, func(t *testing.T) {
			is := is.New(t)
			if strings.Contains(s.Files["router/page.html"], "hx-") {
				s = withHTMX(s)
			}
			var d seeds.Data
			r := seedRouter(s, &d)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("Content-Security-Policy-Report-Only", "worker-src 'none'") // for what ends the reports
				if req.URL.Path == "/htmx.js" {
					w.Header().Set("Content-Type", "text/javascript")
					w.Write([]byte(htmx))
					return
				}
				r.ServeHTTP(w, req)
			}))
			t.Cleanup(server.Close)
			reported := false
			samples := seeds.Samples()
			for _, d = range []seeds.Data{samples[0], samples[len(samples)-1]} {
				tb := newTab(t)
				tb.watchPolicy()
				tb.run(chromium.Look(800, 900, 2, "light")) // so that sets of images are asked for those with two pixels
				tb.open(server.URL + "/page")
				tb.until("it is there", `document.readyState === "complete"`)
				tb.do("window.first = true; " + useAll)
				// What comes later is reported before the last worker is.
				tb.do(`setTimeout(() => { try { new Worker(location.origin + "/app.js") } catch {} }, 200)`)
				tb.until("Chromium has reported everything", `!window.first || refused.some((r) => r.startsWith("worker-src"))`)
				var refused []string
				is.NoErr(json.Unmarshal([]byte(tb.do(`return refused.filter((r) => !r.startsWith("worker-src"))`)), &refused))
				for _, report := range refused {
					if s.Rule() != "" && strings.HasPrefix(report, s.Rule()) {
						reported = true
					} else {
						t.Errorf("Chromium refuses %s", report)
					}
				}
			}
			if s.Rule() != "" && !reported {
				t.Errorf("Chromium reports nothing under %s", s.Rule())
			}
		})
	}
}
