package dev

import (
	"context"

	"example.com/flow/cmd/flow/internal/typed"
	"example.com/flow/cmd/flow/internal/vet"
	"example.com/flow/internal/develop/devlink"
	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/fault"
)

// A review is what flow vet says of the Go code of the program that answers. It is made
// after each good build, once the program answers and nothing else is to be done; the next
// change ends it.
type review struct {
	done     bool               // of the source as it is
	cancel   context.CancelFunc // of the one that is under way, else nil
	warnings []devpage.Fault
	refusal  string // why the last one could not look at the code, or ""
}

// interrupt ends a review that is under way. It is made anew later.
func (r *review) interrupt() {
	if r.cancel != nil {
		r.cancel()
	}
}

// restart has the review made anew.
func (r *review) restart() {
	r.interrupt()
	r.done = false
}

// review makes the review if it is time for it.
func (s *session) review() {
	switch r := &s.reviewed; {
	case r.done, r.cancel != nil, s.current == nil, s.failure != none, s.stopping:
		return
	case s.building != nil, s.next != nil, s.waiting != nil, s.surveying, len(s.changed.paths) > 0:
		return // which comes first
	case len(s.layout.reviewed) == 0:
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.reviewed.cancel = cancel
	p, packages := s.current, s.layout.reviewed
	go func() {
		found, err := vet.Check(ctx, typed.Built, s.program.dir, packages, s.program.flags, []string{"GOTMPDIR=" + s.temp})
		s.tell(func() {
			s.reviewed.cancel = nil
			if ctx.Err() == nil {
				s.reviewed.done = true
				s.warn(p, found, err)
			}
			cancel()
		})
	}()
}

// warn says what a review has found, in the terminal and on the route map of the program.
func (s *session) warn(p *process, found []fault.Fault, err error) {
	r := &s.reviewed
	if err != nil {
		if refusal := err.Error(); refusal != r.refusal {
			r.refusal = refusal
			s.terminal.say("flow vet cannot look at the Go code: %s", refusal)
		}
		return
	}
	before, now := r.warnings, []devpage.Fault{} // which says that there are none
	if mistakes := fault.Join(found); mistakes != nil {
		now = devpage.Parse(mistakes.Error(), s.program.dir)
	}
	r.refusal, r.warnings = "", now
	p.send(devlink.Message{Warnings: now})
	s.terminal.compare(devpage.Yellow, "flow vet%s has %s", "warning", "flow vet has no warnings any more", before, now)
}
