package ecosystem_test

import (
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
	"github.com/rs/cors"

	"example.com/flow"
)

const (
	friend   = "https://friend.example" // an origin whose pages may call the API
	stranger = "https://stranger.example"
)

func friendsMayPut() *cors.Cors {
	return cors.New(cors.Options{
		AllowedOrigins: []string{friend},
		AllowedMethods: []string{http.MethodGet, http.MethodPut},
	})
}

func TestCORS(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/users/[id].http": {}})
	r.Use(friendsMayPut().Handler)
	// CORS is about what the pages of an origin may read. What they may change is
	// for CrossOrigin, which trusts no origin unless it is told.
	is.NoErr(r.CrossOrigin.AddTrustedOrigin(friend))
	r.At("users/[id]").GET().Do(show)
	r.At("users/[id]").PUT().Do(show)
	r.At("users/[id]").DELETE().Do(show)
	is.NoErr(r.Check())
	v := visit(t, r)

	for _, tt := range []struct {
		name, method, path, origin string
		asks                       string // the method that a preflight asks for
		status                     int
		allowOrigin, allowMethods  string
	}{
		{"simple request", "GET", "/users/1", friend, "", 200, friend, ""},
		{"simple request of a stranger, who cannot read the answer", "GET", "/users/1", stranger, "", 200, "", ""},
		{"preflight", "OPTIONS", "/users/1", friend, "PUT", 204, friend, "PUT"},
		{"the request after it", "PUT", "/users/1", friend, "", 200, friend, ""},
		{"preflight of a stranger", "OPTIONS", "/users/1", stranger, "PUT", 204, "", ""},
		{"the request without asking first", "PUT", "/users/1", stranger, "", 403, "", ""},
		{"preflight for a method that the policy leaves out", "OPTIONS", "/users/1", friend, "DELETE", 204, "", ""},
		{"OPTIONS that is no preflight", "OPTIONS", "/users/1", friend, "", 204, friend, ""},
		{"a 404 can be read", "GET", "/nobody", friend, "", 404, friend, ""},
		{"no other origin at all", "PUT", "/users/1", "", "", 200, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			a := v.ask(t, tt.method, tt.path, crossOrigin(tt.origin, tt.asks)...)
			is.Equal(a.StatusCode, tt.status)
			is.Equal(a.Header.Get("Access-Control-Allow-Origin"), tt.allowOrigin)
			is.Equal(a.Header.Get("Access-Control-Allow-Methods"), tt.allowMethods)
		})
	}
}

// crossOrigin returns the header fields with which a browser sends a request of
// another origin, or asks before it does.
func crossOrigin(origin, asks string) (header []string) {
	if origin != "" {
		header = append(header, "Origin", origin, "Sec-Fetch-Site", "cross-site")
	}
	if asks != "" {
		header = append(header, "Access-Control-Request-Method", asks)
	}
	return header
}

// TestCORSDoesNotMakeAnOriginTrusted shows what looks odd in a browser: it is allowed to
// send the request, sends it, and is refused. What pages of an origin may read is for
// CORS, and what they may change for CrossOrigin.
func TestCORSDoesNotMakeAnOriginTrusted(t *testing.T) {
	for _, tt := range []struct {
		trusted bool
		status  int
	}{
		{false, 403},
		{true, 200},
	} {
		t.Run(http.StatusText(tt.status), func(t *testing.T) {
			is := is.New(t)
			r := flow.New(fstest.MapFS{"router/users/[id].http": {}})
			r.Use(friendsMayPut().Handler)
			if tt.trusted {
				is.NoErr(r.CrossOrigin.AddTrustedOrigin(friend))
			}
			r.At("users/[id]").PUT().Do(show)
			is.NoErr(r.Check())
			v := visit(t, r)

			preflight := v.ask(t, "OPTIONS", "/users/1", crossOrigin(friend, "PUT")...)
			is.Equal(preflight.StatusCode, 204)
			is.Equal(preflight.Header.Get("Access-Control-Allow-Origin"), friend)
			is.Equal(preflight.Header.Get("Access-Control-Allow-Methods"), "PUT")
			a := v.ask(t, "PUT", "/users/1", crossOrigin(friend, "")...)
			is.Equal(a.StatusCode, tt.status)
			is.Equal(a.Header.Get("Access-Control-Allow-Origin"), friend) // also of the 403: the page can tell why
		})
	}
}

