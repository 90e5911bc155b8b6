package command

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
)

// Selects reports whether the flags -method and -path select a route. matches is whether its pattern
// matches the path of the flag.
func (f Routes) Selects(method, pattern string, matches bool) bool {
	asked := strings.ToUpper(f.Method)
	wanted := asked == "" || method == "ANY" || method == asked || asked == http.MethodHead && method == http.MethodGet
	return wanted && (matches || strings.Contains(pattern, f.Path))
}

// PrintTable prints rows of cells. Lines that are longer than columns are cut off, unless columns is 0:
// for a terminal, on which a table of folded lines cannot be read.
func PrintTable(w io.Writer, rows [][]string, columns int) error {
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, cells := range rows {
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	t.Flush()
	var cut strings.Builder
	for line := range strings.Lines(table.String()) {
		if runes := []rune(line); columns > 0 && len(runes)-1 > columns {
			line = string(runes[:columns-1]) + "…\n"
		}
		cut.WriteString(line)
	}
	_, err := io.WriteString(w, cut.String())
	return err
}
