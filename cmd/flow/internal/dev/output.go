package dev

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/internal/develop/devpage"
)

// positioned matches the beginning of a line in which the go tool names a place.
var positioned = regexp.MustCompile(`^(?:\./)?((?:[A-Za-z]:)?[^:\s][^:]*\.[a-z]+):\d+(?::\d+)?: `)

// parseBuild returns the faults that the go tool reports when a build fails, with the
// source around them. Files are named from dir. A line that is indented, or begins with
// "note: ", belongs to the fault above it; so does one that names no place below another
// one of the same package, such as the words of a linker.
func parseBuild(output, dir string) []devpage.Fault {
	var faults []devpage.Fault
	pkg := ""       // of the section
	placed := false // the fault above names a place
	fresh := true   // the section has no fault yet
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		header, isHeader := strings.CutPrefix(line, "# ")
		has := positioned.MatchString(line)
		switch {
		case isHeader:
			pkg, fresh = header, true
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "go: errors parsing "): // which the next line says again
		case len(faults) > 0 && !fresh && (line[0] == '\t' || line[0] == ' ' || strings.HasPrefix(line, "note: ") || !has && !placed):
			faults[len(faults)-1].Text += "\n" + line
		case has:
			faults, placed, fresh = append(faults, parseLine(line, dir)), true, false
		default:
			if pkg != "" && !strings.HasPrefix(line, pkg) {
				line = pkg + ": " + line
			}
			faults, placed, fresh = append(faults, devpage.Fault{Text: line}), false, false
		}
	}
	return faults
}

// parseLine returns the fault of a line that begins with a place.
func parseLine(line, dir string) devpage.Fault {
	if faults := devpage.Parse(line, dir); len(faults) == 1 {
		return faults[0]
	}
	return devpage.Fault{Text: line}
}

// parseCrash returns the fault of a program that has ended with a stack or an error on
// standard error, of which this is the end. Its text is the panic, or the last line; own
// tells the files of the application, and its place is that of the first frame of one.
func parseCrash(stderr, dir string, own func(file string) bool) devpage.Fault {
	stderr = strings.TrimSpace(stderr)
	text := lastWords(stderr)
	frames := devpage.Stack([]byte(stderr), func(f devpage.Frame) bool { return own(f.File) })
	f := devpage.FaultOf(text, frames, dir)
	if below, err := filepath.Rel(dir, f.File); err == nil && filepath.IsLocal(below) {
		f.File = filepath.ToSlash(below)
	}
	if text != stderr {
		f.Output = stderr
	}
	if text == "" {
		f.Text = "It has printed nothing on standard error."
	}
	return f
}

// lastWords returns the line of the standard error of a program that says why it has ended:
// that of a panic or another error of the runtime, which stands above the stacks, or the last one.
func lastWords(stderr string) string {
	lines := strings.Split(stderr, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "goroutine ") {
			for _, above := range slices.Backward(lines[:i]) {
				if strings.HasPrefix(above, "panic: ") || strings.HasPrefix(above, "fatal error: ") {
					return above
				}
			}
		}
	}
	return lines[len(lines)-1]
}
