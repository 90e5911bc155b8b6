// Package dev is what development adds to the answers of an application, for a browser on
// the same machine only ([IsLocal]). A [Front] stands before the Router: it puts a script
// at the end of each page, remembers the last requests, and answers the URLs below /_flow.
// The script keeps an event stream open to the [Hub], which tells it when files have changed
// and what is wrong, and loads the page again, gets its style sheets again, or shows the faults.
//
// What is no page is sent byte for byte as without all this, and so is everything that is
// sent to others.
package dev

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.com/flow/internal/devpage"
	"example.com/flow/internal/reply"
)

// forwarded are headers by which proxies tell that a request comes from elsewhere, beside
// those that begin with X-Forwarded-.
var forwarded = []string{"Forwarded", "X-Real-Ip", "Via"}

// IsLocal reports whether a request comes from this machine, and not through a proxy. It
// has to name the machine as local, too: the name of a page somewhere else may be made to
// lead here (DNS rebinding), and that page must not read what development shows.
func IsLocal(r *http.Request) bool {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded-") || slices.Contains(forwarded, name) {
			return false
		}
	}
	if !r.ProtoAtLeast(1, 1) { // all that nginx tells by default; browsers do not speak it
		return false
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && isLocalHost(r.Host) && !isForeign(r)
}

// isForeign reports whether a script of a page of another machine asks. If the application
// allows that (CORS), the page can read the answer. It cannot read where it only leads to.
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

// A Note is what becomes known of a local request while it is answered. Middleware may
// answer before the handler has, http.TimeoutHandler for one, so both may use it at once.
type Note struct {
	began  time.Time
	faults atomic.Pointer[[]devpage.Fault]
}

// Began returns when the request came: its answer is made of files as they were then, or
// later. Without a Note that is now.
func (n *Note) Began() time.Time {
	if n == nil {
		return time.Now()
	}
	return n.began
}

// SetFaults says why the request has failed, if the answer says so.
func (n *Note) SetFaults(faults []devpage.Fault) { n.faults.Store(&faults) }

// Faults returns what SetFaults was given.
func (n *Note) Faults() []devpage.Fault {
	if faults := n.faults.Load(); faults != nil {
		return *faults
	}
	return nil
}

type noteKey struct{}

// NoteOf returns the Note of a request, or nil if it is not local or has not come through
// a Front: then nothing may be shown to its client.
func NoteOf(ctx context.Context) *Note {
	n, _ := ctx.Value(noteKey{}).(*Note)
	return n
}

// withNote returns a request with a new Note.
func withNote(r *http.Request) (*http.Request, *Note) {
	n := &Note{began: time.Now()}
	return r.WithContext(context.WithValue(r.Context(), noteKey{}, n)), n
}

// A Front stands before an application in development.
type Front struct {
	Hub      *Hub
	Requests Recorder
	Map      http.Handler // answers /_flow; 404 if it is nil
}

// Prefix is where flow's own URLs begin. In development they go before those of the application.
const Prefix = "/_flow"

// ServeHTTP has next answer a local request, with what development adds to it, and answers
// the requests of flow's own URLs.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	if r.URL.Path == Prefix || strings.HasPrefix(r.URL.Path, Prefix+"/") {
		f.own(w, r)
		return
	}
	outer := r
	r, note := withNote(r)
	end := f.Requests.begin(r)
	page := (*pageWriter)(nil)
	if isNavigation(r) {
		r.Header = r.Header.Clone()
		for _, name := range notForPages {
			delete(r.Header, name)
		}
		page = &pageWriter{ResponseWriter: w, request: r, state: f.Hub.state(note.Began())}
		w = page.writer()
	}
	w, t := reply.Track(w)
	returned := false
	defer func() {
		outer.Pattern = r.Pattern // for middleware around the application
		end(r, t, returned)
	}()
	next(w, r)
	returned = true
	f.tell(r, t, page != nil, note)
	if page != nil {
		page.finish()
	}
}

// tell gives the faults of a request to the open pages, if the answer does not show them
// by itself, and takes back those that a good answer has made old: those of the same URL,
// and, since it is another page, all of them after a navigation.
func (f *Front) tell(r *http.Request, t *reply.Writer, navigation bool, note *Note) {
	name := r.Method + " " + r.URL.Path
	switch {
	case navigation:
		f.Hub.noRequestFaults()
	case len(note.Faults()) > 0:
		f.Hub.setRequestFaults(name, note.Faults())
	case t.Code < http.StatusInternalServerError:
		f.Hub.setRequestFaults(name, nil)
	}
}

// own answers the URLs of flow itself.
func (f *Front) own(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
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
		r, note := withNote(r) // the application may have faults, and no map
		if !isNavigation(r) {
			f.Map.ServeHTTP(w, r)
			return
		}
		page := &pageWriter{ResponseWriter: w, request: r, state: f.Hub.state(note.Began())}
		f.Map.ServeHTTP(page, r)
		page.finish()
	default:
		http.NotFound(w, r)
	}
}
