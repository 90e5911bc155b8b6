package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"example.com/flow/internal/check/manifest"
	"example.com/flow/internal/command"
	"example.com/flow/internal/develop/devlink"
	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/livereload"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/wire/server"
)

// Main is the main function of an application: it runs the command that the arguments of the
// program name, and exits. The command serve is the default: it serves as Serve does, with
// flags for the address, TLS, development and so on. In development it listens on localhost
// unless an address is given. The command routes lists the routes, check checks the
// application for faults, manifest prints what it answers and its pages ask for, version prints
// the version, and help explains commands and flags. In a program that imports the package
// export, the command of that name writes the site as files.
//
// The first SIGINT or SIGTERM stops the server gracefully, the second one at once. The exit
// code is 1 if the application has faults, cannot serve or does not stop properly, 2 if the
// arguments are wrong, and otherwise 0. The command serve sets slog.Default to a logger for
// standard error, and so the Logger of a Router that has none.
//
// An application that opens something, such as a database, is better built by a function
// that Run calls.
func Main(r *Router) {
	os.Exit(Run(context.Background(), func(context.Context) (*Router, error) { return r, nil }))
}

// Run is Main for an application that a function builds. It returns the exit code, so that
// deferred calls can run before the program exits:
//
//	func main() { os.Exit(flow.Run(context.Background(), build)) }
//
// Run calls build once, for the commands serve, routes, check, manifest and export. What only serving needs,
// such as background jobs and migrations, belongs in a function of Router.OnStart, which the
// other commands do not call. To close what build has opened, register functions with
// Router.OnStop: Run calls them at the end of each of these commands, also if build returns
// both a Router and an error. If build returns an error, the exit code is 1.
//
// The context of build ends with ctx, or at the first SIGINT or SIGTERM. Requests may still
// be running then, so what they need must not end with that context, but in a function of
// OnStop. The contexts of requests have the values of ctx. The command serve sets
// slog.Default before it calls build.
//
// The program may register flags of its own with package flag. Run parses them together with
// those of the command, before it calls build, and the command help shows them. A flag with
// the name of one of flow's is an error.
func Run(ctx context.Context, build func(context.Context) (*Router, error)) (exitCode int) {
	until, release := command.UntilSignal(ctx)
	defer release()
	return runProcess(until, build, command.ThisProcess())
}

// runProcess is Run for a given process. It does not wait for signals.
func runProcess(ctx context.Context, build func(context.Context) (*Router, error), p command.Process) int {
	return command.Run(p, func(c command.Command) error { return runCommand(ctx, build, c, p) })
}

// runCommand builds the application, runs a command for it, and calls its functions of
// OnStop.
func runCommand(ctx context.Context, build func(context.Context) (*Router, error), c command.Command, p command.Process) error {
	log := &livereload.Log{} // keeps something in development only
	c.SetLogger(p.Stderr)
	var tool *devlink.App // nil unless "flow dev" has started the program
	if c.Serve.Dev.On {
		log.Keep()
		var err error
		if tool, ctx, err = devlink.Start(ctx); err != nil { // ctx ends when the tool does
			return fmt.Errorf("%s: %w", c.Program, err)
		}
		defer tool.Close()
	}
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
	if c.Serve.Dev.On || c.Name == "serve" && r.dev != nil {
		log.Keep() // of another logger, if build has set one, or if it has called Dev
	}
	s := &server.Server{Handler: r, Log: r.logger(), Drain: c.Serve.Drain, SocketMode: c.Serve.SocketMode}
	return server.Around(ctx, s, hooksOf(routersOf(r)), func() error {
		switch {
		case err != nil:
			return err
		case c.Name == "serve":
			return r.serve(ctx, c, p, s, tool, log)
		}
		return r.inspect(ctx, c, p)
	})
}

// inspect runs the commands routes, check, manifest and export.
func (r *Router) inspect(ctx context.Context, c command.Command, p command.Process) error {
	r.keepsCompiler = c.Name == "routes" && c.Routes.Explain != ""
	r.forChecksOnly = c.Name == "check" || c.Name == "manifest"
	err := r.Check()
	switch {
	case c.Name == "check":
		return r.runCheck(err, c, p)
	case err != nil:
		return err
	case c.Name == "export":
		return c.Export(ctx, r, p)
	case c.Name == "manifest":
		return command.PrintJSON(p.Stdout, r.manifest())
	case r.keepsCompiler:
		return c.Routes.PrintExplanation(p.Stdout, r.explainer(r.table.Load().routeMap()))
	}
	return command.PrintRoutes(p.Stdout, c.Routes, r.Routes(), RouteInfo.cells, r.patternsOf(c.Routes.Path))
}

