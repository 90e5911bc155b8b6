package logging

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"
)

// Both middlewares work around any handler, without a Router.
func TestLoggerAndRequestID(t *testing.T) {
	is := is.New(t)
	var lines bytes.Buffer
	log := slog.New(slog.NewTextHandler(&lines, nil))
	var seen string
	h := RequestID(Logger(log)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = IDOf(r)
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, "made")
	})))
	r := httptest.NewRequest("POST", "/a%20b?secret", nil)
	r.Header.Set("X-Request-Id", "abc")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	is.Equal(seen, "abc")
	is.Equal(w.Header().Get("X-Request-Id"), "abc")
	for _, field := range []string{"method=POST", "path=/a%20b", "status=201", "bytes=4", "id=abc"} {
		is.True(strings.Contains(lines.String(), field))
	}
	is.True(!strings.Contains(lines.String(), "secret"))
}

// Where a record comes from is asked for only once, and is this package in any case.
func TestLoggerSource(t *testing.T) {
	is := is.New(t)
	var lines bytes.Buffer
	log := slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{AddSource: true}))
	for range 2 {
		Logger(log)(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	is.Equal(strings.Count(lines.String(), "logging.go:"), 2)
}

// A handler that does not want the level is not asked to handle anything.
func TestLoggerLevel(t *testing.T) {
	is := is.New(t)
	var lines bytes.Buffer
	log := slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelWarn}))
	Logger(log)(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	is.Equal(lines.String(), "")
}

// Ids are made several at a time, also while others ask.
func TestIdentify(t *testing.T) {
	is := is.New(t)
	var mu sync.Mutex
	seen := map[string]bool{}
	var askers sync.WaitGroup
	for range 8 {
		askers.Go(func() {
			for range 5 * batchSize {
				w := httptest.NewRecorder()
				Identify(w, &http.Request{})
				id := w.Header().Get("X-Request-Id")
				mu.Lock()
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	askers.Wait()
	is.Equal(len(seen), 8*5*batchSize)
	for id := range seen {
		is.Equal(len(id), idLength)
		is.Equal(IDOf(&http.Request{Header: http.Header{"X-Request-Id": {id}}}), id)
	}
}

// The header of the request and that of the answer do not share their memory.
func TestIdentifyShares(t *testing.T) {
	is := is.New(t)
	w, r := httptest.NewRecorder(), &http.Request{}
	Identify(w, r)
	id := w.Header().Get("X-Request-Id")
	r.Header["X-Request-Id"][0] = "changed"
	r.Header.Add("X-Request-Id", "added")
	is.Equal(w.Header()["X-Request-Id"], []string{id})
}

func TestIDOf(t *testing.T) {
	for _, tt := range []struct {
		ids  []string
		want string
	}{
		{nil, ""},
		{[]string{"a-1.b_2~:/+=@"}, "a-1.b_2~:/+=@"},
		{[]string{"a b"}, ""},
		{[]string{"a\nb"}, ""},
		{[]string{strings.Repeat("x", 128)}, strings.Repeat("x", 128)},
		{[]string{strings.Repeat("x", 129)}, ""},
		{[]string{"a", "b"}, ""},
	} {
		t.Run(strings.Join(tt.ids, ","), func(t *testing.T) {
			is := is.New(t)
			is.Equal(IDOf(&http.Request{Header: http.Header{"X-Request-Id": tt.ids}}), tt.want)
		})
	}
}

// The list of paths that are not logged is the Logger's own.
func TestLoggerKeepsItsPaths(t *testing.T) {
	is := is.New(t)
	var lines bytes.Buffer
	paths := []string{"/livez"}
	h := Logger(slog.New(slog.NewTextHandler(&lines, nil)), paths...)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	paths[0] = "/other"
	for _, path := range []string{"/livez", "/other"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	is.True(!strings.Contains(lines.String(), "path=/livez"))
	is.True(strings.Contains(lines.String(), "path=/other"))
}