// TestCORSWithTokens has pages of another origin call an API that wants a token. A
// preflight never has one: guards are not asked about it.
func TestCORSWithTokens(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/api/users/[id].http": {}})
	r.In("api").Use(cors.New(cors.Options{
		AllowedOrigins: []string{friend},
		AllowedMethods: []string{http.MethodPut},
		AllowedHeaders: []string{"Authorization"},
	}).Handler)
	r.In("api").Use(func(req *flow.Request) flow.Response {
		if req.Header.Get("Authorization") != "Bearer secret" {
			return flow.Fail(401, "a token is needed").Header("WWW-Authenticate", `Bearer realm="api"`)
		}
		return flow.Next()
	})
	is.NoErr(r.CrossOrigin.AddTrustedOrigin(friend))
	r.At("api/users/[id]").PUT().Do(show)
	is.NoErr(r.Check())
	v := visit(t, r)

	preflight := v.ask(t, "OPTIONS", "/api/users/1", append(crossOrigin(friend, "PUT"), "Access-Control-Request-Headers", "authorization")...)
	is.Equal(preflight.StatusCode, 204)
	is.Equal(preflight.Header.Get("Access-Control-Allow-Headers"), "authorization")
	for token, status := range map[string]int{"Bearer secret": 200, "Bearer other": 401, "": 401} {
		a := v.ask(t, "PUT", "/api/users/1", append(crossOrigin(friend, ""), "Authorization", token)...)
		is.Equal(a.StatusCode, status)
		is.Equal(a.Header.Get("Access-Control-Allow-Origin"), friend) // the page can read the 401
	}
}

func TestCORSOfADirectory(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/api/users/[id].http": {}, "router/users/[id].http": {}})
	r.In("api").Use(friendsMayPut().Handler)
	is.NoErr(r.CrossOrigin.AddTrustedOrigin(friend))
	r.At("api/users/[id]").PUT().Do(show)
	r.At("users/[id]").PUT().Do(show)
	is.NoErr(r.Check())
	v := visit(t, r)

	for path, want := range map[string]string{"/api/users/1": friend, "/users/1": ""} {
		t.Run(path, func(t *testing.T) {
			is := is.New(t)
			preflight := v.ask(t, "OPTIONS", path, crossOrigin(friend, "PUT")...)
			is.Equal(preflight.StatusCode, 204)
			is.Equal(preflight.Header.Get("Access-Control-Allow-Origin"), want)
			put := v.ask(t, "PUT", path, crossOrigin(friend, "")...)
			is.Equal(put.text, "user 1")
			is.Equal(put.Header.Get("Access-Control-Allow-Origin"), want)
		})
	}
}

// TestCORSPreflightAsksTheFileThatWouldAnswer has two files that match one URL,
// each with a policy of its own.
func TestCORSPreflightAsksTheFileThatWouldAnswer(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/users/new.http": {}, "router/users/[id].http": {}})
	r.At("users/new").Use(cors.New(cors.Options{AllowedOrigins: []string{stranger}}).Handler)
	r.At("users/new").GET().Do(show)
	r.At("users/[id]").Use(friendsMayPut().Handler)
	r.At("users/[id]").PUT().Do(show)
	is.NoErr(r.Check())
	v := visit(t, r)

	for _, tt := range []struct{ asks, origin, want string }{
		{"GET", stranger, stranger},
		{"GET", friend, ""},
		{"PUT", stranger, ""},
		{"PUT", friend, friend},
	} {
		t.Run(tt.asks+" "+tt.origin, func(t *testing.T) {
			is := is.New(t)
			a := v.ask(t, "OPTIONS", "/users/new", crossOrigin(tt.origin, tt.asks)...)
			is.Equal(a.StatusCode, 204)
			is.Equal(a.Header.Get("Access-Control-Allow-Origin"), tt.want)
		})
	}
}
