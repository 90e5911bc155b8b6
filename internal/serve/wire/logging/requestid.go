package logging

import (
	"crypto/rand"
	"encoding/base32"
	"net/http"
	"strings"
	"sync"
)

// requestIDHeader is the header that holds the id. Proxies use the same name.
const requestIDHeader = "X-Request-Id"

// maxRequestID is the length, in bytes, of the longest id that is accepted from a client.
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

// Identify sets the id of a request that has none, and sends the id with the response.
func Identify(w http.ResponseWriter, r *http.Request) {
	if id := IDOf(r); id != "" {
		w.Header()[requestIDHeader] = []string{id}
		return
	}
	s := batches.Get().(*batch)
	if len(s.ids) == 0 {
		s.ids = makeIDs()
	}
	ids := s.ids[:2]
	s.ids = s.ids[2:]
	batches.Put(s)
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header[requestIDHeader] = ids[:1:1]
	w.Header()[requestIDHeader] = ids[1:2:2]
}

// A batch is a list of random ids generated ahead. Each id is there twice: for the header of
// the request and for the header of the response. Ids made one by one would take twice as
// long, and two allocations each.
type batch struct{ ids []string }

const (
	randomBytes = 16 // of an id
	idLength    = 26 // of them as text
	batchSize   = 16 // ids
)

var (
	batches  = sync.Pool{New: func() any { return new(batch) }}
	encoding = base32.StdEncoding.WithPadding(base32.NoPadding)
)

// makeIDs returns a batch of ids, each of 128 random bits in base32.
func makeIDs() []string {
	var random [batchSize * randomBytes]byte
	rand.Read(random[:]) // never fails
	buf := make([]byte, 0, batchSize*idLength)
	for i := range batchSize {
		buf = encoding.AppendEncode(buf, random[i*randomBytes:][:randomBytes])
	}
	text := string(buf)
	ids := make([]string, 0, 2*batchSize)
	for ; text != ""; text = text[idLength:] {
		ids = append(ids, text[:idLength], text[:idLength])
	}
	return ids
}

// IDOf returns the id of a request. It is "" for an id that is too long or has other bytes
// than allowed, since log readers and shells might interpret them.
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
