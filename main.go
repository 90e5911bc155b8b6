package flow

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"example.com/flow/internal/server"
)

// Main is the main function of an application: it runs the command that the
// arguments of the program say, and exits. Without one it serves, as Serve does, with
// flags for the address, TLS, development and so on. Others list the routes, check
// the application for faults, and tell the version; "help" tells all of them.
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

// The exit codes of Main.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

const helpText = `%[1]s is a web application in one binary.

Usage:

	%[1]s [serve] [flags]     serve until SIGINT or SIGTERM
	%[1]s routes [flags]      list the routes, in the order in which they are matched
	%[1]s check               look for faults in files and registrations
	%[1]s version             tell what the binary was built from
	%[1]s help                this text

Flags of serve:

	-addr address     host:port, :port, or unix:/path/of/the.sock
	                  (default ":8080", or the port PORT of the environment);
	                  sockets that a service manager passes come first
	-tls-cert file    certificate chain in PEM: serve HTTPS, and HTTP/2
	-tls-key file     its private key
	-drain duration   how long requests may take to end after the signal (default 30s)
	-dev[=directory]  read templates and public files from the directory that holds
	                  router/ and public/ at each request (default: that of the source)
	-log format       text or json, to standard error (default text)

Flags of routes:

	-json             an array of objects, for programs
	-method method    only routes that answer the method
	-path path        only routes whose URL contains the text, or that answer the path

Exit codes: 0, 1 if there are faults or it cannot serve, 2 for wrong arguments.
`

// A command is one run of Main.
type command struct {
	router         *Router
	until          func() context.Context // it serves
	name           string                 // of the program
	args           []string
	implied        bool // no command was given
	getenv         func(string) string
	stdout, stderr io.Writer
}

// runMain is Main without what belongs to the process, which args begin with the name
// of. It returns the exit code. What it serves, it serves until a context ends that it
// asks for then.
func runMain(until func() context.Context, r *Router, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	c := &command{router: r, until: until, name: "app", getenv: getenv, stdout: stdout, stderr: stderr}
	if len(args) > 0 {
		c.name, c.args = strings.TrimSuffix(filepath.Base(args[0]), ".exe"), args[1:]
	}
	err := c.run()
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		if _, err := fmt.Fprintf(stdout, helpText, c.name); err != nil {
			return exitFailure
		}
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "%s: %v\n\"%s -h\" tells the commands and their flags.\n", c.name, err, c.name)
		return exitUsage
	}
	fmt.Fprintln(stderr, err)
	return exitFailure
}

// A usageError is about the arguments.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run does what the first argument says: without a command, it serves.
func (c *command) run() error {
	if isNil(c.router) {
		return errors.New("flow: Main: the Router is nil")
	}
	if c.implied = len(c.args) == 0 || strings.HasPrefix(c.args[0], "-"); c.implied {
		return c.serve()
	}
	name := c.args[0]
	c.args = c.args[1:]
	switch name {
	case "serve":
		return c.serve()
	case "routes":
		return c.routes()
	case "check":
		return c.check()
	case "version":
		return c.version()
	case "help":
		return flag.ErrHelp
	}
	return usagef("there is no command %q%s", name, suggest(name, commands, ""))
}

var commands = map[string]bool{"serve": true, "routes": true, "check": true, "version": true, "help": true}

// flags returns an empty set of flags, which reports its errors to parse only.
func (c *command) flags() *flag.FlagSet {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

// parse reads the flags, which must be all there is.
func (c *command) parse(flags *flag.FlagSet) error {
	switch err := flags.Parse(c.args); {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return usageError{err}
	case flags.NArg() > 0:
		return c.unexpected(len(c.args) - flags.NArg())
	}
	return nil
}

// unexpected returns the error for an argument that is no flag, the i-th.
func (c *command) unexpected(i int) error {
	arg := c.args[i]
	switch {
	case c.implied && commands[arg]:
		return usagef("unexpected argument %q: a command comes before its flags", arg)
	case i > 0 && strings.Trim(c.args[i-1], "-") == "dev":
		return usagef("unexpected argument %q: the directory is given as -dev=%[1]s", arg)
	}
	return usagef("unexpected argument %q", arg)
}

// settings are what the flags of serve say.
type settings struct {
	addr    string
	tlsCert string
	tlsKey  string
	drain   time.Duration
	dev     devFlag
	log     logFlag
}

func (c *command) settings() (settings, error) {
	s := settings{log: "text"}
	flags := c.flags()
	flags.StringVar(&s.addr, "addr", ":"+cmp.Or(c.getenv("PORT"), "8080"), "")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "")
	flags.StringVar(&s.tlsKey, "tls-key", "", "")
	flags.DurationVar(&s.drain, "drain", server.DefaultDrain, "")
	flags.Var(&s.dev, "dev", "")
	flags.Var(&s.log, "log", "")
	if err := c.parse(flags); err != nil {
		return s, err
	}
	switch {
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return s, usagef("-tls-cert and -tls-key belong together: give both")
	case s.drain < 0:
		return s, usagef("-drain is %v: it must not be negative", s.drain)
	}
	return s, nil
}

// A devFlag is a directory, or on by itself.
type devFlag struct {
	on  bool
	dir string
}

// IsBoolFlag lets the flag stand alone. It is "true" then.
func (*devFlag) IsBoolFlag() bool { return true }

func (f *devFlag) String() string { return f.dir }

