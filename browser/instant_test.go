package browser

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/browser/instant/app"
	"example.com/flow/browser/internal/chromium"
	"example.com/flow/internal/testkit/servertest"
)

// An outsider is a tab that is watched from outside of its pages.
type outsider struct {
	t *testing.T
	*chromium.Pipe
}

func newOutsider(t *testing.T) outsider {
	t.Helper()
	p, err := chromium.StartPipe(`addEventListener("pagereveal", (e) => window.moves = e.viewTransition !== null)`)
	if err != nil {
		missing(t, err.Error())
	}
	t.Cleanup(p.Stop)
	return outsider{t, p}
}

func (o outsider) open(url string) {
	o.t.Helper()
	if err := o.Page("Page.navigate", map[string]any{"url": url}, nil); err != nil {
		o.t.Fatal(err)
	}
	path := url[strings.LastIndex(url, ":"):]
	o.until("the page is there", `document.readyState === "complete" && location.href.endsWith("`+path+`")`)
}

// until waits until an expression is true. While the tab changes its page, none is.
func (o outsider) until(what, expression string) {
	o.t.Helper()
	servertest.Until(o.t, what, func() bool {
		value, err := o.Evaluate(expression)
		return err == nil && value == "true"
	})
}

// rest moves the mouse to a link, and press presses it there.
func (o outsider) rest(link string) (press func()) {
	o.t.Helper()
	o.until("the link is there", `document.querySelector("`+link+`") !== null`)
	text, err := o.Evaluate(`(() => { const r = document.querySelector("` + link + `").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`)
	if err != nil {
		o.t.Fatal(err)
	}
	var at [2]float64
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		o.t.Fatal(err)
	}
	mouse := func(kind string) {
		o.t.Helper()
		if err := o.Mouse(kind, at[0], at[1]); err != nil {
			o.t.Fatal(err)
		}
	}
	mouse("mouseMoved")
	return func() {
		o.t.Helper()
		mouse("mousePressed")
		mouse("mouseReleased")
	}
}

// TestInstantPages rests the mouse on links of pages with a nonce, and of one with a hash: the
// page behind the link is asked for once, before the link is pressed, and comes with a
// transition. Links of the navigation are prerendered, others prefetched. The policy refuses
// nothing.
func TestInstantPages(t *testing.T) {
	for _, tt := range []struct {
		from, source, link string
		to, purpose        string
		ready              string // what the page says of how it came
	}{
		{"/", "'sha256-", "nav a[href='/reports']", "/reports", "prefetch;prerender", "activationStart > 0"},
		{"/", "'sha256-", "main a", "/reports/3", "prefetch", `deliveryType === "navigational-prefetch"`},
		{"/reports/1", "'nonce-", "nav a[href='/reports']", "/reports", "prefetch;prerender", "activationStart > 0"},
		{"/reports", "'nonce-", "main li:nth-child(2) a", "/reports/2", "prefetch", `deliveryType === "navigational-prefetch"`},
	} {
		t.Run(tt.from+" "+tt.link, func(t *testing.T) {
			is := is.New(t)
			var asked, early atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				app.Router.ServeHTTP(w, r)
				switch r.URL.Path {
				case tt.to:
					asked.Add(1)
					if r.Header.Get("Sec-Purpose") == tt.purpose {
						early.Add(1)
					}
				case tt.from:
					if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "script-src "+tt.source) {
						t.Errorf("%s: %s", tt.from, policy)
					}
				}
			}))
			o := newOutsider(t)
			t.Cleanup(server.Close)
			o.open(server.URL + tt.from)
			press := o.rest(tt.link)
			servertest.Until(t, "the page is asked for before it is wanted", func() bool { return early.Load() == 1 })
			press()
			o.until("the page that was prepared is shown", `location.pathname === "`+tt.to+`" && performance.getEntriesByType("navigation")[0].`+tt.ready)
			o.until("it comes with a transition", `window.moves === true`)
			is.Equal(asked.Load(), int32(1))
			for _, entry := range o.Logged() {
				if !strings.Contains(entry, "/favicon.ico") {
					t.Error(entry)
				}
			}
		})
	}
}

// TestInstantPagesRefused has a policy that does not name the nonce: the browser says so, and
// the links work as ever.
func TestInstantPagesRefused(t *testing.T) {
	is := is.New(t)
	var early atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Purpose") != "" {
			early.Add(1)
		}
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
		app.Router.ServeHTTP(w, r)
	}))
	o := newOutsider(t)
	t.Cleanup(server.Close)
	o.open(server.URL + "/reports/1")
	servertest.Until(t, "the browser says what is refused", func() bool {
		return strings.Contains(strings.Join(o.Logged(), "\n"), "Content Security Policy")
	})
	press := o.rest("nav a[href='/reports']")
	press()
	o.until("the page is shown", `location.pathname === "/reports"`)
	is.Equal(early.Load(), int32(0))
}

// rules are those that the layout of the recipe has.
var rules = regexp.MustCompile(`(?s)<script type="speculationrules".*?</script>`)

// TestInstantFigures measures from the press of a link to the first paint of the page, with
// each of the two rules of the recipe and without them, in rounds that alternate. FLOW_MEASURE
// says how many. The handler takes 150 ms, and the mouse rests on the link for 400 ms.
func TestInstantFigures(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("FLOW_MEASURE"))
	if err != nil {
		t.Skip("it measures: set FLOW_MEASURE to a number of rounds")
	}
	const handler, rests = 150 * time.Millisecond, 400 * time.Millisecond
	site := func(change func(page []byte) []byte) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/reports/") {
				time.Sleep(handler)
			}
			if strings.Contains(r.URL.Path, ".") {
				app.Router.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			app.Router.ServeHTTP(answer, r)
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", answer.Header().Get("Content-Security-Policy"))
			w.Write(change(answer.Body.Bytes()))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	o := newOutsider(t)
	ways := []string{"prefetched", "prerendered", "without the rules"}
	sites := map[string]string{
		"prefetched":        site(func(page []byte) []byte { return page }),
		"prerendered":       site(func(page []byte) []byte { return bytes.ReplaceAll(page, []byte(`"nav a`), []byte(`"main a`)) }),
		"without the rules": site(func(page []byte) []byte { return rules.ReplaceAll(page, nil) }),
	}
	took := map[string][]float64{}
	for round := range rounds + 1 {
		for _, name := range ways {
			o.open(sites[name] + "/reports")
			press := o.rest("main li:nth-child(2) a")
			time.Sleep(rests)
			begin := time.Now()
			press()
			o.until("the page is painted", `location.pathname === "/reports/2" && performance.getEntriesByName("first-contentful-paint").length === 1`)
			text, err := o.Evaluate(`performance.timeOrigin + performance.getEntriesByName("first-contentful-paint")[0].startTime`)
			if err != nil {
				t.Fatal(err)
			}
			painted, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if round > 0 { // the first one fills caches
				took[name] = append(took[name], painted-float64(begin.UnixMicro())/1000)
			}
		}
	}
	for _, name := range ways {
		times := took[name]
		slices.Sort(times)
		t.Logf("%s: %.0f ms to the first paint, the median of %d rounds (%.0f to %.0f)", name, times[len(times)/2], len(times), times[0], times[len(times)-1])
	}
}
