package devlink

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/flow/internal/devpage"
)

// Pages are the open pages of an application: a *dev.Hub.
type Pages interface {
	Changed()                  // files below router/ or public/ have changed
	SetFaults([]devpage.Fault) // are to be shown, and none takes them away

	// SetTemplateFaults is SetFaults for those that the application has found by itself.
	SetTemplateFaults([]devpage.Fault)

	SetWarnings([]devpage.Fault) // are for the route map, and none takes them away
}

// A served is an application that answers: its pages, and what is wrong with its templates,
// which it reads from disk.
type served struct {
	pages     Pages
	templates func() []devpage.Fault
}

// An App is the side of an application. Its methods may be called by several goroutines,
// and those of a nil App, which no tool has started, do nothing.
type App struct {
	conn   *Conn
	served atomic.Pointer[served]
	looks  sync.Mutex // one look at the templates at a time, so that the newest is told last
	failed bool       // the tool has told faults, with looks held
}

// Start connects an application with the tool that has started it, and returns nil and ctx
// if none has. The context that it returns ends with ctx, or when the tool is gone.
//
// It unsets the variable that the tool has set, so that no child of the application takes
// it for its own. Those of a socket that was passed (sd_listen_fds(3)) stay for the server:
// Start adds the id of the process, which the tool cannot know before there is one.
func Start(ctx context.Context) (*App, context.Context, error) {
	path := os.Getenv(Variable)
	if path == "" {
		return nil, ctx, nil
	}
	os.Unsetenv(Variable)
	if os.Getenv("LISTEN_FDS") != "" && os.Getenv("LISTEN_PID") == "" {
		os.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid()))
	}
	c, err := net.DialTimeout("unix", path, sendTime)
	if err != nil {
		return nil, ctx, fmt.Errorf("the environment has %s, but \"flow dev\" does not answer there: %w", Variable, err)
	}
	a := &App{conn: newConn(c)}
	ctx, gone := context.WithCancel(ctx)
	go func() {
		a.follow()
		gone()
	}()
	return a, ctx, nil
}

// follow hands on what the tool says, until it is gone.
func (a *App) follow() {
	for {
		m, err := a.conn.Receive()
		if err != nil {
			return
		}
		s := a.served.Load()
		if s == nil {
			continue // the tool has nothing to say to who is not ready
		}
		if m.Changed {
			s.pages.Changed()
			a.look(s)
		}
		if m.Faults != nil {
			s.pages.SetFaults(m.Faults)
			if a.setFailed(len(m.Faults) > 0) {
				a.look(s)
			}
		}
		if m.Warnings != nil {
			s.pages.SetWarnings(m.Warnings)
		}
	}
}

// setFailed notes whether the tool has told faults, and reports whether that is news.
func (a *App) setFailed(failed bool) (news bool) {
	a.looks.Lock()
	defer a.looks.Unlock()
	news = failed != a.failed
	a.failed = failed
	return news
}

// look tells the pages and the tool what is wrong with the templates now. While the newest
// source is not this application, pages are not told: what the templates name may be there.
func (a *App) look(s *served) {
	a.looks.Lock()
	defer a.looks.Unlock()
	faults := s.templates()
	if faults == nil {
		faults = []devpage.Fault{} // which says that there are none
	}
	if a.failed {
		s.pages.SetTemplateFaults(nil)
	} else {
		s.pages.SetTemplateFaults(faults)
	}
	_ = a.conn.Send(Message{Faults: faults}) // if the tool is gone, that is noticed
}

// Ready tells the tool that the application is about to accept requests at a URL, and
// from which directories it reads templates and public files, in each router/ and public/. Its
// pages hear from then on what the tool says. They and the tool are told what is wrong with
// its templates, now and whenever files have changed: templates returns it.
func (a *App) Ready(url string, dirs []string, pages Pages, templates func() []devpage.Fault) {
	if a == nil {
		return
	}
	s := &served{pages, templates}
	a.served.Store(s)
	_ = a.conn.Send(Message{Ready: true, URL: url, Dirs: dirs}) // if the tool is gone, that is noticed
	go a.look(s)                                                // nobody waits for it
}

// Report tells the tool the faults that Check has found, with the source around them: their
// files are named from the directories. It reports whether the tool says them to people.
func (a *App) Report(err error, dirs ...string) bool {
	if a == nil {
		return false
	}
	faults := devpage.Parse(strings.TrimPrefix(err.Error(), "flow: "), dirs...)
	return a.conn.Send(Message{Faults: faults}) == nil
}

// Close ends the link.
func (a *App) Close() error {
	if a == nil {
		return nil
	}
	return a.conn.Close()
}
