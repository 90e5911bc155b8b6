package openapi

import (
	"net/http"
	"strings"
	"testing"

	"example.com/flow"
	"example.com/flow/flowtest"
)

// TestExamples sends the examples in the route files of the RealWorld API through the judge.
func TestExamples(t *testing.T) {
	text := get(newRealworld(), "/api/openapi.json")
	answers := 0
	flowtest.Examples(t, func(t *testing.T) *flow.Router {
		r, j := newRealworld(), newJudge(t, text)
		r.Use(func(next http.Handler) http.Handler {
			judged := j.around(next, nil)
			return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if strings.HasPrefix(req.URL.Path, "/api/openapi.json") || strings.HasPrefix(req.URL.Path, "/api/docs") {
					next.ServeHTTP(w, req) // the document is not in itself
					return
				}
				judged.ServeHTTP(w, req)
			})
		})
		t.Cleanup(func() {
			for _, wrong := range j.wrong() {
				t.Error(wrong)
			}
			for _, e := range j.exchanges {
				answers++
				if e.Status < 300 && len(e.request) > 0 {
					t.Errorf("%s\n\t%s", e.text, e.request)
				}
			}
		})
		return r
	})
	t.Logf("%d answers fit", answers)
}
