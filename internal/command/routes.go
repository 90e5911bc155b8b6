package command

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/routemap"
)

// PrintRoutes prints those of all routes that the flags select, as JSON or as a table. row returns what the
// table has of a route. matching has the patterns that match the path of the flag.
func PrintRoutes[R any](w io.Writer, f Routes, all []R, row func(R) []string, matching map[string]bool) error {
	listed, rows := []R{}, [][]string{{"METHOD", "URL", "GUARDS", "HANDLER", "NAME", "FILE"}}
	for _, r := range all {
		if cells := row(r); f.selects(cells[0], cells[1], matching[cells[1]]) {
			listed, rows = append(listed, r), append(rows, cells)
		}
	}
	if f.JSON {
		return PrintJSON(w, listed)
	}
	columns := 0 // programs get whole lines
	if devpage.IsTerminal(w) {
		columns = 120
	}
	return printTable(w, rows, columns)
}

// PrintExplanation prints the explanation of the request of -explain.
func (f Routes) PrintExplanation(w io.Writer, explain func(routemap.Question) routemap.Explanation) error {
	q, err := routemap.ParseQuestion(f.Explain)
	if err != nil {
		return Usagef("-explain: %v", err)
	}
	if f.JSON {
		return PrintJSON(w, explain(q))
	}
	return explain(q).Print(w)
}

// selects reports whether the flags -method and -path select a route. matches is whether its pattern
// matches the path of the flag.
func (f Routes) selects(method, pattern string, matches bool) bool {
	asked := strings.ToUpper(f.Method)
	wanted := asked == "" || method == "ANY" || method == asked || asked == http.MethodHead && method == http.MethodGet
	return wanted && (matches || strings.Contains(pattern, f.Path))
}

// printTable prints rows of cells. Lines that are longer than columns are cut off, unless columns is 0:
// for a terminal, on which a table of folded lines cannot be read.
func printTable(w io.Writer, rows [][]string, columns int) error {
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
