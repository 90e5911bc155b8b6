package rows

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"example.com/flow/bench/measure"
)

// The sizes of large applications, in routes.
const (
	large  = 1_000
	larger = 10_000
)

// The names of contestants that are flow with that many route files.
const (
	LargeName  = "1,000 route files"
	LargerName = "10,000 route files"
)

var largeRows = []Row{
	{"large/1,000", "1,000 routes, 200 of them in turn", func() measure.Group { return lookUp(large) }},
	{"large/10,000", "10,000 routes, 200 of them in turn", func() measure.Group { return lookUp(larger) }},
	{"large/look-up", "flow with 10,000 route files beside 1,000", func() measure.Group {
		few, many := largeRoutes(large), largeRoutes(larger)
		return measure.Group{Base: LargeName, Contestants: []measure.Contestant{
			{Name: LargeName, Handler: flowOf(few)(), Calls: sample(few)},
			{Name: LargerName, Handler: flowOf(many)(), Calls: sample(many)},
		}}
	}},
	{"large/start-up 1,000", "start-up with 1,000 routes", func() measure.Group { return startUp(large) }},
	{"large/start-up 10,000", "start-up with 10,000 routes", func() measure.Group { return startUp(larger) }},
	{"large/start-up", "start-up of flow with 10,000 route files beside 1,000", func() measure.Group {
		return measure.Group{Base: LargeName, Contestants: []measure.Contestant{
			{Name: LargeName, Cost: starting(flowOf(largeRoutes(large)))},
			{Name: LargerName, Cost: starting(flowOf(largeRoutes(larger)))},
		}}
	}},
	{"large/heap", "heap kept for each of 10,000 routes, in bytes", func() measure.Group {
		g := measure.Group{Base: httprouterName, Unit: "B"}
		for _, r := range routers {
			g.Contestants = append(g.Contestants, measure.Contestant{Name: r.name, Cost: keeping(r.prepare(largeRoutes(larger)), larger)})
		}
		return g
	}},
}

// largeRoutes returns n routes with one parameter each.
func largeRoutes(n int) []route {
	var routes []route
	for i := range n {
		routes = append(routes, route{"GET", fmt.Sprintf("/area%d/item%d/:id/part%d", i/100, i/10, i)})
	}
	return routes
}

// sample returns calls for 200 of the routes: as many in an application of any size, so
// that it is not the sample that fills the caches of the processor.
func sample(routes []route) []measure.Call {
	const n = 200
	var paths []string
	for i := range n {
		paths = append(paths, strings.Replace(routes[i*len(routes)/n].pattern, ":id", "7", 1))
	}
	return get(hello, paths...)
}

func lookUp(n int) measure.Group {
	routes := largeRoutes(n)
	return measure.Group{Base: httprouterName, Calls: sample(routes), Contestants: contest(routes)}
}

func startUp(n int) measure.Group {
	g := measure.Group{Base: muxName}
	for _, r := range routers {
		g.Contestants = append(g.Contestants, measure.Contestant{Name: r.name, Cost: starting(r.prepare(largeRoutes(n)))})
	}
	return g
}

// starting returns how long it takes to make an application ready: for flow, New over a tree
// of files in memory, registration and Check.
func starting(build func() http.Handler) func(int) (float64, error) {
	return func(n int) (float64, error) {
		start := time.Now()
		for range n {
			runtime.KeepAlive(build())
		}
		return float64(time.Since(start)), nil
	}
}

// keeping returns how many bytes an application keeps for each of its routes, of which it has
// size. The files and the texts of the patterns are there before.
func keeping(build func() http.Handler, size int) func(int) (float64, error) {
	return func(n int) (sum float64, err error) {
		for range n {
			before := heap()
			h := build()
			sum += float64(heap()-before) / float64(size)
			runtime.KeepAlive(h)
		}
		return sum, nil
	}
}

// heap returns what is in use of the heap, in bytes. A second collection frees what pools
// held.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
