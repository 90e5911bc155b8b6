package openapi

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestSecurity asks for each operation without a sign-in: it is refused if and only if the
// document says that the operation needs one.
func TestSecurity(t *testing.T) {
	for _, of := range applications[:2] {
		t.Run(of.name, func(t *testing.T) {
			r := of.make()
			behind := 0
			for path, item := range newKin(t, get(r, of.json)).Paths.Map() {
				for method, o := range item.Operations() {
					w := httptest.NewRecorder()
					r.ServeHTTP(w, httptest.NewRequest(method, strings.NewReplacer("{slug}", "a", "{username}", "a", "{id}", "1").Replace(path), nil))
					needs := needsSignIn(o)
					if refused := w.Code == 401 || w.Code == 403 || w.Code == 303; refused != needs {
						t.Errorf("%s %s: %d, and needs a sign-in: %v", method, path, w.Code, needs)
					}
					if needs {
						behind++
					}
				}
			}
			if want := map[string]int{"realworld": 12, "sample": 0}[of.name]; behind != want {
				t.Errorf("%d operations need a sign-in, want %d", behind, want)
			}
		})
	}
}

// needsSignIn reports whether a document does not allow an operation to nobody.
func needsSignIn(o *openapi3.Operation) bool {
	if o.Security == nil {
		return false
	}
	for _, way := range *o.Security {
		if len(way) == 0 {
			return false
		}
	}
	return true
}
