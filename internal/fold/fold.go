// Package fold compares names without their case.
package fold

import (
	"strings"
	"unicode"
)

// Case returns a text that is the same for all spellings of s that
// strings.EqualFold calls equal: of each character, the least of its forms.
func Case(s string) string {
	return strings.Map(func(c rune) rune {
		for {
			next := unicode.SimpleFold(c)
			if next <= c {
				return next
			}
			c = next
		}
	}, s)
}