// cells returns what the command routes prints of a route.
func (i RouteInfo) cells() []string {
	return []string{i.Method, i.Pattern, cmp.Or(strings.Join(i.Guards, ", "), "public"), cmp.Or(i.Handler, "-"), cmp.Or(i.Name, "-"), cmp.Or(i.File, "-")}
}

// runCheck runs the command check, given the error of Check.
func (r *Router) runCheck(err error, c command.Command, p command.Process) error {
	warnings := slices.Concat(fault.Of(r.compile().warnings), r.lateWarnings())
	if c.Check.Previous != "" && err == nil {
		broken, err := manifest.Breaks(c.Check.Previous, r.manifest(), r.table.Load().site)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Program, err)
		}
		warnings = append(warnings, broken...)
	}
	if err := c.Check.Report(p, err, warnings, r.sources()); err != nil || c.Check.JSON {
		return err
	}
	details := ""
	if c.Check.Verbose {
		details = r.describeViews()
	}
	_, err = fmt.Fprintf(p.Stdout, "no faults in %d routes\n%s", len(r.Routes()), details)
	return err
}

// serve runs the command serve. tool is nil unless "flow dev" has started the program.
func (r *Router) serve(ctx context.Context, c command.Command, p command.Process, s *server.Server, tool *devlink.App, log *livereload.Log) error {
	set := c.Serve
	r.Logger = s.Log
	if set.Dev.On {
		if err := r.startDev(set.Dev); err != nil {
			return err
		}
		if len(routersOf(r)) > 1 {
			s.Log.Warn("flow: -dev does not reach the Routers of Hosts, which go on to show what is in the binary: start each with flow.Main to develop it")
		}
	}
	if r.dev != nil && !set.AddrGiven { // other machines must not see what development shows
		set.Addr = "localhost" + set.Addr
	}
	if err := r.Check(); err != nil {
		if tool.Report(err, r.sources()...) {
			return command.ErrReported
		}
		if r.dev != nil {
			return command.Check{}.Report(p, err, nil, r.sources())
		}
		return err
	}
	config, err := set.Config(s.Log)
	if err == nil {
		s.TLS = config
		if r.begin(); r.front != nil {
			r.front.Log = log
			if set.Log == "text" {
				r.front.Terminal = &livereload.Terminal{To: p.Stderr, Colors: devpage.ColorsOf(p.Stderr, p.Getenv)}
			}
		}
		at, secure := set.Addr, config != nil
		if tool != nil {
			r.front.Connect(tool, s, r.wrongOnDisk)
			if set.AddrGiven { // by the tool, which is a proxy then
				at, secure = "localhost:"+p.Getenv("PORT"), false
			}
		}
		ctx = server.WithURL(ctx, at, secure)
		err = startAndServe(ctx, s, routersOf(r), func(s *server.Server) error { return s.ListenAndServe(ctx, set.Addr) })
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Program, err)
	}
	return nil
}

