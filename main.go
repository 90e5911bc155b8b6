package flow

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"example.com/flow/internal/command"
	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"

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
// is 0, 1 if the application has faults or cannot serve, or 2 if the arguments are
// wrong. Serving, Main makes a logger for standard error that is also slog.Default,
// and the Logger of a Router that has none.
func Main(r *Router) {
	os.Exit(runMain(untilSignal, r, os.Args, os.Getenv, os.Stdout, os.Stderr))
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. The second
// one ends the program.
func untilSignal() context.Context {
	signalled, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(signalled, func() {
		stop() // first, so that whoever sees the server stop can end it at once with a second signal
		cancel()
	})
	return ctx
}

// runMain is Main without what belongs to the process. It returns the exit code. What
// it serves, it serves until a context ends that it asks for then.
func runMain(until func() context.Context, r *Router, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	c, err := command.Parse(args, getenv)
	if forms.IsNil(r) {
		err = errors.New("flow: Main: the Router is nil")
	}
	if err == nil {
		err = r.run(c, until, stdout, stderr)
	}
	return command.Exit(c, err, stdout, stderr)
}

// run does what the arguments of a program ask for.
func (r *Router) run(c command.Command, until func() context.Context, stdout, stderr io.Writer) error {
	switch c.Name {
	case "version":
		return command.PrintVersion(stdout)
	case "serve":
		return r.serve(c, until, stderr)
	}
	if err := r.Check(); err != nil {
		return err
	}
	if c.Name == "routes" {
		return r.printRoutes(c.Routes, stdout)
	}
	for _, pos := range registeredForNobody() {
		fmt.Fprintf(stderr, "%v: warning: %s\n", pos, noEffect)
	}
	_, err := fmt.Fprintf(stdout, "no faults in %d routes\n", len(r.Routes()))
	return err
}

// serve is the command of that name.
func (r *Router) serve(c command.Command, until func() context.Context, stderr io.Writer) error {
	set := c.Serve
	log := set.Log.Logger(stderr)
	slog.SetDefault(log)
	if r.Logger == nil {
		r.Logger = log
	}
	if set.Dev.On {
		dir, err := r.devDir(set.Dev.Dir)
		if err != nil {
			return err
		}
		r.Dev(dir)
		for _, m := range r.own.mounts {
			m.dev()
		}
	}
	if r.inDev() && !set.AddrGiven { // it shows too much for other machines to see
		set.Addr = "localhost" + set.Addr
	}
	if err := r.Check(); err != nil {
		return err
	}
	s := &server.Server{Handler: r, Log: r.Logger, Drain: set.Drain}
	if set.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(set.TLSCert, set.TLSKey)
		if err != nil {
			return fmt.Errorf("%s: -tls-cert and -tls-key: %w", c.Program, err)
		}
		s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	}
	r.begin() // says now what it would with the first request
	if err := s.ListenAndServe(until(), set.Addr); err != nil {
		return fmt.Errorf("%s: %w", c.Program, err)
	}
	return nil
}

// devDir returns the directory that the flag -dev asks for: by itself, that of the Go
// file that made the Router.
func (r *Router) devDir(dir string) (string, error) {
	if dir == "" {
		dir = r.sourceDir()
		// Built with -trimpath it begins with the path of the package.
		if !filepath.IsAbs(dir) || !isDir(dir) {
			return "", command.Usagef("-dev: the binary does not know where its source is: give the directory that holds %s/, as -dev=app", routetree.RouterDir)
		}
	}
	if !isDir(filepath.Join(dir, routetree.RouterDir)) {
		return "", command.Usagef("-dev=%s: there is no directory %s in it", dir, routetree.RouterDir)
	}
	return dir, nil
}

// dev is -dev for a Router that is mounted, and those inside it: each from where its
// own source is, if that is on this machine.
func (m *Mounted) dev() {
	if m.inner == nil {
		return
	}
	dir := m.inner.sourceDir()
	if m.inner.disk == nil && filepath.IsAbs(dir) && isDir(filepath.Join(dir, routetree.RouterDir)) {
		m.inner.Dev(dir)
	}
	for _, inside := range m.inner.own.mounts {
		inside.dev()
	}
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// sourceDir returns the directory of the Go file that called New, as the compiler
// recorded it; "" for a test.
func (r *Router) sourceDir() string {
	if r.app == nil {
		return ""
	}
	return filepath.FromSlash(r.app.path)
}

// printRoutes is the command routes.
func (r *Router) printRoutes(flags command.Routes, w io.Writer) error {
	listed := []RouteInfo{} // which is [] in JSON, and not null
	answering := r.patternsOf(flags.Path)
	for _, info := range r.Routes() {
		if answersMethod(info.Method, flags.Method) && (strings.Contains(info.Pattern, flags.Path) || answering[info.Pattern]) {
			listed = append(listed, info)
		}
	}
	if flags.JSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "\t")
		return enc.Encode(listed)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "METHOD\tURL\tFILE\tHANDLER\tNAME\tMIDDLEWARE")
	for _, r := range listed {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\n", r.Method, r.Pattern, cmp.Or(r.File, "-"), cmp.Or(r.Handler, "-"), cmp.Or(r.Name, "-"), r.Middleware)
	}
	return t.Flush()
}

// answersMethod reports whether a route is one for the method that was asked for.
func answersMethod(method, asked string) bool {
	asked = strings.ToUpper(asked)
	return asked == "" || method == "ANY" || method == asked || asked == http.MethodHead && method == http.MethodGet
}

// patternsOf returns the patterns of the routes that answer a path, in one spelling
// or another.
func (r *Router) patternsOf(path string) map[string]bool {
	patterns := map[string]bool{}
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return patterns
	}
	p, _ := pattern.ParsePath(&http.Request{URL: u})
	for _, l := range r.table.Load().matcher.Matching(p.Segments) {
		for _, e := range l.Answers() {
			patterns[e.path.String()] = true
		}
	}
	return patterns
}
