package move

import (
	"fmt"
	"go/format"
	"strings"

	"example.com/flow/cmd/flow/internal/files"
)

// Apply moves the files and writes the edits. If anything fails, all that was done is taken back, and
// the error says what failed.
func (m *Moves) Apply() error {
	after := map[string]string{} // made before anything is written, since edits that overlap by mistake panic
	for file, edits := range m.Edits {
		after[file] = rewrittenText(file, m.texts[file], edits)
	}
	err := files.All(func(c *files.Changes) error {
		for _, file := range sortedKeys(after) {
			if err := c.Replace(file, m.texts[file], after[file]); err != nil {
				return err
			}
		}
		for _, r := range m.Renames {
			if err := c.Rename(r.From, r.To); err != nil {
				return err
			}
		}
		for _, dir := range m.Emptied {
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
func rewrittenText(file, before string, edits []files.Edit) string {
	text := files.Edited(before, edits)
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
