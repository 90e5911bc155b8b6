package ecosystem_test

import (
	"io"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/matryer/is"

	"example.com/flow"
)

func TestChiMiddleware(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/who.http": {}, "router/admin/index.http": {}})
	r.Use(
		middleware.RequestID,
		middleware.ClientIPFromXFF("127.0.0.0/8"),
		middleware.Heartbeat("/ping"),
		middleware.SetHeader("X-Frame-Options", "DENY"),
	)
	r.In("admin").Use(middleware.BasicAuth("admin", map[string]string{"ann": "secret"}))
	r.At("who").GET().Do(func(req *flow.Request) string {
		return middleware.GetReqID(req.Context()) + " " + middleware.GetClientIP(req.Context())
	})
	r.At("admin/index").GET().Do(func(*flow.Request) string { return "admin" })
	is.NoErr(r.Check())
	v := visit(t, r)

	is.Equal(v.ask(t, "GET", "/who", "X-Request-Id", "42", "X-Forwarded-For", "203.0.113.7").text, "42 203.0.113.7")
	is.Equal(v.ask(t, "GET", "/ping").text, ".") // no route has that path
	is.Equal(v.ask(t, "GET", "/nowhere").Header.Get("X-Frame-Options"), "DENY")

	refused := v.ask(t, "GET", "/admin")
	is.Equal(refused.StatusCode, 401)
	is.Equal(refused.Header.Get("WWW-Authenticate"), `Basic realm="admin"`)
	is.Equal(v.ask(t, "GET", "/admin", "Authorization", "Basic YW5uOnNlY3JldA==").text, "admin")
}

// TestChiRecoverer has nothing to recover: what panics inside a Router is answered
// and logged there. Only a panic that is to end the connection passes.
func TestChiRecoverer(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/boom.http": {}, "router/half.http": {}})
	r.Logger = quiet
	r.Use(middleware.Recoverer)
	r.At("boom").GET().Do(func(*flow.Request) string { panic("boom") })
	r.At("half").GET().Do(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "half")
		http.NewResponseController(w).Flush()
		panic("boom")
	})
	is.NoErr(r.Check())
	v := visit(t, middleware.Recoverer(r))

	a := v.ask(t, "GET", "/boom")
	is.Equal(a.StatusCode, 500)
	is.Equal(a.Header.Get("Content-Type"), "application/problem+json")

	resp, err := v.client.Get(v.url + "/half")
	is.NoErr(err)
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	is.True(err != nil) // a truncated answer does not look whole
}

// TestChiMiddlewareThatRewritesThePath wraps the Router, which matches before its
// own middleware runs.
func TestChiMiddlewareThatRewritesThePath(t *testing.T) {
	v := visit(t, middleware.StripSlashes(newUsers()))
	v.walk(t, []step{{"/users/1", "user 1"}, {"/users/1/", "user 1"}})
}

func TestChiMux(t *testing.T) {
	is := is.New(t)
	c := chi.NewRouter()
	c.Get("/old/{page}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "old "+chi.URLParam(r, "page")) })

	// flow below chi. chi's Mount leaves the path whole, so StripPrefix takes off its part.
	outer := chi.NewRouter()
	outer.Mount("/app", http.StripPrefix("/app", newUsers()))
	visit(t, outer).walk(t, []step{{"/app/users/1", "user 1"}, {"/app/users/1/", "/app/users/1"}})

	// chi below flow.
	r := flow.New(fstest.MapFS{"router/old/[...rest].http": {}, "router/index.http": {}})
	r.At("old/[...rest]").ANY().Do(c)
	r.At("index").GET().Do(func(*flow.Request) string { return "home" })
	is.NoErr(r.Check())
	visit(t, r).walk(t, []step{{"/", "home"}, {"/old/news", "old news"}})
}
