package flow

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/race"
)

// What a chain costs: a net/http handler or middleware needs a copy of the request, path
// values and an exchange of its own, however many there are.
func TestChainsAllocateLittle(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector no Request is used twice")
	}
	std := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue("id")) }
	own := func(r *Request) string { return r.Param("id") }
	through := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
	}
	five := []any{through, through, through, through, through}
	discard, text := slog.New(slog.DiscardHandler), slog.New(slog.NewTextHandler(io.Discard, nil))
	for _, tt := range []struct {
		name     string
		register func(*Router, *File)
		handler  any
		id       string
		max      float64
	}{
		{"net/http handler", func(*Router, *File) {}, std, "", 4},
		{"Router.Use", func(r *Router, _ *File) { r.Use(five...) }, own, "", 4},
		{"Router.Use, net/http handler", func(r *Router, _ *File) { r.Use(five...) }, std, "", 4},
		{"In", func(r *Router, _ *File) { r.In("users").Use(five...) }, own, "", 4},
		{"File.Use", func(_ *Router, f *File) { f.Use(five...) }, own, "", 4},
		{"guards", func(r *Router, _ *File) { r.Use(pass, pass, pass, pass, pass) }, own, "", 0},
		{"RequestID", func(r *Router, _ *File) { r.Use(RequestID) }, own, "", 1},
		{"Logger", func(r *Router, _ *File) { r.Use(Logger(discard)) }, own, "", 1},
		{"both", func(r *Router, _ *File) { r.Use(RequestID, Logger(discard)) }, own, "", 2},
		{"both, with an id", func(r *Router, _ *File) { r.Use(RequestID, Logger(discard)) }, own, "given", 2},
		{"both, as text", func(r *Router, _ *File) { r.Use(RequestID, Logger(text)) }, own, "", 3},
		{"both, as text, with an id", func(r *Router, _ *File) { r.Use(Logger(text), RequestID) }, own, "given", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/users/[id].http"))
			f := r.At("users/[id]")
			tt.register(r, f)
			f.GET().Do(tt.handler)
			is.NoErr(r.Check())
			w := &sink{header: http.Header{}}
			arrived, err := http.NewRequest("GET", "/users/42", nil)
			is.NoErr(err)
			header := http.Header{}
			serve := func() {
				req := *arrived // each request is new
				clear(header)
				if tt.id != "" {
					header["X-Request-Id"] = []string{tt.id}
				}
				req.Header = header
				clear(w.header)
				w.wrote = 0
				r.ServeHTTP(w, &req)
			}
			serve()
			is.Equal(w.wrote, len("42"))
			harness := 1.0 // the request itself
			if tt.id != "" {
				harness++
			}
			allocs := testing.AllocsPerRun(500, serve) - harness
			is.True(allocs <= tt.max)
		})
	}
}

// Middleware of flow that other middleware calls is not all of that other middleware.
func TestRequestIDAndLoggerInsideOthers(t *testing.T) {
	is := is.New(t)
	lines := &journal{}
	tag := func(text string, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("Tag", text+From(r.Context()).Param("id")+r.PathValue("id"))
			next.ServeHTTP(w, r)
		})
	}
	r := New(flowtest.Files("router/[id].http"))
	r.At("[id]").GET().Use(
		func(next http.Handler) http.Handler { return RequestID(tag("a", next)) },
		func(next http.Handler) http.Handler {
			return Logger(slog.New(slog.NewTextHandler(lines, nil)))(tag("b", next))
		},
		func(next http.Handler) http.Handler { return tag("c", RequestID(next)) },
	).Do(hello)
	w := serve(r, "GET", "/7")
	is.Equal(w.Header()["Tag"], []string{"a77", "b77", "c77"})
	is.Equal(len(w.Header().Get("X-Request-Id")), 26)
	is.Equal(strings.Count(lines.String(), "\n"), 1)
}

// A contextual is a slog.Handler that asks the context for the Request, and keeps it.
type contextual struct {
	slog.Handler
	mu   sync.Mutex
	kept []context.Context
	seen []string
}

func (c *contextual) Handle(ctx context.Context, _ slog.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = append(c.kept, ctx)
	c.seen = append(c.seen, From(ctx).Param("id"))
	return nil
}

// The context of a log record leads to its own Request, also long after the response.
func TestLoggersContext(t *testing.T) {
	for name, middleware := range map[string]func(http.Handler) http.Handler{"nothing else": RequestID, "others": wrap} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			log := &contextual{Handler: slog.NewTextHandler(io.Discard, nil)}
			r := New(flowtest.Files("router/[id].http", "router/error/[id].http"))
			r.Logger = slog.New(log)
			r.Use(middleware, Logger(slog.New(log)))
			r.At("[id]").GET().Do(func(req *Request) string {
				if From(req.Context()) != req {
					t.Error("the context of the Request does not lead to it")
				}
				slog.New(log).InfoContext(req.Context(), "")
				return ""
			})
			r.At("error/[id]").GET().Do(func(req *Request) (string, error) { return "", fmt.Errorf("no") })
			want := []string{}
			for i := range 20 {
				is.Equal(serve(r, "GET", fmt.Sprint("/", i)).Code, 200)
				want = append(want, fmt.Sprint(i), fmt.Sprint(i))
			}
			is.Equal(serve(r, "GET", "/error/e").Code, 500)
			want = append(want, "e", "e")
			is.Equal(log.seen, want)
			for i, ctx := range log.kept {
				is.Equal(From(ctx).Param("id"), want[i])
			}
		})
	}
}

