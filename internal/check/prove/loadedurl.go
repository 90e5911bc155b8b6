package prove

import (
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
)

// A loadedURL is what a policy asks about a URL that a page loads.
type loadedURL struct {
	scheme  string // in lower case; "" for that of the page
	host    string // in lower case, with the port; "" for that of the page
	path    string
	unknown bool // a hole decides about the scheme and the host
}

// parseURL reads a URL on a page as browsers do. The URL of a template has a pattern.Hole for each
// action.
func parseURL(text string) (u loadedURL) {
	text = strings.Map(func(c rune) rune {
		if c == '\t' || c == '\n' || c == '\r' {
			return -1
		}
		return c
	}, trimURL(text))
	if i := strings.IndexByte(text, ':'); i > 0 && isScheme(text[:i]) {
		u.scheme, text = strings.ToLower(text[:i]), text[i+1:]
		if !u.isNetwork() {
			u.path = text
			return u
		}
		if !strings.HasPrefix(slashes(text), "//") { // such as http:a, which may be relative
			u.unknown = true
			return u
		}
	} else if i := strings.Index(text, pattern.Hole); i >= 0 && !strings.ContainsAny(text[:i], `/\?#`) {
		u.unknown = true
		return u
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	if text = slashes(text); !strings.HasPrefix(text, "//") {
		u.path = text
		return u
	}
	u.host, u.path, _ = strings.Cut(strings.TrimLeft(text, "/"), "/")
	u.host = strings.ToLower(u.host[strings.LastIndexByte(u.host, '@')+1:])
	u.path = "/" + u.path
	return u
}

// trimURL removes what browsers remove around a URL.
func trimURL(text string) string {
	return strings.TrimFunc(text, func(c rune) bool { return c <= ' ' && string(c) != pattern.Hole })
}

// slashes writes slashes for the backslashes of a URL.
func slashes(text string) string { return strings.ReplaceAll(text, `\`, "/") }

// isOwn reports whether a URL is one of the site itself.
func (u loadedURL) isOwn() bool { return !u.unknown && u.scheme == "" && u.host == "" }

// source returns the source that allows what has the scheme and host of a URL, or "" if they are not
// known.
func (u loadedURL) source() string {
	switch {
	case u.unknown || strings.Contains(u.host, pattern.Hole):
		return ""
	case u.isOwn():
		return "'self'"
	case u.scheme == "":
		return u.host
	case !u.isNetwork():
		return u.scheme + ":"
	}
	return u.scheme + "://" + u.host
}

// upgraded returns the URL that browsers ask for under upgrade-insecure-requests.
func (u loadedURL) upgraded() loadedURL {
	if u.scheme == "http" || u.scheme == "ws" {
		u.scheme, u.host = u.scheme+"s", strings.TrimSuffix(u.host, ":80")
	}
	return u
}

// isNetwork reports whether the scheme of a URL is one of the web.
func (u loadedURL) isNetwork() bool {
	return u.scheme == "http" || u.scheme == "https" || u.scheme == "ws" || u.scheme == "wss"
}

// isScheme reports whether a text can be a scheme (RFC 3986, section 3.1).
func isScheme(text string) bool {
	for i, c := range []byte(text) {
		if isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'; !isLetter && (i == 0 || strings.IndexByte("0123456789+-.", c) < 0) {
			return false
		}
	}
	return text != ""
}

// splitPort splits a host from its port, which may be "".
func splitPort(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i+1:]
	}
	return host, ""
}
