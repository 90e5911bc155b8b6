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
	Asked    string   // the escaped path as the client sent it
	Escaped  string   // the canonical path, escaped
	Segments []string // of the canonical path, unescaped
}

// ParsePath returns the path of a request without empty segments, a trailing slash, "." and
// "..". ok is false if the request has no path, as with CONNECT.
func ParsePath(r *http.Request) (p Path, ok bool) {
	escaped := r.URL.EscapedPath()
	if escaped == "" && r.Method != http.MethodConnect {
		escaped = "/" // of "GET http://host", and where http.StripPrefix has left nothing
	}
	return Clean(escaped)
}

// Clean returns an escaped path without empty segments, a trailing slash, "." and "..". ok is
// false if the path does not begin with a slash, or has a broken escape.
func Clean(escaped string) (p Path, ok bool) {
	if !strings.HasPrefix(escaped, "/") {
		return p, false
	}
	return clean(escaped, func(segment string) string { return segment })
}

// Plain returns the path cleaned once more with escaped dots read as dots: /b for
// /a/%2e%2e/b.
func (p Path) Plain() Path {
	plain, _ := clean(p.Asked, strings.NewReplacer("%2e", ".", "%2E", ".").Replace)
	return plain
}

// clean cleans an escaped path. It drops the segments for which read returns "" or ".", and
// those for which it returns ".." with the segment before.
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
			return p, false // not of a request: EscapedPath is well formed
		}
		segments[i] = value
	}
	p.Segments = segments
	return p, true
}

// IsCanonical reports whether the client sent the canonical path.
func (p Path) IsCanonical() bool { return p.Escaped == p.Asked }

// IsCanonicalTo reports whether the path that the client sent begins with the first n
// segments of the canonical path and a slash.
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

// Location returns the value of Location for a redirect of r to another escaped path. It keeps
// the query, and the prefix that http.StripPrefix has removed from the path: RequestURI
// still has it.
func Location(r *http.Request, path string) string {
	prefix := ""
	if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
		prefix = u.EscapedPath()
	}
	// If the path is no suffix of RequestURI, it was rewritten in another way, and there is no
	// prefix to keep.
	prefix, stripped := strings.CutSuffix(prefix, r.URL.EscapedPath())
	if !stripped {
		prefix = ""
	}
	target := strings.TrimRight(prefix, "/") + path
	if path == "/" { // the canonical URL of the index has no trailing slash behind a prefix
		target = strings.TrimRight(target, "/")
	}
	// A browser takes "//" or "/\" for the beginning of a URL on another host.
	target = "/" + strings.TrimLeft(target, `/\`)
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		target += "?" + r.URL.RawQuery
	}
	return target
}

// Hole stands in a URL for text that is known only once the URL is written. The URL of
// "/users/{{.ID}}/edit" in a template is "/users/" + Hole + "/edit".
const Hole = "\x00"
