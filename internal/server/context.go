package server

import (
	"context"
	"fmt"
	"sync/atomic"
)

// A requestContext is the context of a request, which the server can cancel. The one of
// net/http, around which it is, ends with the request. Few requests wait for their
// context, and fewer are cancelled: what that needs is made when it is first asked for.
type requestContext struct {
	context.Context
	own atomic.Pointer[cancelContext] // nil until then
}

type cancelContext struct {
	context.Context
	cancel context.CancelFunc
}

// cancellable returns the context that can be cancelled. It needs no end of its own: it
// ends with the one of net/http.
func (c *requestContext) cancellable() *cancelContext {
	if own := c.own.Load(); own != nil {
		return own
	}
	ctx, cancel := context.WithCancel(c.Context)
	if !c.own.CompareAndSwap(nil, &cancelContext{ctx, cancel}) {
		cancel() // another goroutine was first
	}
	return c.own.Load()
}

// current returns the context that knows what has happened so far.
func (c *requestContext) current() context.Context {
	if own := c.own.Load(); own != nil {
		return own.Context
	}
	return c.Context
}

func (c *requestContext) cancel() { c.cancellable().cancel() }

func (c *requestContext) Done() <-chan struct{} { return c.cancellable().Done() }

func (c *requestContext) Err() error { return c.current().Err() }

// Value finds the context that can be cancelled, too, by a key of package context. So its
// children are told without a goroutine for each.
func (c *requestContext) Value(key any) any { return c.current().Value(key) }

// String keeps what prints contexts from reading what others may be writing.
func (c *requestContext) String() string { return fmt.Sprint(c.Context) + ".WithCancel" }
