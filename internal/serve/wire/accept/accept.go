// Package accept does proactive content negotiation (RFC 9110, section 12). [MediaType]
// chooses the media type of an error by the Accept field of a request, and [Weights] reads
// from an Accept-Encoding field how much the client prefers each content [Coding]. Both read
// lists with [Items], which limits how much of a field is read. All functions take the lines
// of the field, and allocate nothing.
package accept

import (
	"iter"
	"strings"
)

// MaxItems and MaxBytes limit how much of a list in a header is read, on all its lines
// together: the number of items, empty ones included, and of bytes. Clients need far less.
// Without a limit a client could keep the server busy with a header.
const (
	MaxItems = 64
	MaxBytes = 4 << 10
)

// Items yields the items of a header that is a list (RFC 9110, section 5.6.1). Items beyond
// MaxItems and MaxBytes are left out. So is an item that crosses MaxBytes, since its
// beginning alone could mean something else.
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

// MediaType returns which of the three media types of an error an Accept header (RFC 9110,
// section 12.5.1) prefers. At equal weights a type that the header names goes before one
// that a wildcard covers. If the header prefers none, the error of a page is HTML, and every
// other error is problem+json.
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

// specificity returns how closely a media range matches a media type. It is 0 if the range
// does not cover the type, and more than 2 if the range names the type.
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

// equalFold reports whether two names are equal under ASCII case-folding. One of them must
// be all ASCII. It compares the lengths first, which settles most calls.
func equalFold(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }

// A Coding is a content coding.
type Coding int

// The content codings that are served.
const (
	Identity Coding = iota
	Gzip
	Brotli
	Zstd
	others // "*": every coding that the header does not name
)

// Codings is how many content codings there are.
const Codings = int(others)

var names = [...]string{Identity: "identity", Gzip: "gzip", Brotli: "br", Zstd: "zstd", others: "*"}

// String returns the name of the coding in headers.
func (c Coding) String() string { return names[c] }

// unmentioned is the weight of a type or a coding that the header has not mentioned so far.
const unmentioned = -1

// Weights returns how much an Accept-Encoding header (RFC 9110, section 12.5.3) prefers each
// coding. A weight of 0 means that the client does not accept the coding. A weight of 1 is
// that of identity if the header does not mention it: it is acceptable, but every coding that
// the header names is better. Any other weight is the q of the coding in thousandths, plus 1.
// If a coding is mentioned several times, the first mention counts.
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

// codingOf returns the coding of a name, or -1 for a coding that is not served.
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

// weight returns the q of an item's parameters in thousandths (RFC 9110, section 12.4.2). It
// is 1000 if there is no q, and 0 if the q is malformed. It also accepts what some clients
// send against the RFC: no 0 before the point, and more than three decimals.
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
