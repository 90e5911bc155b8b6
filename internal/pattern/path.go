package pattern

import (
	"net/http"
	"net/url"
	"strings"
)

// A Path is the path of a request, cleaned.
//
//	/users//%2F/  => {Asked: "/users//%2F/", Escaped: "/users/%2F", Segments: "users", "/"}
type Path struct {
	Asked    string   // as it came, escaped
	Escaped  string   // in its canonical spelling
	Segments []string // unescaped
}

// ParsePath cleans the escaped path of a request: no empty segments, no trailing
// slash, no "." and "..". ok is false if it has no path.
func ParsePath(r *http.Request) (p Path, ok bool) {
	escaped := r.URL.EscapedPath()
	if escaped == "" && r.Method != http.MethodConnect {
		escaped = "/" // as in "GET http://host", and below http.StripPrefix
	}
	if !strings.HasPrefix(escaped, "/") {
		return p, false
	}
	return clean(escaped, func(segment string) string { return segment })
}

// Plain returns the path with escaped dots read as dots: /a/%2e%2e/b is /b.
func (p Path) Plain() Path {
	plain, _ := clean(p.Asked, strings.NewReplacer("%2e", ".", "%2E", ".").Replace)
	return plain
}

// clean cleans an escaped path. What read makes of a segment tells whether it is empty or
// dots.
func clean(escaped string, read func(segment string) string) (p Path, ok bool) {
	segments := make([]string, 0, strings.Count(escaped, "/"))
	for segment := range strings.SplitSeq(escaped[1:], "/") {
		switch read(segment) {
		case "", ".":
		case "..":
			segments = segments[:max(len(segments)-1, 0)]
		default:
			segments = append(segments, segment)
		}
	}
	p.Asked = escaped
	p.Escaped = "/" + strings.Join(segments, "/")
	for i, s := range segments {
		value, err := url.PathUnescape(s)
		if err != nil {
			return p, false // does not happen: EscapedPath is well formed
		}
		segments[i] = value
	}
	p.Segments = segments
	return p, true
}

// IsCanonical reports whether the path came in its canonical spelling.
func (p Path) IsCanonical() bool { return p.Escaped == p.Asked }

// IsCanonicalTo reports whether the first n segments of the path came in their
// canonical spelling, and a slash after them.
func (p Path) IsCanonicalTo(n int) bool {
	prefix := p.Escaped + "/"
	for i, c := range prefix {
		if c != '/' {
			continue
		}
		if n == 0 {
			return strings.HasPrefix(p.Asked, prefix[:i+1])
		}
		n--
	}
	return false
}

// Location returns the URL of a redirect to another escaped path, such as the
// canonical spelling of the one that was asked for. It keeps the query, and a prefix
// that http.StripPrefix took off, which RequestURI still has.
func Location(r *http.Request, path string) string {
	prefix := ""
	if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
		prefix = u.EscapedPath()
	}
	// If the path was rewritten in another way, it is no suffix, and there is no prefix.
	prefix, stripped := strings.CutSuffix(prefix, r.URL.EscapedPath())
	if !stripped {
		prefix = ""
	}
	target := strings.TrimRight(prefix, "/") + path
	if path == "/" { // the index, below a prefix too
		target = strings.TrimRight(target, "/")
	}
	// Two slashes would lead to another host.
	target = "/" + strings.TrimLeft(target, `/\`)
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		target += "?" + r.URL.RawQuery
	}
	return target
}
