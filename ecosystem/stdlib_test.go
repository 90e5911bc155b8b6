package ecosystem_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

func newUsers() *flow.Router {
	r := flow.New(fstest.MapFS{
		"router/index.http":      {},
		"router/users/[id].http": {},
		"public/app.css":         {Data: []byte("a{}")},
	})
	r.Logger = quiet
	r.At("index").GET().Do(func(*flow.Request) string { return "home" })
	r.At("users/[id]").GET().Do(show)
	r.At("users/[id]").PUT().Do(func(req *flow.Request) string { return "name " + req.Input("name") })
	return r
}

// A step is a request and the answer that is expected: its text, or where it
// redirects to.
type step struct {
	path, want string
}

func (v *visitor) walk(t *testing.T, steps []step) {
	t.Helper()
	for _, s := range steps {
		t.Run(s.path, func(t *testing.T) {
			is := is.New(t)
			a := v.ask(t, "GET", s.path)
			if location := a.Header.Get("Location"); location != "" {
				is.Equal(location, s.want)
				return
			}
			is.Equal(a.text, s.want)
		})
	}
}

func TestStripPrefix(t *testing.T) {
	visit(t, http.StripPrefix("/app", newUsers())).walk(t, []step{
		{"/app", "home"},
		{"/app/", "home"},
		{"/app/users/1", "user 1"},
		{"/app/users/a%2Fb", "user a/b"},
		{"/app/app.css", "a{}"},
		// A redirect to the one spelling of a URL keeps the prefix, the query and escapes.
		{"/app/users/1/", "/app/users/1"},
		{"/app/users//1?a=b", "/app/users/1?a=b"},
		{"/app/x/../users/a%2Fb/", "/app/users/a%2Fb"},
	})
}

func TestServeMux(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", newUsers())
	mux.Handle("/app/", http.StripPrefix("/app", newUsers()))
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "well") })
	visit(t, mux).walk(t, []step{
		{"/", "home"},
		{"/health", "well"},
		{"/users/1", "user 1"},
		{"/users/1/", "/users/1"},
		{"/app.css", "a{}"},
		{"/app", "/app/"}, // by ServeMux
		{"/app/", "home"},
		{"/app/users/1", "user 1"},
		{"/app/users/1/?a=b", "/app/users/1?a=b"},
		{"/app/app.css", "a{}"},
	})
}

// TestServeMuxWithWildcards has ServeMux match what comes before the Router.
func TestServeMuxWithWildcards(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/[tenant]/users/[id].http": {}, "router/[tenant]/index.http": {}})
	r.At("[tenant]/index").GET().Do(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PathValue("zone")+r.PathValue("tenant"))
	})
	r.At("[tenant]/users/[id]").GET().Do(func(req *flow.Request) string {
		return req.PathValue("zone") + " " + req.Param("tenant") + " " + req.Param("id")
	})
	is.NoErr(r.Check())
	mux := http.NewServeMux()
	mux.HandleFunc("/{zone}/", func(w http.ResponseWriter, req *http.Request) {
		http.StripPrefix("/"+req.PathValue("zone"), r).ServeHTTP(w, req)
	})
	visit(t, mux).walk(t, []step{
		{"/eu/acme/users/7", "eu acme 7"},
		{"/eu/acme", "euacme"},
		{"/eu/acme/users/7/", "/eu/acme/users/7"},
	})
}

// TestServeMuxSeesThePattern is for what logs requests from outside.
func TestServeMuxSeesThePattern(t *testing.T) {
	for path, want := range map[string]string{"/users/1": "GET /users/{id}", "/nowhere": "/"} {
		t.Run(path, func(t *testing.T) {
			is := is.New(t)
			mux := http.NewServeMux()
			mux.Handle("/", newUsers())
			patterns := make(chan string, 1)
			visit(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mux.ServeHTTP(w, r)
				patterns <- r.Pattern
			})).ask(t, "GET", path)
			is.Equal(receive(t, patterns), want)
		})
	}
}

func TestServeMuxAsAHandler(t *testing.T) {
	is := is.New(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /old/{page}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "old "+r.PathValue("page")) })
	r := flow.New(fstest.MapFS{"router/old/[...rest].http": {}})
	r.At("old/[...rest]").ANY().Do(mux)
	is.NoErr(r.Check())
	v := visit(t, r)
	is.Equal(v.ask(t, "GET", "/old/news").text, "old news")
	is.Equal(v.ask(t, "GET", "/old/news/1").StatusCode, 404)
	is.Equal(v.ask(t, "POST", "/old/news").StatusCode, 405)
}

func TestTimeoutHandler(t *testing.T) {
	for way, wrap := range map[string]func(r *flow.Router, d time.Duration) http.Handler{
		"around the Router": func(r *flow.Router, d time.Duration) http.Handler { return http.TimeoutHandler(r, d, "late") },
		"Use": func(r *flow.Router, d time.Duration) http.Handler {
			r.Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, d, "late") })
			return r
		},
	} {
		t.Run(way, func(t *testing.T) {
			is := is.New(t)
			is.Equal(visit(t, wrap(newUsers(), patience)).ask(t, "GET", "/users/1").text, "user 1")

			r := flow.New(fstest.MapFS{"router/slow/[id].http": {}})
			saw := make(chan string, 1)
			r.At("slow/[id]").GET().Do(func(req *flow.Request) string {
				<-req.Context().Done() // which the timeout cancels
				saw <- req.Param("id") // the Request is still whole
				return "too late to be sent"
			})
			h := wrap(r, time.Millisecond)
			is.NoErr(r.Check())
			a := visit(t, h).ask(t, "GET", "/slow/1")
			is.Equal(a.StatusCode, http.StatusServiceUnavailable)
			is.Equal(a.text, "late")
			is.Equal(receive(t, saw), "1")
		})
	}
}

func TestMaxBytesHandler(t *testing.T) {
	const limit = 100
	form := "name=" + strings.Repeat("x", limit)
	for way, h := range map[string]http.Handler{
		"around the Router": http.MaxBytesHandler(newUsers(), limit),
		"Use": func() http.Handler {
			r := newUsers()
			r.Use(func(next http.Handler) http.Handler { return http.MaxBytesHandler(next, limit) })
			return r
		}(),
	} {
		t.Run(way, func(t *testing.T) {
			is := is.New(t)
			v := visit(t, h)
			const media = "application/x-www-form-urlencoded"
			is.Equal(v.send(t, "PUT", "/users/1", "name=Ann", "Content-Type", media).text, "name Ann")
			is.Equal(v.send(t, "PUT", "/users/1", form, "Content-Type", media).StatusCode, http.StatusRequestEntityTooLarge)
		})
	}
}

// TestHTTPTest answers requests without a server.
func TestHTTPTest(t *testing.T) {
	is := is.New(t)
	r := newUsers()
	w := httptest.NewRecorder()
	req := httptest.NewRequest("GET", "/users/1", nil)
	r.ServeHTTP(w, req)
	is.Equal(w.Result().StatusCode, 200)
	is.Equal(w.Body.String(), "user 1")
	is.Equal(req.Pattern, "GET /users/{id}")

	// A handler by itself needs no Router either.
	is.Equal(show(flow.NewRequest(httptest.NewRequest("GET", "/", nil), "id", "2")), "user 2")
}
