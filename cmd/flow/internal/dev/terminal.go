package dev

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/flow/internal/devpage"
)

// A terminal is where the tool says what it does: a line for each event, and the faults
// with the source around them. It is also the standard error of programs.
type terminal struct {
	mu     sync.Mutex
	w      io.Writer
	colour bool
	begun  bool // a line of the program is not whole yet
}

// newTerminal returns a terminal. It has colours only if w is one.
func newTerminal(w io.Writer, getenv func(string) string) *terminal {
	t := &terminal{w: w}
	if file, ok := w.(*os.File); ok && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" {
		info, err := file.Stat()
		t.colour = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return t
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

// The colours, as ANSI has them.
const (
	red    = "31"
	yellow = "33"
	bold   = "1"
	dim    = "2"
)

func (t *terminal) in(colour, text string) string {
	if !t.colour {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// say prints a line about an event.
func (t *terminal) say(format string, args ...any) {
	t.print(t.in(dim, "flow: ") + fmt.Sprintf(format, args...) + "\n")
}

// complain prints what is wrong. advice is a last line, or "".
func (t *terminal) complain(title string, faults []devpage.Fault, advice string) {
	t.list(red, title, faults, advice)
}

// warn prints what may be wrong.
func (t *terminal) warn(title string, faults []devpage.Fault) { t.list(yellow, title, faults, "") }

func (t *terminal) list(colour, title string, faults []devpage.Fault, advice string) {
	var b strings.Builder
	b.WriteString(t.in(dim, "flow: ") + t.in(colour, title) + "\n")
	for _, f := range faults {
		b.WriteByte('\n')
		if place := f.Place(); place != "" {
			b.WriteString(t.in(bold, place) + ": ")
		}
		b.WriteString(f.Text + "\n")
		t.source(&b, colour, f.Source)
	}
	if advice != "" {
		b.WriteString("\n" + t.in(dim, "flow: ") + advice + "\n")
	}
	t.print(b.String())
}

// source prints lines with their numbers.
func (t *terminal) source(b *strings.Builder, colour string, lines []devpage.Line) {
	if len(lines) == 0 {
		return
	}
	b.WriteByte('\n')
	width := len(strconv.Itoa(lines[len(lines)-1].Number))
	for _, line := range lines {
		text := strings.TrimRight(fmt.Sprintf("%*d | %s", width, line.Number, strings.ReplaceAll(line.Text, "\t", "    ")), " ")
		if line.Marked {
			b.WriteString("  " + t.in(colour, "> "+text) + "\n")
		} else {
			b.WriteString("    " + t.in(dim, text) + "\n")
		}
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

// count returns a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