// Serve serves h at an address until ctx ends. Then it waits up to 30 seconds for running
// requests, and returns nil. If it cannot serve, it returns an error. If h is a *Router, or
// Hosts with several, Serve also returns the faults of Check as an error, calls the functions
// of OnStart before it listens and those of OnStop last, and returns their errors. If h is
// another handler that passes requests to a Router with such functions, Serve does not know
// that Router, and the log has a warning with the first request. Main does the same as a
// command, with flags.
//
// The address is "host:port", or "unix:/path/of/the.sock" for a Unix domain socket. Owner
// and group may connect to the socket: its mode is 0660, except on Windows. If a service
// manager has passed sockets (LISTEN_FDS, sd_listen_fds(3)), the first Serve of the program
// serves these and ignores the address. Serve speaks HTTP/1.1 without TLS. Main has flags
// for a certificate and for the mode of the socket, and ServeListener serves at a listener of
// TLS.
//
// Clients have these limits:
//
//   - The header of a request may take 10 seconds, and have 64 KiB.
//   - A connection may be idle for 2 minutes.
//   - Reading a body may wait for the client for a minute in all. Each 500 bytes received
//     give back a second.
//   - Writing an answer may wait for the client for a minute. Each 64 KiB sent add a minute,
//     up to four in all.
//
// A body or an answer may take any time while it makes progress. A handler that sets
// deadlines with http.ResponseController replaces the limits for body and answer.
//
// The context of a request has the values of ctx, and does not end with ctx. When ctx ends,
// Serve accepts no more connections. An idle connection has a second for one more request,
// and each answer tells the client to close its connection. The contexts of event streams
// (text/event-stream) and of hijacked connections are canceled at once, those of other
// requests after 30 seconds. Serve waits for the handlers of hijacked connections too.
//
// If the application has called Draining, it has a health check that load balancers ask.
// Serve then accepts connections for another second after ctx has ended, so that they see
// the check fail. It does not do so for the sockets of a service manager, which keeps them
// open.
//
// Serve logs with the Logger of a Router, with that of the first Router of Hosts in the order
// of their names, or with slog.Default.
func Serve(ctx context.Context, addr string, h http.Handler) error {
	ctx = server.WithURL(ctx, addr, false)
	return serveHandler(ctx, "Serve", h, func(s *server.Server) error { return s.ListenAndServe(ctx, addr) })
}

// ServeListener is Serve for a listener that the application has made, such as one whose
// certificates package autocert gets. It closes the listener whenever it returns, and returns
// its error if it fails. Clients that connect while functions of OnStart run have to wait.
//
// If Accept returns a *tls.Conn, as that of tls.NewListener does, its requests have a TLS
// field, and HTTP/2 is spoken if the tls.Config has "h2" in NextProtos. When ctx ends, the
// connections that wait in the queue of a *net.TCPListener or *net.UnixListener are served;
// those in the queue of another listener are lost.
func ServeListener(ctx context.Context, l net.Listener, h http.Handler) error {
	if forms.IsNil(l) {
		return errors.New("flow: ServeListener: the listener is nil")
	}
	serves := false
	defer func() {
		if !serves { // else it was closed, and may not expect it again
			l.Close()
		}
	}()
	ctx = server.WithURL(ctx, "", false) // and not that of a server whose function has called this one
	return serveHandler(ctx, "ServeListener", h, func(s *server.Server) error {
		serves, s.Foreign = true, true
		return s.Serve(ctx, l)
	})
}

// serveHandler checks a handler, calls the functions of its Routers, and serves it by a
// function. It is the function of the name, for errors.
func serveHandler(ctx context.Context, name string, h http.Handler, serve func(*server.Server) error) error {
	if forms.IsNil(h) {
		return fmt.Errorf("flow: %s: the handler is nil", name)
	}
	s := &server.Server{Handler: h, Log: slog.Default(), Drain: server.DefaultDrain, SocketMode: server.DefaultSocketMode}
	check := func() error { return nil }
	switch of := h.(type) {
	case *Router:
		of = of.outermost() // a mounted Router does not answer by itself
		h, check = of, of.Check
	case Hosts:
		check = of.Check
	}
	routers := routersOf(h)
	if len(routers) > 0 {
		s.Log = routers[0].logger()
	}
	return server.Around(ctx, s, hooksOf(routers), func() error {
		if err := check(); err != nil {
			return err
		}
		if err := startAndServe(ctx, s, routers, serve); err != nil {
			return fmt.Errorf("flow: %s: %w", name, err)
		}
		return nil
	})
}

// startAndServe has Routers without faults begin, so that they log warnings now and not with the first
// request, calls their functions of OnStart, and serves unless ctx has ended meanwhile.
func startAndServe(ctx context.Context, s *server.Server, routers []*Router, serve func(*server.Server) error) error {
	for _, r := range routers {
		r.begin()
	}
	for _, r := range routers {
		if proceed, err := r.hooks.Start(ctx, s); !proceed {
			return err
		}
	}
	warnOfUploads(s.Log, routers)
	return serve(s)
}

