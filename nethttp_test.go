package flow_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

func TestStandardMiddlewareIsConstructedOnce(t *testing.T) {
	is := is.New(t)
	made := 0
	r := flow.New(flowtest.Files("router/a/b.http", "router/a/c.http"))
	r.In("a").Use(func(next http.Handler) http.Handler {
		made++
		return next
	})
	r.At("a/b").GET().Do(hello)
	r.At("a/c").GET().Do(hello)
	is.NoErr(r.Check())
	is.Equal(made, 1)
	is.Equal(says(serve(r, "GET", "/a/b")), "200 hello")
	is.Equal(says(serve(r, "GET", "/a/c")), "200 hello")
}

func TestPatternAndPathValues(t *testing.T) {
	r := flow.New(flowtest.Files("router/users/[id]/[...rest].http", "router/[[lang]]/x.http", "router/50%.http", "router/any.http", "public/app.css"))
	std := func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprintf(w, "%s id=%s rest=%s param=%s", req.Pattern, req.PathValue("id"), req.PathValue("rest"), flow.From(req.Context()).Param("id"))
	}
	r.At("users/[id]/[...rest]").GET().Do(std)
	r.At("users/[id]/[...rest]").POST().Do(func(req *flow.Request) string {
		return req.Pattern + " id=" + req.PathValue("id")
	})
	r.At("users/[id]/[...rest]").PUT().Do(func(*flow.Request) flow.Response { return flow.Handler(http.HandlerFunc(std)) })
	r.At("[[lang]]/x").GET().Do(func(req *flow.Request) string { return req.Pattern })
	r.At("50%").GET().Do(func(req *flow.Request) string { return req.Pattern })
	r.At("any").ANY().Do(func(req *flow.Request) string { return req.Pattern })
	is.New(t).NoErr(r.Check())
	for _, tt := range []struct{ method, target, want, pattern string }{
		{"GET", "/users/7/a%2Fb/c", "GET /users/{id}/{rest...} id=7 rest=a/b/c param=7", "GET /users/{id}/{rest...}"},
		{"POST", "/users/7/a", "POST /users/{id}/{rest...} id=7", "POST /users/{id}/{rest...}"},
		{"PUT", "/users/7/a", "PUT /users/{id}/{rest...} id=7 rest=a param=7", "PUT /users/{id}/{rest...}"},
		{"GET", "/x", "GET /x", "GET /x"},
		{"GET", "/de/x", "GET /{lang}/x", "GET /{lang}/x"},
		{"GET", "/50%25", "GET /50%25", "GET /50%25"},
		{"BREW", "/any", "/any", "/any"},
		{"GET", "/app.css", "", "GET /app.css"},
		{"GET", "/nothing", "", ""},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			req := request(tt.method, tt.target)
			w := do(r, req)
			if w.Code == 200 {
				is.Equal(w.Body.String(), tt.want)
			}
			is.Equal(req.Pattern, tt.pattern) // outer tracing sees it
		})
	}
}

// chatty returns a Router with a handler for each way to answer, and its logs: what
// Logger writes, and what the Router does.
func chatty() (r *flow.Router, lines, failures *journal) {
	r = flow.New(flowtest.Files("router/text/[id].http", "router/error.http", "router/panic.http", "router/std.http", "router/nothing.http",
		"router/abort.http", "router/late.http", "router/stream.http", "router/hijack.http", "router/late-panic.http", "public/app.css"))
	failures, lines = journalOf(r), &journal{}
	r.Use(flow.RequestID, flow.Logger(slog.New(slog.NewJSONHandler(lines, nil))))
	r.At("text/[id]").GET().Do(func(req *flow.Request) string { return "hello " + req.Param("id") })
	r.At("error").GET().Do(func(*flow.Request) (string, error) { return "", errors.New("secret") })
	r.At("panic").GET().Do(func(*flow.Request) string { panic("secret") })
	r.At("std").GET().Do(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); io.WriteString(w, "made") })
	r.At("nothing").GET().Do(func(http.ResponseWriter, *http.Request) {})
	r.At("abort").GET().Do(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	r.At("late").GET().Do(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "half"); panic(http.ErrAbortHandler) })
	r.At("late-panic").GET().Do(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "half"); panic("x") })
	r.At("hijack").GET().Do(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
	})
	r.At("stream").GET().Do(func(*flow.Request) flow.Response {
		return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(w, strings.NewReader(strings.Repeat("x", 5000)))
		})).Status(203)
	})
	return r, lines, failures
}

