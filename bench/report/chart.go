package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

	"example.com/flow/bench/measure"
)

// A panel is a part of a chart: bars with a scale of their own, of which the first is flow's.
type panel struct {
	title string
	bars  []bar
}

type bar struct {
	name   string
	length float64
	label  string
}

// panels are the rows that the chart of all subjects shows, with the contestants of each.
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

// Sizes in charts, in pixels.
const (
	chartWidth = 860
	columns    = 2
	panelWidth = chartWidth / columns
	nameWidth  = 130
	barsWidth  = panelWidth - nameWidth - 90
	lineHeight = 22
	titleSpace = 44
)

// chartColors are the colors of charts, for readers in light and in dark surroundings.
const chartColors = `<style>
.ground { fill: #fff }
text { fill: #1f2328 }
.quiet { fill: #59636e }
.flow { fill: #0a7d6c }
.other { fill: #b8c0cc }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 }
text { fill: #f0f6fc }
.quiet { fill: #9198a1 }
.flow { fill: #2fb39d }
.other { fill: #596270 }
}
</style>`

// chart writes the quickest rounds of some rows.
func (f Findings) chart(w io.Writer) {
	var drawn []panel
	for _, p := range panels {
		if result, ok := f.find(p.row); ok {
			drawn = append(drawn, panel{p.title, quickest(result, p.contestants)})
		}
	}
	f.draw(w, drawn, "Time of one request in the quickest round; shorter is better.")
}

// pagesChart writes what the page with data costs: time, allocations, and, if servers were
// measured, the processor's time over the wire.
func (f Findings) pagesChart(w io.Writer) {
	result, _ := f.find("page/data")
	time, allocs := panel{title: "A page with a list of 10 rows: time"}, panel{title: "Allocations"}
	for _, figure := range result.Figures {
		time.bars = append(time.bars, bar{figure.Name, figure.Min(), quantity(figure.Min(), "")})
		allocs.bars = append(allocs.bars, bar{figure.Name, figure.Allocs, count(figure.Allocs)})
	}
	drawn := []panel{time, allocs}
	if f.Page != nil {
		wire := panel{title: "Over the wire: CPU of 100,000 requests"}
		for _, figure := range f.Page {
			cpu := measure.Median(figure.CPU)
			wire.bars = append(wire.bars, bar{figure.Name, cpu, quantity(cpu, "s")})
		}
		drawn = append(drawn, wire)
	}
	f.draw(w, drawn, "The same page of each; shorter is better. Time is that of a request in the quickest round.")
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

// quickest returns bars for the quickest rounds of contestants.
func quickest(r measure.Result, contestants []string) (bars []bar) {
	for _, name := range contestants {
		least := r.Of(name).Min()
		short, _, _ := strings.Cut(name, ",") // without how many there are in a chain
		bars = append(bars, bar{short, least, quantity(least, r.Unit)})
	}
	return bars
}

// draw writes panels as a picture, with a note below them.
func (f Findings) draw(w io.Writer, panels []panel, note string) {
	var body bytes.Buffer
	x, y, tallest := 0, 0, 0
	for _, p := range panels {
		if x == columns {
			x, y, tallest = 0, y+tallest, 0
		}
		p.draw(&body, x*panelWidth, y)
		x++
		tallest = max(tallest, titleSpace+lineHeight*len(p.bars))
	}
	bottom := y + tallest + 34
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13">`+"\n", chartWidth, bottom+12)
	fmt.Fprintln(w, chartColors)
	fmt.Fprintln(w, `<rect class="ground" width="100%" height="100%"/>`)
	body.WriteTo(w)
	fmt.Fprintf(w, `<text x="10" y="%d" class="quiet" font-size="11">%s %s, %s, %s.</text>`+"\n",
		bottom, note, html.EscapeString(f.Machine.CPU), f.Machine.Go, f.Machine.Date.Format("2 January 2006"))
	fmt.Fprintln(w, "</svg>")
}

// draw writes bars, the first in a color of its own.
func (p panel) draw(w io.Writer, x, y int) {
	fmt.Fprintf(w, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", x+10, y+28, html.EscapeString(p.title))
	longest := 0.0
	for _, b := range p.bars {
		longest = max(longest, b.length)
	}
	for i, b := range p.bars {
		class := "other"
		if i == 0 {
			class = "flow"
		}
		line := y + titleSpace + i*lineHeight
		width := b.length / longest * barsWidth
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="end">%s</text>`, x+nameWidth-6, line+14, html.EscapeString(b.name))
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="%.1f" height="%d" class="%s"/>`, x+nameWidth, line+2, width, lineHeight-6, class)
		fmt.Fprintf(w, `<text class="quiet" x="%.1f" y="%d">%s</text>`+"\n", float64(x+nameWidth)+width+6, line+14, b.label)
	}
}
