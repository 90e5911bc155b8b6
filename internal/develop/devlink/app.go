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

	"example.com/flow/internal/develop/devpage"
)

// Pages are the open pages of an application. livereload.Hub and livereload.Log implement it
// together.
type Pages interface {
	// Changed says that files below router/ or public/ have changed.
	Changed()
	// SetFaults replaces the faults that open pages show: those that the tool has found.
	SetFaults([]devpage.Fault)
	// SetTemplateFaults replaces the faults and the warnings of templates that open pages show:
	// those that the application has found.
	SetTemplateFaults(faults, warnings []devpage.Fault)
	// SetWarnings replaces the warnings that the route map shows.
	SetWarnings([]devpage.Fault)
	// Precede puts what the application before has logged in front of the log that the route
	// map shows.
	Precede([]devpage.Record)
}

// A served is the part of an application that exists once it serves: its open pages, and a
// function that returns the faults and the warnings of its templates on disk.
type served struct {
	pages     Pages
	templates func() (faults, warnings []devpage.Fault)
}

// An App is the application's end of the link. Several goroutines may call its methods. The
// methods of a nil App do nothing: no tool has started the application.
type App struct {
	conn       *Conn
	served     atomic.Pointer[served] // nil before Ready
	checking   sync.Mutex             // held by checkTemplates, so that the newest result is sent last
	toolFailed bool                   // the last faults of the tool were not empty; guarded by checking
}

// Start connects an application with the tool that has started it. The context that it
// returns ends with ctx, or when the tool closes the connection. If no tool has started the
// application, Start returns nil and ctx.
//
// Start unsets Variable, so that child processes of the application do not use it. It keeps
// the variables of a passed socket (sd_listen_fds(3)) and sets LISTEN_PID to the id of the
// process, which the tool could not know.
func Start(ctx context.Context) (*App, context.Context, error) {
	path := os.Getenv(Variable)
	if path == "" {
		return nil, ctx, nil
	}
	os.Unsetenv(Variable)
	if os.Getenv("LISTEN_FDS") != "" && os.Getenv("LISTEN_PID") == "" {
		os.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid()))
	}
	c, err := net.DialTimeout("unix", path, sendTimeout)
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

// follow passes the messages of the tool to the open pages, until the connection is closed.
func (a *App) follow() {
	for {
		m, err := a.conn.Receive()
		if err != nil {
			return
		}
		s := a.served.Load()
		if s == nil {
			continue // the tool sends nothing of interest before Ready
		}
		if m.Changed {
			s.pages.Changed()
			a.checkTemplates(s)
		}
		if m.Faults != nil {
			s.pages.SetFaults(m.Faults)
			if a.setToolFailed(len(m.Faults) > 0) {
				a.checkTemplates(s)
			}
		}
		if m.Warnings != nil {
			s.pages.SetWarnings(m.Warnings)
		}
		if m.Log != nil {
			s.pages.Precede(m.Log)
		}
	}
}

// setToolFailed notes whether the tool has sent faults, and reports whether that has changed.
func (a *App) setToolFailed(failed bool) (changed bool) {
	a.checking.Lock()
	defer a.checking.Unlock()
	changed = failed != a.toolFailed
	a.toolFailed = failed
	return changed
}

// checkTemplates sends what is wrong with the templates now to the pages and to the tool.
// While the tool has faults of a build, the application is older than its source. Then the
// pages get nothing about templates: they may fit the newer source.
func (a *App) checkTemplates(s *served) {
	a.checking.Lock()
	defer a.checking.Unlock()
	faults, warnings := s.templates()
	if faults == nil {
		faults = []devpage.Fault{} // in a Message, nil would mean that it is not about faults
	}
	if a.toolFailed {
		s.pages.SetTemplateFaults(nil, nil)
	} else {
		s.pages.SetTemplateFaults(faults, warnings)
	}
	_ = a.conn.Send(Message{Faults: faults, Warnings: warnings}) // follow notices if the tool is gone
}

// Ready tells the tool that the application is about to accept connections at a URL. It
// reads templates and public files from router/ and public/ of the directories. From then on
// the pages get the messages of the tool. Now and whenever files have changed, the App
// calls templates, and sends the faults and warnings that it returns to the pages and to the
// tool.
func (a *App) Ready(url string, dirs []string, pages Pages, templates func() (faults, warnings []devpage.Fault)) {
	if a == nil {
		return
	}
	s := &served{pages, templates}
	a.served.Store(s)
	_ = a.conn.Send(Message{Ready: true, URL: url, Dirs: dirs}) // follow notices if the tool is gone
	go a.checkTemplates(s)                                      // in the background, since the server waits for Ready
}

// Report sends the faults of Router.Check to the tool, with the source around their lines.
// Files are looked for below the directories. Report reports whether the tool has got them,
// and so prints them.
func (a *App) Report(err error, dirs ...string) bool {
	if a == nil {
		return false
	}
	faults := devpage.Parse(strings.TrimPrefix(err.Error(), "flow: "), dirs...)
	return a.conn.Send(Message{Faults: faults}) == nil
}

// Leave sends what the application has logged, for the one that answers next, and closes the
// connection.
func (a *App) Leave(log []devpage.Record) {
	if a == nil {
		return
	}
	_ = a.conn.Send(Message{Log: log}) // the log is in the terminal, too
	a.Close()
}

// Close closes the connection.
func (a *App) Close() error {
	if a == nil {
		return nil
	}
	return a.conn.Close()
}
