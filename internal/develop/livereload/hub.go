package livereload

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/disk"
)

// A Hub sends the state of an application to its open pages: how often the files have
// changed, and the faults. It uses server-sent events. Each event holds the whole state, so
// that a page may miss events.
//
// A Hub polls the files while a page is open. After SetPolling(false), another process tells
// it about changes, by Changed.
type Hub struct {
	files   []*disk.Watcher
	process string // a random id: after a restart the counters begin again, and a page must not take them for those that it knows

	// looking is held by look, so that two looks do not count one change twice. It is not mu: an event must
	// not wait until all files are listed.
	looking sync.Mutex
	seen    []*disk.Snapshot // those of the last look
	cost    atomic.Int64     // the duration of the last look, in nanoseconds

	mu               sync.Mutex
	pages            int                            // how often files other than style sheets have changed
	styles           int                            // how often only style sheets have changed
	warned           int                            // how often vetWarnings has changed
	buildFaults      []devpage.Fault                // of the build, or of Check
	templateFaults   []devpage.Fault                // of all templates
	templateWarnings []devpage.Fault                // of all templates
	vetWarnings      []devpage.Fault                // of the tool, for the route map; not shown on other pages
	failed           []failure                      // of requests
	streams          map[chan struct{}]bool         // a channel for each open event stream; a value on it means that the state has changed
	told             bool                           // another process calls Changed: do not poll
	polling          bool                           // the goroutine of poll runs
	servers          map[*http.Server]chan struct{} // the servers of event streams; a channel is closed when its server shuts down
}

// A failure is a request that is not a navigation and has failed, with its faults.
type failure struct {
	request string // method and path
	faults  []devpage.Fault
}

// maxFailures is the largest number of failed requests whose faults are shown.
const maxFailures = 10

// NewHub returns a Hub for the files of some watchers.
func NewHub(files ...*disk.Watcher) *Hub {
	h := &Hub{files: files, process: rand.Text(), streams: map[chan struct{}]bool{}, servers: map[*http.Server]chan struct{}{}}
	for _, w := range files {
		h.seen = append(h.seen, w.Look(disk.Now()))
	}
	return h
}

// SetPolling sets whether the Hub polls the files. The default is true. It is set to false if
// another process watches the files and Changed is called.
func (h *Hub) SetPolling(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = !on
	h.poll()
}

// Changed makes the Hub look at the files now.
func (h *Hub) Changed() { h.look(disk.Now()) }

// change changes the state, and tells the event streams. A stream sends an event only if its
// data differs from that of the last.
func (h *Hub) change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	for c := range h.streams {
		select {
		case c <- struct{}{}:
		default: // the last signal has not been received yet, and will send this state, too
		}
	}
}

// SetFaults replaces the faults of the build.
func (h *Hub) SetFaults(faults []devpage.Fault) {
	h.change(func() { h.buildFaults = slices.Clone(faults) })
}

// SetTemplateFaults replaces the faults and the warnings of the templates.
func (h *Hub) SetTemplateFaults(faults, warnings []devpage.Fault) {
	h.change(func() { h.templateFaults, h.templateWarnings = slices.Clone(faults), slices.Clone(warnings) })
}

// Knows reports whether a fault is one of the build or of the templates.
func (h *Hub) Knows(f devpage.Fault) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return contains(h.buildFaults, f) || contains(h.templateFaults, f)
}

// contains reports whether a list has a fault with the same place and text.
func contains(faults []devpage.Fault, f devpage.Fault) bool {
	return slices.ContainsFunc(faults, func(g devpage.Fault) bool { return g.String() == f.String() })
}

// SetWarnings replaces the warnings of the tool, which the route map shows. The pages of the
// application do not show them.
func (h *Hub) SetWarnings(warnings []devpage.Fault) {
	h.change(func() {
		if len(h.vetWarnings)+len(warnings) > 0 && !reflect.DeepEqual(h.vetWarnings, warnings) {
			h.vetWarnings = slices.Clone(warnings)
			h.warned++
		}
	})
}

// Warnings returns the warnings of SetWarnings.
func (h *Hub) Warnings() []devpage.Fault {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.vetWarnings
}

// setRequestFaults replaces the faults of a request, which is named by method and path.
func (h *Hub) setRequestFaults(request string, faults []devpage.Fault) {
	h.change(func() {
		h.failed = slices.DeleteFunc(h.failed, func(f failure) bool { return f.request == request })
		if len(faults) > 0 {
			h.failed = append(h.failed, failure{request, faults})
			h.failed = h.failed[max(0, len(h.failed)-maxFailures):]
		}
	})
}

