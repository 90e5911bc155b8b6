package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/bench/measure"
	"example.com/flow/bench/rows"
	"example.com/flow/bench/wire"
)

// given are findings of which the report is known.
func given() Findings {
	return Findings{
		Machine: Machine{
			CPU: "A <fast> CPU", System: "linux/amd64", Go: "go1.26", Load: "0.25", Cores: 2,
			Date: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), Versions: []string{"gin v1.12.0", "wrk 4.1.0"},
		},
		Subjects: []Subject{{Title: "JSON", Note: "What is bound.", Rows: []Row{
			{"json/create", "two fields bound", measure.Result{Base: "gin", Figures: []measure.Figure{
				{Name: "flow", Rounds: []float64{1000, 3000, 2000}, Allocs: 14, Bytes: 2144},
				{Name: "gin", Rounds: []float64{2000, 2000, 20_000}, Allocs: 12.5, Bytes: 1088},
				{Name: "echo", Rounds: []float64{3000, 3000, 3000}, Allocs: 13, Bytes: 1088},
				{Name: "ServeMux", Rounds: []float64{4000, 4000, 4000}, Allocs: 13, Bytes: 1088},
			}}},
			{"page/data", "a page", measure.Result{Base: "html/template", Figures: []measure.Figure{
				{Name: "flow", Rounds: []float64{2000, 2500}, Allocs: 3},
				{Name: "html/template", Rounds: []float64{40_000, 41_000}, Allocs: 300},
			}}},
			{"large/heap", "heap", measure.Result{Base: "flow", Unit: "B", Figures: []measure.Figure{
				{Name: "flow", Rounds: []float64{1300, 1300, 1300}},
			}}},
		}}},
		Instructions: "flow, http.Server                               42251\nflow, flow.Serve  44000\n",
		Text: []wire.Figure{{
			Name: "flow.Serve", Requests: []float64{50_000, 40_000, 60_000}, CPU: []float64{1.5, 1.7, 1.6},
			P50: []time.Duration{500 * time.Microsecond, 400 * time.Microsecond, 600 * time.Microsecond},
			P99: []time.Duration{5 * time.Millisecond, 4 * time.Millisecond, 6 * time.Millisecond},
		}},
		Page:    []wire.Figure{{Name: "flow", Requests: []float64{1}, CPU: []float64{2.5}, P50: []time.Duration{1}, P99: []time.Duration{1}}},
		Memory:  []wire.Footprint{{Name: "flow.Serve", One: 19_800_000, Thousand: 54_400_000}},
		Missing: []string{"nginx is not installed."},
	}
}

func TestReportOfGivenFigures(t *testing.T) {
	is := is.New(t)
	var page strings.Builder
	given().render(&page)
	for _, line := range []string{
		"on A <fast> CPU, 2 cores, linux/amd64, go1.26, load average 0.25 at the start, 22 November 2026. gin v1.12.0, wrk 4.1.0.",
		"nginx is not installed.",
		"## JSON\n\nWhat is bound.\n\n### Two fields bound\n\n| `json/create` | least | median | times | bytes | allocations |\n|---|--:|--:|--:|--:|--:|\n" +
			"| **flow** | 1000 ns | 2000 ns | 0.50 | 2144 | 14 |\n" +
			"| gin | 2000 ns | 2000 ns | 1.00 | 1088 | 12.5 |\n",
		"| `large/heap` | least | median | times |\n|---|--:|--:|--:|\n| **flow** | 1300 B | 1300 B | 1.00 |\n",
		"| flow, http.Server | 42251 |\n| flow, flow.Serve | 44000 |\n",
		"| flow.Serve | 50000 (40000 to 60000) | 500 µs | 5.00 ms | 1.60 |\n",
		"| flow.Serve | 19.8 MB | 54.4 MB |\n",
	} {
		if !strings.Contains(page.String(), line) {
			t.Errorf("%q is not in\n%s", line, page.String())
		}
	}
	is.True(!strings.Contains(page.String(), "A public file of 20 KB")) // it was not measured
}

func TestReportBeginsWithTheChartOfPages(t *testing.T) {
	is := is.New(t)
	var page strings.Builder
	given().render(&page)
	_, begin, _ := strings.Cut(page.String(), "# Benchmarks\n\n")
	is.True(strings.HasPrefix(begin, "![What a page costs"))
	is.True(strings.Contains(begin[:200], "(pages.svg)"))
}

func TestReportWithoutWire(t *testing.T) {
	is := is.New(t)
	found := given()
	found.Text, found.Page, found.Memory, found.Instructions = nil, nil, nil, ""
	var page strings.Builder
	found.render(&page)
	is.True(!strings.Contains(page.String(), "## Over the wire"))
	is.True(!strings.Contains(page.String(), "### Instructions"))
}

