package app

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

// listen returns the events of the wall, without blank lines. Each is one line.
func listen(t *testing.T, ctx context.Context, base, seen string, headers ...string) <-chan string {
	t.Helper()
	is := is.New(t)
	req, err := http.NewRequestWithContext(ctx, "GET", base+"/wall/events?seen="+seen, nil)
	is.NoErr(err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	is.NoErr(err)
	is.Equal(resp.Header.Get("Content-Type"), "text/event-stream")
	events := make(chan string, 10)
	go func() {
		defer resp.Body.Close()
		defer close(events)
		var event []string
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if lines.Text() != "" {
				event = append(event, lines.Text())
				continue
			}
			events <- strings.Join(event, " ")
			event = nil
		}
	}()
	return events
}

func TestEvents(t *testing.T) {
	is := is.New(t)
	server := httptest.NewServer(Router)
	t.Cleanup(server.Close)
	told := func(version string) string { return "id: " + version + " event: change retry: 1000 data: " + version }
	const nothing = ": nothing new"

	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	first, _ := changes.now()
	page := listen(t, ctx, server.URL, first)
	is.Equal(<-page, nothing) // the page shows it already
	is.Equal(ask("POST", "/notes", "text=tea").Code, 303)
	second, _ := changes.now()
	is.True(first != second)
	is.Equal(<-page, told(second))

	is.Equal(<-listen(t, ctx, server.URL, first), told(second)) // a page of before the change
	is.Equal(<-listen(t, ctx, server.URL, first, "Last-Event-ID: "+second), nothing)
	is.Equal(<-listen(t, ctx, server.URL, second, "Last-Event-ID: "+first), told(second))
	is.Equal(<-listen(t, ctx, server.URL, second, "Last-Event-ID: of-another-process"), told(second))
	is.Equal(<-listen(t, ctx, server.URL, ""), told(second))

	leave()
	for event := range page { // it ends
		is.Equal(event, nothing)
	}
	head := ask("HEAD", "/wall/events", "")
	is.Equal(head.Header().Get("Content-Type"), "text/event-stream")
}

// A sink is the writer of a stream.
type sink struct {
	header http.Header
	texts  chan string
}

func (s sink) Header() http.Header { return s.header }
func (s sink) WriteHeader(int)     {}
func (s sink) Flush()              {}
func (s sink) Write(b []byte) (int, error) {
	s.texts <- string(b)
	return len(b), nil
}

// TestHeartbeat lets time pass without a change.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		ctx, stop := context.WithCancel(t.Context())
		s := sink{http.Header{}, make(chan string)}
		top, begin, ended := newTopic(), time.Now(), make(chan bool)
		go func() {
			defer close(ended)
			req := httptest.NewRequestWithContext(ctx, "GET", "/wall/events", nil)
			top.events("").Write(s, flow.NewRequest(req))
		}()
		is.True(strings.HasPrefix(<-s.texts, "id: "))
		for n := range 3 {
			is.Equal(<-s.texts, ": nothing new\n\n")
			is.Equal(time.Since(begin), time.Duration(n+1)*20*time.Second)
		}
		stop() // the server stops
		<-ended
	})
}

// TestNothingIsLost changes something while the stream is busy: it tells of the last change.
func TestNothingIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		ctx, stop := context.WithCancel(t.Context())
		s := sink{http.Header{}, make(chan string)}
		top, ended := newTopic(), make(chan bool)
		go func() {
			defer close(ended)
			top.events("").Write(s, flow.NewRequest(httptest.NewRequestWithContext(ctx, "GET", "/wall/events", nil)))
		}()
		<-s.texts
		top.announce()
		synctest.Wait() // it waits for the client to take the event
		for range 100 {
			top.announce()
		}
		<-s.texts
		last, _ := top.now()
		is.True(strings.HasPrefix(<-s.texts, "id: "+last+"\n"))
		stop()
		<-ended
	})
}
