package reply

import (
	"net/http"
	"slices"
)

// Described are the headers that describe a response and how long it may be cached. Those
// that a handler has set before it failed must not be sent with the error.
var Described = [...]string{
	"Accept-Ranges", "Content-Disposition", "Content-Encoding", "Content-Length", "Content-Location", "Content-Range", "Content-Type",
	"Age", "Cache-Control", "Cdn-Cache-Control", "Etag", "Expires", "Last-Modified", "Surrogate-Control", "X-Accel-Expires",
}

// lengths has a bit for the length of each name in Described. Most other headers have
// another length, so that IsDescribed need not compare names.
var lengths = func() (set uint64) {
	for _, key := range Described {
		set |= 1 << len(key)
	}
	return set
}()

// IsDescribed reports whether a header, in canonical form, is one of Described.
func IsDescribed(key string) bool {
	return lengths>>len(key)&1 != 0 && slices.Contains(Described[:], key)
}

// A Description holds the values that the headers of Described had when Describe was called.
// Headers that were not set are not in it.
type Description []described

type described struct {
	key    string
	values []string
}

// Describe returns the current values of the headers of Described. It is called before the
// handler runs. Most responses then have no other header than the nosniff of
// Router.ServeHTTP and the id of RequestID: looking for these two is quicker than a loop.
func Describe(h http.Header) (d Description) {
	others := len(h)
	if h["X-Content-Type-Options"] != nil {
		others--
	}
	if others > 0 && h["X-Request-Id"] != nil {
		others--
	}
	if others == 0 {
		return nil
	}
	for key, values := range h {
		if IsDescribed(key) && values != nil {
			d = append(d, described{key, values})
		}
	}
	return d
}

// Restore sets the headers of Described to the values in d, and removes the others of them.
func (d Description) Restore(h http.Header) {
	for _, key := range Described {
		delete(h, key)
	}
	for _, set := range d {
		h[set.key] = set.values
	}
}

// Put sets a header to values, or removes it if values is nil.
func Put(h http.Header, key string, values []string) {
	if values == nil {
		delete(h, key)
	} else {
		h[key] = values
	}
}

// DropDescription removes the headers of Described except Content-Encoding. That one was set
// by middleware that compresses the response, and will compress the error, too.
func DropDescription(h http.Header) {
	encoding := h["Content-Encoding"]
	Description(nil).Restore(h)
	Put(h, "Content-Encoding", encoding)
}
