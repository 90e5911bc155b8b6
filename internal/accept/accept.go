// Package accept reads what a client accepts. The header fields that say so are lists:
// [Items] yields as much of one as is looked at, [MediaType] chooses the media type of
// an error by an Accept field, and [Weights] says how much an Accept-Encoding field likes
// each [Coding]. All are called with the lines of the field, and allocate nothing.
package accept

import (
	"iter"
	"strings"
)

// MaxItems and MaxBytes limit how much is looked at of a header that is a list, on all
// its lines together: the number of items, empty ones included, and of bytes. Clients
// need far less, and nobody may keep the server busy with a header.
const (
	MaxItems = 64
	MaxBytes = 4 << 10
)

// Items yields the items of a header that is a list (RFC 9110, section 5.6.1). What lies
// beyond MaxItems and MaxBytes is left out, and so is an item that crosses MaxBytes: cut
// off, it could mean something else.
func Items(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		n, left := MaxItems, MaxBytes
		for _, line := range lines {
			for more := true; more; n-- {
				if n == 0 || left <= 0 {
					return
				}
				end := strings.IndexByte(line[:min(len(line), left+1)], ',')
				if more = end >= 0; !more {
					end = len(line)
				}
				if end > left || !yield(line[:end]) {
					return
				}
				line, left = line[min(end+1, len(line)):], left-end-1
			}
		}
	}
}

// MediaType returns the media type that an Accept header (RFC 9110, section 12.5.1)
// likes best of the three that an error can have. Of several that it likes as much, it
// is one that the header names, rather than covers with an asterisk. Where the header
// does not decide, an error of a page is HTML, and every other is problem+json.
func MediaType(accept []string, page bool) string {
	offers := [...]string{"application/problem+json", "text/html", "text/plain"}
	if page {
		offers[0], offers[1] = offers[1], offers[0]
	}
	var weights, specific [len(offers)]int // of the most specific range that covers an offer
	for item := range Items(accept) {
		name, params, _ := strings.Cut(item, ";")
		name = strings.TrimSpace(name)
		q := unmentioned
		for i, offer := range offers {
			s := specificity(name, offer)
			if s <= specific[i] {
				continue
			}
			if q == unmentioned {
				q = weight(params)
			}
			weights[i], specific[i] = q, s
		}
	}
	best, bestQ, bestNamed := offers[0], 0, true
	for i, offer := range offers {
		if q, named := weights[i], specific[i] > 2; q > bestQ || q == bestQ && named && !bestNamed {
			best, bestQ, bestNamed = offer, q, named
		}
	}
	return best
}

// specificity returns how closely a media range describes a media type: 0 if it does
// not cover it, and more than 2 if it names it.
func specificity(name, mediaType string) int {
	major, _, _ := strings.Cut(mediaType, "/")
	switch {
	case equalFold(name, mediaType):
		return 4
	case mediaType == "application/problem+json" && equalFold(name, "application/json"):
		return 3
	case equalFold(name, major+"/*"):
		return 2
	case name == "*/*":
		return 1
	}
	return 0
}

// equalFold reports whether two names are the same but for the case of ASCII letters;
// one of the names must be all ASCII. Names of different lengths are told apart at no
// cost.
func equalFold(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }

// A Coding is a content coding.
type Coding int

// The content codings that are served.
const (
	Identity Coding = iota
	Gzip
	Brotli
	Zstd
	others // what a client calls "*"
)

// Codings is how many content codings there are.
const Codings = int(others)

var names = [...]string{Identity: "identity", Gzip: "gzip", Brotli: "br", Zstd: "zstd", others: "*"}

// String returns the name that headers have for the coding.
func (c Coding) String() string { return names[c] }

// unmentioned is the weight of what a header has not mentioned yet.
const unmentioned = -1

// Weights returns how much an Accept-Encoding header (RFC 9110, section 12.5.3) likes
// each coding. A weight of 0 means that the client does not accept the coding. 1 is for
// identity if the header does not mention it: it is acceptable, but not what was asked
// for. Any other weight is the q of the coding in thousandths, plus 1. If a coding is
// mentioned several times, the first mention counts.
func Weights(accept []string) [Codings]int {
	var weights [others + 1]int
	for coding := range weights {
		weights[coding] = unmentioned
	}
	for item := range Items(accept) {
		name, params, _ := strings.Cut(item, ";")
		coding := codingOf(strings.TrimSpace(name))
		if coding < 0 || weights[coding] != unmentioned {
			continue
		}
		weights[coding] = weight(params)
		if weights[coding] > 0 {
			weights[coding]++
		}
	}
	if weights[Identity] == unmentioned && weights[others] != 0 {
		weights[Identity] = 1
	}
	for coding := range weights {
		if weights[coding] == unmentioned {
			weights[coding] = max(weights[others], 0)
		}
	}
	return [Codings]int(weights[:])
}

// codingOf returns the coding of a name, -1 if it is of no use.
func codingOf(name string) Coding {
	for coding, known := range names {
		if equalFold(name, known) {
			return Coding(coding)
		}
	}
	if equalFold(name, "x-gzip") { // its old name
		return Gzip
	}
	return -1
}

// weight returns the q of an item's parameters in thousandths (RFC 9110, section
// 12.4.2): 1000 without one, and 0 for one that is malformed. Some clients leave
// the 0 before the point away, or write more than three decimals.
func weight(params string) int {
	if params == "" {
		return 1000
	}
	q := "1"
	for p := range strings.SplitSeq(params, ";") {
		if key, value, _ := strings.Cut(p, "="); strings.EqualFold(strings.TrimSpace(key), "q") {
			q = strings.TrimSpace(value)
			break
		}
	}
	whole, decimals, _ := strings.Cut(q, ".")
	if q == "" || q == "." || len(whole) > 1 {
		return 0
	}
	n, unit := 0, 1000
	for _, digits := range []string{whole, decimals} {
		for _, c := range []byte(digits) {
			if c < '0' || c > '9' {
				return 0
			}
			n += int(c-'0') * unit
			unit /= 10
		}
		unit = min(unit, 100)
	}
	if n > 1000 {
		return 0
	}
	return n
}
