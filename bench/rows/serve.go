package rows

import (
	"os"
	"slices"

	"example.com/flow/bench/measure"
	"example.com/flow/bench/wire"
)

// The names of contestants that serve the same handler.
const (
	ServeName      = "flow.Serve"
	HTTPServerName = "http.Server, the same timeouts"
)

var serveRows = []Row{
	{"serve/cpu", "time of the processor for one request over a connection that is kept, the kernel's included", serving},
}

// serving has two servers, each a process of its own, both on the same processor, asked
// over some connections at once. The rounds are short and many, since single ones differ.
func serving() measure.Group {
	g := measure.Group{Base: HTTPServerName, Rounds: 400}
	var closers []func()
	g.Close = func() {
		for _, c := range slices.Backward(closers) {
			c()
		}
	}
	start := func(program, who string) (cost func(int) (float64, error), err error) {
		process, err := wire.StartOnOneProcessor(program, who)
		if err != nil {
			return nil, err
		}
		closers = append(closers, process.Stop)
		client, err := wire.Dial(process.Addr, "/users/7", "7", connections)
		if err != nil {
			return nil, err
		}
		closers = append(closers, client.Close)
		return asking(process, client), nil
	}
	dir, err := os.MkdirTemp("", "flow-bench-")
	closers = append(closers, func() { os.RemoveAll(dir) })
	var program string
	if err == nil {
		program, err = wire.BuildServer(dir)
	}
	for _, c := range []struct{ name, who string }{{ServeName, "flow"}, {HTTPServerName, "flow-http"}} {
		var cost func(int) (float64, error)
		if err == nil {
			cost, err = start(program, c.who)
		}
		if failed := err; failed != nil { // whoever measures is told
			cost = func(int) (float64, error) { return 0, failed }
		}
		g.Contestants = append(g.Contestants, measure.Contestant{Name: c.name, Cost: cost})
	}
	return g
}

const (
	connections = 8
	batch       = 25 // requests over each of them in a turn
)

// asking returns the time of the processor for one request, in nanoseconds, times n.
func asking(p *wire.Process, c *wire.Client) func(int) (float64, error) {
	return func(n int) (float64, error) {
		before, err := p.CPU()
		if err != nil {
			return 0, err
		}
		if err := c.Ask(n * batch); err != nil {
			return 0, err
		}
		after, err := p.CPU()
		return float64(after-before) / (connections * batch), err
	}
}