// Set also takes what switches are given: "false" is off.
func (f *devFlag) Set(value string) error {
	on, err := strconv.ParseBool(value)
	if err != nil {
		*f = devFlag{true, value}
		return nil
	}
	*f = devFlag{on: on}
	return nil
}

// A logFlag is the format of the log.
type logFlag string

func (f *logFlag) String() string { return string(*f) }

// Set takes "text" and "json".
func (f *logFlag) Set(value string) error {
	if value != "text" && value != "json" {
		return errors.New("must be text or json")
	}
	*f = logFlag(value)
	return nil
}

// logger returns a logger that writes in the format.
func (f logFlag) logger(w io.Writer) *slog.Logger {
	if f == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

func (c *command) serve() error {
	set, err := c.settings()
	if err != nil {
		return err
	}
	log := set.log.logger(c.stderr)
	slog.SetDefault(log)
	if c.router.Logger == nil {
		c.router.Logger = log
	}
	if set.dev.on {
		dir, err := c.devDir(set.dev.dir)
		if err != nil {
			return err
		}
		c.router.Dev(dir)
		for _, m := range c.router.own.mounts {
			m.dev()
		}
	}
	if err := c.router.Check(); err != nil {
		return err
	}
	s := &server.Server{Handler: c.router, Log: c.router.Logger, Drain: set.drain}
	if set.tlsCert != "" {
		pair, err := tls.LoadX509KeyPair(set.tlsCert, set.tlsKey)
		if err != nil {
			return fmt.Errorf("%s: -tls-cert and -tls-key: %w", c.name, err)
		}
		s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	}
	c.router.begin() // says now what it would with the first request
	if err := s.ListenAndServe(c.until(), set.addr); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// devDir returns the directory that the flag -dev asks for: by itself, that of the Go
// file that made the Router.
func (c *command) devDir(dir string) (string, error) {
	if dir == "" {
		dir = c.router.sourceDir()
		// Built with -trimpath it begins with the path of the package.
		if !filepath.IsAbs(dir) || !isDir(dir) {
			return "", usagef("-dev: the binary does not know where its source is: give the directory that holds %s/, as -dev=app", routerDir)
		}
	}
	if !isDir(filepath.Join(dir, routerDir)) {
		return "", usagef("-dev=%s: there is no directory %s in it", dir, routerDir)
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
	if m.inner.disk == nil && filepath.IsAbs(dir) && isDir(filepath.Join(dir, routerDir)) {
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

func (c *command) routes() error {
	flags := c.flags()
	asJSON := flags.Bool("json", false, "")
	method := flags.String("method", "", "")
	path := flags.String("path", "", "")
	if err := c.parse(flags); err != nil {
		return err
	}
	if err := c.router.Check(); err != nil {
		return err
	}
	listed := []RouteInfo{} // which is [] in JSON, and not null
	answering := c.router.patternsOf(*path)
	for _, r := range c.router.Routes() {
		if answersMethod(r.Method, *method) && (strings.Contains(r.Pattern, *path) || answering[r.Pattern]) {
			listed = append(listed, r)
		}
	}
	if *asJSON {
		enc := json.NewEncoder(c.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "\t")
		return enc.Encode(listed)
	}
	return printRoutes(c.stdout, listed)
}

func printRoutes(w io.Writer, routes []RouteInfo) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "METHOD\tURL\tFILE\tHANDLER\tNAME\tMIDDLEWARE")
	for _, r := range routes {
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
	p, _ := parsePath(&http.Request{URL: u})
	r.table.Load().root.visit(p.values, nil, func(l *leaf, _, _ []string) bool {
		for _, e := range l.methods {
			patterns[e.shape.pattern()] = true
		}
		if l.any != nil && l.any.inner != nil {
			maps.Copy(patterns, l.any.inner.patternsOf(path))
		} else if l.any != nil {
			patterns[cmp.Or(l.any.below, l.any).shape.pattern()] = true
		}
		return true
	})
	return patterns
}

func (c *command) check() error {
	if err := c.parse(c.flags()); err != nil {
		return err
	}
	if err := c.router.Check(); err != nil {
		return err
	}
	for _, pos := range registeredForNobody() {
		fmt.Fprintf(c.stderr, "%v: warning: %s\n", pos, noEffect)
	}
	_, err := fmt.Fprintf(c.stdout, "no faults in %d routes\n", len(c.router.Routes()))
	return err
}

func (c *command) version() error {
	if err := c.parse(c.flags()); err != nil {
		return err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("flow: the binary has no build information: build it in module mode")
	}
	return printVersion(c.stdout, info)
}

// printVersion prints what is known of a build, one fact per line.
func printVersion(w io.Writer, info *debug.BuildInfo) error {
	known := map[string]string{}
	for _, s := range info.Settings {
		known[s.Key] = s.Value
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, fact := range [][2]string{
		{"module", info.Main.Path},
		{"version", info.Main.Version},
		{"go", info.GoVersion},
		{"platform", cmp.Or(known["GOOS"], runtime.GOOS) + "/" + cmp.Or(known["GOARCH"], runtime.GOARCH)},
		{"revision", known["vcs.revision"]},
		{"time", known["vcs.time"]},
		{"modified", known["vcs.modified"]},
	} {
		if fact[1] != "" {
			fmt.Fprintf(t, "%s\t%s\n", fact[0], fact[1])
		}
	}
	return t.Flush()
}
