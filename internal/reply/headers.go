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

// A Description holds the values that the headers of Described had at some time.
type Description [len(Described)][]string

// Describe returns what the headers of Described are now.
func Describe(h http.Header) (d Description) {
	for key, values := range h { // most answers have few headers
		if i := slices.Index(Described[:], key); i >= 0 {
			d[i] = values
		}
	}
	return d
}

// Restore gives the headers of Described the values of d.
func (d *Description) Restore(h http.Header) {
	for i, key := range Described {
		Put(h, key, d[i])
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
	new(Description).Restore(h)
	Put(h, "Content-Encoding", encoding)
}
