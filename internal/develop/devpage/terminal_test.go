package devpage_test

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
)

// TestFaultsInATerminal: each line of the source stands below its faults, with carets under
// what is wrong.
func TestFaultsInATerminal(t *testing.T) {
	for _, tt := range []struct{ name, line, faults, want string }{
		{"a word", "\t<p>{{.Nme}}</p>", "1:8: no Nme", `
a.html:1:8: no Nme

  1 | <p>{{.Nme}}</p>
    |       ^^^
`},
		{"a tag", "<p><my-img x>", "1:4: no", `
a.html:1:4: no

  1 | <p><my-img x>
    |    ^^^^^^^
`},
		{"two words", "{{.A}} {{.B}}", "1:4: no A\na.html:1:11: no B", `
a.html:1:4: no A
a.html:1:11: no B

  1 | {{.A}} {{.B}}
    |    ^      ^
`},
		{"tabs, characters over others, wide ones and what has no width of its own", "é\te\u0301日本{{.B}}", "1:16: no B", `
a.html:1:16: no B

  1 | é    e` + "\u0301" + `日本{{.B}}
    |              ^
`},
		{"the whole line", "{{if}}", "1: missing value for if", `
a.html:1: missing value for if

  1 | {{if}}
`},
		{"no source", "x", "7: gone", `
a.html:7: gone
`},
		{"several", "x", " one\na.html: two", `
a.html: one
a.html: two
`},
		{"several, with a source", "x", " one\na.html:1: two\na.html: three", `
a.html: one

a.html:1: two

  1 | x

a.html: three
`},
		{"several lines of text", "x", "1: one\n\ttwo", `
a.html:1: one
	two

  1 | x
`},
		{"a place within the text", "x", "", `
it fails: a.html:1: no

  1 | x
`},
		{"far behind", strings.Repeat("0123456789", 12) + "{{.Nme}}" + strings.Repeat("0123456789", 12), "1:124: no Nme", `
a.html:1:124: no Nme

  1 | …34567890123456789012345678901234567890123456789{{.Nme}}01234567890123456789012345678901234567890123…
    |                                                    ^^^
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			text := "a.html:" + tt.faults
			if tt.faults == "" {
				text = "it fails: a.html:1: no"
			}
			faults := devpage.Parse(text, written(t, "a.html", tt.line))
			is.Equal("\n"+devpage.Colors(false).Faults(devpage.Red, faults), tt.want)
		})
	}
	is := is.New(t)
	faults := devpage.Parse("a.html:1:4: no A", written(t, "a.html", "{{.A}}"))
	is.Equal(devpage.Colors(true).Faults(devpage.Yellow, faults),
		"\x1b[1ma.html:1:4\x1b[0m: no A\n\n  \x1b[2m1 | \x1b[0m{{.\x1b[33mA\x1b[0m}}\n   \x1b[2m | \x1b[0m\x1b[33m   ^\x1b[0m\n")
}

// TestColors: there are none but for a terminal that has them.
func TestColors(t *testing.T) {
	onUnix := runtime.GOOS != "windows"
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // the only device that every machine has
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0) // of Windows, unless it is run without
	hasConsole := !onUnix && err == nil
	t.Cleanup(func() { console.Close() })
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	for _, tt := range []struct {
		env     string
		unix    bool // on a device
		console bool // of Windows, where TERM is not set
	}{
		{"TERM=xterm", true, true},
		{"TERM=xterm NO_COLOR=1", false, false},
		{"TERM=dumb", false, false},
		{"TERM=dumb WT_SESSION=x", false, false},
		{"", false, true},
		{"NO_COLOR=1", false, false},
		{"TERM_PROGRAM=vscode", false, true},
		{"WT_SESSION=x", false, true}, // Windows Terminal
		{"WT_SESSION=x NO_COLOR=1", false, false},
	} {
		t.Run(tt.env, func(t *testing.T) {
			is := is.New(t)
			getenv := func(name string) string {
				for v := range strings.FieldsSeq(tt.env) {
					if key, value, _ := strings.Cut(v, "="); key == name {
						return value
					}
				}
				return ""
			}
			is.Equal(devpage.ColorsOf(null, getenv), devpage.Colors(tt.unix && onUnix))
			is.Equal(devpage.ColorsOf(console, getenv), devpage.Colors(tt.console && hasConsole))
			is.Equal(devpage.ColorsOf(file, getenv), devpage.Colors(false))
			is.Equal(devpage.ColorsOf(&bytes.Buffer{}, getenv), devpage.Colors(false))
		})
	}
}
