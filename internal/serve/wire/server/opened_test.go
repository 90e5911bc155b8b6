package server_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/servertest"
)

// TestOpened: who is told that the server answers can connect then, and finds nothing
// about it in the log.
func TestOpened(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opened bool
		want   string
	}{
		{"told", true, ""},
		{"logged", false, "serving stopping closing stopped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			l, err := net.Listen("tcp", "127.0.0.1:0")
			is.NoErr(err)
			ctx, stop := context.WithCancel(t.Context())
			log := &servertest.Log{}
			s := &server.Server{Handler: http.NotFoundHandler(), Drain: time.Second, Log: slog.New(slog.NewTextHandler(log, nil))}
			urls := make(chan string, 1)
			if tt.opened {
				s.Opened = func(url string) { urls <- url }
			} else {
				urls <- "http://" + l.Addr().String()
			}
			done := make(chan error, 1)
			var hooks server.Hooks
			hooks.OnStop("close", func(context.Context) error {
				s.Log.Log(t.Context(), map[bool]slog.Level{false: slog.LevelInfo, true: slog.LevelDebug}[tt.opened], "closing")
				return nil
			})
			go func() {
				done <- server.Around(ctx, s, []*server.Hooks{&hooks}, func() error { return s.Serve(ctx, l) })
			}()
			url := servertest.Within(t, "it serves", urls)
			is.Equal(url, "http://"+l.Addr().String())
			resp, err := http.Get(url)
			is.NoErr(err)
			resp.Body.Close()
			is.Equal(resp.StatusCode, http.StatusNotFound)
			stop()
			is.NoErr(servertest.Within(t, "it stops", done))
			var said []string
			for line := range strings.Lines(log.String()) {
				_, msg, _ := strings.Cut(line, "msg=")
				said = append(said, strings.Fields(msg)[0])
			}
			is.Equal(strings.Join(said, " "), tt.want)
		})
	}
}
