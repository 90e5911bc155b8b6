package app

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/matryer/is"
)

// TestRules reads the rules of each page as a browser does: not as HTML.
func TestRules(t *testing.T) {
	is := is.New(t)
	is.NoErr(Router.Check())
	rules := regexp.MustCompile(`(?s)<script type="speculationrules" nonce="[^"]*">(.*?)</script>`)
	for _, path := range []string{"/", "/reports", "/reports/1"} {
		w := httptest.NewRecorder()
		Router.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		is.Equal(w.Code, 200)
		m := rules.FindSubmatch(w.Body.Bytes())
		is.Equal(len(m), 2)
		is.True(json.Valid(m[1]))
	}
}
