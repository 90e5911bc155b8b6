package devpage

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// Lines returns a writer for a slog.TextHandler whose log is read by people. A value of several
// lines, such as the text of a mail, is written as lines below the record, and not as one text
// with "\n" in it. Other control characters stay written out, as they could change what the
// terminal shows.
func Lines(w io.Writer) io.Writer { return lines{w} }

type lines struct{ to io.Writer }

var (
	// attribute is a name and a value, as slog.TextHandler writes them.
	attribute = regexp.MustCompile(` ?("(?:[^"\\]|\\.)*"|[^" =]+)=("(?:[^"\\]|\\.)*")`)
	unquote   = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\r\n`, "\n", `\n`, "\n", `\t`, "\t")
)

// Write writes a record, which a slog.TextHandler writes in one piece.
func (l lines) Write(record []byte) (int, error) {
	if !bytes.Contains(record, []byte(`\n`)) {
		return l.to.Write(record)
	}
	var below strings.Builder
	line := attribute.ReplaceAllStringFunc(string(record), func(text string) string {
		m := attribute.FindStringSubmatch(text)
		value := strings.TrimRight(unquote.Replace(m[2][1:len(m[2])-1]), "\n")
		if !strings.Contains(value, "\n") {
			return text
		}
		below.WriteString("    " + m[1] + "=\n")
		for line := range strings.Lines(value) {
			if line != "\n" {
				line = "        " + line
			}
			below.WriteString(line)
		}
		below.WriteByte('\n')
		return ""
	})
	if _, err := io.WriteString(l.to, line+below.String()); err != nil {
		return 0, err
	}
	return len(record), nil
}