func TestChartsOfGivenFigures(t *testing.T) {
	withoutWire := given()
	withoutWire.Page = nil
	for name, tt := range map[string]struct {
		write  func(io.Writer)
		panels int
		holds  []string
	}{
		"of all subjects": {given().chart, 1, []string{
			`width="52.5"`,           // flow, 1000 of 4000
			`width="210.0"`,          // the longest bar
			`>1000 ns<`,              // the quickest round
			`A &lt;fast&gt; CPU, go`, // escaped
		}},
		"of pages": {given().pagesChart, 3, []string{
			`width="10.5"`, // flow, 2000 of 40,000
			`width="2.1"`,  // flow, 3 of 300 allocations
			`>2000 ns<`,    // time
			`>300<`,        // allocations
			`>2.50 s<`,     // over the wire
		}},
		"of pages without wire": {withoutWire.pagesChart, 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			var chart bytes.Buffer
			tt.write(&chart)
			text := chart.String()
			for d := xml.NewDecoder(&chart); ; {
				_, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				is.NoErr(err) // it is well-formed
			}
			is.Equal(strings.Count(text, `font-weight="bold"`), tt.panels) // those that were measured
			is.Equal(strings.Count(text, `class="flow"`), tt.panels)       // flow's in each
			is.True(strings.Contains(text, "prefers-color-scheme: dark"))
			for _, part := range tt.holds {
				if !strings.Contains(text, part) {
					t.Errorf("%s is not in\n%s", part, text)
				}
			}
		})
	}
}

// The chart shows contestants that there are, and flow is the first of them.
func TestPanelsCanBeDrawn(t *testing.T) {
	for _, p := range panels {
		t.Run(p.row, func(t *testing.T) {
			is := is.New(t)
			var names []string
			for _, c := range rows.Named(p.row).Build().Contestants {
				names = append(names, c.Name)
			}
			for _, name := range p.contestants {
				is.True(strings.Contains("|"+strings.Join(names, "|")+"|", "|"+name+"|"))
			}
			is.True(strings.HasPrefix(p.contestants[0], "flow"))
		})
	}
}

func TestQuantities(t *testing.T) {
	for _, tt := range []struct {
		value float64
		unit  string
		want  string
	}{
		{7.25, "", "7.25 ns"},
		{97.4, "", "97.4 ns"},
		{1234, "", "1234 ns"},
		{12_340, "", "12.3 µs"},
		{999_000, "", "999 µs"},
		{2_190_000, "", "2.19 ms"},
		{203_400_000, "", "203 ms"},
		{1300, "B", "1300 B"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			is := is.New(t)
			is.Equal(quantity(tt.value, tt.unit), tt.want)
		})
	}
	is := is.New(t)
	is.Equal(times(0.00285), "0.0029")
	is.Equal(times(1.5), "1.50")
	is.Equal(count(2.66), "2.7")
	is.Equal(count(14), "14")
}

func TestMachine(t *testing.T) {
	is := is.New(t)
	is.Equal(modelName("processor\t: 0\nmodel name\t: AMD EPYC\nflags: x\n"), "AMD EPYC")
	is.Equal(modelName(""), "a processor that tells no name")
	is.Equal(loadAverage("0.25 0.50 1.00 1/200 3\n"), "0.25")
	is.Equal(loadAverage(""), "unknown")
	is.Equal(versions(&debug.BuildInfo{Deps: []*debug.Module{
		{Path: "github.com/gofiber/fiber/v3", Version: "v3.1.0"},
		{Path: "example.com/other", Version: "v1.0.0"},
		{Path: "github.com/gin-gonic/gin", Version: "v1.12.0"},
	}}), []string{"gin v1.12.0", "fiber v3.1.0"})
	m := thisMachine()
	is.True(m.Cores > 0)
	is.True(m.Go != "")
}

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"-run [", 2, "", "report: -run: error parsing regexp"},
		{"-nothing", 2, "", "flag provided but not defined"},
		{"-run ^no-such-row$", 0, "", ""},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			var stdout, stderr strings.Builder
			is.Equal(run(strings.Fields(tt.args), &stdout, &stderr), tt.code)
			is.Equal(stdout.String(), tt.stdout)
			is.True(strings.Contains(stderr.String(), tt.stderr))
		})
	}
}

// A row that is asked for is measured and printed, and nothing is written.
func TestOneRowIsPrinted(t *testing.T) {
	is := is.New(t)
	full := budget
	budget = measure.Budget{Rounds: 3, Turn: time.Microsecond, Most: time.Second}
	defer func() { budget = full }()
	dir := t.TempDir()
	var stdout, stderr strings.Builder
	is.Equal(run([]string{"-run", "^handler/text$", "-o", dir}, &stdout, &stderr), 0)
	is.Equal(stderr.String(), "handler/text\n")
	is.True(strings.Contains(stdout.String(), "| `handler/text` | least | median | times | bytes | allocations |"))
	_, err := os.Stat(filepath.Join(dir, "README.md"))
	is.True(os.IsNotExist(err))
}
