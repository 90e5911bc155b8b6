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

// Stops are the functions that an application wants to be run after its last request.
// Several Servers may serve an application, at several addresses: the functions run when
// the last of them has ended. The zero value is ready to use, by several goroutines.
type Stops struct {
	mu      sync.Mutex
	around  *Stops  // if this application is inside another one, whose Stops have all that is here
	stops   []stop  // in the order in which they were added
	serving int     // calls of Begin without their End
	ran     bool    // one of the functions has run
	ended   *ending // the last one, which is over
}

// A stop is a function that is still to be run.
type stop struct {
	number int64 // each has a higher one than those that were added before it, anywhere in the program
	name   string
	run    func(context.Context) error
}

var lastStop atomic.Int64

// An ending is how functions are run when an application ends.
type ending struct {
	ctx context.Context // whose values they get
	by  time.Time       // when they should be over
	log *slog.Logger
}

// errStopped is for who serves again: each request would find its store closed.
var errStopped = errors.New("flow: the application has stopped, and what OnStop was given has run: make a new Router to serve again")

// Add adds a function, whose name is for messages. It may be called at any time: when
// functions are being run, it is the next one; and when all of them have run, Add runs it
// at once, so that nothing stays open that was opened late.
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

// MoveTo has the functions run with those of the application around this one, in one
// order for both, by when they were added.
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

// lock returns the Stops that have the functions of s, locked.
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

// After runs serve, for which a Server is meant, and returns its error. After the last
// serve of the application that runs it runs the functions, one after the other, the last
// added first, also if serve has failed. It returns their errors too, each of which it
// logs. A panic is an error. When functions have run, After fails and does not run serve.
//
// The context of a function has the values of ctx. It ends with the time to drain of the
// Server, but gives each function closingTime at least. One that does not return then is
// left behind.
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

// last is next after the last serve. After others it returns false.
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

// next takes the function that was added last. If there is none any more, those that are
// added from then on are run by the ending.
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
	by := time.Now().Add(closingTime)
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
	case <-time.After(time.Until(by) + partingTime):
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

// An outcome is how a function has ended.
type outcome struct {
	err   error
	stack string // of a panic
}

// call calls the function in a goroutine of its own, and tells how it has ended.
func (f stop) call(ctx context.Context, ended chan<- outcome) {
	o := outcome{err: errors.New("it has called runtime.Goexit")} // unless it returns or panics
	defer func() {
		if v := recover(); v != nil {
			o = outcome{fmt.Errorf("panic: %v", v), string(debug.Stack())}
		}
		ended <- o
	}()
	o.err = f.run(ctx)
}
