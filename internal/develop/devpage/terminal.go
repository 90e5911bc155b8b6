package devpage

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Colors says whether a terminal gets colors.
type Colors bool

// ColorsOf reports whether what is written to w may have colors: w is a terminal that has
// them, and the environment does not forbid them (https://no-color.org).
func ColorsOf(w io.Writer, getenv func(string) string) Colors {
	term := getenv("TERM")
	return Colors(getenv("NO_COLOR") == "" && term != "dumb" && IsTerminal(w) && showsColors(w.(*os.File), term))
}

// IsTerminal reports whether what is written to w is on a terminal.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A Color is a parameter of an ANSI escape sequence.
type Color string

// The colors of messages.
const (
	Red    Color = "31"
	Yellow Color = "33"
	Bold   Color = "1"
	Dim    Color = "2"
)

// In returns a text in a color.
func (c Colors) In(color Color, text string) string {
	if !c || text == "" {
		return text
	}
	return "\x1b[" + string(color) + "m" + text + "\x1b[0m"
}

// Faults returns faults for a terminal. The faults of a line of the source are followed by
// the line itself, with carets under what is wrong.
func (c Colors) Faults(color Color, faults []Fault) string {
	var b strings.Builder
	all := Excerpts(faults)
	for i, e := range all {
		if i > 0 && len(e.Rows)+len(all[i-1].Rows) > 0 {
			b.WriteByte('\n')
		}
		for _, f := range e.Faults {
			b.WriteString(strings.Replace(f.String(), f.Place(), c.In(Bold, f.Place()), 1) + "\n")
		}
		for _, row := range e.Rows {
			if row.Marked {
				c.row(&b, colorOf(e, color), row)
			}
		}
	}
	return b.String()
}

// colorOf returns the color for what is wrong in an excerpt: yellow if that are warnings, or
// else the given one.
func colorOf(e Excerpt, color Color) Color {
	if slices.ContainsFunc(e.Faults, func(f Fault) bool { return !strings.HasPrefix(f.Text, "warning: ") }) {
		return color
	}
	return Yellow
}

// row writes a line of the source, and one with carets.
func (c Colors) row(b *strings.Builder, color Color, row Row) {
	number := strconv.Itoa(row.Number)
	line, carets := "", ""
	for _, p := range shortened(row.Pieces) {
		text := strings.ReplaceAll(p.Text, "\t", "    ")
		mark := " "
		if p.Wrong {
			mark = "^"
			line += c.In(color, text)
		} else {
			line += text
		}
		carets += strings.Repeat(mark, width(text))
	}
	b.WriteString("\n  " + c.In(Dim, number+" | ") + line + "\n")
	if carets = strings.TrimRight(carets, " "); carets != "" {
		b.WriteString("  " + strings.Repeat(" ", len(number)) + c.In(Dim, " | ") + c.In(color, carets) + "\n")
	}
}

// maxColumns is about how many columns of a terminal a line of the source takes at most.
const maxColumns = 100

// shortened returns the pieces of a line, without the beginning and the end of a line that is
// too long for a terminal. The first word that is wrong stays.
func shortened(pieces []Piece) []Piece {
	if len(pieces) > 0 {
		pieces[0].Text = strings.TrimLeft(pieces[0].Text, " \t") // the indentation tells nothing here
	}
	if len(pieces) > 1 && !pieces[0].Wrong {
		first, word := []rune(pieces[0].Text), []rune(pieces[1].Text)
		if len(first)+len(word) > maxColumns && len(first) > maxColumns/2 {
			pieces[0].Text = "…" + string(first[len(first)-maxColumns/2:])
		}
	}
	for i, left := 0, maxColumns; i < len(pieces); i++ {
		text := []rune(pieces[i].Text)
		if len(text) > left {
			pieces[i].Text = string(text[:left]) + "…"
			return pieces[:i+1]
		}
		left -= len(text)
	}
	return pieces
}

// width returns the number of columns that a text takes in a terminal.
func width(text string) (n int) {
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r): // it is drawn over the character before
		case r != utf8.RuneError && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), r >= 0x1f300 && r <= 0x1faff:
			n += 2
		default:
			n++
		}
	}
	return n
}
