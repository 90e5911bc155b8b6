package htmltoken

import "strings"

const space = " \t\n\r\f"

// A byteSet is a set of bytes.
type byteSet [256]bool

var (
	spaces       = setOf(space)
	betweenAttrs = setOf(space + "/")
	endsTagName  = setOf(space + "/>")
	endsAttrName = setOf(space + "/>=")
	endsValue    = setOf(space + ">")
)

func setOf(bytes string) *byteSet {
	var s byteSet
	for i := range len(bytes) {
		s[bytes[i]] = true
	}
	return &s
}

// index returns the index of the first byte of the set in a text, or the length of the text.
func (s *byteSet) index(text string) int {
	for i := range len(text) {
		if s[text[i]] {
			return i
		}
	}
	return len(text)
}

// length returns the number of bytes of the set that a text begins with.
func (s *byteSet) length(text string) int {
	for i := range len(text) {
		if !s[text[i]] {
			return i
		}
	}
	return len(text)
}

// Lower returns a name as HTML compares it: other letters than those of ASCII keep their case.
func Lower(name string) string {
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			return strings.Map(func(c rune) rune {
				if 'A' <= c && c <= 'Z' {
					c |= 0x20
				}
				return c
			}, name)
		}
	}
	return name
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
