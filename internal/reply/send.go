package reply

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Field is a header that an answer sets, in place of one of that name, or adds. Vary is
// always added.
type Field struct {
	Key, Value string
	Add        bool
}

// SetFields sets headers, in order.
func SetFields(h http.Header, fields []Field) {
	for _, f := range fields {
		switch key := http.CanonicalHeaderKey(f.Key); {
		case key == "Vary":
			AddVary(h, f.Value)
		case f.Add:
			h[key] = append(slices.Clip(h[key]), f.Value) // the values may be shared
		default:
			h[key] = []string{f.Value}
		}
	}
}

// AddVary adds names to the headers of the request that the answer depends on. What is
// there stays, since whoever has set it knows of something that the answer depends on,
// too. "*" stands for all that could be added.
func AddVary(h http.Header, names string) {
	if h["Vary"] == nil && isName(names) {
		h["Vary"] = []string{names}
		return
	}
	var known, missing []string
	for _, line := range h["Vary"] {
		known = appendNames(known, line)
	}
	for _, name := range appendNames(nil, names) {
		same := func(other string) bool { return other == "*" || strings.EqualFold(other, name) }
		if !slices.ContainsFunc(known, same) && !slices.ContainsFunc(missing, same) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		h["Vary"] = append(slices.Clip(h["Vary"]), strings.Join(missing, ", ")) // the lines may be shared
	}
}

// isName reports whether a list is just one name.
func isName(list string) bool { return list != "" && !strings.ContainsAny(list, ", \t") }

// appendNames appends the names of a list that is separated by commas.
func appendNames(names []string, list string) []string {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// AutoLength is the length, in bytes, of the longest body that net/http gives a
// Content-Length by itself: the size of the buffer in front of a connection.
const AutoLength = 2048

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
	if head || size > AutoLength {
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
