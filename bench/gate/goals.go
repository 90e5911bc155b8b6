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
	{"github/all", times("flow", "httprouter"), 1.6},
	{"github/all", times("flow", "gin"), 1.1},
	{"github/all", times("flow", "echo"), 1},
	{"github/all", times("flow", "chi"), 1},
	{"github/all", times("flow", "ServeMux"), 1},
	{"github/all", allocs("flow"), 0},
	{"github/static", times("flow", "httprouter"), 1.4},
	{"github/static", times("flow", "gin"), 1},
	{"github/static", times("flow", "echo"), 1},
	{"github/static", times("flow", "chi"), 1},
	{"github/static", times("flow", "ServeMux"), 1},
	{"github/static", allocs("flow"), 0},
	{"github/params", times("flow", "httprouter"), 1.6},
	{"github/params", times("flow", "gin"), 1.1},
	{"github/params", times("flow", "echo"), 1},
	{"github/params", times("flow", "chi"), 1},
	{"github/params", times("flow", "ServeMux"), 1},
	{"github/params", allocs("flow"), 0},

	{"overlap/literal", times("flow", rows.AloneName), 1.5},
	{"overlap/literal", allocs("flow"), 0},
	{"overlap/names", times("flow", rows.AloneName), 1.5},
	{"overlap/names", allocs("flow"), 0},
	{"overlap/catch-all", times("flow", rows.AloneName), 1.5},
	{"overlap/catch-all", allocs("flow"), 0},
	{"overlap/back", times("flow", rows.AloneName), 1.5},
	{"overlap/back", allocs("flow"), 0},

	{"handler/net-http", times("flow", "ServeMux"), 2},
	{"handler/net-http", allocs("flow"), 4},
	{"chain/standard", times(rows.With("flow", 5), rows.With("ServeMux", 5)), 2},
	{"chain/own", more(rows.With("flow", 5), "flow", "httprouter"), 0.7},
	{"chain/own", allocs(rows.With("flow", 5)), 0},
	{"logging/taken", more(rows.BothName, "flow", "httprouter"), 6},
	{"logging/taken", moreAllocs(rows.BothName, "flow"), 3},
	{"json/create", times("flow", "gin"), 1},
	{"json/create", allocs("flow"), 14},
	{"serve/cpu", slower(rows.ServeName, rows.HTTPServerName), 1.05},

	// The writer reads from a file as a server does, through a buffer of its own. Into one
	// that does not, FileServerFS takes ten times as long, and allocates the file.
	{"file/plain", times("flow", "FileServerFS"), 0.25},
	{"file/gzip", times("flow", "FileServerFS, chi's Compress"), 0.01},
	{"file/304", times("flow", "FileServerFS"), 0.33},
	{"page/plain", times("flow", "FileServerFS"), 0.45},

	{"large/look-up", times(rows.LargerName, rows.LargeName), 1.3},
	{"large/start-up", times(rows.LargerName, rows.LargeName), 14},
	{"large/heap", cost("flow"), 1300},
}

// budget is enough for a gate that tries again.
var budget = measure.Budget{Rounds: 101, Turn: time.Millisecond, Most: 8 * time.Second}

// times is how many times as much a costs as b.
func times(a, b string) value {
	return value{name: a + " / " + b, get: func(r measure.Result) float64 { return r.Ratio(a, b) }, margin: tenth}
}

// slower is times for servers, which take nearly the same: two of the same kind differ by
// one in a hundred.
func slower(a, b string) value {
	v := times(a, b)
	v.margin = 0.01
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
func (g goal) limit() float64 { return g.most * (1 + g.of.margin) }

// noise is what counts may be off, in parts of one: the runtime allocates now and then
// for itself while thousands of requests are counted.
const noise = 0.002

// passes reports whether the gate lets a figure through.
func (g goal) passes(got float64) bool { return got <= g.limit()+noise }

func (g goal) String() string { return fmt.Sprintf("%s: %s", g.row, g.of.name) }
