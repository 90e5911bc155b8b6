package pattern

import (
	"strings"
	"time"
)

// A Matcher restricts the values of a parameter: [id=int] has the matcher int. All segments
// of a tree with the same matcher share one Matcher.
type Matcher struct {
	Name string
	Fits func(value string) bool // nil for a matcher of the application, until it is set
}

// BuiltIn returns the function of a built-in matcher, or nil if there is none of that name.
func BuiltIn(name string) func(value string) bool { return builtIn[name] }

// BuiltIns returns the names of the built-in matchers, sorted.
func BuiltIns() []string { return []string{"date", "int", "slug", "uuid"} }

var builtIn = map[string]func(string) bool{"date": isDate, "int": isInt, "slug": isSlug, "uuid": isUUID}

// isInt reports whether v is an int64 in decimal digits, with a minus sign if it is negative.
func isInt(v string) bool {
	largest := "9223372036854775807" // math.MaxInt64
	if v != "" && v[0] == '-' {
		v, largest = v[1:], "9223372036854775808"
	}
	for i := range len(v) {
		if !isDigit(v[i]) {
			return false
		}
	}
	if len(v) < len(largest) {
		return v != ""
	}
	v = strings.TrimLeft(v, "0")
	return len(v) < len(largest) || len(v) == len(largest) && v <= largest
}

// isUUID reports whether v is a UUID (RFC 9562, section 4), in upper or lower case.
func isUUID(v string) bool {
	if len(v) != len("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") {
		return false
	}
	for i, c := range []byte(v) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
			continue
		}
		if lower := c | 0x20; !isDigit(c) && (lower < 'a' || lower > 'f') {
			return false
		}
	}
	return true
}

// isDate reports whether v is an existing day in the form of time.DateOnly, 2006-01-02.
func isDate(v string) bool {
	if len(v) != len(time.DateOnly) || v[4] != '-' || v[7] != '-' {
		return false
	}
	number := func(digits string) (n int) {
		for _, c := range []byte(digits) {
			if !isDigit(c) {
				return -1
			}
			n = n*10 + int(c-'0')
		}
		return n
	}
	year, month, day := number(v[:4]), number(v[5:7]), number(v[8:])
	if year < 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() == day
}

// isSlug reports whether v consists of words of lower-case ASCII letters and digits, joined
// by single hyphens.
func isSlug(v string) bool {
	hyphen := true // v[i-1] is a hyphen, or v begins here
	for _, c := range []byte(v) {
		switch {
		case 'a' <= c && c <= 'z', isDigit(c):
			hyphen = false
		case c == '-' && !hyphen:
			hyphen = true
		default:
			return false
		}
	}
	return !hyphen
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
