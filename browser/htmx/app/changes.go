package app

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"example.com/flow"
)

// changes tells open pages that the notes have changed.
var changes = newTopic()

// A topic says that something has changed, and not what: pages ask for that again.
type topic struct {
	mu      sync.Mutex
	version string        // another one after each change
	next    chan struct{} // closed by the next change
}

func newTopic() *topic { return &topic{version: rand.Text(), next: make(chan struct{})} }

// announce is called after each change.
func (t *topic) announce() {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.next)
	t.version, t.next = rand.Text(), make(chan struct{})
}

// now returns the present version, and a channel that the next change closes.
func (t *topic) now() (version string, next <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.version, t.next
}

// events answers with an event for each change. seen is the version that the page shows; a
// browser that connects again says in Last-Event-ID which one it was told last.
func (t *topic) events(seen string) flow.Response {
	stream := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			return
		}
		seen, out := cmp.Or(r.Header.Get("Last-Event-ID"), seen), http.NewResponseController(w)
		beat := time.NewTicker(20 * time.Second)
		defer beat.Stop()
		for {
			text := ": nothing new\n\n" // a comment: proxies see that the stream is alive
			version, next := t.now()
			if version != seen {
				text = fmt.Sprintf("id: %s\nevent: change\nretry: 1000\ndata: %[1]s\n\n", version)
				seen = version
			}
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
			if out.Flush() != nil {
				return
			}
			select {
			case <-next:
			case <-beat.C:
			case <-r.Context().Done(): // the client has left, or the server stops
				return
			}
		}
	}
	return flow.Handler(http.HandlerFunc(stream)).
		Header("Content-Type", "text/event-stream").
		Header("Cache-Control", "no-store").
		Header("X-Accel-Buffering", "no") // nginx passes on what it gets
}