func TestLogger(t *testing.T) {
	r, lines, _ := chatty()
	server := httptest.NewServer(r)
	defer server.Close()
	for _, tt := range []struct{ method, target, want string }{
		{"GET", "/text/5?q=secret", "GET /text/5 pattern=GET /text/{id} status=200 bytes=7"},
		{"HEAD", "/text/5", "HEAD /text/5 pattern=GET /text/{id} status=200 bytes=0"},
		{"GET", "/text/a%0Ab", "GET /text/a%0Ab pattern=GET /text/{id} status=200 bytes=9"},
		{"GET", "/error", "GET /error pattern=GET /error status=500 bytes=67"},
		{"GET", "/panic", "GET /panic pattern=GET /panic status=500 bytes=67"},
		{"GET", "/std", "GET /std pattern=GET /std status=201 bytes=4"},
		{"GET", "/nothing", "GET /nothing pattern=GET /nothing status=200 bytes=0"},
		{"GET", "/stream", "GET /stream pattern=GET /stream status=203 bytes=5000"},
		{"GET", "/abort", "GET /abort pattern=GET /abort status=0 bytes=0 aborted"},
		{"GET", "/hijack", "GET /hijack pattern=GET /hijack status=101 bytes=0"},
		{"GET", "/late", "GET /late pattern=GET /late status=200 bytes=4 aborted"},
		{"GET", "/late-panic", "GET /late-panic pattern=GET /late-panic status=200 bytes=4 aborted"},
		{"GET", "/none", "GET /none pattern= status=404 bytes=55"},
		{"GET", "/text/5/", "GET /text/5/ pattern= status=308 bytes=0"},
		{"POST", "/error", "POST /error pattern= status=405 bytes=64"},
		{"GET", "/app.css", "GET /app.css pattern=GET /app.css status=200 bytes=0"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			before := len(records(t, lines))
			req, err := http.NewRequest(tt.method, server.URL+tt.target, nil)
			is.NoErr(err)
			req.Close = true
			begin := time.Now()
			resp, err := http.DefaultTransport.RoundTrip(req)
			id := ""
			if err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				id = resp.Header.Get("X-Request-Id")
			}
			for len(records(t, lines)) == before {
				time.Sleep(time.Millisecond) // the line follows the answer
			}
			line := records(t, lines)[before]
			got := fmt.Sprintf("%s %s pattern=%s status=%v bytes=%v", line["method"], line["path"], line["pattern"], line["status"], line["bytes"])
			if line["aborted"] == true {
				got += " aborted"
			}
			is.Equal(got, tt.want)
			is.Equal(line["msg"], "request")
			took := time.Duration(line["duration"].(float64)) // 0 if the clock has not advanced
			is.True(0 <= took && took <= time.Since(begin))
			is.True(id == "" || id == line["id"])
			is.Equal(len(records(t, lines)), before+1) // one line
		})
	}
}

// TestLoggerFindsTheRequestID wherever it stands, and so does what logs failures.
func TestLoggerFindsTheRequestID(t *testing.T) {
	is := is.New(t)
	r, _, failures := chatty()
	w := serve(r, "GET", "/error")
	is.Equal(records(t, failures)[0]["id"], w.Header().Get("X-Request-Id"))

	lines := &journal{}
	outside := flow.Logger(slog.New(slog.NewJSONHandler(lines, nil)))(flow.RequestID(r))
	w = serve(outside, "GET", "/text/1")
	is.Equal(records(t, lines)[0]["id"], w.Header().Get("X-Request-Id"))
	is.Equal(records(t, lines)[0]["pattern"], "GET /text/{id}")
}

func TestLoggerDefault(t *testing.T) {
	is := is.New(t)
	var b bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	h := flow.Logger(nil)(http.NotFoundHandler())
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	serve(h, "GET", "/x")
	is.True(strings.Contains(b.String(), "msg=request method=GET path=/x pattern=\"\" status=404 bytes=19 duration="))
}

