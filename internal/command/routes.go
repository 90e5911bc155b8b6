package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
)

// A Route is a line of the list of routes: a flow.RouteInfo.
type Route struct {
	Method     string `json:"method"`
	Pattern    string `json:"pattern"`
	File       string `json:"file"`
	Name       string `json:"name"`
	Handler    string `json:"handler"`
	Middleware int    `json:"middleware"`
}

// Wants reports whether a route of that method is to be listed.
func (f Routes) Wants(method string) bool {
	asked := strings.ToUpper(f.Method)
	return asked == "" || method == "ANY" || method == asked || asked == http.MethodHead && method == http.MethodGet
}

// PrintRoutes prints the list of routes, as a table or as JSON.
func PrintRoutes(w io.Writer, listed []Route, asJSON bool) error {
	if asJSON {
		return PrintJSON(w, append([]Route{}, listed...)) // none are [], and not null
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "METHOD\tURL\tFILE\tHANDLER\tNAME\tMIDDLEWARE")
	for _, r := range listed {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\n", r.Method, r.Pattern, cmp.Or(r.File, "-"), cmp.Or(r.Handler, "-"), cmp.Or(r.Name, "-"), r.Middleware)
	}
	return t.Flush()
}

// PrintJSON prints a value as JSON that people can read too.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(v)
}
