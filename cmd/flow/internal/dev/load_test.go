package dev

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matryer/is"
)

// A load are clients that send POST requests on connections that they keep, and one that
// listens to an event stream, while programs replace each other.
type load struct {
	url      string
	client   *http.Client
	sent     atomic.Int64
	streams  atomic.Int64 // that were opened
	mu       sync.Mutex
	failures []string
	stop     chan struct{}
	running  sync.WaitGroup
}

// startLoad sends a number of requests per second, over a number of clients.
func startLoad(url string, perSecond, clients int) *load {
	l := &load{
		url:    url,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients, MaxConnsPerHost: 2 * clients}, Timeout: patience},
		stop:   make(chan struct{}),
	}
	for range clients {
		l.running.Go(func() { l.post(time.Second * time.Duration(clients) / time.Duration(perSecond)) })
	}
	l.running.Go(l.listen)
	return l
}

// post sends requests, one after the other, at a pace. The next one does not wait longer
// if one was late.
func (l *load) post(every time.Duration) {
	for next := time.Now(); ; next = next.Add(every) {
		select {
		case <-l.stop:
			return
		case <-time.After(time.Until(next)):
		}
		n := l.sent.Add(1)
		if err := l.echo(n); err != nil {
			l.failed("request %d: %v", n, err)
		}
	}
}

func (l *load) echo(n int64) error {
	resp, err := l.client.Post(l.url+"/echo", "application/x-www-form-urlencoded", strings.NewReader(fmt.Sprint("x=", n)))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != 200 || !strings.HasSuffix(string(body), fmt.Sprint(" ", n)) {
		return fmt.Errorf("%s %q", resp.Status, body)
	}
	return nil
}

// listen listens to the event stream. When a program ends, so does the stream, and it
// connects again, as browsers do.
func (l *load) listen() {
	for {
		select {
		case <-l.stop:
			return
		default:
		}
		if err := l.stream(); err != nil {
			l.failed("event stream: %v", err)
		}
		l.streams.Add(1)
	}
}

func (l *load) stream() error {
	resp, err := client.Get(l.url + "/events")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return fmt.Errorf("%s", resp.Status)
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-l.stop:
			resp.Body.Close()
		case <-ended:
		}
	}()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
	}
	return nil
}

func (l *load) failed(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, fmt.Sprintf(format, args...))
}

// end stops the clients, and returns what has failed.
func (l *load) end() []string {
	close(l.stop)
	l.running.Wait()
	l.client.CloseIdleConnections()
	return l.failures
}

// TestHandOver replaces programs under load, and loses no request. With FLOW_SLOW=1 there
// are ten edits and three that do not compile, and 1,000 requests a second.
func TestHandOver(t *testing.T) {
	edits, broken, perSecond, atLeast := 2, 1, 200, int64(100)
	if os.Getenv("FLOW_SLOW") != "" {
		edits, broken, perSecond, atLeast = 10, 3, 1000, 10_000
	}
	for _, args := range [][]string{nil, {"-proxy"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			is := is.New(t)
			s := newSite(t)
			s.start(args...)
			l := startLoad(s.url, perSecond, 20)
			var late, built, beyond []time.Duration
			for i := range edits {
				if i < broken {
					s.write("app/version.go", "package app\n\nconst Version = missing\n")
					s.out.until(t, "flow: the program from before goes on answering")
				}
				time.Sleep(300 * time.Millisecond)
				version := fmt.Sprint("v", i+1)
				s.version(version)
				saved := time.Now()
				said := s.out.until(t, "flow: app/version.go changed: built in ")
				s.shows("/", "<p>"+version+"</p>")
				late = append(late, time.Since(saved))
				var took, after float64
				fmt.Sscanf(said, "flow: app/version.go changed: built in %fs, answers after %fs", &took, &after)
				built = append(built, time.Duration(took*float64(time.Second)))
				beyond = append(beyond, late[i]-built[i])
			}
			// Each program ends its stream, so that the client comes again.
			for end := time.Now().Add(patience); l.sent.Load() < atLeast || l.streams.Load() < int64(edits); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("only %d requests and %d event streams", l.sent.Load(), l.streams.Load())
				}
			}
			failures := l.end()
			t.Logf("%d requests and %d event streams, %d failed", l.sent.Load(), l.streams.Load(), len(failures))
			t.Logf("saved until answered, sorted: %v; the builds of these, rounded: %v; the difference: %v", slices.Sorted(slices.Values(late)), slices.Sorted(slices.Values(built)), slices.Sorted(slices.Values(beyond)))
			is.Equal(failures, []string(nil))
		})
	}
}
