package rows

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// Each contestant validates what it has bound.
func TestJSONIsValidated(t *testing.T) {
	for _, c := range jsonCreate().Contestants {
		for body, status := range map[string]int{
			accountJSON:                             201,
			`{"name":"A","email":"a@example.com"}`:  422,
			`{"name":"Ada","email":"example.com"}`:  422,
			`{"name":"","email":"ada@example.com"}`: 422,
		} {
			t.Run(c.Name+body, func(t *testing.T) {
				is := is.New(t)
				r := httptest.NewRequest("POST", "/accounts", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				c.Handler.ServeHTTP(w, r)
				is.Equal(w.Code, status)
			})
		}
	}
}
