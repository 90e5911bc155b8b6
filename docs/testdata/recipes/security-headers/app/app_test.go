package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestSecurityHeaders(t *testing.T) {
	css, err := Router.Asset("app.css")
	if err != nil {
		t.Fatal(err)
	}
	plain, secure := httptest.NewServer(Router), httptest.NewTLSServer(Router)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	const hsts = "max-age=31536000; includeSubDomains"
	for name, tt := range map[string]struct {
		server       *httptest.Server
		method, path string
		proto        string // X-Forwarded-Proto
		status       int
		hsts         string
	}{
		"a page":                {plain, "GET", "/", "", 200, ""},
		"a page over HTTPS":     {secure, "GET", "/", "", 200, hsts},
		"behind a proxy":        {plain, "GET", "/", "https", 200, hsts},
		"a proxy without HTTPS": {plain, "GET", "/", "http", 200, ""},
		"nothing":               {secure, "GET", "/none", "", 404, hsts},
		"a method":              {secure, "POST", "/", "", 405, hsts},
		"another spelling":      {secure, "GET", "//", "", 308, hsts},
		"a public file":         {secure, "GET", css, "", 200, hsts},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			req, err := http.NewRequest(tt.method, tt.server.URL+tt.path, nil)
			is.NoErr(err)
			if tt.proto != "" {
				req.Header.Set("X-Forwarded-Proto", tt.proto)
			}
			resp, err := tt.server.Client().Transport.RoundTrip(req)
			is.NoErr(err)
			resp.Body.Close()
			is.Equal(resp.StatusCode, tt.status)
			h := resp.Header
			is.Equal(h.Get("Strict-Transport-Security"), tt.hsts)
			is.Equal(h["X-Content-Type-Options"], []string{"nosniff"})
			is.Equal(h["X-Frame-Options"], []string{"DENY"})
			is.Equal(h["Referrer-Policy"], []string{"strict-origin-when-cross-origin"})
			is.Equal(h["Cross-Origin-Opener-Policy"], []string{"same-origin"})
			is.Equal(h["Permissions-Policy"], []string{"camera=(), geolocation=(), microphone=()"})
			is.Equal(h.Get("Server"), "")
			policy := h.Get("Content-Security-Policy")
			is.Equal(strings.Contains(policy, "frame-ancestors 'none'"), strings.HasPrefix(h.Get("Content-Type"), "text/html"))
			if tt.path == "/" && tt.status == 200 {
				is.True(strings.Contains(policy, "script-src 'sha256-")) // the page is rendered once
			}
		})
	}
}
