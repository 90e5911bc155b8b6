package logging

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
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
