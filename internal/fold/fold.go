// Package fold compares names without regard to case. Names that strings.EqualFold calls equal
// have the same [Case], which can be the key of a map:
//
//	seen[fold.Case("About.html")] == seen[fold.Case("about.HTML")]
package fold

import (
	"strings"
	"unicode"
)

// Case returns a text that is equal for two names if strings.EqualFold calls them equal. It has
// the smallest of the case forms of each character.
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
