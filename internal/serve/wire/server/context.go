package server

import (
	"context"
	"fmt"
	"sync/atomic"
)

// A requestContext is the context of a request with a cancel function for the Server. It
// wraps the context of net/http, which ends with the request. Few handlers call Done, and
// fewer requests are cancelled, so the cancelContext is made when it is first needed.
type requestContext struct {
	context.Context
	own atomic.Pointer[cancelContext] // nil until it is needed
}

type cancelContext struct {
	context.Context
	cancel context.CancelFunc
}

// cancellable returns the cancelContext, and makes it in the first call. Nobody need call
// cancel to free it: it ends with the context of net/http.
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

// current returns the cancelContext if it was made, else the context of net/http.
func (c *requestContext) current() context.Context {
	if own := c.own.Load(); own != nil {
		return own.Context
	}
	return c.Context
}

func (c *requestContext) cancel() { c.cancellable().cancel() }

func (c *requestContext) Done() <-chan struct{} { return c.cancellable().Done() }

func (c *requestContext) Err() error { return c.current().Err() }

// Value passes the private key of package context on to the cancelContext. With it, package
// context propagates a cancellation to children without a goroutine for each.
func (c *requestContext) Value(key any) any { return c.current().Value(key) }

// String is called by fmt. Without it, fmt would read the fields by reflection, while another
// goroutine may write them.
func (c *requestContext) String() string { return fmt.Sprint(c.Context) + ".WithCancel" }
