package devlink

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"example.com/flow/internal/devpage"
)

// Pages are the open pages of an application: a *dev.Hub.
type Pages interface {
	Changed()                  // files below router/ or public/ have changed
	SetFaults([]devpage.Fault) // are to be shown, and none takes them away
}

// An App is the side of an application. Its methods may be called by several goroutines,
// and those of a nil App, which no tool has started, do nothing.
type App struct {
	conn  *Conn
	pages atomic.Pointer[Pages]
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
		pages := a.pages.Load()
		if pages == nil {
			continue // the tool has nothing to say to who is not ready
		}
		if m.Changed {
			(*pages).Changed()
		}
		if m.Faults != nil {
			(*pages).SetFaults(m.Faults)
		}
	}
}

// Ready tells the tool that the application is about to accept requests at a URL. Its
// pages hear from then on what the tool says.
func (a *App) Ready(url string, pages Pages) {
	if a == nil {
		return
	}
	a.pages.Store(&pages)
	_ = a.conn.Send(Message{Ready: true, URL: url}) // if the tool is gone, that is noticed
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
