package routemap

import (
	"testing"

	"github.com/matryer/is"
)

func TestAskReadsMethodAndTarget(t *testing.T) {
	for _, tt := range []struct{ text, method, target, fault string }{
		{"/users/new", "GET", "/users/new", ""},
		{"POST /users/new", "POST", "/users/new", ""},
		{"  post   /users/new ", "POST", "/users/new", ""},
		{"GET /a?x=1&y#z", "GET", "/a?x=1&y", ""},
		{"/a?x #z", "GET", "/a?x", ""},
		{"/a b", "GET", "/a%20b", ""},
		{"PUT /a%2Fb//c/../d", "PUT", "/a%2Fb//c/../d", ""},
		{"/ü", "GET", "/%C3%BC", ""},
		{"LOCK /", "LOCK", "/", ""},
		{"Lock /", "Lock", "/", ""},
		{"http://localhost:8080/users?page=2", "GET", "/users?page=2", ""},
		{"DELETE https://user:secret@example.com", "DELETE", "/", ""},
		{"//users", "GET", "//users", ""},
		{"", "", "", `there is no path: write a method and a path, as in "POST /users/new"`},
		{"POST ", "", "", `"POST" is no path of a URL: write one that begins with a slash, as in "/users/new"`},
		{"users/new", "", "", `"users/new" is no path of a URL: write one that begins with a slash, as in "/users/new"`},
		{"POST users/new", "", "", `"users/new" is no path of a URL: write one that begins with a slash, as in "/users/new"`},
		{"*", "", "", `"*" is no path of a URL: write one that begins with a slash, as in "/users/new"`},
		{"mailto:x", "", "", `"mailto:x" is no path of a URL: write one that begins with a slash, as in "/users/new"`},
		{"/a%zz", "", "", `"/a%zz" is no path of a URL: invalid URL escape "%zz"`},
		{"/a\x00", "", "", `"/a\x00" is no path of a URL: net/url: invalid control character in URL`},
		{"G@T /", "", "", `"G@T" is not a method (RFC 9110, section 5.6.2)`},
		{"ANY /", "", "", `"ANY" is no method: call ANY() for every method`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			q, err := ParseQuestion(tt.text)
			if tt.fault != "" {
				is.True(err != nil)
				is.Equal(err.Error(), tt.fault)
				return
			}
			is.NoErr(err)
			is.Equal(q.Method, tt.method)
			is.Equal(q.Target, tt.target)
			is.Equal(q.Request().URL.RequestURI(), tt.target)
			is.Equal(q.Request().Method, tt.method)
		})
	}
}

func FuzzAsk(f *testing.F) {
	for _, text := range []string{"/users/new", "POST /a?x=1#y", "http://localhost:8080", "GET https://x/%2F//..", "LOCK /\\", "/ü b", "a b c", " "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuestion(text)
		if err != nil {
			return
		}
		r := q.Request()
		if path := r.URL.EscapedPath(); path == "" || path[0] != '/' || r.Method == "" || r.Host != "" || r.URL.Host != "" {
			t.Fatalf("%q asks for %s of %q", text, r.Method, r.URL)
		}
		again, err := NewQuestion(q.Method, q.Target)
		if err != nil || again.Method != q.Method || again.Target != q.Target || again.Request().URL.Path != r.URL.Path {
			t.Fatalf("%q asks for %s %s, which asks for %s %s (%v)", text, q.Method, q.Target, again.Method, again.Target, err)
		}
	})
}
