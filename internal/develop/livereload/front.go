// Package livereload adds live reload to an application in development, for browsers on the same
// machine only: see [IsLocal]. A [Front] gets requests before the Router does. It appends a
// script to each page, records the last requests, and answers the URLs below /_flow. The
// script keeps an event stream open to the [Hub], which sends an event when files or faults
// have changed. Then the script reloads the page or its style sheets, or shows the faults. A
// [Log] keeps what the application has logged.
//
// Responses that are not pages, and responses to other machines, are sent unchanged.
package livereload

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/flow/internal/develop/devlink"
	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/serve/wire/server"
)

// forwarded are the headers of requests that have passed a proxy, in addition to those that
// begin with X-Forwarded-.
var forwarded = []string{"Forwarded", "X-Real-Ip", "Via"}

// IsLocal reports whether a request comes from this machine and not through a proxy. The Host
// must be a local name, too: with DNS rebinding, the host name of a foreign page may resolve
// to this machine, and that page must not read what development shows.
func IsLocal(r *http.Request) bool {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded-") || slices.Contains(forwarded, name) {
			return false
		}
	}
	if !r.ProtoAtLeast(1, 1) { // nginx sends HTTP/1.0 by default, without any of these headers; browsers do not
		return false
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && isLocalHost(r.Host) && !isForeign(r)
}

// isForeign reports whether a page of another machine makes the request by a script. If the
// application allows that (CORS), the page could read the answer. It could not read that to a
// navigation.
func isForeign(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case origin == "", site == "same-origin", site == "none", r.Header.Get("Sec-Fetch-Mode") == "navigate":
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || !isLocalHost(u.Host)
}

// isLocalHost reports whether the Host of a request is a name or an address of this machine.
func isLocalHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// A Note collects what becomes known about a local request while it is answered. It is safe
// for concurrent use: the handler may still run when middleware such as http.TimeoutHandler
// has answered.
type Note struct {
	began  disk.Moment
	front  *Front // that the request has come through
	faults atomic.Pointer[[]devpage.Fault]
}

// Began returns the Moment when the request arrived: its answer uses files as they were then,
// or later. For a nil Note it is the current Moment.
func (n *Note) Began() disk.Moment {
	if n == nil {
		return disk.Now()
	}
	return n.began
}

// SetFaults sets the faults that the answer shows, and prints them in the terminal of the Front.
func (n *Note) SetFaults(faults []devpage.Fault) {
	n.faults.Store(&faults)
	if t := n.front.Terminal; t != nil {
		t.print(slices.DeleteFunc(slices.Clone(faults), n.front.Hub.Knows)) // "flow dev" has printed what the Hub knows
	}
}

// Faults returns the faults of SetFaults.
func (n *Note) Faults() []devpage.Fault {
	if faults := n.faults.Load(); faults != nil {
		return *faults
	}
	return nil
}

type noteKey struct{}

// NoteOf returns the Note of a request, given its context. It returns nil if the request is
// not local or has not come through a Front. Its client must not see details of errors then.
func NoteOf(ctx context.Context) *Note {
	n, _ := ctx.Value(noteKey{}).(*Note)
	return n
}

// withNote returns a copy of a request with a new Note.
func (f *Front) withNote(r *http.Request) (*http.Request, *Note) {
	n := &Note{began: disk.Now(), front: f}
	return r.WithContext(context.WithValue(r.Context(), noteKey{}, n)), n
}

// A Front gets the requests to an application before its Router does.
type Front struct {
	Hub      *Hub
	Dirs     []string // that the application reads
	Requests Recorder
	Log      *Log         // what the application has logged; nil if that is not kept
	Map      http.Handler // answers /_flow; nil means 404
	Terminal *Terminal    // prints the faults of requests; nil if they are not printed
}

// Prefix is the beginning of flow's own URLs. They go before those of the application.
const Prefix = "/_flow"

// ServeHTTP answers a local request. It answers flow's own URLs itself, and calls next for
// others.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	if r.URL.Path == Prefix || strings.HasPrefix(r.URL.Path, Prefix+"/") {
		f.own(w, r)
		return
	}
	outer := r
	r, note := f.withNote(r)
	end := f.Requests.begin(r)
	w, page := f.withScript(w, r, note)
	w, t := reply.Track(w) // outermost, so that it knows what the handler has sent
	returned := false
	defer func() { // also after a panic: the route map shows that the connection was cut off
		outer.Pattern = r.Pattern // r is a copy; middleware around the application has outer
		end(r, t, returned)
	}()
	next(w, r)
	returned = true
	f.updateFaults(r, t, page != nil, note)
	page.finish()
}

// Connect links the Front with the tool that has started the program: the tool says when files change
// and what is wrong in newer source, and learns when the server listens, when it stops, and what is wrong
// on disk.
func (f *Front) Connect(tool *devlink.App, s *server.Server, wrongOnDisk func() (faults, warnings []devpage.Fault)) {
	f.Hub.SetPolling(false)
	pages := struct {
		*Hub
		*Log
	}{f.Hub, f.Log}
	s.Opened = func(url string) { tool.Ready(url, f.Dirs, pages, wrongOnDisk) }
	s.Closed = func() { tool.Leave(f.Log.Last()) } // the end of the link tells the tool that this program accepts no more connections
}

// withScript returns the writer for the answer to a request. For a navigation, it is a
// pageWriter; then withScript removes the headers of notForPages. Otherwise page is nil.
func (f *Front) withScript(w http.ResponseWriter, r *http.Request, note *Note) (to http.ResponseWriter, page *pageWriter) {
	if !isNavigation(r) {
		return w, nil
	}
	r.Header = r.Header.Clone()
	for _, name := range notForPages {
		delete(r.Header, name)
	}
	page = &pageWriter{ResponseWriter: w, request: r, state: f.Hub.state(note.Began())}
	return page.writer(), page
}

// updateFaults updates the faults of requests in the Hub after an answer. The faults of a
// request that is not a navigation are added, since no page shows them yet. A request that
// succeeds removes the faults of its own URL, and a navigation removes those of all requests:
// they belong to the page before.
func (f *Front) updateFaults(r *http.Request, t *reply.Writer, navigation bool, note *Note) {
	name := r.Method + " " + r.URL.Path
	switch {
	case navigation:
		f.Hub.clearRequestFaults()
	case len(note.Faults()) > 0:
		f.Hub.setRequestFaults(name, note.Faults())
	case t.Code < http.StatusInternalServerError:
		f.Hub.setRequestFaults(name, nil)
	}
}

// own answers flow's own URLs.
func (f *Front) own(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin") // the log may have links for signing in
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	switch {
	case r.URL.Path == Prefix+"/events":
		f.Hub.ServeHTTP(w, r)
	case r.URL.Path == Prefix+"/reload.js":
		serveScript(w, r)
	case r.URL.Path == Prefix && f.Map != nil:
		w.Header().Set("Cache-Control", "no-store")
		r, note := f.withNote(r) // if the application has faults, f.Map shows them to a request with a Note
		w, page := f.withScript(w, r, note)
		f.Map.ServeHTTP(w, r)
		page.finish()
	default:
		http.NotFound(w, r)
	}
}