// TestLoggerLeavesOut says nothing of some paths, unless something is wrong there.
func TestLoggerLeavesOut(t *testing.T) {
	for _, tt := range []struct {
		path   string
		status any // of the line, or nil for none
	}{
		{"/readyz", nil},
		{"/readyz?status=503", 503.0},
		{"/readyz?status=404", nil},
		{"/readyz?status=panic", 500.0},
		{"/readyz/", 308.0},
		{"/readyz/deep", 404.0},
		{"/health", 404.0},
		{"/assets/a/b.css", nil},
		{"/assets", 404.0},
		{"/", 200.0},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			lines := &journal{}
			r := flow.New(flowtest.Files("router/index.html", "router/readyz.http", "public/assets/a/b.css"))
			r.Use(flow.Logger(slog.New(slog.NewJSONHandler(lines, nil)), "/readyz", "/assets/"))
			r.At("readyz").GET().Do(func(req *flow.Request) (flow.Response, error) {
				switch status := req.Input("status"); status {
				case "":
					return flow.Text("ok"), nil
				case "panic":
					panic("no")
				default:
					code, err := strconv.Atoi(status)
					return flow.Text(status).Status(code), err
				}
			})
			journalOf(r)
			serve(r, "GET", tt.path)
			all := records(t, lines)
			is.Equal(len(all) > 0, tt.status != nil)
			for _, line := range all {
				is.Equal(line["status"], tt.status)
			}
		})
	}
	is := is.New(t)
	lines := &journal{}
	r := flow.New(flowtest.Files("router/index.html", "router/about.html"))
	r.Use(flow.Logger(slog.New(slog.NewJSONHandler(lines, nil)), "/"))
	serve(r, "GET", "/")
	serve(r, "GET", "/about")
	all := records(t, lines)
	is.Equal(len(all), 1)
	is.Equal(all[0]["path"], "/about") // "/" is the home page, and not the whole site

	r, _ = lone(hello, flow.Logger(nil, "/x", "readyz"))
	err := r.Check()
	is.True(err != nil)
	is.True(strings.HasSuffix(err.Error(), `Use: the middleware panicked when it was constructed: Logger: no path of a URL begins with "readyz": write "/readyz"`))
}

// TestLoggerPanic: a panic of middleware passes through, and becomes a 500 outside.
func TestLoggerPanic(t *testing.T) {
	is := is.New(t)
	lines := &journal{}
	r, failures := lone(hello, flow.Logger(slog.New(slog.NewJSONHandler(lines, nil))), func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panicsHere() })
	})
	is.Equal(serve(r, "GET", "/x").Code, 500)
	is.Equal(records(t, lines)[0]["status"], 500.0)
	is.True(strings.Contains(failures.String(), "panicsHere")) // the stack is still that of the panic
}

func panicsHere() { panic("x") }

// TestForgedLines: what a client sends stays within its line, whatever writes it.
func TestForgedLines(t *testing.T) {
	hostile := []string{"\n", "\r\n", "\u2028", "\x1b[2J", "\u009b2J", "\" status=200", "\x00", "\xff", "\u202e"}
	for _, handler := range []string{"text", "json"} {
		for _, evil := range hostile {
			t.Run(fmt.Sprintf("%s %q", handler, evil), func(t *testing.T) {
				is := is.New(t)
				var b bytes.Buffer
				var h slog.Handler = slog.NewTextHandler(&b, nil)
				if handler == "json" {
					h = slog.NewJSONHandler(&b, nil)
				}
				log := slog.New(h)
				r, _ := lone(func(*flow.Request) string { panic("x") }, flow.Logger(log))
				r.Logger = log
				req := httptest.NewRequest("GET", "/x", nil)
				req.URL.Path = "/x" + evil
				req.Header["X-Request-Id"] = []string{"id" + evil}
				req.Header.Set("User-Agent", evil)
				do(r, req)
				req.URL.Path = "/x"
				do(r, req)
				out := b.String()
				is.Equal(strings.Count(out, "\n"), 3) // a 404, a panic and its request
				for _, c := range out {
					if c != '\n' && c < ' ' || c >= 0x7f && c != 'µ' { // of durations
						t.Fatalf("%q in %q", c, out) // a terminal might act upon it
					}
				}
			})
		}
	}
}

func TestRequestID(t *testing.T) {
	for _, tt := range []struct {
		name string
		ids  []string
		kept bool
	}{
		{"none", nil, false},
		{"a proxy's", []string{"7F000001:8A3E_7F000001:1F90_6740A3E5_0001:0007"}, true},
		{"a UUID", []string{"0190c3a8-7d6e-7f3a-9c1b-2d3e4f5a6b7c"}, true},
		{"not ASCII", []string{"é"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			seen := ""
			r, _ := lone(func(req *flow.Request) string { seen = req.Header.Get("X-Request-Id"); return "" }, flow.RequestID)
			req := request("GET", "/x")
			req.Header["X-Request-Id"] = tt.ids
			w := do(r, req)
			id := w.Header().Get("X-Request-Id")
			is.Equal(seen, id) // the handler knows what the client is told
			if tt.kept {
				is.Equal(id, tt.ids[0])
			} else {
				is.Equal(len(id), 26) // a random one
				is.True(len(tt.ids) == 0 || id != tt.ids[0])
			}
		})
	}
}

