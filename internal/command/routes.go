package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
)

// A Route is a line of the list of routes. Its fields are those of flow.RouteInfo.
type Route struct {
	Method     string   `json:"method"`
	Pattern    string   `json:"pattern"`
	File       string   `json:"file"`
	Name       string   `json:"name"`
	Handler    string   `json:"handler"`
	Guards     []string `json:"guards"`
	Middleware int      `json:"middleware"`
}

// guards returns the names of the guards for the table.
func (r Route) guards() string { return cmp.Or(strings.Join(r.Guards, ", "), "public") }

// wants reports whether the flag -method selects routes of a method.
func (f Routes) wants(method string) bool {
	asked := strings.ToUpper(f.Method)
	return asked == "" || method == "ANY" || method == asked || asked == http.MethodHead && method == http.MethodGet
}

// Print prints the routes that the flags select, as a table or as JSON. answering holds the
// patterns that match the path of the flag -path. Lines of the table that are longer than
// columns are cut off, unless columns is 0: for a terminal, on which a table of folded lines
// cannot be read.
func (f Routes) Print(w io.Writer, all []Route, answering map[string]bool, columns int) error {
	listed := slices.DeleteFunc(slices.Clone(all), func(r Route) bool {
		return !f.wants(r.Method) || !strings.Contains(r.Pattern, f.Path) && !answering[r.Pattern]
	})
	if f.JSON {
		return PrintJSON(w, append([]Route{}, listed...)) // [] and not null if there are none
	}
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "METHOD\tURL\tGUARDS\tHANDLER\tNAME\tFILE")
	for _, r := range listed {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Method, r.Pattern, r.guards(), cmp.Or(r.Handler, "-"), cmp.Or(r.Name, "-"), cmp.Or(r.File, "-"))
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

// PrintJSON prints a value as JSON, for people as well as for programs: indented, and with < as it is.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(v)
}