// clearRequestFaults removes the faults of all requests.
func (h *Hub) clearRequestFaults() { h.change(func() { h.failed = nil }) }

// maxCost is the longest time that a page waits for a look at the files.
const maxCost = 20 * time.Millisecond

// state returns the state for a page that is about to be rendered, as of the Moment since or
// later. If a look at the files takes longer than maxCost, the state is that of the last look,
// and the page may be reloaded once more than necessary.
func (h *Hub) state(since disk.Moment) string {
	if time.Duration(h.cost.Load()) <= maxCost {
		h.look(since)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return fmt.Sprintf("%s.%d.%d.%d", h.process, h.pages, h.styles, h.warned)
}

// look looks at the files as of the Moment since or later, and signals a change.
func (h *Hub) look(since disk.Moment) {
	h.looking.Lock()
	defer h.looking.Unlock()
	before := time.Now()
	styles, others := false, false
	for i, w := range h.files {
		now := w.Look(since)
		s, o := differs(h.seen[i], now)
		styles, others = styles || s, others || o
		h.seen[i] = now
	}
	h.cost.Store(int64(time.Since(before)))
	if !styles && !others {
		return
	}
	h.change(func() {
		if others {
			h.pages++
		} else {
			h.styles++
		}
		h.failed = nil // a request that still fails adds its faults again
	})
}

// interval is the shortest time between two looks at the files. If a look takes long, poll
// waits 20 times as long, so that polling uses at most a twentieth of one processor.
const interval = 40 * time.Millisecond

// poll starts polling the files, which ends when no page is open. The caller holds h.mu.
func (h *Hub) poll() {
	if h.polling || h.told || len(h.streams) == 0 {
		return
	}
	h.polling = true
	go func() {
		for {
			h.look(disk.Now())
			time.Sleep(max(interval, 20*time.Duration(h.cost.Load())))
			h.mu.Lock()
			if h.told || len(h.streams) == 0 {
				h.polling = false
				h.mu.Unlock()
				return
			}
			h.mu.Unlock()
		}
	}()
}

// event returns the data of an event: the whole state.
func (h *Hub) event() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	faults := slices.Clone(h.buildFaults)
	add := func(more []devpage.Fault) {
		for _, f := range more { // a request may have failed by a fault of a template, which is there already
			if !contains(faults, f) {
				faults = append(faults, f)
			}
		}
	}
	add(h.templateFaults)
	for _, f := range h.failed {
		add(f.faults)
	}
	b, err := json.Marshal(struct {
		Process  string            `json:"process"`
		Pages    int               `json:"pages"`
		Styles   int               `json:"styles"`
		Warnings int               `json:"warnings"`
		Headline string            `json:"headline"`
		Excerpts []devpage.Excerpt `json:"excerpts"`
		Notes    []devpage.Excerpt `json:"notes"` // the warnings of templates
	}{h.process, h.pages, h.styles, h.warned, devpage.Headline(faults), devpage.Excerpts(faults), devpage.Excerpts(h.templateWarnings)})
	if err != nil {
		panic(err) // cannot happen: there are strings and numbers only
	}
	return b
}

// retry is the time in milliseconds after which a client connects again. The script does not
// wait for it.
const retry = 250

// ServeHTTP serves the event stream: one event at once and one for each change, until the
// client disconnects or the server shuts down.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	news := make(chan struct{}, 1)
	h.look(disk.Now())
	h.mu.Lock()
	h.streams[news] = true
	h.poll()
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.streams, news)
		h.mu.Unlock()
	}()
	stop, stream := h.stopOf(r), http.NewResponseController(w)
	fmt.Fprintf(w, "retry: %d\n\n", retry)
	for last := ""; ; {
		if now := string(h.event()); now != last {
			last = now
			if _, err := fmt.Fprintf(w, "data: %s\n\n", now); err != nil || stream.Flush() != nil {
				return
			}
		}
		select {
		case <-news:
		case <-r.Context().Done():
			return
		case <-stop:
			return
		}
	}
}

// stopOf returns a channel that is closed when the server of a request shuts down, or nil if
// the server is not known. An http.Server that shuts down waits for event streams and does
// not end them.
func (h *Hub) stopOf(r *http.Request) <-chan struct{} {
	s, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
	if s == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	stop := h.servers[s]
	if stop == nil {
		stop = make(chan struct{})
		h.servers[s] = stop
		s.RegisterOnShutdown(sync.OnceFunc(func() { close(stop) }))
	}
	return stop
}
