package reply

import (
	"net/http"
	"slices"
)

// Described are the headers that say what an answer is, and how long it may be kept.
// An error does not take them over from the answer that never came.
var Described = [...]string{
	"Accept-Ranges", "Content-Disposition", "Content-Encoding", "Content-Length", "Content-Location", "Content-Range", "Content-Type",
	"Age", "Cache-Control", "Cdn-Cache-Control", "Etag", "Expires", "Last-Modified", "Surrogate-Control", "X-Accel-Expires",
}

// lengths has a bit for each length of a name in Described: most other headers are told
// from these by their length.
var lengths = func() (set uint64) {
	for _, key := range Described {
		set |= 1 << len(key)
	}
	return set
}()

// IsDescribed reports whether a header, in its canonical spelling, is one of Described.
func IsDescribed(key string) bool {
	return lengths>>len(key)&1 != 0 && slices.Contains(Described[:], key)
}

// A Description holds those headers of Described that were set at some time: few answers
// have any before their handler runs.
type Description []described

type described struct {
	key    string
	values []string
}

// Describe returns what the headers of Described are now. Most answers have nothing but
// the header of ServeHTTP before their handler runs, and that of RequestID. To ask for
// these is quicker than to go through all.
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

// Restore gives the headers of Described the values of d.
func (d Description) Restore(h http.Header) {
	for _, key := range Described {
		delete(h, key)
	}
	for _, set := range d {
		h[set.key] = set.values
	}
}

// Put sets a header, or takes it away if there are no values.
func Put(h http.Header, key string, values []string) {
	if values == nil {
		delete(h, key)
	} else {
		h[key] = values
	}
}

// Undescribed removes the headers of Described, other than Content-Encoding: middleware
// that compresses the answer has set that one, and compresses the error, too.
func Undescribed(h http.Header) {
	encoding := h["Content-Encoding"]
	Description(nil).Restore(h)
	Put(h, "Content-Encoding", encoding)
}
