package browser

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/matryer/is"

	"example.com/flow/app"
)

// violations is a promise of what the Content-Security-Policy of the page has refused so
// far, a line for each.
const violations = `new Promise((done) => {
	const refused = [];
	const add = (reports) => refused.push(...reports.map(({ body }) => [body.effectiveDirective, body.blockedURL, body.sourceFile, body.lineNumber].join(" ")));
	new ReportingObserver(add, { types: ["csp-violation"], buffered: true }).observe();
	setTimeout(() => done(refused.join("\n")), 100); // the reports of the past come at once
})`

// TestSample looks at every page of the sample application in the widths of a phone, a
// tablet and a desk, in light and in dark: it fits, axe-core finds nothing, and the
// page's own Content-Security-Policy refuses nothing of it.
func TestSample(t *testing.T) {
	type steps = []chromedp.Action[chromedp.Void]
	fill := func(fields ...string) steps {
		var actions steps
		for i := 0; i < len(fields); i += 2 {
			actions = append(actions, chromedp.SetValue(fields[i], fields[i+1]))
		}
		return append(actions, chromedp.Click("main form[method] button"))
	}
	// unchecked has the server find the mistakes, and not the browser.
	unchecked := chromedp.Evaluate[chromedp.Void](`document.querySelector("main form[method]").noValidate = true`)
	choose := chromedp.Evaluate[chromedp.Void](`{
		const files = new DataTransfer();
		files.items.add(new File([new Uint8Array(3 << 20)], "large.bin"));
		document.getElementById("file").files = files.files;
	}`)
	for _, tt := range []struct {
		name, path string
		then       steps  // what is done on the page
		shows      string // JavaScript that is true then
	}{
		{"home", "/", nil, `document.querySelectorAll("tbody tr").length > 20`},
		{"about", "/about", nil, `document.querySelector("pre")`},
		{"users", "/users", nil, `document.querySelectorAll(".rows li").length > 2`},
		{"users-wrong", "/users", fill("#name", "Ada", "#email", "ada"), `document.getElementById("email-wrong")`},
		{"users-empty", "/users", fill(), `document.querySelectorAll("[aria-invalid]").length === 2`},
		{"users-none", "/users?q=zzz", nil, `document.querySelector(".rows").innerText.includes("zzz")`},
		{"user", "/users/2", nil, `document.querySelector("h1").innerText === "Grace Hopper"`},
		{"user-wrong", "/users/2", fill("#name", "Grace", "#email", "ada@example.com"), `document.getElementById("email-wrong")`},
		{"user-unknown", "/users/99", nil, `document.querySelector(".status").innerText === "404"`},
		{"blog", "/blog", nil, `document.querySelectorAll(".rows li").length === 3`},
		{"post", "/blog/2026/names-are-urls", nil, `document.querySelector("article")`},
		{"api", "/api/docs", steps{chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => d.open = true)`)}, `document.querySelectorAll("article").length > 5`},
		{"docs", "/docs", nil, `document.querySelector(".crumbs")`},
		{"docs-deep", "/docs/as/deep/as/you/like", nil, `document.querySelectorAll(".crumbs li").length === 6`},
		{"upload", "/upload", nil, `document.querySelector("input[type=file]")`},
		{"upload-none", "/upload", fill(), `document.getElementById("file-wrong")`},
		{"upload-large", "/upload", append(steps{choose}, fill()...), `document.getElementById("file-wrong")?.innerText === "File is too large."`},
		{"events", "/events", nil, `document.querySelector("#log li")`},
		{"nothing", "/nothing", nil, `document.querySelector(".status").innerText === "404"`},
		{"login", "/login", nil, `document.querySelector("input[type=password]")`},
		{"login-wrong", "/login", fill("#name", "eve", "#password", "wrong"), `document.querySelector("[role=alert]")`},
		{"login-empty", "/login", append(steps{unchecked}, fill()...), `document.querySelectorAll("[aria-invalid]").length === 2`},
		{"dashboard", "/login", fill("#name", "ada", "#password", "engine"), `location.pathname === "/dashboard"`},
		{"reports", "/login", append(fill("#name", "ada", "#password", "engine"), chromedp.Click(`.admin a[href="/reports"]`)), `document.querySelector("meter")`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			s := httptest.NewServer(app.New(&app.App{Logger: slog.New(slog.DiscardHandler)}))
			t.Cleanup(s.Close) // after the tab, which may keep an event stream open
			tb := newTab(t)
			tb.open(s.URL + tt.path)
			tb.run(tt.then...)
			tb.until("the page is there", "!!("+tt.shows+")")
			is.Equal(tb.refused(), "")
			for _, scheme := range []string{"light", "dark"} {
				for _, width := range []int64{360, 768, 1400} {
					tb.look(width, scheme)
					tb.accessible(t)
					is.True(tb.fits())
					tb.picture(fmt.Sprintf("sample-%s-%d-%s", tt.name, width, scheme))
				}
			}
		})
	}
}
