package devpage

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A Fault is one thing that is wrong: "app/router/a.html:4: unexpected {{end}}" has the
// text "unexpected {{end}}". It is sent as JSON to open pages and between processes.
type Fault struct {
	Text   string `json:"text"`
	File   string `json:"file,omitempty"`   // as the text has named it; "" if it names none
	Line   int    `json:"line,omitempty"`   // 0 if the fault is that of a whole file
	Column int    `json:"column,omitempty"` // 0 if it is not known
	Source []Line `json:"source,omitempty"` // around the line, nil if the file was not found
	Output string `json:"output,omitempty"` // what a program has printed before it failed so, lines as they are
}

// A Line is one line of a source file.
type Line struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Marked bool   `json:"marked,omitempty"` // the line of the fault
}

// Place returns the place as it is written in messages, "app/router/a.html:4:7", or "".
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

// String returns the fault as one line of a report has it.
func (f Fault) String() string {
	if f.File == "" {
		return f.Text
	}
	return f.Place() + ": " + f.Text
}

// place matches the place of a source file at the beginning of a line; inside matches one
// with a line number anywhere.
var (
	place  = regexp.MustCompile(`^((?:[A-Za-z]:)?[^:"\n]*[^:"\s/\\]\.(?:go|html|http))(?::(\d+))?(?::(\d+))?: `)
	inside = regexp.MustCompile(`((?:[A-Za-z]:)?[^\s:"'(]+\.(?:go|html|http)):(\d+)(?::(\d+))?`)
)

// Parse returns the faults that a text reports: one for each line that begins with a file
// name, which "flow: " and "template: " may stand before, with what follows up to the next such line. A text that begins otherwise is a
// fault, too; if it mentions a line of a source file, it is the fault of that.
//
// Files are looked for below the directories, which are those that they may have been
// named from, and nowhere else, since what a client has sent may be in the text. Lines that
// begin with "# ", where the go command names a package, are left out.
func Parse(text string, dirs ...string) []Fault {
	faults := split(text)
	for i := range faults {
		f := &faults[i]
		if m := inside.FindStringSubmatch(f.Text); f.Line == 0 && m != nil {
			f.File = m[1]
			f.Line, _ = strconv.Atoi(m[2])
			f.Column, _ = strconv.Atoi(m[3])
		}
		f.Source = excerpt(find(f.File, dirs), f.Line)
	}
	return faults
}

// maxFaults and maxText limit how much of a text is shown: faults, and bytes of each.
const maxFaults, maxText = 50, 8 << 10

// split returns the faults of a text as its lines have them.
func split(text string) (faults []Fault) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "# ") {
			continue
		}
		whole := strings.TrimPrefix(strings.TrimPrefix(line, "flow: "), "template: ")
		switch m := place.FindStringSubmatch(whole); {
		case m != nil:
			f := Fault{Text: whole[len(m[0]):], File: strings.TrimPrefix(m[1], "./")}
			f.Line, _ = strconv.Atoi(m[2])
			f.Column, _ = strconv.Atoi(m[3])
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

// find returns where a file is that a message names in slashes: it is looked for below
// each directory, with its whole path and then, since the directories may be the file's
// own, with less and less of it. An absolute path has to be below one of them. It returns ""
// if it is nowhere.
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

const (
	before, after = 5, 4    // how many lines of the source are shown before and after the one of the fault
	maxFile       = 4 << 20 // bytes of a source file
	maxLine       = 400     // bytes of a line that is shown
)

// excerpt returns ten lines of a source file around a line, fewer at its ends, or nil if it
// cannot be read or is no source file of an application.
func excerpt(name string, line int) []Line {
	switch filepath.Ext(name) {
	case ".go", ".html", ".http":
	default:
		return nil
	}
	if info, err := os.Stat(name); line < 1 || err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	all := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if line > len(all) {
		return nil // the file has changed since
	}
	var lines []Line
	for n := max(1, line-before); n <= min(len(all), line+after); n++ {
		text := strings.ToValidUTF8(strings.TrimSuffix(all[n-1], "\r"), "\uFFFD")
		lines = append(lines, Line{n, cut(text, maxLine), n == line})
	}
	return lines
}
