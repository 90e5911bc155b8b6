package devpage

import (
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Line is one line of a source file.
type Line struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Marked bool   `json:"marked,omitempty"` // the line of the fault
}

// A Span is a part of a line, in bytes from 0.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"` // behind the last byte; From if the Span is empty
}

const (
	before, after = 5, 4    // the number of lines in an excerpt before and after that of the fault
	maxFile       = 4 << 20 // the largest size of a source file, in bytes
	maxLine       = 400     // the largest length of a line in an excerpt, in bytes
)

// read sets the parts of a fault that come from its file. name is that of the file on disk, ""
// if it was not found.
func (f *Fault) read(name string) {
	if name == "" {
		return
	}
	column := f.Column
	var lines []string
	if source.MatchString(path.Clean(f.File)) {
		lines = sourceLines(name)
	}
	if f.Line > 0 && f.Line <= len(lines) { // otherwise the file has changed since the message was made
		line := lines[f.Line-1]
		f.Word = f.wordIn(line)
		if f.Word.To > f.Word.From {
			column = utf8.RuneCountInString(line[:f.Word.From]) + 1
		}
		for n := max(1, f.Line-before); n <= min(len(lines), f.Line+after); n++ {
			text := lines[n-1]
			if n == f.Line {
				text, f.Word = window(text, f.Word)
			}
			f.Source = append(f.Source, Line{n, cut(text, maxLine), n == f.Line})
		}
	}
	f.Editor = editorURL(name, f.Line, column)
}

// sourceLines returns the lines of a source file. It returns nil if the file cannot be read, or is
// too large.
func sourceLines(name string) []string {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	// A byte order mark counts in no column.
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(string(text), "\ufeff"), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.ToValidUTF8(strings.TrimSuffix(line, "\r"), "\uFFFD")
	}
	return lines
}

// window returns the part of a line around a word, if the line is so long that an excerpt
// would not show the word.
func window(line string, word Span) (string, Span) {
	if word.To <= maxLine {
		return line, word
	}
	start := max(0, word.From-maxLine/4)
	for !utf8.RuneStart(line[start]) {
		start--
	}
	const cutOff = "… "
	shift := len(cutOff) - start
	line = cutOff + line[start:]
	return line, Span{word.From + shift, min(word.To+shift, maxLine)}
}

var (
	// executing matches an error of text/template from the execution of a template, which names
	// the expression that has failed.
	executing = regexp.MustCompile(`executing ".*?" at <(.*?)>: `)
	// wordAt matches the word at the beginning of a text: a URL, which has a slash or an action,
	// a string, a name, the beginning of a tag, or else one character.
	wordAt = regexp.MustCompile("^(?:(?:[\\w-]*[/?#]|\\{\\{.*?\\}\\})(?:\\{\\{.*?\\}\\}|[^\\s\"'<>])*" +
		"|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|[.$]?[\\pL_][\\pL\\pN_]*|</?[\\w-]+|\\S)")
	// quoted matches what a text quotes from the source, and called the name of a function that
	// it begins with.
	quoted = regexp.MustCompile(`\{\{.*?\}\}|"(?:[^"\\]|\\.)*"`)
	called = regexp.MustCompile(`^\w+\(`)
	// restOfWord matches what follows a part of .A.B.C.
	restOfWord = regexp.MustCompile(`^[.$\pL\pN_]*`)
)

// wordIn returns what is wrong in the line of a fault: the word at the column. If the column
// is not known, it is what the text of the fault quotes, if the line has that once.
func (f Fault) wordIn(line string) Span {
	var candidates []string
	if m := executing.FindStringSubmatch(f.Text); m != nil {
		expression, isCut := strings.CutSuffix(m[1], "...") // text/template cuts it to 20 characters
		if from := f.Column - 1; from >= 0 {
			// The column may be in the middle of the expression.
			for i := max(0, from-len(expression)); i <= min(from, len(line)); i++ {
				if strings.HasPrefix(line[i:], expression) {
					to := i + len(expression)
					if isCut {
						to += len(restOfWord.FindString(line[to:]))
					}
					return Span{i, to}
				}
			}
		}
		candidates = append(candidates, m[1])
	}
	if from := f.Column - 1; from >= 0 && from < len(line) {
		return Span{from, from + len(wordAt.FindString(line[from:]))}
	}
	for _, q := range quoted.FindAllString(f.Text, -1) {
		candidates = append(candidates, q)
		if text, err := strconv.Unquote(q); err == nil && text != "" {
			candidates = append(candidates, "`"+text+"`", text)
		}
	}
	for _, c := range append(candidates, strings.TrimSuffix(called.FindString(f.Text), "(")) {
		if c != "" && strings.Count(line, c) == 1 {
			from := strings.Index(line, c)
			return Span{from, from + len(c)}
		}
	}
	return Span{}
}
