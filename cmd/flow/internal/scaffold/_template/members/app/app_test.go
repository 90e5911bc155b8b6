package app

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flow"
	"example.com/flow/flowtest"
)

// newRouter returns a Router with a database of its own. Its log is shown with the test if
// that fails.
func newRouter(t *testing.T) *flow.Router {
	t.Helper()
	r := siteOf(t, New(&App{Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})).router
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMain says which routes no test has asked for, with go test -v.
func TestMain(m *testing.M) { flowtest.Main(m, withAccounts(New(&App{})).Routes) }

// TestExamples sends the requests in the .http files below router/.
func TestExamples(t *testing.T) { flowtest.Examples(t, newRouter) }

// TestRoutes asks for each page. "flow add" adds a row here.
func TestRoutes(t *testing.T) {
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string // what the answer has in it
	}{
		{"GET", "/", "", 200, "Sign up"},
		{"GET", "/app.css", "", 200, "color-scheme"},
		{"GET", "/no/such/page", "", 404, "Not Found"},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			newRouter(t).ServeHTTP(w, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("got %d, want %d and %q in\n%s", w.Code, tt.status, tt.want, w.Body)
			}
		})
	}
}

// TestMenu looks at the home page of who has signed in, and that no cache has the one of before.
func TestMenu(t *testing.T) {
	b := newSite(t).browser()
	before := b.get("/")
	b.join("ada@example.com")
	w := b.get("/")
	shows(t, w, 200, "Sign out")
	if got := w.Header().Get("Cache-Control"); !strings.Contains(got, "private") {
		t.Errorf("Cache-Control is %q", got)
	}
	for _, tag := range []string{before.Header().Get("ETag"), "*"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("If-None-Match", tag)
		r.Header.Set("If-Modified-Since", before.Header().Get("Date"))
		shows(t, b.do(r), 200, "Sign out") // and not the page of before
	}
}

// TestReady takes the database away.
func TestReady(t *testing.T) {
	s := newSite(t)
	shows(t, s.browser().get("/readyz"), 200, "ok")
	s.Accounts.DB().Close()
	shows(t, s.browser().get("/readyz"), 503, "the database does not answer")
	shows(t, s.browser().get("/livez"), 200, "ok")
}
