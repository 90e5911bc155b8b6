package reply

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Field is a header of a response. It replaces the headers of the same name, or is added to
// them if Add is set or the name is Vary.
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

// AddVary adds a list of names to the Vary header. It keeps the names that are there, and
// adds no name twice. It adds nothing to "*", which stands for all names.
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

// DropLength removes the Content-Length that other code has set, for a response or an error
// whose length may differ.
func DropLength(h http.Header) {
	if h["Content-Length"] != nil { // a look-up is quicker than delete
		delete(h, "Content-Length")
	}
}

// Send sends a response. Its body is text or b, or empty if both are. The caller has set all
// headers but Content-Length. head says that the method is HEAD: the body is not sent. Send
// ignores errors of Write, since they mean that the client is gone.
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
		w.WriteHeader(status) // else Write sends 200 by itself
	}
	switch {
	case head || size == 0:
	case b != nil:
		w.Write(b)
	default:
		WriteString(w, text)
	}
}

// WriteString writes text to w without a copy, if w allows it. It does what io.WriteString
// does, which takes an io.Writer: to make one of a ResponseWriter is another look-up of the
// runtime.
func WriteString(w http.ResponseWriter, text string) {
	if s, ok := w.(io.StringWriter); ok {
		s.WriteString(text)
		return
	}
	w.Write([]byte(text))
}
