package flow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"

	"example.com/flow/internal/command"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/forms"
	"example.com/flow/internal/server"
)

// Main is the main function of an application: it runs the command that the
// arguments of the program say, and exits. Without one it serves, as Serve does, with
// flags for the address, TLS, development and so on; in development it listens on
// localhost unless it is given an address. Others list the routes, check the
// application for faults, and tell the version; "help" tells all of them.
//
// SIGINT and SIGTERM stop the server gracefully, a second one at once. The exit code
// is 0, 1 if the application has faults, cannot serve or fails to stop, or 2 if the
// arguments are wrong. Serving, Main makes a logger for standard error that is also
// slog.Default, and the Logger of a Router that has none.
//
// An application that opens something, such as a database, is better built by a function
// that Run calls.
func Main(r *Router) {
	os.Exit(Run(context.Background(), func(context.Context) (*Router, error) { return r, nil }))
}

// Run is Main for an application that a function builds. It returns the exit code, so that
// deferred calls run before the program exits:
//
//	func main() { os.Exit(flow.Run(context.Background(), build)) }
//
// Run calls build once, for the commands that need the application: to serve, to list the
// routes, to check. So "help" and "version" open nothing. What build opens is closed by the
// functions that it gives to Router.OnStop, after each of these commands, also if build
// returns the Router with an error. An error of build makes the exit code 1.
//
// Flags that the program registers with the standard package flag are parsed along with
// those of the command, before build is called, and "help" shows them. One that has the name
// of a flag of flow is an error. The context of build ends with ctx or at the first SIGINT or SIGTERM, when requests are
// still under way: what they need ends in OnStop. Requests have the values of ctx. For the
// command that serves, slog.Default is the logger already when build is called.
func Run(ctx context.Context, build func(context.Context) (*Router, error)) (exitCode int) {
	until, release := command.UntilSignal(ctx)
	defer release()
	return runProcess(until, build, command.ThisProcess())
}

// runProcess is Run without signals.
func runProcess(ctx context.Context, build func(context.Context) (*Router, error), p command.Process) int {
	return command.Run(p, func(c command.Command) error { return runCommand(ctx, build, c, p) })
}

// runCommand builds an application, does what the arguments of the program ask for, and
// stops the application.
func runCommand(ctx context.Context, build func(context.Context) (*Router, error), c command.Command, p command.Process) error {
	if c.Name == "serve" {
		slog.SetDefault(c.Serve.Log.Logger(p.Stderr))
	}
	tool, ctx, err := linkTool(ctx, c)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Program, err)
	}
	defer tool.Close()
	r, err := build(ctx)
	switch {
	case err != nil:
		err = fmt.Errorf("%s: %w", c.Program, err)
	case r == nil:
		err = errors.New("flow: the Router that should run is nil")
	}
	if r == nil {
		return err
	}
	s := &server.Server{Handler: r, Log: r.logger(), Drain: c.Serve.Drain, SocketMode: fs.FileMode(c.Serve.SocketMode)}
	return r.stops.After(ctx, s, func() error {
		switch {
		case err != nil:
			return err
		case c.Name == "serve":
			return r.serve(ctx, c, s, tool)
		}
		return r.inspect(c, p)
	})
}

// inspect runs the commands routes and check.
func (r *Router) inspect(c command.Command, p command.Process) error {
	r.explains = c.Name == "routes" && c.Routes.Explain != ""
	if err := r.Check(); err != nil {
		return err
	}
	switch {
	case r.explains:
		return r.printExplanation(c.Routes, p.Stdout)
	case c.Name == "routes":
		var all []command.Route
		for _, info := range r.Routes() {
			all = append(all, command.Route(info))
		}
		return c.Routes.Print(p.Stdout, all, r.patternsOf(c.Routes.Path))
	}
	if warnings := r.compile().warnings; warnings != nil {
		fmt.Fprintln(p.Stderr, warnings)
	}
	_, err := fmt.Fprintf(p.Stdout, "no faults in %d routes\n", len(r.Routes()))
	return err
}

