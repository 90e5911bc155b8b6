package dev

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

	"example.com/flow/internal/devpage"
	"example.com/flow/internal/disk"
)

// A Hub knows what the open pages need to know: how often the files of the application
// have changed, and what is wrong. It tells them by server-sent events, of which each one
// holds all of it, so that a page that has missed some misses nothing.
//
// A Hub looks at the files itself, a few times a second and only while a page is open,
// until SetPolling says that another process tells it.
type Hub struct {
	files   []*disk.Watcher
	process string // tells this process from the one before

	looking sync.Mutex // one looks at a time
	seen    []*disk.Snapshot
	cost    atomic.Int64 // of the last look, in nanoseconds

	mu      sync.Mutex
	pages   int                    // how often pages have changed
	styles  int                    // how often nothing but style sheets has
	warned  int                    // how often the warnings have changed
	build   []devpage.Fault        // of the build, or of Check
	source  []devpage.Fault        // of templates, whether a page needs them or not
	failed  []failure              // of requests
	warns   []devpage.Fault        // for the route map, and not for the pages of the application
	streams map[chan struct{}]bool // open ones, told that there is something new
	told    bool                   // by another process: do not poll
	polling bool
	servers map[*http.Server]chan struct{} // that have open streams, closed when one shuts down
}

// A failure is what was wrong with a request that is no navigation.
type failure struct {
	request string // method and path
	faults  []devpage.Fault
}

// maxFailures limits the requests whose faults are shown at once.
const maxFailures = 10

// NewHub returns a Hub for the files that some watchers look at.
func NewHub(files ...*disk.Watcher) *Hub {
	h := &Hub{files: files, process: rand.Text(), streams: map[chan struct{}]bool{}, servers: map[*http.Server]chan struct{}{}}
	for _, w := range files {
		h.seen = append(h.seen, w.Look(time.Now()))
	}
	return h
}

// SetPolling says whether the Hub looks at the files by itself. It does unless another
// process watches them, and calls Changed.
func (h *Hub) SetPolling(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = !on
	h.poll()
}

// Changed has the Hub look at the files now.
func (h *Hub) Changed() { h.look(time.Now()) }

// SetFaults replaces the faults of the build. None means that it is good again.
func (h *Hub) SetFaults(faults []devpage.Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.build = slices.Clone(faults)
	h.signal()
}

// SetTemplateFaults replaces the faults of templates. None means that they are good again.
func (h *Hub) SetTemplateFaults(faults []devpage.Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.source = slices.Clone(faults)
	h.signal()
}

// SetWarnings replaces what the route map shows beside the routes. It is no fault, and pages of
// the application say nothing of it.
func (h *Hub) SetWarnings(warnings []devpage.Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if reflect.DeepEqual(h.warns, warnings) || len(h.warns)+len(warnings) == 0 {
		return
	}
	h.warns = slices.Clone(warnings)
	h.warned++
	h.signal()
}

// Warnings returns what SetWarnings was given last.
func (h *Hub) Warnings() []devpage.Fault {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.warns
}

// setRequestFaults replaces the faults of a request.
func (h *Hub) setRequestFaults(request string, faults []devpage.Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	is := func(f failure) bool { return f.request == request }
	if len(faults) == 0 && !slices.ContainsFunc(h.failed, is) {
		return
	}
	h.failed = slices.DeleteFunc(h.failed, is)
	if len(faults) > 0 {
		h.failed = append(h.failed, failure{request, faults})
		h.failed = h.failed[max(0, len(h.failed)-maxFailures):]
	}
	h.signal()
}

// noRequestFaults forgets the faults of requests.
func (h *Hub) noRequestFaults() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.failed) > 0 {
		h.failed = nil
		h.signal()
	}
}

// maxCost is how long a page waits for a look at the files.
const maxCost = 20 * time.Millisecond

// state returns the state that a page is rendered with from now on, as it was at since or
// later. If there are very many files it may be that of a moment before: then the page is
// loaded once more than needed.
func (h *Hub) state(since time.Time) string {
	if time.Duration(h.cost.Load()) <= maxCost {
		h.look(since)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return fmt.Sprintf("%s.%d.%d.%d", h.process, h.pages, h.styles, h.warned)
}

// look looks at the files as they were at since or later, and tells the streams if any have
// changed.
func (h *Hub) look(since time.Time) {
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
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case others:
		h.pages++
	case styles:
		h.styles++
	}
	if styles || others {
		h.failed = nil // a request that fails still will say so again
		h.signal()
	}
}

// signal tells the streams that there is something new. h.mu is held.
func (h *Hub) signal() {
	for c := range h.streams {
		select {
		case c <- struct{}{}:
		default: // it has not taken the last one yet
		}
	}
}

// interval is the time between two looks at the files. It is longer where looking takes
// long, so that it takes a twentieth of the time of one processor at most.
const interval = 40 * time.Millisecond

// poll starts to look at the files again and again, for as long as a page is open. h.mu is held.
func (h *Hub) poll() {
	if h.polling || h.told || len(h.streams) == 0 {
		return
	}
	h.polling = true
	go func() {
		for {
			h.look(time.Now())
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

// event is the data of an event: all that there is to know, as of now.
func (h *Hub) event() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	faults := slices.Clone(h.build)
	add := func(more []devpage.Fault) {
		for _, f := range more { // a request may have failed because of a template, and say so too
			if !slices.ContainsFunc(faults, func(g devpage.Fault) bool { return g.String() == f.String() }) {
				faults = append(faults, f)
			}
		}
	}
	add(h.source)
	for _, f := range h.failed {
		add(f.faults)
	}
	b, err := json.Marshal(struct {
		Process  string          `json:"process"`
		Pages    int             `json:"pages"`
		Styles   int             `json:"styles"`
		Warnings int             `json:"warnings"`
		Faults   []devpage.Fault `json:"faults"`
	}{h.process, h.pages, h.styles, h.warned, faults})
	if err != nil {
		panic(err) // does not happen: strings and numbers only
	}
	return b
}

// retry is the time in milliseconds after which a browser connects again. The script is
// quicker; this is for other clients.
const retry = 250

// ServeHTTP is the event stream: an event at once, and one for each change, until the
// client leaves or the server stops.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	news := make(chan struct{}, 1)
	h.look(time.Now())
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

// stopOf returns what is closed when the server of a request shuts down, and nil if that is
// not known. Servers other than those of flow wait for streams, and do not end them.
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