// Middleware of flow that other middleware calls is not all of that other middleware.
func TestRequestIDAndLoggerInsideOthers(t *testing.T) {
	is := is.New(t)
	lines := &journal{}
	tag := func(text string, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("Tag", text+flow.From(r.Context()).Param("id")+r.PathValue("id"))
			next.ServeHTTP(w, r)
		})
	}
	r := flow.New(flowtest.Files("router/[id].http"))
	r.At("[id]").GET().Use(
		func(next http.Handler) http.Handler { return flow.RequestID(tag("a", next)) },
		func(next http.Handler) http.Handler {
			return flow.Logger(slog.New(slog.NewTextHandler(lines, nil)))(tag("b", next))
		},
		func(next http.Handler) http.Handler { return tag("c", flow.RequestID(next)) },
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
	c.seen = append(c.seen, flow.From(ctx).Param("id"))
	return nil
}

// The context of a log record leads to its own Request, also long after the response.
func TestLoggersContext(t *testing.T) {
	for name, middleware := range map[string]func(http.Handler) http.Handler{"nothing else": flow.RequestID, "others": wrap} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			log := &contextual{Handler: slog.NewTextHandler(io.Discard, nil)}
			r := flow.New(flowtest.Files("router/[id].http", "router/error/[id].http"))
			r.Logger = slog.New(log)
			r.Use(middleware, flow.Logger(slog.New(log)))
			r.At("[id]").GET().Do(func(req *flow.Request) string {
				if flow.From(req.Context()) != req {
					t.Error("the context of the Request does not lead to it")
				}
				slog.New(log).InfoContext(req.Context(), "")
				return ""
			})
			r.At("error/[id]").GET().Do(func(req *flow.Request) (string, error) { return "", fmt.Errorf("no") })
			want := []string{}
			for i := range 20 {
				is.Equal(serve(r, "GET", fmt.Sprint("/", i)).Code, 200)
				want = append(want, fmt.Sprint(i), fmt.Sprint(i))
			}
			is.Equal(serve(r, "GET", "/error/e").Code, 500)
			want = append(want, "e", "e")
			is.Equal(log.seen, want)
			for i, ctx := range log.kept {
				is.Equal(flow.From(ctx).Param("id"), want[i])
			}
		})
	}
}

type contextKey struct{}

