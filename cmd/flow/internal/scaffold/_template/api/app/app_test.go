package app

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flow"
	"example.com/flow/flowtest"
)

// newRouter returns a Router of an application. Its log is shown with the test if that fails.
func newRouter(t *testing.T) *flow.Router {
	t.Helper()
	r := New(&App{Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMain says which routes no test has asked for, with go test -v.
func TestMain(m *testing.M) { flowtest.Main(m, New(&App{}).Routes) }

// TestExamples sends the requests in the .http files below router/, each file to a new
// application, and compares the answers with what the files expect. "flow add" writes one.
func TestExamples(t *testing.T) { flowtest.Examples(t, newRouter) }

// TestRoutes asks for what is in no route file.
func TestRoutes(t *testing.T) {
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string // what the answer has in it
	}{
		{"GET", "/no/such/thing", "", 404, `"status":404`},
		{"POST", "/notes", `{"title":`, 400, "not valid JSON"},
		{"DELETE", "/notes", "", 405, ""},
		{"GET", "/notes/two", "", 404, ""},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			newRouter(t).ServeHTTP(w, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("got %d, want %d and %q in\n%s", w.Code, tt.status, tt.want, w.Body)
			}
			if got := w.Header().Get("Content-Type"); w.Code >= 400 && got != "application/problem+json" {
				t.Errorf("the error is %q, want problem+json", got)
			}
		})
	}
}
