package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

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
)

// chart writes the quickest rounds of some rows as bars, flow's in a color of its own. Each
// panel has a scale of its own.
func (f Findings) chart(w io.Writer) {
	var body bytes.Buffer
	x, y, tallest := 0, 0, 0
	for _, p := range panels {
		result, ok := f.find(p.row)
		if !ok {
			continue
		}
		if x == columns {
			x, y, tallest = 0, y+tallest, 0
		}
		panel{p.title, p.contestants, result}.draw(&body, x*panelWidth, y)
		x++
		tallest = max(tallest, titleSpace+lineHeight*len(p.contestants))
	}
	bottom := y + tallest + 34
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13">`+"\n", chartWidth, bottom+12)
	fmt.Fprintln(w, `<rect width="100%" height="100%" fill="#fff"/>`)
	body.WriteTo(w)
	fmt.Fprintf(w, `<text x="10" y="%d" fill="#666" font-size="11">Time of one request in the quickest round; shorter is better. %s, %s, %s.</text>`+"\n",
		bottom, html.EscapeString(f.Machine.CPU), f.Machine.Go, f.Machine.Date.Format("2 January 2006"))
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
		longest = max(longest, p.Of(name).Min())
	}
	for i, name := range p.contestants {
		least := p.Of(name).Min()
		color := "#b8c0cc"
		if i == 0 { // flow is the first of each
			color = "#0a7d6c"
		}
		line := y + titleSpace + i*lineHeight
		width := least / longest * barsWidth
		label, _, _ := strings.Cut(name, ",") // without how many there are in a chain
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="end">%s</text>`, x+nameWidth-6, line+14, html.EscapeString(label))
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`, x+nameWidth, line+2, width, lineHeight-6, color)
		fmt.Fprintf(w, `<text x="%.1f" y="%d" fill="#444">%s</text>`+"\n", float64(x+nameWidth)+width+6, line+14, quantity(least, p.Unit))
	}
}
