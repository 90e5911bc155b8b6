package dev

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/flow/internal/develop/devlink"
	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/livereload"
	"example.com/flow/internal/fault"
)

const (
	// slowTime is after how long the tool says that it still waits for a program to be
	// ready, and readyTime after how long it gives up, unless it is told otherwise.
	slowTime  = 5 * time.Second
	readyTime = 30 * time.Second

	// noticeTime is after how long the tool says that it builds.
	noticeTime = time.Second

	// drainTime is how long a program that was replaced has for its last requests. It
	// limits itself to 30 seconds, unless it was told otherwise.
	drainTime = 40 * time.Second

	// leaveTime is how long the tool waits for a program that was replaced to accept no more
	// connections. That takes it a few milliseconds.
	leaveTime = 2 * time.Second

	// partingTime is how long the last program has when the tool itself ends.
	partingTime = 10 * time.Second
)

// A session is the tool at work: it watches, builds, and replaces one process by the next.
// One goroutine, that of run, has all of its state; others hand it functions to call.
type session struct {
	ctx       context.Context // of run
	program   program
	plan      startPlan
	front     *front
	terminal  *terminal
	watcher   *watcher
	temp      string        // everything that is made is in there
	patience  time.Duration // how long a program may take until it is ready
	stopFirst bool          // a process ends before the next one starts
	begun     time.Time

	calls     chan func()
	postponed []func()      // calls that came while the session waited for something
	done      chan struct{} // closed when nobody takes calls any more

	layout  *layout
	trees   fileSet // the route files when the first layout was known
	tried   fileSet // those of the last build
	changed batch

	fromDisk []string // the directories that the program reads from disk; nil if that is not known
	early    []string // files that have changed before it was, and that a program may read by itself

	settle  *time.Timer
	number  int // of builds
	surveys int

	surveying bool // the newest survey is under way
	reviewed  review

	building   *building
	current    *process // the one that answers
	next       *process // one that is not ready yet
	waiting    *binary  // what is started when current has ended, if stopFirst
	all        map[*process]bool
	cause      string // of the newest build, for messages
	again      bool   // a build has failed that may be outdated
	failure    failure
	failed     devlink.Message // what open pages are told of the failure
	failedAt   int             // the number of the build that was the newest then
	templates  devlink.Message // what is wrong with those on disk, as the program that answers has said
	heard      devlink.Message // what it has said since, and the terminal not yet; without Faults if that is nothing
	waits      bool            // the terminal has said that templates wait for the build
	introduced bool            // the terminal has said where the route map is
	logged     devlink.Message // what the last program has logged, for the next one; without Log if there is one, or nothing was
	stopping   bool
}

// A building is a build that runs.
type building struct {
	number   int
	cause    string
	begun    time.Time
	took     time.Duration
	files    fileSet // below the routers, when it began
	cancel   context.CancelFunc
	outdated bool // and another one follows
	told     bool // the terminal has said that it runs
}

// A failure is what keeps the newest state of the source from being served.
type failure int

const (
	none       failure = iota
	ofBuild            // the go tool has refused
	ofPrograms         // it was built, but does not run
)

// tell has the goroutine of the session call f.
func (s *session) tell(f func()) {
	select {
	case s.calls <- f:
	case <-s.done:
	}
}

// after has the goroutine of the session call f when a time is over.
func (s *session) after(d time.Duration, f func()) { time.AfterFunc(d, func() { s.tell(f) }) }

// run works until ctx ends. hurry gets a signal if it is to end at once then.
func (s *session) run(ctx context.Context, hurry <-chan os.Signal) error {
	defer close(s.done)
	s.ctx = ctx
	if err := s.begin(); err != nil {
		return err
	}
	for {
		select {
		case f := <-s.calls:
			for s.postponed = append(s.postponed, f); len(s.postponed) > 0; {
				f, s.postponed = s.postponed[0], s.postponed[1:]
				f()
			}
		case <-s.settle.C:
			s.look()
		case <-ctx.Done():
			s.end(hurry)
			return nil
		}
		s.judge()
		s.review()
	}
}

