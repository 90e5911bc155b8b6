package small

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestPage(t *testing.T) {
	is := is.New(t)
	is.NoErr(Router.Check())
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	is.True(strings.Contains(w.Body.String(), "<p>Text with <em>emphasis</em>, and <code>{{code}}</code>.</p>"))
}
