package server

import (
	"context"
	"sync/atomic"
)

// A gauge is a counter, such as that of running requests. Unlike a sync.WaitGroup it can wait
// for 0 with a context, and its count may rise from 0 while a goroutine waits.
type gauge struct {
	n    atomic.Int64
	zero chan struct{} // has one element after the count has become 0
}

func newGauge() *gauge { return &gauge{zero: make(chan struct{}, 1)} }

func (g *gauge) add(n int64) {
	if g.n.Add(n) > 0 {
		return
	}
	select {
	case g.zero <- struct{}{}:
	default: // it has one already
	}
}

// wait waits until the count is 0, and returns false if ctx ends before. Only one goroutine may
// wait. It looks at the count again after each element of zero, which may be an old one: the count
// may have risen since.
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
