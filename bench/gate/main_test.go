package main

import (
	"errors"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/bench/measure"
	"example.com/flow/bench/rows"
)

// result has flow at that multiple of httprouter, with so many allocations.
func result(times, allocs float64) measure.Result {
	return measure.Result{Figures: []measure.Figure{
		{Name: "flow", Rounds: []float64{times, times, times}, Allocs: allocs},
		{Name: "httprouter", Rounds: []float64{1, 1, 1}},
	}}
}

var all = regexp.MustCompile("")

func TestGate(t *testing.T) {
	count := goal{row: "row", of: instructions("flow", "httprouter"), most: 1.5}
	lower := goal{row: "row", of: instructions("flow", "httprouter"), most: 1.5, gate: 1.4}
	time := goal{row: "row", of: times("flow", "httprouter"), most: 1.5, gate: 3}
	memory := goal{row: "row", of: allocs("flow"), most: 2}
	for name, tt := range map[string]struct {
		goal    goal
		results []measure.Result
		failed  int
	}{
		"counted, at the goal":              {count, []measure.Result{result(1.5, 0)}, 0},
		"counted, above it":                 {count, []measure.Result{result(1.51, 0), result(1.51, 0)}, 1},
		"counted, at the gate":              {lower, []measure.Result{result(1.4, 0)}, 0},
		"counted, between gate and goal":    {lower, []measure.Result{result(1.45, 0), result(1.45, 0)}, 1},
		"counted, above it by chance":       {count, []measure.Result{result(1.51, 0), result(1.5, 0)}, 0},
		"timed, below the gate":             {time, []measure.Result{result(2.9, 0)}, 0},
		"timed, above, then below":          {time, []measure.Result{result(3.1, 0), result(1.4, 0)}, 0},
		"timed, below at the third":         {time, []measure.Result{result(3.1, 0), result(3.1, 0), result(1.4, 0)}, 0},
		"timed, always above":               {time, []measure.Result{result(3.1, 0), result(3.1, 0), result(3.1, 0)}, 1},
		"allocated":                         {memory, []measure.Result{result(9, 2)}, 0},
		"allocated, more, then not":         {memory, []measure.Result{result(1, 3), result(1, 2)}, 0},
		"allocated, one more":               {memory, []measure.Result{result(1, 3), result(1, 3), result(1, 3)}, 1},
		"allocated, one in ten requests":    {memory, []measure.Result{result(1, 2.1), result(1, 2.1), result(1, 2.1)}, 1},
		"allocated, by the runtime for all": {memory, []measure.Result{result(1, 2.001)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			tried := 0
			var out strings.Builder
			failed, err := hold([]goal{tt.goal}, all, func(w way, row string) (measure.Result, error) {
				is.Equal(w, tt.goal.of.way)
				is.Equal(row, "row")
				tried++
				return tt.results[tried-1], nil
			}, &out)
			is.NoErr(err)
			is.Equal(failed, tt.failed)
			is.Equal(tried, len(tt.results))
			is.Equal(strings.Count(out.String(), "FAILS"), tt.failed)
		})
	}
}

// Each way of measuring a row is tried by itself.
func TestGateMeasuresInEachWay(t *testing.T) {
	is := is.New(t)
	held := []goal{
		{row: "row", of: times("flow", "httprouter"), most: 1},
		{row: "row", of: allocs("flow"), most: 0},
		{row: "row", of: instructions("flow", "httprouter"), most: 1},
	}
	tried := map[way]int{}
	failed, err := hold(held, all, func(w way, _ string) (measure.Result, error) {
		tried[w]++
		return result(2, 1), nil
	}, io.Discard)
	is.NoErr(err)
	is.Equal(failed, 3)
	is.Equal(tried, map[way]int{counted: 2, allocated: 3, timed: 3})
}

func TestGateTellsWhatCannotBeMeasured(t *testing.T) {
	is := is.New(t)
	_, err := hold(goals, all, func(way, string) (measure.Result, error) { return measure.Result{}, errors.New("wrong answer") }, io.Discard)
	is.Equal(err.Error(), "github/all: wrong answer")
}

// TestCounts counts the instructions of one row, as the gate does.
func TestCounts(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("there is no valgrind")
	}
	is := is.New(t)
	measured := newMeter("^handler/net-http$")
	for range 2 { // the second time in another process
		result, err := measured(counted, "handler/net-http")
		is.NoErr(err)
		is.Equal(len(result.Figures), 2) // those that a goal uses, and not chi
		for _, name := range []string{"flow", "ServeMux"} {
			is.Equal(len(result.Of(name).Rounds), 5)
			is.True(result.Of(name).Min() > 500)
			is.True(result.Of(name).Min() < 50_000)
		}
	}
}

func TestRunMeasuresWhatMatches(t *testing.T) {
	is := is.New(t)
	is.Equal(rowsOf(goals, regexp.MustCompile("^github/")), []string{"github/all", "github/static", "github/params"})
}

// Each goal is about contestants that there are.
func TestGoalsCanBeMeasured(t *testing.T) {
	for _, row := range rowsOf(goals, all) {
		t.Run(row, func(t *testing.T) {
			is := is.New(t)
			g := rows.Named(row).Build()
			if g.Close != nil {
				defer g.Close()
			}
			result := measure.Result{Base: g.Base, Unit: g.Unit}
			for _, c := range g.Contestants {
				result.Figures = append(result.Figures, measure.Figure{Name: c.Name, Rounds: []float64{1}})
			}
			for _, w := range []way{counted, allocated, timed} {
				for _, goal := range goalsOf(goals, row, w) {
					is.True(goal.of.get(result) >= 0) // panics for a contestant that is not there
					for _, name := range goal.of.uses {
						result.Of(name) // panics, too
					}
				}
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"-list", 0, "github/all", ""},
		{"-run [", 2, "", "gate: -run: error parsing regexp"},
		{"-run nothing", 2, "", "gate: -run: no row matches"},
		{"-nothing", 2, "", "flag provided but not defined"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			var stdout, stderr strings.Builder
			is.Equal(run(strings.Fields(tt.args), &stdout, &stderr), tt.code)
			is.True(strings.Contains(stdout.String(), tt.stdout))
			is.True(strings.Contains(stderr.String(), tt.stderr))
		})
	}
}
