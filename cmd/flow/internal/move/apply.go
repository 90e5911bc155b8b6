package move

import (
	"cmp"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/files"
)

// Apply does what the plan says. If anything fails, all that was done is taken back, and
// the error says what failed.
func (p *Plan) Apply() error {
	after := map[string]string{} // before anything is written, since that may find a mistake in the plan
	for file, edits := range p.Edits {
		after[file] = rewrittenText(file, p.texts[file], edits)
	}
	err := files.All(func(c *files.Changes) error {
		for _, file := range sortedKeys(after) {
			if err := c.Replace(file, p.texts[file], after[file]); err != nil {
				return err
			}
		}
		for _, r := range p.Renames {
			if err := c.Rename(r.From, r.To); err != nil {
				return err
			}
		}
		for _, dir := range p.Emptied {
			if err := c.RemoveDir(dir); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("nothing was moved: %w", err)
	}
	return nil
}

// rewrittenText returns the text of a file with edits. Go code that was formatted stays so.
func rewrittenText(file, before string, edits []Edit) string {
	text := edited(before, edits)
	if !strings.HasSuffix(file, ".go") {
		return text
	}
	was, _ := format.Source([]byte(before))
	now, err := format.Source([]byte(text)) // names of another length may stand in columns
	if err != nil || string(was) != before {
		return text
	}
	return string(now)
}

// edited returns a text with edits, which do not overlap.
func edited(text string, edits []Edit) string {
	edits = slices.SortedFunc(slices.Values(edits), func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.Start]...), e.Text...)
		at = e.End
	}
	return string(append(out, text[at:]...))
}
