package flow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
)

// chatty returns a Router with a handler for each way to answer, and its logs: what
// Logger writes, and what the Router does.
func chatty() (r *Router, lines, failures *journal) {
	r = New(flowtest.Files("router/text/[id].http", "router/error.http", "router/panic.http", "router/std.http", "router/nothing.http",
		"router/abort.http", "router/late.http", "router/stream.http", "router/hijack.http", "router/late-panic.http", "public/app.css"))
	failures, lines = journalOf(r), &journal{}
	r.Use(RequestID, Logger(slog.New(slog.NewJSONHandler(lines, nil))))
	r.At("text/[id]").GET().Do(func(req *Request) string { return "hello " + req.Param("id") })
	r.At("error").GET().Do(func(*Request) (string, error) { return "", errors.New("secret") })
	r.At("panic").GET().Do(func(*Request) string { panic("secret") })
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
	r.At("stream").GET().Do(func(*Request) Response {
		return Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			is.True(line["duration"].(float64) > 0)
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
	outside := Logger(slog.New(slog.NewJSONHandler(lines, nil)))(RequestID(r))
	w = serve(outside, "GET", "/text/1")
	is.Equal(records(t, lines)[0]["id"], w.Header().Get("X-Request-Id"))
	is.Equal(records(t, lines)[0]["pattern"], "GET /text/{id}")
}

func TestLoggerDefault(t *testing.T) {
	is := is.New(t)
	var b bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	h := Logger(nil)(http.NotFoundHandler())
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	serve(h, "GET", "/x")
	is.True(strings.Contains(b.String(), "msg=request method=GET path=/x pattern=\"\" status=404 bytes=19 duration="))
}

// TestLoggerPanic: a panic of middleware passes through, and becomes a 500 outside.
func TestLoggerPanic(t *testing.T) {
	is := is.New(t)
	lines := &journal{}
	r, failures := lone(hello, Logger(slog.New(slog.NewJSONHandler(lines, nil))), func(http.Handler) http.Handler {
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
				r, _ := lone(func(*Request) string { panic("x") }, Logger(log))
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
	long := strings.Repeat("a", 128)
	for _, tt := range []struct {
		name string
		ids  []string
		kept bool
	}{
		{"none", nil, false},
		{"a proxy's", []string{"7F000001:8A3E_7F000001:1F90_6740A3E5_0001:0007"}, true},
		{"a UUID", []string{"0190c3a8-7d6e-7f3a-9c1b-2d3e4f5a6b7c"}, true},
		{"base64", []string{"ab+/cd=="}, true},
		{"the longest", []string{long}, true},
		{"longer", []string{long + "a"}, false},
		{"empty", []string{""}, false},
		{"two", []string{"a", "b"}, false},
		{"a space", []string{"a b"}, false},
		{"a line", []string{"a\nb"}, false},
		{"a quote", []string{`a"b`}, false},
		{"not ASCII", []string{"é"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			seen := ""
			r, _ := lone(func(req *Request) string { seen = req.Header.Get("X-Request-Id"); return "" }, RequestID)
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

func TestRequestIDsDiffer(t *testing.T) {
	is := is.New(t)
	r, _ := lone(hello, RequestID)
	first := serve(r, "GET", "/x").Header().Get("X-Request-Id")
	is.True(serve(r, "GET", "/x").Header().Get("X-Request-Id") != first)
	is.True(serve(r, "GET", "/none").Header().Get("X-Request-Id") != "") // what no route answers has one too
}
