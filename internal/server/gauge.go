package server

import (
	"context"
	"sync/atomic"
)

// A gauge counts things, such as the requests that are under way, and tells when there
// are none any more.
type gauge struct {
	n    atomic.Int64
	zero chan struct{} // holds one notice
}

func newGauge() *gauge { return &gauge{zero: make(chan struct{}, 1)} }

func (g *gauge) add(n int64) {
	if g.n.Add(n) > 0 {
		return
	}
	select {
	case g.zero <- struct{}{}:
	default: // there is a notice already
	}
}

// wait waits until the count is 0, and returns false if ctx ends before. Only one
// goroutine may wait.
func (g *gauge) wait(ctx context.Context) bool {
	for g.n.Load() > 0 {
		select {
		case <-g.zero:
		case <-ctx.Done():
			return false
		}
	}
	return true
}
