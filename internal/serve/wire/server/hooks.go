package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Hooks holds the functions that an application has registered with OnStart and OnStop, to be
// called before its first request and after its last one. Several Servers may serve one
// application: the functions of OnStart run before the first of them accepts a request, those
// of OnStop after the last of them has stopped. The zero value is ready to use, and safe for
// concurrent use.
type Hooks struct {
	mu      sync.Mutex
	around  *Hooks  // of the outer application, which has all functions since MoveTo; or nil
	starts  []hook  // in the order in which they were added; Start reads them without mu, since none is added then
	stops   []hook  // not run yet, in the order in which they were added
	serving int     // running calls of After
	ran     bool    // the application has stopped, and had functions that have run
	ended   *ending // set when all functions of OnStop have run

	started     chan struct{}      // closed when the call of Start that runs starts has ended; nil before it begins
	startErr    error              // what that call returned
	cancelStart context.CancelFunc // ends the context of starts; nil before they run
}

// A hook is a function of OnStart or OnStop.
type hook struct {
	number int64 // the order among all hooks of the program
	name   string
	run    func(context.Context) error
}

var lastHook atomic.Int64

// merge adds hooks to others, in the order in which they were registered.
func merge(hooks, others []hook) []hook {
	all := slices.Concat(hooks, others)
	slices.SortFunc(all, func(a, b hook) int { return cmp.Compare(a.number, b.number) })
	return all
}

// An ending runs the functions of an application that has stopped.
type ending struct {
	ctx context.Context // has the values for the functions
	by  time.Time       // when the time to drain ends
	log *slog.Logger
}

// errStopped is the error of serving again. Handlers would find their stores closed.
var errStopped = errors.New("flow: the application has stopped, and its functions of OnStart or OnStop have run: make a new Router to serve again")

// errInterrupted is the error of Start for other Servers if the one that calls the functions
// of OnStart was to stop meanwhile.
var errInterrupted = errors.New("flow: the server that calls the functions of OnStart was stopped before it has called all of them")

// OnStart adds a function to call before the first request. Its name is for messages. It is
// called before Start.
func (h *Hooks) OnStart(name string, run func(context.Context) error) {
	h = h.lock()
	defer h.mu.Unlock()
	h.starts = append(h.starts, hook{lastHook.Add(1), name, run})
}

// Start calls the functions of OnStart one after the other, the first added first, until one
// of them returns an error or panics. It returns that error. The function that After is given
// calls Start, and has srv serve if proceed is true. It is false without an error if ctx has
// ended, before or while functions ran: those after it are not called. If Start is called
// again, for a second Server, it waits for the first call and returns the same error.
//
// The context of the functions has the values of ctx. It ends when After has served the last
// request. If ctx ends while a function runs, it ends at once. Start then waits for the
// function as long as srv would wait for requests, and stopGrace at least. It leaves one that
// takes longer behind, which is an error.
func (h *Hooks) Start(ctx context.Context, srv *Server) (proceed bool, err error) {
	h = h.lock()
	isFirst := h.started == nil
	if isFirst {
		h.started = make(chan struct{})
	}
	h.mu.Unlock()
	if isFirst {
		h.startErr = h.start(ctx, srv)
		close(h.started)
	} else {
		select {
		case <-h.started:
		case <-ctx.Done():
			return false, nil
		}
	}
	if h.startErr == errInterrupted && ctx.Err() != nil {
		return false, nil
	}
	return h.startErr == nil, h.startErr
}

