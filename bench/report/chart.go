package main

import (
	"fmt"
	"html"
	"io"

	"example.com/flow/bench/measure"
)

// panels are the rows that the chart shows, with the contestants of each.
var panels = []struct {
	row, title  string
	contestants []string
}{
	{"github/all", "Routing, GitHub's API", []string{"flow", "httprouter", "gin", "echo", "ServeMux", "chi"}},
	{"handler/net-http", "A net/http handler", []string{"flow", "ServeMux", "chi"}},
	{"chain/standard", "Five standard middlewares", []string{"flow, 5", "ServeMux, 5", "chi, 5"}},
	{"json/create", "JSON bound, validated, answered", []string{"flow", "gin", "echo", "ServeMux"}},
	{"page/plain", "A page that needs no handler", []string{"flow", "FileServerFS", "gin", "echo"}},
	{"file/plain", "A public file of 20 KB", []string{"flow", "FileServerFS", "gin", "echo"}},
}

// Sizes in the chart, in pixels.
const (
	chartWidth = 860
	columns    = 2
	panelWidth = chartWidth / columns
	nameWidth  = 110
	barsWidth  = panelWidth - nameWidth - 90
	lineHeight = 22
	titleSpace = 44
	panelSpace = titleSpace + 6*lineHeight + 10
)

// chart writes the medians of some rows as bars, flow's in a color of its own. Each panel
// has a scale of its own.
func (f Findings) chart(w io.Writer) {
	var shown []panel
	for _, p := range panels {
		if result, ok := f.find(p.row); ok {
			shown = append(shown, panel{p.title, p.contestants, result})
		}
	}
	height := (len(shown) + columns - 1) / columns * panelSpace
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13">`+"\n", chartWidth, height+30)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	for i, p := range shown {
		p.draw(w, i%columns*panelWidth, i/columns*panelSpace)
	}
	fmt.Fprintf(w, `<text x="10" y="%d" fill="#666" font-size="11">Time of one request, median; shorter is better. %s, %s, %s.</text>`+"\n",
		height+18, html.EscapeString(f.Machine.CPU), f.Machine.Go, f.Machine.Date.Format("2 January 2006"))
	fmt.Fprintln(w, "</svg>")
}

// find returns what was measured of a row.
func (f Findings) find(name string) (measure.Result, bool) {
	for _, s := range f.Subjects {
		for _, r := range s.Rows {
			if r.Name == name {
				return r.Result, true
			}
		}
	}
	return measure.Result{}, false
}

// A panel is a part of the chart.
type panel struct {
	title       string
	contestants []string
	measure.Result
}

func (p panel) draw(w io.Writer, x, y int) {
	fmt.Fprintf(w, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", x+10, y+28, html.EscapeString(p.title))
	longest := 0.0
	for _, name := range p.contestants {
		longest = max(longest, p.Of(name).Median())
	}
	for i, name := range p.contestants {
		median := p.Of(name).Median()
		color := "#b8c0cc"
		if i == 0 { // flow is the first of each
			color = "#0a7d6c"
		}
		line := y + titleSpace + i*lineHeight
		width := median / longest * barsWidth
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="end">%s</text>`, x+nameWidth-6, line+14, html.EscapeString(name))
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`, x+nameWidth, line+2, width, lineHeight-6, color)
		fmt.Fprintf(w, `<text x="%.1f" y="%d" fill="#444">%s</text>`+"\n", float64(x+nameWidth)+width+6, line+14, quantity(median, p.Unit))
	}
}
