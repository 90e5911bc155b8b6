package dev

import (
	"path/filepath"
	"regexp"
	"strings"

	"example.com/flow/internal/devpage"
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
// standard error, of which this is the end. how is how it has ended, and own tells the
// files of the application. The fault is that of the frame that has panicked.
func parseCrash(how, stderr, dir string, own func(file string) bool) devpage.Fault {
	text := how
	if tail := strings.TrimSpace(stderr); tail != "" {
		text += "\n\n" + tail
	}
	frames := devpage.Stack([]byte(stderr), func(f devpage.Frame) bool { return own(f.File) })
	f := devpage.FaultOf(text, frames, dir)
	if below, err := filepath.Rel(dir, f.File); err == nil && filepath.IsLocal(below) {
		f.File = filepath.ToSlash(below)
	}
	return f
}
