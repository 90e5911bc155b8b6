package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, r *flow.Router) {
		f.GET().Name("home").Do(func(*flow.Request) ([]tableRow, error) {
			return tableOf(r.Routes()), nil
		})
	})
}

// A tableRow is a line of the route table on the home page.
type tableRow struct {
	Methods []string
	Pattern string
	File    string
}

// tableOf returns a row for each URL of each file, with all its methods. Routes lists the
// methods of a URL one after the other.
func tableOf(routes []flow.RouteInfo) []tableRow {
	var rows []tableRow
	for _, r := range routes {
		last := len(rows) - 1
		if last < 0 || rows[last].File != r.File || rows[last].Pattern != r.Pattern {
			rows = append(rows, tableRow{Pattern: r.Pattern, File: r.File})
			last++
		}
		rows[last].Methods = append(rows[last].Methods, r.Method)
	}
	return rows
}
