package main

import (
	"errors"
	"io"
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
	held := []goal{
		{row: "row", of: times("flow", "httprouter"), most: 1.5},
		{row: "row", of: allocs("flow"), most: 2},
	}
	for name, tt := range map[string]struct {
		results []measure.Result
		failed  int
		tried   int
	}{
		"below the goal":              {[]measure.Result{result(1.2, 2)}, 0, 1},
		"within a tenth of it":        {[]measure.Result{result(1.64, 2)}, 0, 1},
		"above, then below":           {[]measure.Result{result(1.7, 2), result(1.4, 2)}, 0, 2},
		"below at the third":          {[]measure.Result{result(1.7, 2), result(1.7, 2), result(1.4, 2)}, 0, 3},
		"each below once":             {[]measure.Result{result(1.7, 2), result(1.4, 3)}, 0, 2},
		"always above":                {[]measure.Result{result(1.7, 2), result(1.7, 2), result(1.7, 2)}, 1, 3},
		"one allocation more":         {[]measure.Result{result(1.4, 3), result(1.4, 3), result(1.4, 3)}, 1, 3},
		"one in ten requests more":    {[]measure.Result{result(1.4, 2.1), result(1.4, 2.1), result(1.4, 2.1)}, 1, 3},
		"above, and more allocations": {[]measure.Result{result(1.7, 3), result(1.7, 3), result(1.7, 3)}, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			tried := 0
			var out strings.Builder
			failed, err := hold(held, all, func(string) (measure.Result, error) {
				tried++
				return tt.results[tried-1], nil
			}, &out)
			is.NoErr(err)
			is.Equal(failed, tt.failed)
			is.Equal(tried, tt.tried)
			is.Equal(strings.Count(out.String(), "FAILS"), tt.failed)
		})
	}
}

func TestGateTellsWhatCannotBeMeasured(t *testing.T) {
	is := is.New(t)
	_, err := hold(goals, all, func(string) (measure.Result, error) { return measure.Result{}, errors.New("wrong answer") }, io.Discard)
	is.Equal(err.Error(), "github/all: wrong answer")
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
			for _, goal := range goalsOf(goals, row) {
				is.True(goal.of.get(result) >= 0) // panics for a contestant that is not there
				is.True(goal.limit() >= goal.most)
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