type contextKey struct{}

// A guard may give the request another context, or be another request altogether.
func TestGuardThatChangesTheContext(t *testing.T) {
	inContext := func(req *Request) Response {
		req.Request = req.WithContext(context.WithValue(req.Context(), contextKey{}, "told"))
		return Next()
	}
	alone := func(req *Request) Response {
		req.Request = req.WithContext(context.WithValue(context.Background(), contextKey{}, "told"))
		return Next()
	}
	told := func(req *Request) string { return fmt.Sprint(req.Context().Value(contextKey{}), req.Param("id")) }
	standard := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, told(From(r.Context()))+r.PathValue("id"))
	}
	logger := Logger(slog.New(slog.DiscardHandler))
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
		want    string
	}{
		{"guard", []any{inContext}, told, "200 told7"},
		{"guard, new", []any{alone}, told, "200 told7"},
		{"Logger", []any{logger, inContext, pass}, told, "200 told7"},
		{"Logger, new", []any{logger, alone, pass}, told, "200 told7"},
		{"Logger later", []any{inContext, logger}, told, "200 told7"},
		{"middleware", []any{wrap, inContext, wrap, wrap}, told, "200 told7"},
		{"middleware, new", []any{wrap, alone, wrap, wrap}, told, "200 told7"},
		{"handler", []any{logger, inContext}, standard, "200 told77"},
		{"handler, new", []any{alone, wrap, logger}, standard, "200 told77"},
		{"Handler", []any{logger, inContext}, func(*Request) Response { return Handler(http.HandlerFunc(standard)) }, "200 told77"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/[id].http"))
			log := logged(r)
			r.At("[id]").GET().Use(tt.use...).Do(tt.handler)
			is.Equal(says(serve(r, "GET", "/7")), tt.want)
			is.Equal(log.String(), "")
		})
	}
}

// The path values that a request has already stay, whoever has set them.
func TestPathValuesFromOutside(t *testing.T) {
	values := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Join([]string{r.PathValue("tenant"), r.PathValue("set"), r.PathValue("id"), From(r.Context()).Param("id")}, " "))
	}
	for name, use := range map[string][]any{"handler": nil, "middleware": {wrap, RequestID, wrap}} {
		r := New(flowtest.Files("router/of/[tenant]/[id].http", "router/[id].http"))
		r.At("of/[tenant]/[id]").GET().Use(use...).Do(values)
		r.At("[id]").GET().Use(use...).Do(values)
		set := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			req.SetPathValue("set", "s")
			r.ServeHTTP(w, req)
		})
		mux := http.NewServeMux()
		mux.Handle("/of/{tenant}/{rest...}", r)
		mux.Handle("/set/of/{tenant}/{rest...}", http.StripPrefix("/set", set))
		mux.Handle("/under/{tenant}/", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			http.StripPrefix("/under/"+req.PathValue("tenant"), set).ServeHTTP(w, req)
		}))
		for _, tt := range []struct {
			h            http.Handler
			target, want string
		}{
			{r, "/of/a/7", "a  7 7"},
			{mux, "/of/a/7", "a  7 7"},
			{mux, "/set/of/a/7", "a s 7 7"},
			{mux, "/under/a/7", "a s 7 7"},
			{set, "/7", " s 7 7"},
			{r, "/7", "  7 7"},
		} {
			t.Run(name+tt.target, func(t *testing.T) {
				is := is.New(t)
				is.Equal(do(tt.h, request("GET", tt.target)).Body.String(), tt.want)
			})
		}
	}
}

// Of guards that follow each other the first that does not let the request through ends it.
func TestRunOfGuards(t *testing.T) {
	for _, tt := range []struct {
		name string
		deny func(*Request) (Response, error)
		want string
		log  string
	}{
		{"answer", func(*Request) (Response, error) { return Text("no").Status(401), nil }, "401 no", ""},
		{"error", func(*Request) (Response, error) { return Next(), Error(403, "no") }, "403 Forbidden: no\n", ""},
		{"panic", func(*Request) (Response, error) { panic("secret") }, "500 Internal Server Error\n", "secret"},
		{"zero", func(*Request) (Response, error) { return Response{}, nil }, "500 Internal Server Error\n", "a guard returned the zero Response"},
		{"what cannot be encoded", func(*Request) (Response, error) { return JSON(func() {}), nil }, "500 Internal Server Error\n", "cannot be encoded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var calls []string
			guard := func(name string) func(*Request) Response {
				return func(*Request) Response {
					calls = append(calls, name)
					return Next().Header("Cache-Control", "max-age=9").Header("Seen", name)
				}
			}
			outside := 0
			around := func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					next.ServeHTTP(w, r)
					outside++ // no panic passes
				})
			}
			r := New(flowtest.Files("router/a.http"))
			log := logged(r)
			r.At("a").GET().Use(guard("1"), around, guard("2"), guard("3"), tt.deny, guard("4"), around).Do(hello)
			req := request("GET", "/a")
			req.Header.Set("Accept", "text/plain")
			w := do(r, req)
			is.Equal(fmt.Sprint(w.Code, " ", w.Body), tt.want)
			is.Equal(calls, []string{"1", "2", "3"})
			is.Equal(w.Header().Get("Seen"), "3")
			is.Equal(outside, 1)
			is.True(strings.Contains(log.String(), tt.log))
			if tt.want[:3] != "401" {
				is.Equal(w.Header().Get("Cache-Control"), "") // which was promised for another answer
			}
		})
	}
}

