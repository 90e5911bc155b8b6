package fault

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Suggest returns `: did you mean "x"?` for the key of names that is most similar to a
// misspelt one. It returns otherwise if none is similar.
func Suggest[V any](misspelt string, names map[string]V, otherwise string) string {
	best, nearest := "", farthest
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if d, near := similar([]rune(misspelt), []rune(name)); near && d < nearest {
			best, nearest = name, d
		}
	}
	if best == "" {
		return otherwise
	}
	return `: did you mean "` + best + `"?`
}

// Near returns the distance of a text from the one that may be meant, in letters of either
// case: it is at least 1 if the texts differ. near is false if they are not similar.
func Near(written, meant string) (distance int, near bool) {
	if written == meant {
		return 0, true
	}
	if more := utf8.RuneCountInString(written) - utf8.RuneCountInString(meant); more >= farthest || more <= -farthest { // a client may send a very long text
		return 0, false
	}
	distance, near = similar([]rune(strings.ToLower(written)), []rune(strings.ToLower(meant)))
	return max(distance, 1), near
}

// similar is the rule of all suggestions: few letters differ, and no more than half of what may be
// meant. Otherwise any two short texts would be similar.
func similar(written, meant []rune) (distance int, ok bool) {
	distance = Distance(written, meant)
	return distance, distance < farthest && 2*distance <= len(meant)
}

// farthest is the distance from which on two texts are different words.
const farthest = 3

// Distance returns the number of letters to insert, delete, replace or swap with the next one
// to turn a into b (optimal string alignment distance).
func Distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// IsTypo reports whether a name differs from another one only in case, or in one letter that
// is missing, doubled or swapped with its neighbour. Other similar names, such as +errors or
// +flyout, and the singular of a plural, are likely to be intended.
func IsTypo(name, meant string) bool {
	name, meant = strings.ToLower(name), strings.ToLower(meant)
	switch {
	case name == meant:
		return true
	case name+"s" == meant: // "row" beside "rows"
		return false
	}
	for i := range len(meant) {
		missing := meant[:i] + meant[i+1:]
		doubled := meant[:i] + meant[i:i+1] + meant[i:]
		swapped := ""
		if i+1 < len(meant) {
			swapped = meant[:i] + meant[i+1:i+2] + meant[i:i+1] + meant[i+2:]
		}
		if name == missing || name == doubled || name == swapped {
			return true
		}
	}
	return false
}
