package prove

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"slices"
	"strings"

	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/serve/routes/pattern"
)

// Deciding returns the directive that decides about a kind of content: the one with this name, or
// the one that counts where it is missing. It returns nil if the policy allows all of the kind.
func Deciding(p csp.Policy, name string) *csp.Directive {
	switch name {
	case "base-uri", "form-action": // which are about no content
		return p.Find(name)
	case "script-src-elem", "script-src-attr", "style-src-elem", "style-src-attr":
		return p.Find(name, name[:len(name)-len("-elem")], "default-src")
	case "frame-src":
		return p.Find(name, "child-src", "default-src")
	}
	return p.Find(name, "default-src")
}

// hasKeyword reports whether a directive has a keyword such as 'self'.
func hasKeyword(d *csp.Directive, keyword string) bool {
	return slices.ContainsFunc(d.Sources, func(s string) bool { return strings.EqualFold(s, keyword) })
}

// allowsNonce reports whether a directive of the policy of an application has a nonce.
func allowsNonce(d *csp.Directive) bool { return slices.Contains(d.Sources, csp.Nonce) }

// hasHash reports whether a directive has a hash.
func hasHash(d *csp.Directive) bool {
	return slices.ContainsFunc(d.Sources, func(s string) bool { algorithm, _ := hash(s); return algorithm != "" })
}

// hash returns the parts of a source that is a hash. The algorithm is "" if it is none.
func hash(source string) (algorithm, sum string) {
	algorithm, sum, _ = strings.Cut(strings.Trim(source, "'"), "-")
	if algorithm = strings.ToLower(algorithm); !strings.HasPrefix(source, "'") || algorithm != "sha256" && algorithm != "sha384" && algorithm != "sha512" {
		return "", ""
	}
	return algorithm, strings.NewReplacer("-", "+", "_", "/").Replace(sum)
}

// allowsHash reports whether a directive has the hash of the text of a script or style.
func allowsHash(d *csp.Directive, text string) bool {
	text = csp.Normalized(text)
	return slices.ContainsFunc(d.Sources, func(s string) bool {
		var sum []byte
		algorithm, want := hash(s)
		switch algorithm {
		case "sha256":
			s := sha256.Sum256([]byte(text))
			sum = s[:]
		case "sha384":
			s := sha512.Sum384([]byte(text))
			sum = s[:]
		case "sha512":
			s := sha512.Sum512([]byte(text))
			sum = s[:]
		}
		return sum != nil && base64.StdEncoding.EncodeToString(sum) == want
	})
}

// allowsInline reports whether a directive allows all inline scripts or styles. Beside a nonce or a
// hash, browsers ignore 'unsafe-inline'; for scripts, beside 'strict-dynamic', too, and Chromium in
// default-src for styles as well. On a page that is fixed, rendered once, there may be nothing in place
// of the nonce.
func allowsInline(d *csp.Directive, script, fixed bool) bool {
	dynamic := hasKeyword(d, "'strict-dynamic'") && (script || d.Name == "default-src")
	return hasKeyword(d, "'unsafe-inline'") && !(allowsNonce(d) && !fixed) && !hasHash(d) && !dynamic
}

// A permission says whether a directive allows a URL.
type permission uint8

// The permissions, from the best on: of several sources, the one that allows the most counts.
const (
	allowed          permission = iota
	notKnown                    // a hole decides, or whether the site has HTTPS
	refusedUnlessOwn            // the URL and the source have different hosts, unless one of them is that of the site
	refused
)

// allowsURL returns whether a directive allows a URL. Nonces and hashes count for nothing here, and
// 'strict-dynamic' voids no source.
func allowsURL(d *csp.Directive, u loadedURL) permission {
	best := refused
	for _, s := range d.Sources {
		best = min(best, sourceAllows(strings.ToLower(s), s, u))
	}
	return best
}

// sourceAllows returns whether a source allows a URL. lower is the source in lower case.
func sourceAllows(lower, source string, u loadedURL) permission {
	switch {
	case lower == "'self'":
		return u.underSelf()
	case strings.HasPrefix(lower, "'"):
		return refused
	case u.unknown:
		return notKnown
	case lower == "*":
		if u.scheme != "" && !u.isNetwork() {
			return refused
		}
		return allowed
	case isScheme(strings.TrimSuffix(lower, ":")) && strings.HasSuffix(lower, ":"):
		return allowsScheme(strings.TrimSuffix(lower, ":"), u.scheme)
	case u.scheme != "" && !u.isNetwork():
		return refused
	}
	return allowsHost(source, u)
}

// underSelf returns whether 'self' allows the URL.
func (u loadedURL) underSelf() permission {
	switch {
	case u.unknown:
		return notKnown
	case u.scheme == "" && u.host == "":
		return allowed
	case u.scheme != "" && !u.isNetwork():
		return refused
	case strings.Contains(u.host, pattern.Hole):
		return notKnown
	}
	return refusedUnlessOwn
}

// allowsScheme returns whether a source with a scheme allows URLs with another one, or without: those
// have the scheme of the page.
func allowsScheme(source, scheme string) permission {
	upgrades := map[string]string{"http": "https", "ws": "wss http https", "wss": "https"}[source]
	switch {
	case scheme == source || slices.Contains(strings.Fields(upgrades), scheme), scheme == "" && source == "http":
		return allowed
	case scheme == "" && slices.Contains([]string{"https", "ws", "wss"}, source):
		return notKnown
	}
	return refused
}

// allowsHost returns whether a source with a host allows a URL.
func allowsHost(source string, u loadedURL) permission {
	scheme, rest, found := strings.Cut(source, "://")
	if !found {
		scheme, rest = "", source
	}
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if u.scheme == "" && u.host == "" { // the site may have this host
		return refusedUnlessOwn
	}
	best := allowed
	switch {
	case scheme != "":
		best = allowsScheme(strings.ToLower(scheme), u.scheme)
	case u.scheme != "" && u.scheme != "https": // nothing but the scheme of the page is allowed
		best = notKnown
	}
	if strings.Contains(u.host, pattern.Hole) {
		return max(best, notKnown)
	}
	host, port := splitPort(strings.ToLower(host))
	uHost, uPort := splitPort(u.host)
	domain, wild := strings.CutPrefix(host, "*.")
	switch {
	case wild && !strings.HasSuffix(uHost, "."+domain), !wild && host != uHost && host != "*",
		port != "*" && !samePort(port, uPort, u.scheme):
		return refused
	case path == "":
	case strings.ContainsAny(path+u.path, pattern.Hole+"%"): // browsers decode both
		return max(best, notKnown)
	case path != u.path && !(strings.HasSuffix(path, "/") && strings.HasPrefix(u.path, path)):
		return refused
	}
	return best
}

// samePort reports whether a source with a port allows that of a URL. Without a port, a source allows
// the usual one, and port 80 allows 443.
func samePort(source, port, scheme string) bool {
	isUsual := port == "" || port == "443" && scheme != "http" && scheme != "ws" || port == "80" && scheme != "https" && scheme != "wss"
	return source == port || isUsual && (source == "" || source == "80" || source == "443" && scheme != "http" && scheme != "ws")
}