// serve runs the command serve. tool is nil unless it started the program in development.
func (r *Router) serve(ctx context.Context, c command.Command, s *server.Server, tool *devTool) error {
	set := c.Serve
	r.Logger = s.Log
	if set.Dev.On {
		if err := r.startDev(set.Dev); err != nil {
			return err
		}
	}
	if r.dev != nil && !set.AddrGiven { // development shows too much for other machines to see
		set.Addr = "localhost" + set.Addr
	}
	if err := r.Check(); err != nil {
		if tool.Report(err, r.sources()...) {
			return command.ErrReported
		}
		return err
	}
	config, err := set.Config()
	if err == nil {
		s.TLS = config
		r.begin() // logs now what it would log with the first request
		if tool != nil {
			r.front.connect(tool, s)
		}
		err = s.ListenAndServe(ctx, set.Addr)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Program, err)
	}
	return nil
}

// Serve answers requests at an address with h until ctx ends, and then lets those
// that are under way finish for 30 seconds. It returns nil after that, and otherwise
// why it cannot serve. If h is a *Router, its faults are such an error, and those of the
// functions of OnStop, which it calls last. Main does the same as a command, with flags.
//
// The address is "host:port", or "unix:/path/of/the.sock", the path of a socket, to which
// its owner and its group may connect (mode 0660, which Windows does not have).
// Sockets that a service manager passes (LISTEN_FDS, sd_listen_fds(3)) are served in
// its place, by the first Serve of the program. Serve speaks HTTP/1.1 without TLS;
// Main has flags for a certificate, and for another mode.
//
// Clients have 10 seconds for a header, of 64 KiB at most, and may leave a connection
// unused for 2 minutes. A body or an answer may take as long as it likes while it
// makes progress: a client may keep the reading of a body waiting for a minute in all,
// of which each 500 bytes earn back a second, and the writing of an answer for a minute,
// to which each 64 KiB add another, up to four. A handler that sets deadlines with
// http.ResponseController has those in place of these.
//
// The context of a request has the values of ctx, but does not end with it. When ctx
// ends, Serve accepts no more connections, answers tell the client to close its
// connection, and connections without a request are given a second for one more. The
// contexts of event streams (text/event-stream) and of hijacked connections are
// cancelled at once, those of other requests after the 30 seconds. Hijacked connections
// are waited for as long as their handlers run.
//
// An application that has called Draining has a health check. Serve then goes on to
// accept connections for a second, so that load balancers see it fail, unless the
// sockets are those of a service manager, which keeps them open.
//
// Serve logs with the Logger of a Router, else with slog.Default.
func Serve(ctx context.Context, addr string, h http.Handler) error {
	if forms.IsNil(h) {
		return errors.New("flow: Serve: the handler is nil")
	}
	s := &server.Server{Handler: h, Log: slog.Default(), Drain: server.DefaultDrain, SocketMode: server.DefaultSocketMode}
	serve := func() error {
		if err := s.ListenAndServe(ctx, addr); err != nil {
			return fmt.Errorf("flow: Serve: %w", err)
		}
		return nil
	}
	r, ok := h.(*Router)
	if !ok {
		return serve()
	}
	r = r.outermost() // which answers for it
	s.Log = r.logger()
	return r.stops.After(ctx, s, func() error {
		if err := r.Check(); err != nil {
			return err
		}
		r.begin() // logs now what it would log with the first request
		return serve()
	})
}

// OnStop has Serve, Main or Run call a function once after the last request, to close what
// the application has opened, also if they cannot serve. The functions of a Router and of
// those mounted in it are called one after the other, the last registered first. An error
// or a panic of one is logged, returned by Serve, and makes the exit code 1; the others are
// called all the same.
//
// The context has the values of that of Serve. It ends with the time that requests have to
// finish, 30 seconds or -drain, but each function has 5 seconds at least. One that does not
// return then is left behind, and so are handlers that have not finished in time.
//
// OnStop may be called at any time. When all functions have been called, it calls its own
// at once. A Router that is served at several addresses stops when the last Serve ends, and
// cannot be served again if functions have been called. Other servers do not call them, nor
// does Serve those of a Router within another handler: give middleware to Router.Use.
func (r *Router) OnStop(stop func(context.Context) error) {
	pos := fault.Caller(0)
	if stop == nil {
		r.own.Change(pos, "OnStop(nil)", func() {
			r.own.Fault(pos, "OnStop: the function is nil")
		})
		return
	}
	r.stops.Add(pos.String()+": OnStop", stop)
}

// Draining reports whether the server that answers the request of ctx is about to
// stop: Serve or Main. A health check then fails, so that a load balancer sends its
// requests elsewhere. It is false for the requests of other servers.
func Draining(ctx context.Context) bool { return server.Draining(ctx) }
