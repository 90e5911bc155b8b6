package fault

import (
	"maps"
	"slices"
)

// Suggest returns `: did you mean "x"?` for the key of names that is most similar to a
// misspelt one. It returns otherwise if none is similar.
func Suggest[V any](misspelt string, names map[string]V, otherwise string) string {
	best, nearest := "", 3 // a name at a distance of 3 or more is another word
	for _, name := range slices.Sorted(maps.Keys(names)) {
		letters := []rune(name)
		if d := Distance([]rune(misspelt), letters); d < nearest && 2*d <= len(letters) {
			best, nearest = name, d
		}
	}
	if best == "" {
		return otherwise
	}
	return `: did you mean "` + best + `"?`
}

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
