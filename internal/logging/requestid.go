package logging

import (
	"crypto/rand"
	"encoding/base32"
	"net/http"
	"strings"
	"sync"
)

// requestIDHeader is the header that holds the id. Proxies use that name, too.
const requestIDHeader = "X-Request-Id"

// maxRequestID is the length, in bytes, of the longest id that is taken over.
const maxRequestID = 128

// RequestID is flow.RequestID. The handlers that it makes are of the type *Identified.
func RequestID(next http.Handler) http.Handler { return &Identified{next} }

// An Identified handler gives each request an id before Next answers it.
type Identified struct{ Next http.Handler }

// ServeHTTP gives r an id, and has Next answer.
func (h *Identified) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Identify(w, r)
	h.Next.ServeHTTP(w, r)
}

// Identify gives a request an id, if it has none, and the answer the same.
func Identify(w http.ResponseWriter, r *http.Request) {
	if id := IDOf(r); id != "" {
		w.Header()[requestIDHeader] = []string{id}
		return
	}
	s := supplies.Get().(*supply)
	if len(s.ids) == 0 {
		s.ids = makeIDs()
	}
	ids := s.ids[:2]
	s.ids = s.ids[2:]
	supplies.Put(s)
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header[requestIDHeader] = ids[:1:1]
	w.Header()[requestIDHeader] = ids[1:2:2]
}

// A supply holds ids that were made at once and that nobody has yet, each of them twice:
// for the header of a request and that of its answer. To make them one by one would take
// twice as long, with two allocations for each.
type supply struct{ ids []string }

const (
	randomBytes = 16 // of an id
	idLength    = 26 // of them as text
	madeAtOnce  = 16
)

var (
	supplies = sync.Pool{New: func() any { return new(supply) }}
	encoding = base32.StdEncoding.WithPadding(base32.NoPadding)
)

// makeIDs returns random ids: 128 bits as letters and digits.
func makeIDs() []string {
	var random [madeAtOnce * randomBytes]byte
	rand.Read(random[:]) // never fails
	buf := make([]byte, 0, madeAtOnce*idLength)
	for i := range madeAtOnce {
		buf = encoding.AppendEncode(buf, random[i*randomBytes:][:randomBytes])
	}
	text := string(buf)
	ids := make([]string, 0, 2*madeAtOnce)
	for ; text != ""; text = text[idLength:] {
		ids = append(ids, text[:idLength], text[:idLength])
	}
	return ids
}

// IDOf returns the id of a request, or "" if it has none that may be logged.
func IDOf(r *http.Request) string {
	ids := r.Header[requestIDHeader]
	if len(ids) != 1 || len(ids[0]) > maxRequestID {
		return ""
	}
	for _, c := range []byte(ids[0]) {
		if !allowed[c] {
			return ""
		}
	}
	return ids[0]
}

// allowed holds the bytes that an id may have.
var allowed = func() (set [256]bool) {
	for c := range set {
		alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		set[c] = alphanumeric || strings.IndexByte("-._~:/+=@", byte(c)) >= 0
	}
	return set
}()
