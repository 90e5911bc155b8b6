package server

import (
	"context"
	"sync/atomic"
)

// A gauge counts what there is, and tells when there is nothing any more.
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

// wait waits until there is nothing, and reports false if ctx ends before. Only one
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
