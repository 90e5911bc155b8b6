package dev

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/fault"
)

// A terminal is where the tool says what it does: a line for each event, and the faults
// with the source around them. It is also the standard error of programs.
type terminal struct {
	mu     sync.Mutex
	w      io.Writer
	colors devpage.Colors
	begun  bool // a line of the program is not whole yet
}

// newTerminal returns a terminal. It has colours only if w is one.
func newTerminal(w io.Writer, getenv func(string) string) *terminal {
	return &terminal{w: w, colors: devpage.ColorsOf(w, getenv)}
}

// Write is for the standard error of programs.
func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(b) > 0 {
		t.begun = b[len(b)-1] != '\n'
	}
	return t.w.Write(b)
}

// say prints a line about an event.
func (t *terminal) say(format string, args ...any) {
	t.print(t.line(fmt.Sprintf(format, args...)))
}

// line returns a line about an event.
func (t *terminal) line(text string) string { return t.colors.In(devpage.Dim, "flow: ") + text + "\n" }

// complain prints what is wrong. advice is a last line, or "".
func (t *terminal) complain(title string, faults []devpage.Fault, advice string) {
	t.list(devpage.Red, title, faults, advice)
}

func (t *terminal) list(color devpage.Color, title string, faults []devpage.Fault, advice string) {
	text := t.line(t.colors.In(color, title)) + "\n" + t.colors.Faults(color, faults)
	if advice != "" {
		text += "\n" + t.line(advice)
	}
	t.print(text)
}

// compare says what is wrong now with something that is judged again and again. format is
// that of a line about it, noun what one of the faults is called, and good the line that
// says that there are none any more.
func (t *terminal) compare(color devpage.Color, format, noun, good string, before, now []devpage.Fault) {
	counted := fault.Count(len(now), noun)
	switch {
	case len(now) == 0 && len(before) > 0:
		t.say("%s", good)
	case len(now) == 0:
	case reflect.DeepEqual(now, before):
		t.say(format, " still", counted)
	default:
		t.list(color, fmt.Sprintf(format, "", counted), now, "")
	}
}

// judged returns what the files of faults are, for a line about them: templates, pages in formats
// such as Markdown, and examples.
func judged(faults []devpage.Fault) string {
	var templates, pages, examples []string
	for _, f := range faults {
		switch filepath.Ext(f.File) {
		case ".http":
			examples = []string{"examples"}
		case ".html", ".go", "":
			templates = []string{"templates"}
		default:
			pages = []string{"pages"}
		}
	}
	switch kinds := slices.Concat(templates, pages, examples); len(kinds) {
	case 0:
		return "the templates"
	case 3:
		return "the templates, pages and examples"
	default:
		return "the " + strings.Join(kinds, " and ")
	}
}

// warn says which warnings of the templates are new, and how many there are if some are gone, or still.
// One that has moved to another line is not new.
func (t *terminal) warn(before, now []devpage.Fault) {
	known := map[[2]string]int{}
	for _, w := range before {
		known[[2]string{w.File, w.Text}]++
	}
	var added []devpage.Fault
	for _, w := range now {
		if known[[2]string{w.File, w.Text}]--; known[[2]string{w.File, w.Text}] < 0 {
			added = append(added, w)
		}
	}
	what, counted := judged(now), fault.Count(len(now), "warning")
	switch {
	case len(now) == 0 && len(before) == 0:
	case len(added) == 0 && len(now) == len(before):
		t.say("%s still have %s", what, counted)
	case len(now) == 0:
		t.say("%s have no warnings any more", judged(before))
	case len(added) == 0:
		t.say("%s have %s left", what, counted)
	case len(added) < len(now):
		t.list(devpage.Yellow, fmt.Sprintf("%s have %s, %d of them new", what, counted, len(added)), added, "")
	default:
		t.list(devpage.Yellow, what+" have "+counted, added, "")
	}
}

func (t *terminal) print(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begun {
		text = "\n" + text
		t.begun = false
	}
	io.WriteString(t.w, text)
}

// seconds returns a duration for people: "0.4s".
func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }
