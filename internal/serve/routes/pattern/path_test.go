package pattern

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestParsePath(t *testing.T) {
	for _, tt := range []struct {
		target, escaped, segments string // segments between spaces
		canonical                 bool
	}{
		{"/", "/", "", true},
		{"/a", "/a", "a", true},
		{"/a/", "/a", "a", false},
		{"//a///b", "/a/b", "a b", false},
		{"/a/./b/../c", "/a/c", "a c", false},
		{"/../..", "/", "", false},
		{"/%2e%2e/a", "/%2e%2e/a", ".. a", true}, // an escaped dot is a value
		{"/a%2Fb", "/a%2Fb", "a/b", true},
		{"/%2561", "/%2561", "%61", true},
		{"/a+b", "/a+b", "a+b", true},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			p := pathOf(t, tt.target)
			is.Equal(p.Asked, tt.target)
			is.Equal(p.Escaped, tt.escaped)
			is.Equal(strings.Join(p.Segments, " "), tt.segments)
			is.Equal(p.IsCanonical(), tt.canonical)
			again := pathOf(t, p.Escaped)
			is.True(again.IsCanonical()) // once is enough
			is.Equal(again.Segments, p.Segments)
		})
	}
}

func TestNoPath(t *testing.T) {
	is := is.New(t)
	_, ok := ParsePath(&http.Request{Method: "CONNECT", URL: &url.URL{Host: "example.com:443"}})
	is.True(!ok)
	_, ok = ParsePath(&http.Request{Method: "OPTIONS", URL: &url.URL{Path: "*"}})
	is.True(!ok)
	p, ok := ParsePath(&http.Request{Method: "GET", URL: &url.URL{}})
	is.True(ok)
	is.Equal(p.Escaped, "/")
}

func TestIsCanonicalTo(t *testing.T) {
	for _, tt := range []struct {
		target string
		n      int
		want   bool
	}{
		{"/files/a//b", 1, true},
		{"/files/a//b", 2, true},
		{"/files//a", 1, true},
		{"//files/a", 1, false},
		{"/x/../files/a", 1, false},
		{"/files", 1, false}, // no slash after it
		{"/files/", 1, true},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			is.Equal(pathOf(t, tt.target).IsCanonicalTo(tt.n), tt.want)
		})
	}
}

// A redirect stays on the host, and keeps the query and the prefix that http.StripPrefix removed.
func TestLocation(t *testing.T) {
	for _, tt := range []struct{ asked, strip, to, want string }{
		{"/a/", "", "/a", "/a"},
		{"/a/?x=%2F&y", "", "/a", "/a?x=%2F&y"},
		{"/a/?", "", "/a", "/a?"},
		{"/app/a/", "/app", "/a", "/app/a"},
		{"/app//", "/app", "/", "/app"},
		{"//evil.example/", "", "//evil.example", "/evil.example"},
		{`/%5Cevil/`, "", `/\evil`, "/evil"},
	} {
		t.Run(tt.asked, func(t *testing.T) {
			is := is.New(t)
			u, err := url.ParseRequestURI(tt.asked)
			is.NoErr(err)
			u.Path = strings.TrimPrefix(u.Path, tt.strip)
			u.RawPath = ""
			is.Equal(Location(&http.Request{URL: u, RequestURI: tt.asked}, tt.to), tt.want)
		})
	}
}
