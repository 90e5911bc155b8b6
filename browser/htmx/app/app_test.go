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

func TestPageOrPart(t *testing.T) {
	if err := Router.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		headers []string
		page    bool
	}{
		{nil, true},
		{[]string{"HX-Request: true"}, false},
		{[]string{"HX-Request: true", "HX-Request-Type: partial"}, false},
		{[]string{"HX-Request: true", "HX-Request-Type: full"}, true},
		{[]string{"HX-Request: true", "HX-Boosted: true"}, true},
		{[]string{"HX-Request: true", "HX-History-Restore-Request: true"}, true},
	} {
		t.Run(strings.Join(tt.headers, ", "), func(t *testing.T) {
			is := is.New(t)
			w := ask("GET", "/notes?q=none", "", tt.headers...)
			is.Equal(w.Header().Get("Vary"), "HX-Request, HX-Boosted, HX-History-Restore-Request, HX-Request-Type")
			is.Equal(strings.Contains(w.Body.String(), "<title>"), tt.page)
			is.True(strings.Contains(w.Body.String(), "<ul>"))
		})
	}
}

// TestWithoutScripts sends the form as browsers do by themselves.
func TestWithoutScripts(t *testing.T) {
	is := is.New(t)
	w := ask("POST", "/notes", "text=+")
	is.Equal(w.Code, 422)
	is.True(strings.Contains(w.Body.String(), "<title>") && strings.Contains(w.Body.String(), "Note is required."))
	w = ask("POST", "/notes", "text=tea")
	is.Equal(w.Code, 303)
	is.Equal(w.Header().Get("Location"), "/notes")
	is.Equal(ask("GET", "/mail", "").Header().Get("Location"), "/login")
}
