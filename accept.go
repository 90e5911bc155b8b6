package flow

import "strings"

// preferred returns the media type of the three that an Accept header (RFC 9110,
// section 12.5.1) likes best, and of two that it likes as much one that it names.
// Where it does not decide, pages are HTML and everything else is problem+json.
func preferred(accept string, page bool) string {
	offers := []string{"application/problem+json", "text/html", "text/plain"}
	if page {
		offers[0], offers[1] = offers[1], offers[0]
	}
	best, bestQ, bestNamed := offers[0], 0, true
	for _, offer := range offers {
		if q, named := quality(accept, offer); q > bestQ || q == bestQ && named && !bestNamed {
			best, bestQ, bestNamed = offer, q, named
		}
	}
	return best
}

// quality returns the weight, in thousandths, that an Accept header gives a media
// type, by the most specific range that covers it, and whether that one names it.
func quality(accept, mediaType string) (q int, named bool) {
	major, _, _ := strings.Cut(mediaType, "/")
	specific := 0
	for item := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(item, ";")
		s := 0
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == mediaType:
			s = 4
		case name == "application/json" && mediaType == "application/problem+json":
			s = 3
		case name == major+"/*":
			s = 2
		case name == "*/*":
			s = 1
		}
		if s > specific {
			q, specific = weight(params), s
		}
	}
	return q, specific > 2
}

// unmentioned is the score of a coding that a header has not mentioned yet.
const unmentioned = -1

// preferences returns how much an Accept-Encoding header (RFC 9110, section
// 12.5.3) likes each coding. 0 is not at all; 1 is identity where it is not
// mentioned, which is acceptable but not what was asked for; from 2 on it is
// the weight. The first mention of a coding counts.
func preferences(accept []string) (scores [anyCoding + 1]int) {
	for coding := range scores {
		scores[coding] = unmentioned
	}
	for _, line := range accept {
		for more := true; more; {
			var item string
			item, line, more = strings.Cut(line, ",")
			name, params, _ := strings.Cut(item, ";")
			coding := codingOf(strings.TrimSpace(name))
			if coding < 0 || scores[coding] != unmentioned {
				continue
			}
			scores[coding] = weight(params)
			if scores[coding] > 0 {
				scores[coding]++
			}
		}
	}
	others := scores[anyCoding]
	if scores[codingIdentity] == unmentioned && others != 0 {
		scores[codingIdentity] = 1
	}
	for coding := range scores {
		if scores[coding] == unmentioned {
			scores[coding] = max(others, 0)
		}
	}
	return scores
}

// codingOf returns the coding of a name, -1 if it is of no use.
func codingOf(name string) int {
	for coding, known := range codingNames {
		if len(name) == len(known) && strings.EqualFold(name, known) {
			return coding
		}
	}
	if strings.EqualFold(name, "x-gzip") { // its old name
		return codingGzip
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
