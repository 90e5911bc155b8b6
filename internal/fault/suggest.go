package fault

import (
	"maps"
	"slices"
)

// Suggest returns ": did you mean "x"?" for the name that a misspelt one is likely to
// stand for, or else the hint that it is given.
func Suggest[V any](misspelt string, names map[string]V, otherwise string) string {
	best, nearest := "", 3 // farther away it is another word
	for _, name := range slices.Sorted(maps.Keys(names)) {
		letters := []rune(name)
		if d := distance([]rune(misspelt), letters); d < nearest && 2*d <= len(letters) {
			best, nearest = name, d
		}
	}
	if best == "" {
		return otherwise
	}
	return `: did you mean "` + best + `"?`
}

// distance returns how many letters have to be added, taken away or replaced to
// make b of a (Levenshtein).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0]++
		for j := range b {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
