package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/flow/bench/measure"
	"example.com/flow/bench/wire"
)

// Findings are all that was measured.
type Findings struct {
	Machine      Machine
	Subjects     []Subject
	Instructions string // as command instructions prints them
	// Text, File and Page are of servers, asked for a short text, a public file and the page
	// with data.
	Text, File, Page []wire.Figure
	Memory           []wire.Footprint
	Missing          []string // what was not measured, in whole sentences
}

// A Subject has the rows that were measured of one of package rows.
type Subject struct {
	Title, Note string
	Rows        []Row
}

// A Row is a row of package rows with its figures.
type Row struct {
	Name, Title string
	measure.Result
}

const introduction = `<!-- Written by "go run ./report". Change that. -->
# Benchmarks

![What a page costs with each of the contestants: time, allocations, and the processor's time over the wire.](pages.svg)

flow beside raw httprouter, net/http's ServeMux, chi, gin, echo and, over the wire, fiber and nginx; its pages beside html/template, and what templ and quicktemplate generate. All figures on this page are from one run of

    cd bench && go run ./report

on %s

![How long a request takes in each of the contestants.](chart.svg)

## How it is measured

All contestants of a table are in one process. Each is written as its own documentation says, and contains panics as that says, other than raw httprouter. A request is like that of a server, and the writer throws the answer away; each answer was compared before it was measured. Then all contestants have a turn of two milliseconds or more, in an order that differs from round to round, about a hundred times. A ratio is the median of the ratios of all rounds, so that a machine that is slow for a second changes nothing. "Least" is the quickest round: compare nanoseconds by that. The garbage collector runs between tables and when it is due, with GOGC=400: at 100 a heap as empty as this one would be collected thousands of times a second, as no server is that holds anything. Allocations are counted while it is off.

` + "`go run ./gate`" + ` holds what must not become dearer: it counts instructions with callgrind, as ratios in one run, which are the same to one in a hundred on a busy machine and on another one, and allocations; times only where a factor of two shows. ` + "`go run ./gate -list`" + ` tells the goals. CI runs it. ` + "`go run ./report -run json`" + ` prints the tables of the rows that match.
`

// render writes the findings as a page of Markdown.
func (f Findings) render(w io.Writer) {
	fmt.Fprintf(w, introduction, f.Machine)
	for _, missing := range f.Missing {
		fmt.Fprintf(w, "\n%s\n", missing)
	}
	for _, subject := range f.Subjects {
		subject.render(w)
	}
	if f.Instructions != "" {
		fmt.Fprintf(w, "\n### Instructions of one request\n\nIn user space, over one connection that is kept, client and server in one process; counted by callgrind (`go run ./instructions`), and exact to a few units. The kernel is not counted.\n\n| server | instructions |\n|---|--:|\n")
		for line := range strings.Lines(f.Instructions) {
			fields := strings.Fields(line)
			if len(fields) > 1 {
				last := len(fields) - 1
				fmt.Fprintf(w, "| %s | %s |\n", strings.Join(fields[:last], " "), fields[last])
			}
		}
	}
	if f.Text == nil && f.File == nil && f.Page == nil {
		return
	}
	fmt.Fprintf(w, "\n## Over the wire\n\nEach server is a process of its own with all processors, on loopback, asked by `wrk -t1 -c32` in turn, three seconds at a time. Since wrk works on the same machine, requests per second vary with everything else that runs: seconds of the processor are the figure that holds still. Those that are called \"no timeouts\" are started as their documentation says, and wait forever for clients that stall. The page is served by flow.Serve, by gin and echo themselves, and for the others by http.Server with the same timeouts.\n")
	renderLoad(w, "A page in a layout with a list of 10 rows", f.Page)
	renderLoad(w, "GET /users/{id}, the id as text", f.Text)
	renderLoad(w, "A public file of 20 KB", f.File)
	if f.Memory != nil {
		fmt.Fprintf(w, "\n### Resident memory\n\nOf a new process after ten requests over each of its connections. All contestants are in one binary.\n\n| server | one connection | 1,000 connections |\n|---|--:|--:|\n")
		for _, m := range f.Memory {
			fmt.Fprintf(w, "| %s | %s | %s |\n", m.Name, megabytes(m.One), megabytes(m.Thousand))
		}
	}
}

// render writes a subject, with a table for each of its rows.
func (s Subject) render(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n%s\n", s.Title, s.Note)
	for _, row := range s.Rows {
		row.render(w)
	}
}

func (r Row) render(w io.Writer) {
	counted := slices.ContainsFunc(r.Figures, func(f measure.Figure) bool { return f.Allocs > 0 })
	fmt.Fprintf(w, "\n### %s\n\n| `%s` | least | median | times |", capital(r.Title), r.Name)
	if counted {
		fmt.Fprint(w, " bytes | allocations |")
	}
	fmt.Fprint(w, "\n|---|--:|--:|--:|")
	if counted {
		fmt.Fprint(w, "--:|--:|")
	}
	fmt.Fprintln(w)
	for _, f := range r.Figures {
		name := f.Name
		if name == "flow" {
			name = "**flow**"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |", name, quantity(f.Min(), r.Unit), quantity(f.Median(), r.Unit), times(r.Ratio(f.Name, r.Base)))
		if counted {
			fmt.Fprintf(w, " %.0f | %s |", f.Bytes, count(f.Allocs))
		}
		fmt.Fprintln(w)
	}
}

func renderLoad(w io.Writer, title string, figures []wire.Figure) {
	if figures == nil {
		return
	}
	fmt.Fprintf(w, "\n### %s\n\n| server | requests/s, median (least to most) | p50 | p99 | CPU s for 100,000 requests |\n|---|--:|--:|--:|--:|\n", title)
	for _, f := range figures {
		fmt.Fprintf(w, "| %s | %.0f (%.0f to %.0f) | %s | %s | %.2f |\n", f.Name,
			measure.Median(f.Requests), slices.Min(f.Requests), slices.Max(f.Requests),
			latency(f.P50), latency(f.P99), measure.Median(f.CPU))
	}
}

// latency returns the median of some times.
func latency(times []time.Duration) string {
	sorted := slices.Sorted(slices.Values(times))
	return quantity(float64(sorted[len(sorted)/2]), "")
}

// quantity writes what was measured with three digits: nanoseconds unless it has another
// unit.
func quantity(v float64, unit string) string {
	switch {
	case unit != "":
		return digits(v) + " " + unit
	case v < 10_000:
		return digits(v) + " ns"
	case v < 1_000_000:
		return digits(v/1e3) + " µs"
	}
	return digits(v/1e6) + " ms"
}

// digits writes three digits, or all those of a whole number.
func digits(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// times writes a ratio with two digits at least, however small it is.
func times(ratio float64) string {
	if ratio < 0.1 {
		return fmt.Sprintf("%.2g", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

// count writes how many there are, on average, without a fraction if there is none.
func count(n float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
