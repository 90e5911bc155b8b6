package main

import (
	"fmt"
	"time"

	"example.com/flow/bench/measure"
	"example.com/flow/bench/rows"
)

// A goal is what a row has to reach.
type goal struct {
	row  string // its name in package rows
	of   value
	most float64
	// reached is given where the goal is not: the gate stands there.
	reached float64
}

// A value is read from what was measured.
type value struct {
	name string // "flow / httprouter"
	get  func(measure.Result) float64
	// margin is how far above the goal the gate is, as a part of it, so that a busy machine
	// does not close the gate: a tenth of what is timed, nothing of what is counted.
	margin float64
}

const tenth = 0.1

// goals are all that the gate holds. Costs in nanoseconds are told as multiples of a
// request that raw httprouter answers in the same run, since they differ from machine to
// machine.
var goals = []goal{
	{row: "github/all", of: times("flow", "httprouter"), most: 1.6},
	{row: "github/all", of: times("flow", "gin"), most: 1.1},
	{row: "github/all", of: times("flow", "echo"), most: 1},
	{row: "github/all", of: times("flow", "chi"), most: 1},
	{row: "github/all", of: times("flow", "ServeMux"), most: 1},
	{row: "github/all", of: allocs("flow"), most: 0},
	{row: "github/static", of: times("flow", "httprouter"), most: 1.4},
	{row: "github/static", of: times("flow", "gin"), most: 1},
	{row: "github/static", of: times("flow", "echo"), most: 1},
	{row: "github/static", of: times("flow", "chi"), most: 1},
	{row: "github/static", of: times("flow", "ServeMux"), most: 1},
	{row: "github/static", of: allocs("flow"), most: 0},
	{row: "github/params", of: times("flow", "httprouter"), most: 1.6},
	{row: "github/params", of: times("flow", "gin"), most: 1.1},
	{row: "github/params", of: times("flow", "echo"), most: 1},
	{row: "github/params", of: times("flow", "chi"), most: 1},
	{row: "github/params", of: times("flow", "ServeMux"), most: 1},
	{row: "github/params", of: allocs("flow"), most: 0},

	{row: "overlap/literal", of: times("flow", rows.AloneName), most: 1.5},
	{row: "overlap/literal", of: allocs("flow"), most: 0},
	{row: "overlap/names", of: times("flow", rows.AloneName), most: 1.5},
	{row: "overlap/names", of: allocs("flow"), most: 0},
	{row: "overlap/catch-all", of: times("flow", rows.AloneName), most: 1.5},
	{row: "overlap/catch-all", of: allocs("flow"), most: 0},
	{row: "overlap/back", of: times("flow", rows.AloneName), most: 1.5},
	{row: "overlap/back", of: allocs("flow"), most: 0},

	{row: "miss/404", of: times("flow", "ServeMux"), most: 1.1},

	{row: "handler/net-http", of: times("flow", "ServeMux"), most: 2},
	{row: "handler/net-http", of: allocs("flow"), most: 4},
	// What is left of the next one is memory: a copy of the request, and what is to outlive it.
	{row: "chain/standard", of: times(rows.With("flow", 5), rows.With("ServeMux", 5)), most: 2, reached: 2.3},
	{row: "chain/own", of: more(rows.With("flow", 5), "flow", "httprouter"), most: 0.7},
	{row: "chain/own", of: allocs(rows.With("flow", 5)), most: 0},
	// By hand both take longer: slog's record of seven attributes and the clock are most of it.
	{row: "logging/taken", of: more(rows.BothName, "flow", "httprouter"), most: 6, reached: 9.8},
	{row: "logging/taken", of: moreAllocs(rows.BothName, "flow"), most: 3},
	{row: "json/create", of: times("flow", "gin"), most: 1},
	{row: "json/create", of: allocs("flow"), most: 14},
	{row: "serve/cpu", of: slower(rows.ServeName, rows.HTTPServerName), most: 1.05},

	// The goals are from a writer that cannot read from a file. Into that one FileServerFS
	// takes ten times as long, and allocates the file. This one can, as a connection can.
	{row: "file/plain", of: times("flow", "FileServerFS"), most: 0.1, reached: 0.25},
	{row: "file/gzip", of: times("flow", "FileServerFS, chi's Compress"), most: 0.01},
	{row: "file/304", of: times("flow", "FileServerFS"), most: 0.1, reached: 0.33},
	{row: "page/plain", of: times("flow", "FileServerFS"), most: 0.1, reached: 0.45},

	{row: "large/look-up", of: times(rows.LargerName, rows.LargeName), most: 1.3},
	{row: "large/start-up", of: times(rows.LargerName, rows.LargeName), most: 14},
	{row: "large/heap", of: cost("flow"), most: 1300},
}

// budget is enough for a gate that tries again.
var budget = measure.Budget{Rounds: 101, Turn: time.Millisecond, Most: 8 * time.Second}

// times is how many times as much a costs as b.
func times(a, b string) value {
	return value{name: a + " / " + b, get: func(r measure.Result) float64 { return r.Ratio(a, b) }, margin: tenth}
}

// slower is times for servers, which take nearly the same: two of the same kind differ by
// one in a hundred, and a busy machine adds to that.
func slower(a, b string) value {
	v := times(a, b)
	v.margin = 0.03
	return v
}

// allocs is how often a allocates memory for one request.
func allocs(a string) value {
	return value{name: a + ", allocations", get: func(r measure.Result) float64 { return r.Of(a).Allocs }}
}

// more is how much more a costs than b, in multiples of unit.
func more(a, b, unit string) value {
	return value{name: fmt.Sprintf("(%s - %s) / %s", a, b, unit), get: func(r measure.Result) float64 {
		return r.More(a, b, unit)
	}, margin: tenth}
}

// moreAllocs is how much more often a allocates memory than b.
func moreAllocs(a, b string) value {
	return value{name: a + ", allocations more", get: func(r measure.Result) float64 {
		return r.Of(a).Allocs - r.Of(b).Allocs
	}}
}

// cost is what a costs, in the unit of the group.
func cost(a string) value {
	return value{name: a, get: func(r measure.Result) float64 { return r.Of(a).Median() }, margin: tenth}
}

// limit is what the gate lets through.
func (g goal) limit() float64 { return max(g.most, g.reached) * (1 + g.of.margin) }

// noise is what counts may be off, in parts of one: the runtime allocates now and then
// for itself while thousands of requests are counted.
const noise = 0.002

// passes reports whether the gate lets a figure through.
func (g goal) passes(got float64) bool { return got <= g.limit()+noise }

func (g goal) String() string { return fmt.Sprintf("%s: %s", g.row, g.of.name) }