// A guard may give the request another context, or be another request altogether.
func TestGuardThatChangesTheContext(t *testing.T) {
	inContext := func(req *flow.Request) flow.Response {
		req.Request = req.WithContext(context.WithValue(req.Context(), contextKey{}, "told"))
		return flow.Next()
	}
	alone := func(req *flow.Request) flow.Response {
		req.Request = req.WithContext(context.WithValue(context.Background(), contextKey{}, "told"))
		return flow.Next()
	}
	told := func(req *flow.Request) string { return fmt.Sprint(req.Context().Value(contextKey{}), req.Param("id")) }
	standard := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, told(flow.From(r.Context()))+r.PathValue("id")+fmt.Sprint(r.Context().Value(contextKey{})))
	}
	logger := flow.Logger(slog.New(slog.DiscardHandler))
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
		{"handler", []any{logger, inContext}, standard, "200 told77told"},
		{"handler, new", []any{alone, wrap, logger}, standard, "200 told77told"},
		{"Handler", []any{logger, inContext}, func(*flow.Request) flow.Response { return flow.Handler(http.HandlerFunc(standard)) }, "200 told77told"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/[id].http"))
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
		io.WriteString(w, strings.Join([]string{r.PathValue("tenant"), r.PathValue("set"), r.PathValue("id"), flow.From(r.Context()).Param("id")}, " "))
	}
	for name, use := range map[string][]any{"handler": nil, "middleware": {wrap, flow.RequestID, wrap}} {
		r := flow.New(flowtest.Files("router/of/[tenant]/[id].http", "router/[id].http"))
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

func TestContextsPrint(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/a.http"))
	var printed []string
	note := around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		printed = append(printed, fmt.Sprint(r.Context()))
		next.ServeHTTP(w, r.WithContext(context.WithValue(context.Background(), flow.RequestKey, flow.From(r.Context()))))
	})
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
		return around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(ctx(r.Context())))
		})
	}
	session := goesOnWith(func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, "ann") })
	loses := goesOnWith(func(context.Context) context.Context { return context.Background() })
	login := around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if !flow.From(r.Context()).IsAuthenticated() {
			http.Error(w, "login", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
	parses := around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 10); err != nil {
			panic(err)
		}
		http.Error(w, "no", http.StatusForbidden)
	})
	for _, tt := range []struct {
		name         string
		use          []any
		authenticate func(*flow.Request) (any, error)
		contentType  string
		body         string
		want         int
	}{
		{"the second sees the request of the first", []any{session, login}, func(req *flow.Request) (any, error) { return req.Context().Value(key{}), nil }, "", "", 200},
		{"the context is lost", []any{loses, login}, nil, "", "", 500},
		{"a file of a copy", []any{session, parses}, nil, multiMedia, parts("f@" + strings.Repeat("y", 1<<20)), 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := t.TempDir()
			flowtest.SetTempDir(t, dir)
			r, _ := lone(func(*flow.Request) string { return "" }, tt.use...)
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
		build func(*flow.Router)
	}{
		{"a handler", func(r *flow.Router) { r.At("[tenant]/[...rest]").GET().Do(inner) }},
		{"a handler in another", func(r *flow.Router) { r.At("[tenant]/[...rest]").GET().Do(http.TimeoutHandler(inner, time.Minute, "")) }},
		{"what is mounted", func(r *flow.Router) { r.Mount("/[tenant]", inner) }},
		{"middleware", func(r *flow.Router) {
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
			r := flow.New(flowtest.Files(files...))
			tt.build(r)
			if tt.name != "middleware" {
				r.At("[tenant]/x/[id]").PUT().Do(values)
			}
			is.NoErr(r.Check())
			is.Equal(serve(r, "GET", "/t/x/7").Body.String(), "t 7")
		})
	}
}

func TestHandlerStatus(t *testing.T) {
	for _, tt := range []struct {
		name string
		h    http.HandlerFunc
		want string
	}{
		{"nothing", func(http.ResponseWriter, *http.Request) {}, "404 "},
		{"Write", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("x")) }, "404 x"},
		{"WriteString", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") }, "404 x"},
		{"ReadFrom", func(w http.ResponseWriter, _ *http.Request) { io.Copy(w, onlyReader{strings.NewReader("x")}) }, "404 x"},
		{"Flush", func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush() }, "404 "},
		{"ResponseController", func(w http.ResponseWriter, _ *http.Request) { http.NewResponseController(w).Flush() }, "404 "},
		{"WriteHeader 200", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) }, "404 "},
		{"WriteHeader 500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "500 "},
		{"early hints", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); io.WriteString(w, "x") }, "404 x"},
		{"a header of its own", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("A", "handler")
			io.WriteString(w, w.Header().Get("B"))
		}, "404 response"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(func(*flow.Request) flow.Response {
				return flow.Handler(tt.h).Status(404).Header("A", "response").Header("B", "response")
			})
			server := httptest.NewServer(r)
			defer server.Close()
			resp, err := http.Get(server.URL + "/x")
			is.NoErr(err)
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			is.NoErr(err)
			is.Equal(fmt.Sprint(resp.StatusCode, " ", string(b)), tt.want)
			is.Equal(resp.Header.Get("B"), "response")
			is.Equal(log.String(), "")
		})
	}
}

// onlyReader hides WriterTo, which io.Copy would ask first.
type onlyReader struct{ io.Reader }

// ways are the ways to a net/http handler, other than none at all.
func ways(h http.HandlerFunc) map[string]*flow.Router {
	std, _ := lone(h)
	answered, _ := lone(func(*flow.Request) flow.Response { return flow.Handler(h) })
	wrapped, _ := lone(h, before(func(*http.Request) {}), pass, before(func(*http.Request) {}))
	guard, _ := lone(hello, func(*flow.Request) flow.Response { return flow.Handler(h) })
	return map[string]*flow.Router{"handler": std, "Handler": answered, "wrapped": wrapped, "guard": guard}
}

func TestStreams(t *testing.T) {
	gate := make(chan bool)
	for name, r := range ways(func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			if err := http.NewResponseController(w).Flush(); err != nil {
				panic(err)
			}
			<-gate // until the client has it
		}
	}) {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			server := httptest.NewServer(r)
			defer server.Close()
			resp, err := http.Get(server.URL + "/x")
			is.NoErr(err)
			defer resp.Body.Close()
			lines := bufio.NewScanner(resp.Body)
			for i := range 3 {
				is.True(lines.Scan())
				is.Equal(lines.Text(), fmt.Sprintf("data: %d", i))
				is.True(lines.Scan())
				gate <- true
			}
			is.True(!lines.Scan())
			is.NoErr(lines.Err())
		})
	}
}

