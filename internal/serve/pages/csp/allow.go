package csp

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
)

// Deciding returns the directive that decides about a kind of content: the one with this name, or
// the one that counts where it is missing. It returns nil if the policy allows all of the kind.
func (p Policy) Deciding(name string) *Directive {
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

// Has reports whether a directive has a keyword such as 'self'.
func (d *Directive) Has(keyword string) bool {
	return slices.ContainsFunc(d.Sources, func(s string) bool { return strings.EqualFold(s, keyword) })
}

// HasNonce reports whether a directive of the policy of an application has a nonce.
func (d *Directive) HasNonce() bool { return slices.Contains(d.Sources, nonce) }

// HasHash reports whether a directive has a hash.
func (d *Directive) HasHash() bool {
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

// AllowsHash reports whether a directive has the hash of the text of a script or style.
func (d *Directive) AllowsHash(text string) bool {
	text = normalized(text)
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

// AllowsInline reports whether a directive allows all inline scripts or styles. Beside a nonce or a
// hash, browsers ignore 'unsafe-inline'; for scripts, beside 'strict-dynamic', too, and Chromium in
// default-src for styles as well. On a page that is fixed, rendered once, there may be nothing in place
// of the nonce.
func (d *Directive) AllowsInline(script, fixed bool) bool {
	dynamic := d.Has("'strict-dynamic'") && (script || d.Name == "default-src")
	return d.Has("'unsafe-inline'") && !(d.HasNonce() && !fixed) && !d.HasHash() && !dynamic
}

// An Answer says whether a directive allows a URL.
type Answer uint8

// The answers, from the best on.
const (
	Allowed          Answer = iota
	Unsure                  // a hole decides, or whether the site has HTTPS
	RefusedUnlessOwn        // the URL and the source have different hosts, unless one of them is that of the site
	Refused
)

// AllowsURL returns whether a directive allows a URL. Nonces and hashes count for nothing here, and
// 'strict-dynamic' voids no source.
func (d *Directive) AllowsURL(u URL) Answer {
	best := Refused
	for _, s := range d.Sources {
		best = min(best, allows(strings.ToLower(s), s, u))
	}
	return best
}

// allows returns whether a source allows a URL. lower is the source in lower case.
func allows(lower, source string, u URL) Answer {
	switch {
	case lower == "'self'":
		return u.own()
	case strings.HasPrefix(lower, "'"):
		return Refused
	case u.unknown:
		return Unsure
	case lower == "*":
		if u.scheme != "" && !u.isNetwork() {
			return Refused
		}
		return Allowed
	case isScheme(strings.TrimSuffix(lower, ":")) && strings.HasSuffix(lower, ":"):
		return allowsScheme(strings.TrimSuffix(lower, ":"), u.scheme)
	case u.scheme != "" && !u.isNetwork():
		return Refused
	}
	return allowsHost(source, u)
}

// own returns whether 'self' allows the URL.
func (u URL) own() Answer {
	switch {
	case u.unknown:
		return Unsure
	case u.scheme == "" && u.host == "":
		return Allowed
	case u.scheme != "" && !u.isNetwork():
		return Refused
	case strings.Contains(u.host, pattern.Hole):
		return Unsure
	}
	return RefusedUnlessOwn
}

// allowsScheme returns whether a source with a scheme allows URLs with another one, or without: those
// have the scheme of the page.
func allowsScheme(source, scheme string) Answer {
	upgrades := map[string]string{"http": "https", "ws": "wss http https", "wss": "https"}[source]
	switch {
	case scheme == source || slices.Contains(strings.Fields(upgrades), scheme), scheme == "" && source == "http":
		return Allowed
	case scheme == "" && slices.Contains([]string{"https", "ws", "wss"}, source):
		return Unsure
	}
	return Refused
}

// allowsHost returns whether a source with a host allows a URL.
func allowsHost(source string, u URL) Answer {
	scheme, rest, found := strings.Cut(source, "://")
	if !found {
		scheme, rest = "", source
	}
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if u.scheme == "" && u.host == "" { // the site may have this host
		return RefusedUnlessOwn
	}
	answer := Allowed
	switch {
	case scheme != "":
		answer = allowsScheme(strings.ToLower(scheme), u.scheme)
	case u.scheme != "" && u.scheme != "https": // nothing but the scheme of the page is allowed
		answer = Unsure
	}
	if strings.Contains(u.host, pattern.Hole) {
		return max(answer, Unsure)
	}
	host, port := splitPort(strings.ToLower(host))
	uHost, uPort := splitPort(u.host)
	domain, wild := strings.CutPrefix(host, "*.")
	switch {
	case wild && !strings.HasSuffix(uHost, "."+domain), !wild && host != uHost && host != "*",
		port != "*" && !samePort(port, uPort, u.scheme):
		return Refused
	case path == "":
	case strings.ContainsAny(path+u.path, pattern.Hole+"%"): // browsers decode both
		return max(answer, Unsure)
	case path != u.path && !(strings.HasSuffix(path, "/") && strings.HasPrefix(u.path, path)):
		return Refused
	}
	return answer
}

// samePort reports whether a source with a port allows that of a URL. Without a port, a source allows
// the usual one, and port 80 allows 443.
func samePort(source, port, scheme string) bool {
	isUsual := port == "" || port == "443" && scheme != "http" && scheme != "ws" || port == "80" && scheme != "https" && scheme != "wss"
	return source == port || isUsual && (source == "" || source == "80" || source == "443" && scheme != "http" && scheme != "ws")
}
