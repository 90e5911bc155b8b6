package devpage

import (
	"fmt"
	"slices"
	"strings"
)

// An Excerpt is the source around a line, with the faults of that line. It is as open pages
// get it.
type Excerpt struct {
	Faults []Fault `json:"faults"` // without Source, in their order
	Rows   []Row   `json:"rows"`   // empty if the source is not known
}

// A Row is a line of an Excerpt.
type Row struct {
	Number int     `json:"number"`
	Pieces []Piece `json:"pieces"`
	Marked bool    `json:"marked,omitempty"` // the line of the faults
}

// A Piece is a part of a Row.
type Piece struct {
	Text  string `json:"text"`
	Wrong bool   `json:"wrong,omitempty"` // it is what a fault is about
}

// Excerpts returns the faults by the lines that they are about. Faults of one line share an
// excerpt.
func Excerpts(faults []Fault) (all []Excerpt) {
	for len(faults) > 0 {
		first := faults[0]
		var same, others []Fault
		for i, f := range faults {
			if i == 0 || len(f.Source) > 0 && f.File == first.File && slices.Equal(f.Source, first.Source) {
				same = append(same, f)
			} else {
				others = append(others, f)
			}
		}
		all = append(all, excerpt(same))
		faults = others
	}
	return all
}

// excerpt returns the Excerpt of faults that have the same source.
func excerpt(faults []Fault) (e Excerpt) {
	for _, line := range faults[0].Source {
		row := Row{line.Number, []Piece{{Text: line.Text}}, line.Marked}
		if line.Marked {
			row.Pieces = pieces(line.Text, faults)
		}
		e.Rows = append(e.Rows, row)
	}
	for _, f := range faults {
		f.Source, f.Word = nil, Span{}
		e.Faults = append(e.Faults, f)
	}
	return e
}

// pieces returns a line in pieces, of which the words of faults are wrong.
func pieces(line string, faults []Fault) (all []Piece) {
	wrong := make([]bool, len(line))
	for _, f := range faults {
		for i := f.Word.From; i < min(f.Word.To, len(line)); i++ {
			wrong[i] = true
		}
	}
	for from := 0; from < len(line); {
		to := from
		for to < len(line) && wrong[to] == wrong[from] {
			to++
		}
		all = append(all, Piece{line[from:to], wrong[from]})
		from = to
	}
	return all
}

// Headline says what is wrong in one line. For several faults it says how many there are, and
// where. It is "" if there are none.
func Headline(faults []Fault) string {
	switch len(faults) {
	case 0:
		return ""
	case 1:
		text := faults[0].Text
		if m := executing.FindStringIndex(text); m != nil && m[0] == 0 {
			text = text[m[1]:] // the excerpt shows the expression
		}
		text, _, _ = strings.Cut(text, "\n")
		return text
	}
	var files []string
	for _, f := range faults {
		if f.File != "" && !slices.Contains(files, f.File) {
			files = append(files, f.File)
		}
	}
	switch len(files) {
	case 0:
		return fmt.Sprintf("%d faults", len(faults))
	case 1:
		return fmt.Sprintf("%d faults in %s", len(faults), files[0])
	}
	return fmt.Sprintf("%d faults in %d files", len(faults), len(files))
}
