package reply

import (
	"io"
	"net/http"
	"strconv"
)

// A Field is a header that an answer sets, in place of one of that name, or adds.
type Field struct {
	Key, Value string
	Add        bool
}

// SetFields sets headers, in order.
func SetFields(h http.Header, fields []Field) {
	for _, f := range fields {
		if f.Add {
			h.Add(f.Key, f.Value)
		} else {
			h.Set(f.Key, f.Value)
		}
	}
}

// autoLength is the length, in bytes, of the longest body that net/http gives a
// Content-Length by itself: the size of the buffer in front of a connection.
const autoLength = 2048

// DropLength removes the length of another answer, or a guess.
func DropLength(h http.Header) {
	if h["Content-Length"] != nil { // to look is quicker than to delete what is not there
		delete(h, "Content-Length")
	}
}

// Send sends an answer whose body is a text or bytes, or neither. Headers other than
// the length are set already. Errors of writing are ignored, since they mean that the
// client is gone.
func Send(w http.ResponseWriter, head bool, status int, text string, b []byte) {
	h := w.Header()
	DropLength(h)
	if status == http.StatusNoContent || status == http.StatusNotModified {
		w.WriteHeader(status)
		return
	}
	size := len(text) + len(b)
	if head || size > autoLength {
		h.Set("Content-Length", strconv.Itoa(size))
	}
	if head || size == 0 || status != http.StatusOK {
		w.WriteHeader(status) // else the first byte does it
	}
	switch {
	case head || size == 0:
	case b != nil:
		w.Write(b)
	default:
		io.WriteString(w, text)
	}
}
