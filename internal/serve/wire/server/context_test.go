package server_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
)

// TestRequestContext compares the contexts of requests with those of package context, in
// each order in which they can be asked and end.
func TestRequestContext(t *testing.T) {
	type key struct{}
	errRequest := errors.New("the request is over")
	for name, ask := range map[string]func(context.Context) (cancel func()){
		"nothing": func(context.Context) func() { return func() {} },
		"Err":     func(ctx context.Context) func() { ctx.Err(); return func() {} },
		"Done":    func(ctx context.Context) func() { ctx.Done(); return func() {} },
		"a child": func(ctx context.Context) func() {
			_, cancel := context.WithTimeout(context.WithValue(ctx, key{}, 1), time.Hour)
			return cancel
		},
	} {
		for _, tt := range []struct {
			name  string
			end   func(own func(), request context.CancelCauseFunc)
			cause error
		}{
			{"goes on", func(func(), context.CancelCauseFunc) {}, nil},
			{"the server stops", func(own func(), _ context.CancelCauseFunc) { own() }, context.Canceled},
			{"the request ends", func(_ func(), request context.CancelCauseFunc) { request(errRequest) }, errRequest},
			{"the server stops, then the request ends", func(own func(), request context.CancelCauseFunc) {
				own()
				request(errRequest)
			}, context.Canceled},
			{"the request ends, then the server stops", func(own func(), request context.CancelCauseFunc) {
				request(errRequest)
				own()
			}, errRequest},
		} {
			inBubble(t, name+" is asked, "+tt.name, func(t *testing.T, is *is.I) {
				deadline := time.Now().Add(24 * time.Hour)
				outer, cancelOuter := context.WithDeadline(context.WithValue(t.Context(), key{}, "hello"), deadline)
				defer cancelOuter()
				request, cancelRequest := context.WithCancelCause(outer)
				defer cancelRequest(nil)
				ctx := &server.RequestContext{Context: request}
				defer ask(ctx)()
				before, cancelBefore := context.WithCancel(ctx)
				defer cancelBefore()
				called := make(chan struct{})
				defer context.AfterFunc(ctx, func() { close(called) })()

				tt.end(ctx.Cancel, cancelRequest)
				synctest.Wait()
				after, cancelAfter := context.WithCancel(ctx)
				defer cancelAfter()
				want := tt.cause
				if want != nil {
					want = context.Canceled
				}
				for _, c := range []context.Context{ctx, before, after, context.WithValue(ctx, key{}, 1)} {
					is.Equal(c.Err(), want)
					is.Equal(context.Cause(c), tt.cause)
					is.Equal(isClosed(c.Done()), tt.cause != nil)
				}
				is.Equal(isClosed(called), tt.cause != nil)
				is.Equal(ctx.Value(key{}), "hello")
				got, ok := ctx.Deadline()
				is.True(ok && got.Equal(deadline))
				is.Equal(ctx.Done(), ctx.Done())
			})
		}
	}
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// TestRequestContextOfMany is asked by many goroutines while it ends. They see one
// context.
func TestRequestContextOfMany(t *testing.T) {
	is := is.New(t)
	for range 200 {
		request, cancel := context.WithCancel(t.Context())
		defer cancel()
		ctx := &server.RequestContext{Context: request}
		var ready, over sync.WaitGroup
		done := make([]<-chan struct{}, 8)
		ready.Add(len(done))
		for i := range done {
			over.Go(func() {
				ready.Done()
				ready.Wait()
				switch i {
				case 0:
					ctx.Cancel()
				case 1:
					cancel()
				case 2:
					ctx.Err()
				}
				done[i] = ctx.Done()
				child, cancelChild := context.WithCancel(ctx)
				defer cancelChild()
				<-child.Done()
				if ctx.Err() == nil {
					t.Error("it is done, but has no error")
				}
			})
		}
		over.Wait()
		for _, d := range done {
			is.Equal(d, done[0])
		}
		is.Equal(ctx.Err(), context.Canceled)
	}
}

// TestRequestContextWithoutGoroutines: children of contexts that package context does not
// know cost a goroutine each.
func TestRequestContextWithoutGoroutines(t *testing.T) {
	is := is.New(t)
	type key struct{}
	request, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx := &server.RequestContext{Context: request}
	before := runtime.NumGoroutine()
	const n = 100
	for range n {
		_, cancel := context.WithCancel(context.WithValue(ctx, key{}, 1))
		defer cancel()
	}
	is.True(runtime.NumGoroutine() < before+n)
}

// TestContextIsPrinted while another goroutine asks for its end: the race detector looks on.
func TestContextIsPrinted(t *testing.T) {
	is := is.New(t)
	ctx := &server.RequestContext{Context: context.Background()}
	var asking sync.WaitGroup
	asking.Go(func() { ctx.Done() })
	is.Equal(fmt.Sprint(ctx), "context.Background.WithCancel")
	asking.Wait()
}
