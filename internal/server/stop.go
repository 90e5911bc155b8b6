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

// Stops holds the functions that an application has registered with OnStop, to be called
// after its last request. Several Servers may serve one application: the functions run after
// the last of them has stopped. The zero value is ready to use, and safe for concurrent use.
type Stops struct {
	mu      sync.Mutex
	around  *Stops  // of the outer application, which has all functions since MoveTo; or nil
	stops   []stop  // not run yet, in the order in which they were added
	serving int     // running calls of After
	ran     bool    // one of the functions has run
	ended   *ending // set when all functions have run
}

// A stop is a function that is still to be run.
type stop struct {
	number int64 // the order of Add among all Stops of the program
	name   string
	run    func(context.Context) error
}

var lastStop atomic.Int64

// An ending runs the functions of an application that has stopped.
type ending struct {
	ctx context.Context // has the values for the functions
	by  time.Time       // when the time to drain ends
	log *slog.Logger
}

// errStopped is the error of serving again. Handlers would find their stores closed.
var errStopped = errors.New("flow: the application has stopped, and what OnStop was given has run: make a new Router to serve again")

// Add adds a function. Its name is for messages. Add may be called at any time. While
// functions run, the new one is the next. When all have run, Add runs it at once, so that a
// store that was opened late is closed, too.
func (s *Stops) Add(name string, run func(context.Context) error) {
	s = s.lock()
	f := stop{lastStop.Add(1), name, run}
	e := s.ended
	if e == nil {
		s.stops = append(s.stops, f)
	} else {
		s.ran = true
	}
	s.mu.Unlock()
	if e != nil {
		e.run(f)
	}
}

// MoveTo moves the functions to the Stops of the outer application, in which this one is
// mounted. They are merged in the order of Add.
func (s *Stops) MoveTo(around *Stops) {
	s.mu.Lock()
	moved := s.stops
	s.stops, s.around = nil, around
	s.mu.Unlock()
	around = around.lock()
	defer around.mu.Unlock()
	around.stops = append(around.stops, moved...)
	slices.SortFunc(around.stops, func(a, b stop) int { return cmp.Compare(a.number, b.number) })
}

// lock locks and returns the Stops of the outermost application, which has the functions of s.
func (s *Stops) lock() *Stops {
	for {
		s.mu.Lock()
		around := s.around
		if around == nil {
			return s
		}
		s.mu.Unlock()
		s = around
	}
}

// After calls serve, which runs srv. If no other call of After is running serve when it
// returns, After calls the functions one after the other, the last added first. After logs
// the error or the panic of each function, and returns all errors with that of serve. Once
// functions have run, After returns an error and does not call serve.
//
// The context of a function has the values of ctx. It ends when the time to drain of srv
// ends, but no earlier than stopGrace after the function was called. After does not wait
// longer for a function that ignores its context.
func (s *Stops) After(ctx context.Context, srv *Server, serve func() error) (err error) {
	if err := s.begin(); err != nil {
		return err
	}
	defer func() {
		e := &ending{context.WithoutCancel(ctx), srv.drainedBy(), srv.Log}
		errs := []error{err}
		for f, ok := s.last(e); ok; f, ok = s.next(e) {
			errs = append(errs, e.run(f))
		}
		err = errors.Join(errs...)
	}()
	return serve()
}

func (s *Stops) begin() error {
	s = s.lock()
	defer s.mu.Unlock()
	if s.ran {
		return errStopped
	}
	s.ended = nil
	s.serving++
	return nil
}

// last is called when a serve has returned. If no other is running, it is next; else it
// returns false.
func (s *Stops) last(e *ending) (stop, bool) {
	s = s.lock()
	s.serving--
	serving := s.serving > 0
	s.mu.Unlock()
	if serving {
		return stop{}, false
	}
	return s.next(e)
}

// next removes and returns the function that was added last. If there is none, it sets ended,
// so that Add runs later ones.
func (s *Stops) next(e *ending) (stop, bool) {
	s = s.lock()
	defer s.mu.Unlock()
	n := len(s.stops)
	if n == 0 {
		s.ended = e
		return stop{}, false
	}
	f := s.stops[n-1]
	s.stops, s.ran = s.stops[:n-1], true
	return f, true
}

// run runs a function, and logs its error.
func (e *ending) run(f stop) error {
	by := time.Now().Add(stopGrace)
	if e.by.After(by) {
		by = e.by
	}
	ctx, cancel := context.WithDeadline(e.ctx, by)
	defer cancel()
	ended := make(chan outcome, 1)
	go f.call(ctx, ended)
	var o outcome
	select {
	case o = <-ended:
	case <-time.After(time.Until(by) + cancelGrace):
		o.err = errors.New("it has not returned when its context ended, and is left behind")
	}
	if o.err == nil {
		return nil
	}
	err := fmt.Errorf("%s: %w", f.name, o.err)
	log := e.log
	if o.stack != "" {
		log = log.With("stack", o.stack)
	}
	log.Error("flow: the application has not stopped as it should", "error", err.Error())
	return err
}

// An outcome is the result of calling a function.
type outcome struct {
	err   error
	stack string // of a panic
}

// call calls the function, and sends the outcome to ended. It runs in a goroutine of its own.
func (f stop) call(ctx context.Context, ended chan<- outcome) {
	o := outcome{err: errors.New("it has called runtime.Goexit")} // replaced if it returns or panics
	defer func() {
		if v := recover(); v != nil {
			o = outcome{fmt.Errorf("panic: %v", v), string(debug.Stack())}
		}
		ended <- o
	}()
	o.err = f.run(ctx)
}