func (h *Hooks) start(ctx context.Context, srv *Server) error {
	if len(h.starts) == 0 {
		return nil
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	h.mu.Lock()
	h.cancelStart = cancel
	h.mu.Unlock()
	defer context.AfterFunc(ctx, cancel)()
	for _, f := range h.starts {
		if ctx.Err() != nil {
			break
		}
		if err := srv.startWith(ctx, running, f); err != nil {
			return err
		}
	}
	if ctx.Err() == nil {
		return nil
	}
	srv.stopping(ctx)
	return errInterrupted
}

// startWith calls a function of OnStart with the context running. If ctx ends meanwhile, it
// waits for the function as long as for requests. It logs what the error does not tell: the
// stack of a panic, and that a function is left behind.
func (s *Server) startWith(ctx, running context.Context, f hook) error {
	ended := make(chan outcome, 1)
	go f.call(running, ended)
	var o outcome
	select {
	case o = <-ended:
		if ctx.Err() != nil {
			s.stopping(ctx) // also if o is an error
		}
	case <-ctx.Done():
		s.stopping(ctx, "waits", f.name)
		s.drained = time.Now().Add(s.Drain)
		o = await(ended, max(s.Drain, stopGrace))
	}
	if o.stack != "" || o.err == errLeftBehind {
		return f.report(o, s.Log, "flow: the application has not started as it should")
	}
	return f.error(o)
}

// Uncalled returns the names of all functions if ctx is that of a request of a Server, and no
// Server that runs is to call them. Otherwise it returns nil.
func (h *Hooks) Uncalled(ctx context.Context) (names []string) {
	if _, ok := ctx.Value(serverKey{}).(*Server); !ok {
		return nil
	}
	h = h.lock()
	defer h.mu.Unlock()
	if h.serving > 0 {
		return nil
	}
	for _, f := range merge(h.starts, h.stops) {
		names = append(names, f.name)
	}
	return names
}

// OnStop adds a function to call after the last request. Its name is for messages. OnStop may
// be called at any time. While functions run, the new one is the next. When all have run,
// OnStop runs it at once, so that a store that was opened late is closed, too.
func (h *Hooks) OnStop(name string, run func(context.Context) error) {
	h = h.lock()
	f := hook{lastHook.Add(1), name, run}
	e := h.ended
	if e == nil {
		h.stops = append(h.stops, f)
	} else {
		h.ran = true
	}
	h.mu.Unlock()
	if e != nil {
		e.run(f)
	}
}

// MoveTo moves the functions to the Hooks of the outer application, in which this one is
// mounted. They are merged in the order in which they were added.
func (h *Hooks) MoveTo(around *Hooks) {
	h.mu.Lock()
	starts, stops := h.starts, h.stops
	h.starts, h.stops, h.around = nil, nil, around
	h.mu.Unlock()
	around = around.lock()
	defer around.mu.Unlock()
	around.starts, around.stops = merge(around.starts, starts), merge(around.stops, stops)
}

// lock locks and returns the Hooks of the outermost application, which has the functions of h. It
// never holds two locks, so that no order of them has to be kept.
func (h *Hooks) lock() *Hooks {
	for {
		h.mu.Lock()
		around := h.around
		if around == nil {
			return h
		}
		h.mu.Unlock()
		h = around
	}
}

// After calls serve, which runs srv. If no other call of After is running serve when it
// returns, After ends the context of the functions of OnStart, and calls those of OnStop one
// after the other, the last added first. After logs the error or the panic of each function,
// and returns all errors with that of serve. Once functions have run and the application has
// stopped, After returns an error and does not call serve.
//
// The context of a function of OnStop has the values of ctx. It ends when the time to drain of
// srv ends, but no earlier than stopGrace after the function was called. After does not wait
// longer for a function that ignores its context.
func (h *Hooks) After(ctx context.Context, srv *Server, serve func() error) (err error) {
	if err := h.begin(); err != nil {
		return err
	}
	defer func() {
		e := &ending{context.WithoutCancel(ctx), srv.drainedBy(), srv.Log}
		errs := []error{err}
		for f, ok := h.last(e); ok; f, ok = h.next(e) {
			errs = append(errs, e.run(f))
		}
		err = errors.Join(errs...)
	}()
	return serve()
}

// Around is After for the Hooks of several applications that srv serves: those of the first
// one are the first to start and the last to stop. When all have stopped, it logs that, as
// the last record of srv.
func Around(ctx context.Context, srv *Server, all []*Hooks, serve func() error) error {
	defer srv.stopped(ctx)
	for _, h := range slices.Backward(all) {
		inside := serve
		serve = func() error { return h.After(ctx, srv, inside) }
	}
	return serve()
}

func (h *Hooks) begin() error {
	h = h.lock()
	defer h.mu.Unlock()
	if h.ran {
		return errStopped
	}
	h.ended = nil
	h.serving++
	return nil
}

// last is called when a serve has returned. If no other is running, it is next; else it
// returns false.
func (h *Hooks) last(e *ending) (hook, bool) {
	h = h.lock()
	h.serving--
	serving := h.serving > 0
	if !serving && h.cancelStart != nil {
		h.cancelStart()
		h.ran = true
	}
	h.mu.Unlock()
	if serving {
		return hook{}, false
	}
	return h.next(e)
}

// next removes and returns the function that was added last. If there is none, it sets ended,
// so that Add runs later ones.
func (h *Hooks) next(e *ending) (hook, bool) {
	h = h.lock()
	defer h.mu.Unlock()
	n := len(h.stops)
	if n == 0 {
		h.ended = e
		return hook{}, false
	}
	f := h.stops[n-1]
	h.stops, h.ran = h.stops[:n-1], true
	return f, true
}

// run runs a function, and logs its error.
func (e *ending) run(f hook) error {
	by := time.Now().Add(stopGrace)
	if e.by.After(by) {
		by = e.by
	}
	ctx, cancel := context.WithDeadline(e.ctx, by)
	defer cancel()
	ended := make(chan outcome, 1)
	go f.call(ctx, ended)
	return f.report(await(ended, time.Until(by)+cancelGrace), e.log, "flow: the application has not stopped as it should")
}

// An outcome is the result of calling a function.
type outcome struct {
	err   error
	stack string // of a panic
}

// errLeftBehind is the error of a function that takes too long.
var errLeftBehind = errors.New("it has not returned when its context ended, and is left behind")

// await returns the outcome of a function that should end. It waits for a limited time.
func await(ended <-chan outcome, most time.Duration) outcome {
	select {
	case o := <-ended:
		return o
	case <-time.After(most):
		return outcome{err: errLeftBehind}
	}
}

// error returns the error of an outcome with the name of the function, or nil.
func (f hook) error(o outcome) error {
	if o.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", f.name, o.err)
}

// report is error, and logs the error.
func (f hook) report(o outcome, log *slog.Logger, message string) error {
	err := f.error(o)
	if err == nil {
		return nil
	}
	if o.stack != "" {
		log = log.With("stack", o.stack)
	}
	log.Error(message, "error", err.Error())
	return err
}

// call calls the function, and sends the outcome to ended. It runs in a goroutine of its own.
func (f hook) call(ctx context.Context, ended chan<- outcome) {
	o := outcome{err: errors.New("it has called runtime.Goexit")} // replaced if it returns or panics
	defer func() {
		if v := recover(); v != nil {
			o = outcome{fmt.Errorf("panic: %v", v), string(debug.Stack())}
		}
		ended <- o
	}()
	o.err = f.run(ctx)
}
