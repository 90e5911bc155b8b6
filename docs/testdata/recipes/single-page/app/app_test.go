package app

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestFallback(t *testing.T) {
	const page = "text/html; charset=utf-8"
	for _, tt := range []struct {
		request     string
		status      int
		contentType string
	}{
		{"GET /", 200, page},
		{"HEAD /", 200, page},
		{"GET /users", 200, page},
		{"GET /users/7/posts", 200, page},
		{"GET /users/api/v1.2", 200, page},
		{"GET /users/7/", 308, ""},
		{"POST /users/7", 405, ""},
		{"GET /assets/index-BkD3x9.js", 200, "text/javascript; charset=utf-8"},
		{"GET /assets/index-earlier.js", 404, ""},
		{"GET /assets", 404, ""},
		{"GET /favicon.ico", 404, ""},
		{"GET /api/users", 200, "application/json"},
		{"DELETE /api/users", 405, ""},
		{"GET /api/nobody", 404, ""},
		{"POST /api/nobody", 404, ""},
		{"GET /api", 404, ""},
	} {
		t.Run(tt.request, func(t *testing.T) {
			is := is.New(t)
			method, target, _ := strings.Cut(tt.request, " ")
			r := httptest.NewRequest(method, target, nil)
			r.Header.Set("Accept", "text/html,*/*;q=0.8")
			w := httptest.NewRecorder()
			Router.ServeHTTP(w, r)
			is.Equal(w.Code, tt.status)
			if tt.contentType != "" {
				is.Equal(w.Header().Get("Content-Type"), tt.contentType)
			}
			if tt.contentType == page {
				is.Equal(w.Header().Get("Cache-Control"), "no-cache")
				is.Equal(strings.Contains(w.Body.String(), "/assets/index-BkD3x9.js"), method == "GET")
			}
		})
	}
}
