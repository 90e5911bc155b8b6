package fold

import (
	"strings"
	"testing"
	"unicode"
)

// Names that fold to the same are those that strings.EqualFold calls equal.
func TestFoldCase(t *testing.T) {
	for c := rune(0); c <= unicode.MaxRune; c++ {
		s := string(c)
		for _, other := range []string{strings.ToLower(s), strings.ToUpper(s), strings.ToTitle(s), string(unicode.SimpleFold(c))} {
			if got, want := Case(s) == Case(other), strings.EqualFold(s, other); got != want {
				t.Errorf("%q and %q: got %t, want %t", s, other, got, want)
			}
		}
	}
}
