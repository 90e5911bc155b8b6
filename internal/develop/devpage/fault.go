package devpage

import (
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A Fault is a mistake or an error, with its place in the source. The Fault for
// "app/router/a.html:4: unexpected {{end}}" has the text "unexpected {{end}}". Faults are
// sent as JSON, to open pages and between processes.
type Fault struct {
	Text   string       `json:"text"`
	File   string       `json:"file,omitempty"`   // as the message names it; "" if it names none
	Line   int          `json:"line,omitempty"`   // 0 if the fault is about a whole file
	Column int          `json:"column,omitempty"` // in bytes, from 1; 0 if it is not known
	Source []Line       `json:"source,omitempty"` // the lines around Line; nil if the file was not found
	Word   Span         `json:"word,omitzero"`    // what is wrong in the marked line of Source; empty if it is not known
	Editor template.URL `json:"editor,omitempty"` // the URL that opens the place in an editor; "" if there is none
	Output string       `json:"output,omitempty"` // what the program printed before it failed
}

// Place returns file, line and column as in messages: "app/router/a.html:4:7". It returns ""
// if the fault has no file.
func (f Fault) Place() string {
	place := f.File
	if f.Line > 0 {
		place += ":" + strconv.Itoa(f.Line)
		if f.Column > 0 {
			place += ":" + strconv.Itoa(f.Column)
		}
	}
	return place
}

// String returns the fault in the form "place: text", and the text alone if the place is in it.
func (f Fault) String() string {
	if f.File == "" || f.Line > 0 && strings.Contains(f.Text, fmt.Sprintf("%s:%d:", f.File, f.Line)) {
		return f.Text
	}
	return f.Place() + ": " + f.Text
}

// place matches a place in a source file at the beginning of a line, and inside one with a
// line number anywhere in a line. A file below router/ may have the extension of any format.
var (
	place  = regexp.MustCompile(`^((?:[A-Za-z]:)?(?:[^:"\n]*[^:"\s/\\]\.(?:go|html|http)|(?:[^:"\n]*/)?router/[^:"\n]*[^:"\s/\\]\.[a-z0-9_-]+))(?::(\d+))?(?::(\d+))?: `)
	inside = regexp.MustCompile(`((?:[A-Za-z]:)?(?:[^\s:"'(]+\.(?:go|html|http)|(?:[^\s:"'(]+/)?router/[^\s:"'(]+\.[a-z0-9_-]+)):(\d+)(?::(\d+))?`)
	source = regexp.MustCompile(`\.(?:go|html|http)$|(?:^|/)router/`)
)

// Parse returns the faults in a text. Each line that begins with the place of a source file
// begins a fault, which ends before the next such line. The place may have the prefixes
// "flow: " and "template: ". If the first line has no such place, it begins a fault as well,
// whose place is the first one with a line number in its text. Lines that begin with "# ",
// in which the go command names a package, are left out.
//
// The source around the line is read from a file below one of the directories. Files in
// other places are not read: a client may have sent a part of the text.
func Parse(text string, dirs ...string) []Fault {
	faults := split(text)
	for i := range faults {
		f := &faults[i]
		if m := inside.FindStringSubmatch(f.Text); f.File == "" && m != nil {
			f.setPlace(m)
		}
		f.read(find(f.File, dirs))
	}
	return faults
}

// setPlace sets the place of a fault, given a match of place or inside.
func (f *Fault) setPlace(m []string) {
	f.File = strings.TrimPrefix(m[1], "./")
	f.Line, _ = strconv.Atoi(m[2])
	if column, err := strconv.Atoi(m[3]); err == nil {
		f.Column = column
		if executing.MatchString(f.Text) {
			f.Column++ // text/template counts columns from 0
		}
	}
}

// maxFaults is the largest number of faults in a text, and maxText the largest number of
// bytes in the text of one.
const maxFaults, maxText = 50, 8 << 10

// split returns the faults of a text with the places at the beginning of lines.
func split(text string) (faults []Fault) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "# ") {
			continue
		}
		whole := strings.TrimPrefix(strings.TrimPrefix(line, "flow: "), "template: ")
		switch m := place.FindStringSubmatch(whole); {
		case m != nil:
			f := Fault{Text: whole[len(m[0]):]}
			f.setPlace(m)
			faults = append(faults, f)
		case len(faults) == 0:
			faults = append(faults, Fault{Text: whole})
		case len(faults[len(faults)-1].Text) <= maxText:
			faults[len(faults)-1].Text += "\n" + line
		}
		if len(faults) > maxFaults {
			faults[maxFaults] = Fault{Text: "… and more"}
			break
		}
	}
	for i, f := range faults {
		faults[i].Text = cut(f.Text, maxText)
	}
	return faults
}

// cut returns a text, shortened to n bytes if it is longer.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + " …"
}

// find returns the name on disk of a file that a message names with slashes, or "" if there
// is no such file. It looks for the path below each directory, then for the path without its
// first element, and so on, since a directory may be one that the path begins with. An
// absolute path must be below one of the directories.
func find(file string, dirs []string) string {
	if file == "" {
		return ""
	}
	file = filepath.FromSlash(file)
	if filepath.IsAbs(file) {
		for _, dir := range dirs {
			dir, err := filepath.Abs(dir)
			if err != nil {
				continue
			}
			if below, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(below) {
				return file
			}
		}
		return ""
	}
	for rest := file; ; {
		if !filepath.IsLocal(rest) {
			return ""
		}
		for _, dir := range dirs {
			name := filepath.Join(dir, rest)
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				return name
			}
		}
		_, after, ok := strings.Cut(rest, string(filepath.Separator))
		if !ok {
			return ""
		}
		rest = after
	}
}