// begin starts the first build, and meanwhile finds out what to watch.
func (s *session) begin() error {
	s.begun = time.Now()
	s.settle = time.NewTimer(time.Hour)
	s.settle.Stop()
	s.all = map[*process]bool{}
	s.layout = &layout{modules: []string{s.program.module}} // until the survey knows more
	var err error
	s.watcher, err = newWatcher(s.tell, s.touch, s.missed)
	if err != nil {
		return err
	}
	if err := s.watcher.add(s.layout.modules, s.begun, s.touch); err != nil {
		s.watcher.close()
		return err
	}
	s.build("")
	s.survey(s.begun)
	return nil
}

// build builds the program. A build that runs is outdated, and ends first.
func (s *session) build(cause string) {
	s.cause, s.again = cause, false
	s.reviewed.restart()
	if s.building != nil {
		if !s.building.outdated && s.building.cause != cause {
			s.terminal.say("%s: overtaken by the next change", cmp.Or(s.building.cause, "the first build"))
		}
		s.building.outdated = true
		s.building.cancel()
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.number++
	b := &building{number: s.number, cause: cause, begun: time.Now(), cancel: cancel}
	if s.layout.apps != nil {
		b.files = s.layout.routeFiles() // before the go tool reads them
		s.tried = b.files
	}
	s.building = b
	s.after(noticeTime, func() {
		if s.building == b && cause != "" && !b.outdated { // the first build was announced already
			b.told = true
			s.terminal.say("%s: building", cause)
		}
	})
	go func() {
		path, output, err := s.program.goBuild(ctx, s.temp, b.number)
		cancel()
		b.took = time.Since(b.begun)
		s.tell(func() {
			s.building = nil
			s.built(&binary{path, b.files, b}, output, err)
		})
	}()
}

// built goes on after a build.
func (s *session) built(bin *binary, output string, err error) {
	b := bin.built
	switch {
	case s.stopping:
		return
	case b.outdated:
		bin.remove()
		s.build(s.cause)
		return
	case err != nil && len(s.changed.paths) > 0:
		s.again = true // somebody is saving just now, and may mend it
		return
	case err != nil:
		faults := parseBuild(output, s.program.dir)
		if len(faults) == 0 {
			faults = []devpage.Fault{{Text: "go build: " + err.Error()}}
		}
		s.fail(ofBuild, fmt.Sprintf("the build has failed after %s: %s", seconds(b.took), fault.Count(len(faults), "fault")), faults)
		s.surveyAfter(b)
		return
	case output != "":
		fmt.Fprint(s.terminal, output)
	}
	s.surveyAfter(b)
	if s.current != nil && !s.current.leaving && bin.same(s.current.bin) {
		s.keep(bin)
	} else if s.stopFirst && s.current != nil {
		s.replace(bin)
	} else {
		s.start(bin)
	}
}

// replace has the process that answers end, and then starts what was built. Requests wait
// meanwhile.
func (s *session) replace(bin *binary) {
	s.waiting.remove()
	s.waiting = bin
	if !s.current.leaving {
		s.front.hold()
		s.retire(s.current)
	}
}

// retire has a process end, in time.
func (s *session) retire(p *process) {
	p.stop()
	s.after(drainTime, func() {
		if s.all[p] {
			p.kill()
		}
	})
}

// awaitLeave waits until a process that was told to stop accepts no more connections: it
// ends its link then. Calls that come meanwhile are postponed.
func (s *session) awaitLeave(p *process) {
	late := time.After(leaveTime)
	for {
		select {
		case <-p.linkOver:
			return
		case f := <-s.calls:
			s.postponed = append(s.postponed, f)
		case <-late:
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// keep goes on with the process that answers, since what was built is the same program.
func (s *session) keep(bin *binary) {
	bin.remove()
	s.current.bin.files = bin.files
	s.next.kill()
	s.next = nil
	if s.failure != none {
		s.current.send(devlink.Message{Faults: []devpage.Fault{}})
	}
	if s.failure != none || bin.built.told {
		s.terminal.say("%s: the program is as it was before", s.cause)
	}
	s.failure = none
}

// start starts what was built. It answers when it says that it is ready.
func (s *session) start(bin *binary) {
	s.next.kill()
	s.next = nil
	p, err := s.plan.start(bin)
	if err != nil {
		bin.remove()
		s.fail(ofPrograms, "the program cannot be started", []devpage.Fault{{Text: err.Error()}})
		return
	}
	s.next, s.all[p] = p, true
	s.after(min(slowTime, s.patience/2), func() {
		if p == s.next && !s.stopping {
			s.terminal.say("waiting for the program to be ready")
		}
	})
	s.after(s.patience, func() { s.late(p) })
}

// said takes what a process has said.
func (s *session) said(p *process, m devlink.Message) {
	switch {
	case s.stopping:
	case p == s.current && m.Faults != nil:
		s.heard = m
	case p == s.current && m.Log != nil:
		s.logged = m
	case m.Log != nil:
		s.current.send(m)
	case p != s.next:
	case m.Ready:
		s.promote(p, m.URL)
		s.reads(m.Dirs)
	case len(m.Faults) > 0:
		p.faults = m.Faults
	}
}

// judge says what is wrong with the templates, as the program that answers has said. It shows
// that to open pages by itself. A newer program has the last word, since they may name what
// only that has: so nothing is said while there is a build, or one that has failed.
func (s *session) judge() {
	s.waits = s.waits && s.failure != none
	switch {
	case s.heard.Faults == nil, s.stopping:
		return
	case s.failure != none: // once that is over, the program says it again
		told := func(f devpage.Fault) bool {
			return slices.ContainsFunc(s.failed.Faults, func(other devpage.Fault) bool { return other.String() == f.String() })
		}
		if !s.waits && slices.ContainsFunc(s.heard.Faults, func(f devpage.Fault) bool { return !told(f) }) {
			s.waits = true
			s.terminal.say("the templates wait for a build that is good: what they name may not be in the program from before")
		}
		s.heard = devlink.Message{}
		return
	case s.building != nil, s.next != nil, s.waiting != nil:
		return
	}
	before, now := s.templates, s.heard
	s.heard = devlink.Message{}
	if len(now.Faults) > 0 {
		now.Warnings = before.Warnings // a template with faults is not judged further, and may have them still
	}
	s.templates = now
	s.terminal.compare(devpage.Red, judged(now.Faults)+"%s have %s", "fault", judged(before.Faults)+" are good again", before.Faults, now.Faults)
	if len(now.Faults) == 0 {
		s.terminal.warn(before.Warnings, now.Warnings)
	}
}

// promote has the new process answer, and lets the old one end.
func (s *session) promote(p *process, url string) {
	if err := s.front.pass(url); err != nil {
		p.kill()
		s.next = nil
		s.fail(ofPrograms, "the program does not say where it answers", []devpage.Fault{{Text: err.Error()}})
		return
	}
	old := s.current
	s.current, s.next, s.heard = p, nil, devlink.Message{}
	if s.failure == ofBuild && s.failedAt > p.bin.built.number { // while this one was not ready yet
		p.send(s.failed)
	} else {
		s.failure = none
	}
	if s.logged.Log != nil {
		p.send(s.logged)
		s.logged = devlink.Message{}
	}
	if old != nil {
		s.retire(old)
		if s.front.socket != nil {
			// Both accept connections from one socket. Whoever connects after the message below
			// must not find the old program.
			s.awaitLeave(old)
		}
	}
	since := func(t time.Time) string { return seconds(time.Since(t)) }
	site := s.front.url(url)
	if b := p.bin.built; b.cause == "" {
		s.terminal.say("ready on %s in %s", site, since(s.begun))
	} else {
		s.terminal.say("%s: built in %s, answers after %s", b.cause, seconds(b.took), since(b.begun))
	}
	if !s.introduced {
		s.introduced = true
		s.terminal.say("the route map is on %s%s", site, livereload.Prefix)
	}
}

// needed says what a program has to do.
const needed = "Its main function has to call flow.Main or flow.Run, which serve with the arguments \"serve -dev\" and tell flow dev when they are ready."

// takenByOther matches what a program says that cannot have what another one holds, on Unix and on
// Windows.
var takenByOther = regexp.MustCompile(`(?i)address already in use|only one usage of each socket address|\block(ed)?\b|used by another process|resource temporarily unavailable`)

// stopFirstHelps says what to do about that.
const stopFirstHelps = "If the program from before holds what this one needs, such as a port or a locked file, give -stop-first."

// late gives a process up.
func (s *session) late(p *process) {
	if p != s.next || s.stopping {
		return
	}
	s.next = nil
	p.kill()
	text := "The program runs, but it has not said that it is ready. "
	switch {
	case p.link == nil:
		text += needed
	case s.current != nil:
		text += "What it does before it serves takes too long (-ready gives it more time), or waits for something that the program from before holds, such as a locked file: then give -stop-first."
	default:
		text += "What it does before it serves takes too long: -ready gives it more time."
	}
	s.fail(ofPrograms, "the program is not ready after "+s.patience.String(), []devpage.Fault{{Text: text}})
}

// over takes the end of a process.
func (s *session) over(p *process, err error) {
	delete(s.all, p)
	p.bin.remove()
	answered := p == s.current
	switch {
	case answered:
		s.current = nil
	case p == s.next:
		s.next = nil
	}
	switch {
	case s.stopping:
	case answered && s.waiting != nil:
		bin := s.waiting
		s.waiting = nil
		s.start(bin)
	case p.leaving:
	case len(p.faults) > 0:
		s.fail(ofPrograms, "the application has "+fault.Count(len(p.faults), "fault"), p.faults)
	default:
		stderr := p.stderr.String()
		f := parseCrash(stderr, s.program.dir, s.own)
		switch {
		case !answered && s.current != nil && takenByOther.MatchString(stderr):
			f.Text += "\n\n" + stopFirstHelps
		case p.link == nil && !strings.Contains(stderr, "\ngoroutine "):
			f.Text += "\n\n" + needed
		}
		title := "the program has ended before it was ready"
		if answered {
			title = "the program has ended"
		}
		s.fail(ofPrograms, title+": "+ending(err), []devpage.Fault{f})
	}
}

// own reports whether a file is one of the application.
func (s *session) own(file string) bool { return s.layout.packages[filepath.Dir(file)] }

// fail says what keeps the newest state of the source from being served, in the terminal
// and to open pages.
func (s *session) fail(kind failure, title string, faults []devpage.Fault) {
	s.failure, s.failed, s.failedAt = kind, devlink.Message{Faults: faults}, s.number
	advice := ""
	switch {
	case s.current != nil:
		advice = "the program from before goes on answering"
	case kind == ofPrograms:
		advice = "it is started again when a file is saved"
	}
	s.terminal.complain(title, faults, advice)
	if s.current != nil {
		s.current.send(s.failed)
		return
	}
	if err := s.front.fail(report{strings.ToUpper(title[:1]) + title[1:], faults}); err != nil {
		s.terminal.say("cannot answer: %v", err)
	}
}

// end ends everything. It returns when no process is left.
func (s *session) end(hurry <-chan os.Signal) {
	s.stopping = true
	s.terminal.say("stopping")
	if s.building != nil {
		s.building.cancel()
	}
	for p := range s.all {
		if !p.leaving {
			p.stop()
		}
	}
	patient := time.After(2 * time.Second) // connections that clients keep take one of them
	late := time.After(partingTime)
	kill := func() {
		for p := range s.all {
			p.kill()
		}
	}
	for len(s.all) > 0 || s.building != nil || s.reviewed.cancel != nil {
		select {
		case f := <-s.calls:
			f()
		case <-patient:
			s.terminal.say("waiting for the last requests (once more ends at once)")
		case <-late:
			kill()
		case <-hurry:
			kill()
		}
	}
	s.watcher.close()
}