func TestContextsPrint(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Files("router/a.http"))
	var printed []string
	note := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			printed = append(printed, fmt.Sprint(r.Context()))
			next.ServeHTTP(w, r.WithContext(context.WithValue(context.Background(), requestKey{}, From(r.Context()))))
		})
	}
	r.At("a").GET().Use(note, note).Do(hello)
	is.Equal(serve(r, "GET", "/a").Code, 200)
	is.Equal(len(printed), 2)
	for _, text := range printed {
		is.True(strings.HasPrefix(text, "context."))
		is.True(strings.Contains(text, "flow."))
		is.True(len(text) < 120) // nothing of the Request
	}
}

// Between two pieces of middleware flow looks at what the first has done: it may go on with
// a copy of the request, or have asked in vain who the user is.
func TestMiddlewareInARow(t *testing.T) {
	type key struct{}
	goesOnWith := func(ctx func(context.Context) context.Context) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(ctx(r.Context()))) })
		}
	}
	session := goesOnWith(func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, "ann") })
	loses := goesOnWith(func(context.Context) context.Context { return context.Background() })
	asks := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			From(r.Context()).User()
			next.ServeHTTP(w, r)
		})
	}
	login := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !From(r.Context()).IsAuthenticated() {
				http.Error(w, "login", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	parses := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := r.ParseMultipartForm(1 << 10); err != nil {
				panic(err)
			}
			http.Error(w, "no", http.StatusForbidden)
		})
	}
	reads := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			From(r.Context()).Input("x")
			next.ServeHTTP(w, r)
		})
	}
	writes := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "fine") })
	}
	var form strings.Builder
	form.WriteString("--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n" + strings.Repeat("y", 1<<20) + "\r\n--x--\r\n")
	for _, tt := range []struct {
		name         string
		use          []any
		authenticate func(*Request) (any, error)
		contentType  string
		body         string
		want         int
	}{
		{"the second sees the request of the first", []any{session, login}, func(req *Request) (any, error) { return req.Context().Value(key{}), nil }, "", "", 200},
		{"Authenticate fails", []any{asks, writes}, func(*Request) (any, error) { return nil, Error(503, "down") }, "", "", 503},
		{"the body is malformed", []any{reads, writes}, nil, jsonMedia, "{", 400},
		{"the context is lost", []any{loses, login}, nil, "", "", 500},
		{"a file of a copy", []any{session, parses}, nil, "multipart/form-data; boundary=x", form.String(), 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			r, _ := lone(func(*Request) string { return "" }, tt.use...)
			r.Authenticate = tt.authenticate
			is.Equal(do(r, sending("POST", "/x", tt.contentType, tt.body)).Code, tt.want)
			left, err := os.ReadDir(dir)
			is.NoErr(err)
			is.Equal(len(left), 0)
		})
	}
}

// A ServeMux further in matches the request once more, and has path values of its own.
func TestPathValuesBesideAServeMux(t *testing.T) {
	inner := http.NewServeMux()
	inner.HandleFunc("/{a}/x/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.PathValue("tenant"), " ", r.PathValue("id"))
	})
	values := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.PathValue("tenant"), " ", r.PathValue("id"))
	}
	through := func(next http.Handler) http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/{rest...}", next)
		return mux
	}
	for _, tt := range []struct {
		name  string
		build func(*Router)
	}{
		{"a handler", func(r *Router) { r.At("[tenant]/[...rest]").GET().Do(inner) }},
		{"a handler in another", func(r *Router) { r.At("[tenant]/[...rest]").GET().Do(http.TimeoutHandler(inner, time.Minute, "")) }},
		{"what is mounted", func(r *Router) { r.Mount("/[tenant]", inner) }},
		{"middleware", func(r *Router) {
			r.Use(through)
			r.At("[tenant]/[...rest]").POST().Do(inner)
			r.At("[tenant]/x/[id]").GET().Do(values)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			files := []string{"router/[tenant]/x/[id].http"}
			if tt.name != "what is mounted" { // which takes the place of a catch-all
				files = append(files, "router/[tenant]/[...rest].http")
			}
			r := New(flowtest.Files(files...))
			tt.build(r)
			if tt.name != "middleware" {
				r.At("[tenant]/x/[id]").PUT().Do(values)
			}
			is.NoErr(r.Check())
			is.Equal(serve(r, "GET", "/t/x/7").Body.String(), "t 7")
		})
	}
}
