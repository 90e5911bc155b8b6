package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestHosts(t *testing.T) {
	r, err := build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		method, url string
		status      int
		text        string
	}{
		{"GET", "http://tea.localhost/", 200, "<h1>Tea</h1>"},
		{"GET", "http://Books.localhost:8080/", 200, "<h1>Books</h1>"},
		{"GET", "http://nobody.localhost/", 404, "there is no such site"},
		{"GET", "http://admin.localhost/", 200, "<h1>Administration</h1>"},
		{"GET", "http://admin.localhost:8080/", 200, "<h1>Administration</h1>"},
		{"GET", "http://ADMIN.localhost.:8080/", 200, "<h1>Administration</h1>"},
		{"GET", "http://admin.localhost/nobody", 404, ""},
		{"POST", "http://tea.localhost/", 405, ""},
		{"GET", "http://tea.localhost/readyz", 200, "ok"},
		{"GET", "http://admin.localhost/readyz", 200, "ok"},
	} {
		t.Run(tt.method+" "+tt.url, func(t *testing.T) {
			is := is.New(t)
			w := httptest.NewRecorder()
			r.ServeHTTP(w, httptest.NewRequest(tt.method, tt.url, nil))
			is.Equal(w.Code, tt.status)
			is.True(strings.Contains(w.Body.String(), tt.text))
		})
	}
}
