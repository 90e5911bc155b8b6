package dev

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"example.com/flow/internal/dev/devpage"
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

// warn prints what may be wrong.
func (t *terminal) warn(title string, faults []devpage.Fault) {
	t.list(devpage.Yellow, title, faults, "")
}

func (t *terminal) list(color devpage.Color, title string, faults []devpage.Fault, advice string) {
	text := t.line(t.colors.In(color, title)) + "\n" + t.colors.Faults(color, faults)
	if advice != "" {
		text += "\n" + t.line(advice)
	}
	t.print(text)
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
