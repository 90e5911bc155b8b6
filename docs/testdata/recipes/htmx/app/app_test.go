package app

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// ask returns the answer to a request with headers as "Name: value". A body is a form.
func ask(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

func TestHTMX(t *testing.T) {
	is := is.New(t)
	const vary = "HX-Request, HX-Boosted, HX-History-Restore-Request"
	for _, tt := range []struct {
		headers []string
		page    bool
	}{
		{nil, true},
		{[]string{"HX-Request: true"}, false},
		{[]string{"HX-Request: true", "HX-Boosted: true"}, true},
		{[]string{"HX-Request: true", "HX-History-Restore-Request: true"}, true},
	} {
		w := ask("GET", "/notes?q=none", "", tt.headers...)
		is.Equal(w.Header().Get("Vary"), vary)
		is.Equal(strings.Contains(w.Body.String(), "<title>"), tt.page)
		is.True(strings.Contains(w.Body.String(), "<ul>"))
	}
}
