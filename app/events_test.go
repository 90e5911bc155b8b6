package app

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/app/users"
)

// readEvent returns the lines of the next event.
func readEvent(t testing.TB, r *bufio.Reader) string {
	t.Helper()
	var event strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "\n" {
			return event.String()
		}
		event.WriteString(line)
	}
}

func TestEventsAreStreamed(t *testing.T) {
	is := is.New(t)
	store := users.Sample()
	var now atomic.Value
	now.Store(time.Date(2026, 1, 1, 12, 30, 15, 0, time.UTC))
	router := newRouter(t, &App{Users: store, Tick: 10 * time.Millisecond, Now: func() time.Time { return now.Load().(time.Time) }})
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		router.ServeHTTP(w, r)
	}))
	defer server.Close()

	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/events/stream", nil)
	is.NoErr(err)
	resp, err := server.Client().Do(req)
	is.NoErr(err)
	defer resp.Body.Close()
	is.Equal(resp.StatusCode, 200)
	is.Equal(resp.Header.Get("Content-Type"), "text/event-stream")
	is.Equal(resp.Header.Get("Cache-Control"), "no-store")

	r := bufio.NewReader(resp.Body)
	is.Equal(readEvent(t, r), `id: 1
event: tick
data: {"time":"12:30:15","users":3}
`)
	_, err = store.Create(users.User{Name: "Barbara", Email: "b@example.com"})
	is.NoErr(err)
	now.Store(time.Date(2026, 1, 1, 12, 30, 16, 0, time.UTC))
	event, id := "", 1
	for !strings.Contains(event, "12:30:16") { // some may have been on their way
		event, id = readEvent(t, r), id+1
	}
	for range 8 {
		is.Equal(event, fmt.Sprintf("id: %d\nevent: tick\ndata: {\"time\":\"12:30:16\",\"users\":4}\n", id))
		event, id = readEvent(t, r), id+1
	}

	leave()
	<-ended // the handler has returned
}

// TestStreamEndsWithServer ends the context that the server gave its requests.
func TestStreamEndsWithServer(t *testing.T) {
	is := is.New(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	router := newRouter(t, &App{Tick: time.Hour})
	w := httptest.NewRecorder()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		router.ServeHTTP(w, newRequest("GET", "/events/stream", "").WithContext(ctx))
	}()
	stop()
	<-ended
	is.True(w.Flushed) // each event is sent at once
	is.True(strings.HasPrefix(w.Body.String(), "id: 1\n"))
}