// OnStart registers a function that begins what only serving needs: background jobs,
// migrations, the first filling of a cache. Serve, Main and the command serve of Run call it
// once, after Check and before they listen. They call the functions of a Router and of the
// Routers mounted in it one after the other, the one that was registered first before the
// others, and wait for each. If one returns an error or panics, those after it are not called,
// nothing is served, and Serve returns the error after it has called the functions of OnStop.
// For Main and Run, the exit code is 1.
//
// The context of the function has the values of the context of Serve. It ends after the last
// request was answered, and before the functions of OnStop are called: a job ends with it, and
// a function of OnStop waits for the job.
//
// If the context of Serve ends while the function still runs, that of the function ends at
// once, no further function of OnStart is called, and nothing is served. Serve waits for the
// function as long as it would wait for requests, which is 30 seconds or -drain, and for 5
// seconds at least. A function that takes longer is left behind: that is logged, and Serve
// returns it as an error.
//
// Call OnStart before Check. If a Router is served at several addresses, the first Serve
// calls the functions, and the others wait for it. As with OnStop, no other server calls
// them.
func (r *Router) OnStart(start func(context.Context) error) {
	pos := fault.Caller(0)
	r.own.Change(pos, "OnStart", func() {
		if start == nil {
			r.own.Fault(pos, "OnStart: the function is nil")
			return
		}
		r.hooks.OnStart(pos.String()+": OnStart", start)
	})
}

// OnStop registers a function that closes what the application has opened. Serve, Main and
// Run call it once, after the last request, also if they could not serve. They call the
// functions of a Router and of the Routers mounted in it one after the other, the one that
// was registered last first. If a function returns an error or panics, that is logged, Serve
// returns it, and the exit code is 1; the other functions are called all the same.
//
// The context of the function has the values of the context of Serve. It ends together with
// the time for running requests, which is 30 seconds or -drain, but not before the function
// has had 5 seconds. Serve does not wait longer, neither for the function nor for handlers.
//
// OnStop may be called at any time. Once the functions have been called, OnStop calls its
// function at once. A Router that is served at several addresses stops when the last Serve
// ends, and cannot be served again if it has functions of OnStart or OnStop. Other servers do
// not call the functions. Serve does not call those of a Router that is wrapped in another
// handler, and says so in the log: use Router.Use in place of wrapping it, and Hosts in place
// of an http.ServeMux.
func (r *Router) OnStop(stop func(context.Context) error) {
	pos := fault.Caller(0)
	if stop == nil {
		r.own.Change(pos, "OnStop(nil)", func() {
			r.own.Fault(pos, "OnStop: the function is nil")
		})
		return
	}
	r.hooks.OnStop(pos.String()+": OnStop", stop)
}

// reportHooks logs which functions of OnStart and OnStop nobody calls, if ctx is that of a
// request of Serve, and Serve does not know r: another handler has passed the request on. It
// says nothing of other servers, such as those of tests.
func (r *Router) reportHooks(ctx context.Context) {
	names := r.hooks.Uncalled(ctx)
	if names == nil {
		return
	}
	r.logHooksOnce.Do(func() {
		r.logger().Warn("flow: nobody calls these functions, since Serve does not know the Router, which answers inside of another handler: give Serve the Router itself, with middleware by Router.Use, or flow.Hosts in place of an http.ServeMux", "functions", strings.Join(names, ", "))
	})
}

// Draining reports whether the server of a request, which is Serve, Main or Run, is about to
// stop. ctx is the context of the request. A health check fails then, so that load balancers
// send requests elsewhere. For requests of other servers, Draining reports false.
func Draining(ctx context.Context) bool { return server.Draining(ctx) }

// URL returns where a browser on the machine of the server finds it: "http://localhost:3000" for
// the address ":3000", or "https://localhost:8443" with a certificate of Main. ctx is the context
// of a function of Router.OnStart, or of a request. The URL comes from the address that Serve or
// Main was given, and never from a request, whose sender chooses the Host.
//
// Users may have another URL, since a server knows nothing of the proxies in front of it. So take
// this one as the default of a setting, for links that are sent away, such as those in mails. It
// is "" if the address does not tell: for a Unix socket, for a port that the system chooses
// (":0"), for ServeListener, and for other servers, as in tests. It is that of the address, too,
// if a service manager has passed sockets.
func URL(ctx context.Context) string { return server.URL(ctx) }