func TestWriterOffersWhatTheServersDoes(t *testing.T) {
	for name, r := range ways(func(w http.ResponseWriter, r *http.Request) {
		_, flusher := w.(http.Flusher)
		_, hijacker := w.(http.Hijacker)
		_, readerFrom := w.(io.ReaderFrom)
		c := http.NewResponseController(w)
		fmt.Fprint(w, flusher, hijacker, readerFrom, c.EnableFullDuplex(), c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}))
	}) {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", http2), func(t *testing.T) {
				is := is.New(t)
				server := httptest.NewUnstartedServer(r)
				server.EnableHTTP2 = http2
				server.StartTLS()
				defer server.Close()
				resp, err := server.Client().Get(server.URL + "/x")
				is.NoErr(err)
				defer resp.Body.Close()
				b, err := io.ReadAll(resp.Body)
				is.NoErr(err)
				is.Equal(string(b), fmt.Sprint(true, !http2, true, nil, nil, nil))
			})
		}
	}
}

func TestHijack(t *testing.T) {
	takes := map[string]func(w http.ResponseWriter) (io.ReadWriteCloser, error){
		"Hijacker": func(w http.ResponseWriter) (io.ReadWriteCloser, error) {
			conn, _, err := w.(http.Hijacker).Hijack()
			return conn, err
		},
		"ResponseController": func(w http.ResponseWriter) (io.ReadWriteCloser, error) {
			conn, _, err := http.NewResponseController(w).Hijack()
			return conn, err
		},
	}
	for how, take := range takes {
		for name, r := range ways(func(w http.ResponseWriter, r *http.Request) {
			conn, err := take(w)
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 299 Mine\r\nContent-Length: 0\r\n\r\n")
			flow.From(r.Context()).Input("a") // which fails, and comes too late
		}) {
			t.Run(how+"/"+name, func(t *testing.T) {
				is := is.New(t)
				server := httptest.NewServer(r)
				var serverLog bytes.Buffer
				server.Config.ErrorLog = log.New(&serverLog, "", 0)
				resp, err := http.Get(server.URL + "/x")
				is.NoErr(err)
				resp.Body.Close()
				is.Equal(resp.StatusCode, 299)
				server.Close()
				is.Equal(serverLog.String(), "") // nothing was written to the hijacked connection
			})
		}
	}
}

func TestPanicAfterTheFirstByteAborts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		begin  func(w http.ResponseWriter)
		status int // 0 if nothing arrives
	}{
		{"Write", func(w http.ResponseWriter) { w.Write([]byte("x")) }, 0},
		{"flushed", func(w http.ResponseWriter) { w.Write([]byte("x")); w.(http.Flusher).Flush() }, 200},
		{"WriteHeader", func(w http.ResponseWriter) { w.WriteHeader(201) }, 0},
		{"Flush alone", func(w http.ResponseWriter) { w.(http.Flusher).Flush() }, 200},
		{"ReadFrom", func(w http.ResponseWriter) { w.(io.ReaderFrom).ReadFrom(strings.NewReader("x")) }, 0},
		{"early hints only", func(w http.ResponseWriter) { w.WriteHeader(103) }, 500},
		{"headers only", func(w http.ResponseWriter) { w.Header().Set("Content-Length", "5") }, 500},
	} {
		for name, r := range ways(func(w http.ResponseWriter, _ *http.Request) {
			tt.begin(w)
			panic("secret")
		}) {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				is := is.New(t)
				log := logged(r)
				server := httptest.NewServer(r)
				resp, err := http.Get(server.URL + "/x")
				if tt.status == 0 {
					is.True(err != nil) // an answer that was cut off looked whole
				} else {
					is.NoErr(err)
					is.Equal(resp.StatusCode, tt.status)
					b, err := io.ReadAll(resp.Body)
					is.Equal(err == nil, tt.status == 500) // as above
					is.True(!strings.Contains(string(b), "secret"))
					resp.Body.Close()
				}
				server.Close()
				is.Equal(strings.Count(log.String(), "\n"), 1)
				is.True(strings.Contains(log.String(), "secret"))
			})
		}
	}
}
