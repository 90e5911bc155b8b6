package files

import (
	"slices"
	"strings"
)

// An Edit is a text in place of what stands between two offsets of a file.
type Edit struct {
	From, To int // in bytes
	Text     string
}

// Edited returns a text with edits, which do not overlap.
func Edited(text string, edits []Edit) string {
	var b strings.Builder
	end := 0
	for _, e := range slices.SortedFunc(slices.Values(edits), func(a, b Edit) int { return a.From - b.From }) {
		b.WriteString(text[end:e.From])
		b.WriteString(e.Text)
		end = e.To
	}
	b.WriteString(text[end:])
	return b.String()
}
