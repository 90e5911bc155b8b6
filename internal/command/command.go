// Package command is the command line of an application. [Parse] reads the arguments of a
// [Process] into a [Command]: a name such as "serve", and its flags. [Run] parses, has the
// application execute the command, and calls [Exit], which prints an error and returns the
// exit code. The commands help and version need no application, and are executed here; the
// others print by [PrintRoutes], [Routes.PrintExplanation], [Check.Report] and [PrintJSON]. Flags that the
// application itself has registered in package flag are parsed as well (own.go).
//
// The tool flow has commands of another kind, and shares the rest: exit codes and errors in
// arguments (exit.go), faults as JSON (json.go), the lines of a help about a flag, the version.
package command

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/shell"
)

// A Command is a command of an application with its flags.
type Command struct {
	Program string // the name of the program, for messages
	Name    string // "serve", which is the default, "routes", "check", "manifest", "export", "version" or "help"
	Serve   Serve
	Routes  Routes
	Check   Check
	Export  func(ctx context.Context, router any, p Process) error // executes the command export
}

// Exporter is the command export, in programs that import the package of that name; nil in others.
var Exporter *Added

// An Added is a command that a package adds to the programs that import it.
type Added struct {
	Usage string // its line in the help, behind the name of the program
	Flags string // its part of the help
	// New registers the flags of the command, and returns what executes it for a *flow.Router, with
	// the arguments behind the flags. An error of Usagef is one in the arguments.
	New func(*flag.FlagSet) func(ctx context.Context, router any, args []string, p Process) error
}

// Serve holds the flags of the command serve.
type Serve struct {
	Addr      string
	AddrGiven bool // -addr was given, so that Addr is not the default
	TLSCert   string
	TLSKey    string
	Drain     time.Duration
	Dev       Dev
	Log       Log

	SocketMode fs.FileMode // of a socket in the file system
}

// Routes holds the flags of the command routes.
type Routes struct {
	JSON         bool
	Method, Path string // filters of the list; "" is no filter
	Explain      string // a request to explain, "POST /users/new"; "" prints the list
}

// Check holds the flags of the command check.
type Check struct {
	JSON         bool
	Verbose      bool   // -v
	WarningsFail bool   // -warnings=fail: a warning is as bad as a fault
	Previous     string // a file with the manifest of another version; "" if there is none
}

// Builds reports whether the command needs the application.
func (c Command) Builds() bool { return c.Name != "version" && c.Name != "help" }

// names are the names of all commands.
var names = map[string]bool{"serve": true, "routes": true, "check": true, "manifest": true, "export": true, "version": true, "help": true}

// Parse parses the arguments of a program. The default of -addr has the port of the
// environment variable PORT. The error is flag.ErrHelp if the arguments ask for help.
func Parse(p Process) (Command, error) {
	c := Command{Program: "app", Name: "serve"}
	args := p.Args
	if len(args) > 0 {
		c.Program, args = strings.TrimSuffix(filepath.Base(args[0]), ".exe"), args[1:]
	}
	implied := len(args) == 0 || strings.HasPrefix(args[0], "-")
	if !implied {
		c.Name, args = args[0], args[1:]
	}
	own := p.ownFlags()
	if err := checkOwn(own); err != nil {
		return c, err
	}
	flags := flag.NewFlagSet(c.Program, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // Exit prints its errors
	switch c.Name {
	case "serve":
		c.Serve.flags(flags, p.Getenv)
	case "routes":
		c.Routes.flags(flags)
	case "check":
		flags.BoolVar(&c.Check.JSON, "json", false, "")
		c.Check.flags(flags)
		if own.Lookup("v") == nil { // -v of the application, as in package glog, is both
			flags.Bool("v", false, "")
		}
	case "manifest", "version":
	case "export":
		if Exporter == nil {
			return c, Usagef("the command export is that of a package, which the program does not import: write import _ %q in its main package", "example.com/flow/export")
		}
		run := Exporter.New(flags)
		c.Export = func(ctx context.Context, router any, p Process) error { return run(ctx, router, flags.Args(), p) }
	case "help":
		return c, flag.ErrHelp
	default:
		return c, Usagef("there is no command %q%s", c.Name, fault.Suggest(c.Name, names, ""))
	}
	if c.Builds() {
		own.VisitAll(func(f *flag.Flag) { flags.Var(f.Value, f.Name, f.Usage) })
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return c, err
	case err != nil:
		return c, usageError{err}
	case flags.NArg() > 0 && c.Name != "export":
		return c, unexpected(args, len(args)-flags.NArg(), implied)
	}
	if err := shell.CheckQuotes(slices.Concat(valuesOf(flags, own), []string{c.Serve.Dev.Dir}, flags.Args())); err != nil {
		return c, usageError{err}
	}
	if c.Builds() {
		own.Parse(nil) // some packages call flag.Parsed before they read their flags
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch c.Name {
	case "check":
		c.Check.Verbose = given["v"] && flags.Lookup("v").Value.String() != "false"
	case "serve":
		c.Serve.AddrGiven = given["addr"]
		return c, c.Serve.check()
	case "routes":
		return c, c.Routes.check(given)
	}
	return c, nil
}

// unexpected returns the error for args[i], an argument that is no flag. implied says that the
// arguments have no command, so that it is serve.
func unexpected(args []string, i int, implied bool) error {
	arg := args[i]
	if err := shell.CheckQuotes(args); err != nil {
		return usageError{err}
	}
	switch {
	case implied && names[arg]:
		return Usagef("unexpected argument %q: a command comes before its flags", arg)
	case i > 1 && strings.Trim(args[i-2], "-") == "explain" && strings.HasPrefix(arg, "/"):
		return Usagef("unexpected argument %q: method and path are one argument, as in -explain \"%s %[1]s\"", arg, args[i-1])
	case i > 0 && strings.Trim(args[i-1], "-") == "dev":
		return Usagef("unexpected argument %q: the directory is given as -dev=%[1]s", arg)
	}
	return Usagef("unexpected argument %q", arg)
}

func (s *Serve) flags(flags *flag.FlagSet, getenv func(string) string) {
	s.Log, s.SocketMode = "text", server.DefaultSocketMode
	flags.StringVar(&s.Addr, "addr", ":"+cmp.Or(getenv("PORT"), "8080"), "")
	flags.StringVar(&s.TLSCert, "tls-cert", "", "")
	flags.StringVar(&s.TLSKey, "tls-key", "", "")
	flags.DurationVar(&s.Drain, "drain", server.DefaultDrain, "")
	flags.BoolFunc("dev", "", s.Dev.set)
	flags.Func("log", "", s.Log.set)
	flags.Func("socket-mode", "", s.setSocketMode)
}

func (r *Routes) flags(flags *flag.FlagSet) {
	flags.BoolVar(&r.JSON, "json", false, "")
	flags.StringVar(&r.Method, "method", "", "")
	flags.StringVar(&r.Path, "path", "", "")
	flags.StringVar(&r.Explain, "explain", "", "")
}

// flags adds the flags that no other command has.
func (c *Check) flags(flags *flag.FlagSet) {
	flags.StringVar(&c.Previous, "previous", "", "")
	flags.Func("warnings", "", func(value string) error {
		if c.WarningsFail = value == "fail"; !c.WarningsFail {
			return errors.New("must be fail")
		}
		return nil
	})
}

// check returns an error for flags that exclude each other. given holds the names of the flags
// in the arguments.
func (r *Routes) check(given map[string]bool) error {
	switch {
	case given["explain"] && strings.TrimSpace(r.Explain) == "":
		return Usagef(`-explain: there is no path: write a method and a path, as in -explain "POST /users/new"`)
	case given["explain"] && (given["method"] || given["path"]):
		return Usagef(`-explain says method and path by itself, as in -explain "POST /users/new": leave out -method and -path`)
	}
	return nil
}

func (s *Serve) check() error {
	switch {
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return Usagef("-tls-cert and -tls-key belong together: give both")
	case s.Drain < 0:
		return Usagef("-drain is %v: it must not be negative", s.Drain)
	case s.SocketMode != server.DefaultSocketMode && !strings.HasPrefix(s.Addr, "unix:"):
		return Usagef("-socket-mode is for a socket in the file system: -addr is %q, and not unix:/path/of/the.sock", s.Addr)
	}
	return nil
}

// SetLogger sets slog.Default to the logger of the command, which may be that of the application, too.
func (c Command) SetLogger(to io.Writer) {
	switch c.Name {
	case "serve":
		if c.Serve.Log == "text" && (c.Serve.Dev.On || devpage.IsTerminal(to)) {
			to = devpage.Lines(to)
		}
		slog.SetDefault(c.Serve.Log.Logger(to))
	case "export": // whose requests are nobody's
		slog.SetDefault(slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelWarn})))
	}
}

// Config returns the TLS configuration with the certificate of the flags, which is read again
// when its files change. It is nil if there is none.
func (s *Serve) Config(log *slog.Logger) (*tls.Config, error) {
	if s.TLSCert == "" {
		return nil, nil
	}
	config, err := server.LoadCertificate(s.TLSCert, s.TLSKey, log)
	if err != nil {
		return nil, fmt.Errorf("-tls-cert and -tls-key: %w", err)
	}
	return config, nil
}

// Run parses the arguments of a program, executes the command, and returns the exit code. It
// calls do for commands that need the application.
func Run(p Process, do func(Command) error) (exitCode int) {
	c, err := Parse(p)
	switch {
	case err != nil:
	case c.Builds():
		err = do(c)
	default:
		err = PrintVersion(p.Stdout)
	}
	return Exit(c, err, p)
}

// Exit prints the error of a command, or the help that it asks for, and returns the exit code.
func Exit(c Command, err error, p Process) (code int) {
	if !errors.Is(err, flag.ErrHelp) {
		return ExitCode(p.Stderr, c.Program, c.Program+" -h", err)
	}
	usage, flags := "", ""
	if Exporter != nil {
		usage, flags = "\t"+c.Program+" "+Exporter.Usage+"\n", "\n"+Exporter.Flags
	}
	if _, err := fmt.Fprintf(p.Stdout, helpText, c.Program, describeOwn(p.ownFlags()), usage, flags); err != nil {
		return Failure
	}
	return OK
}

const helpText = `%[1]s is a web application in one binary.

Usage:

	%[1]s [serve] [flags]     serve until SIGINT or SIGTERM
	%[1]s routes [flags]      list the routes, in the order in which they are matched
	%[1]s check [flags]       look for faults in files and registrations
	%[1]s manifest            print what this version answers and its pages ask for, as JSON
%[3]s	%[1]s version             print which source the binary was built from
	%[1]s help                this text

Flags of serve:

	-addr address     host:port, :port, or unix:/path/of/the.sock
	                  (default ":8080", or the port PORT of the environment, and in
	                  development "localhost:8080", which other machines cannot reach);
	                  sockets that a service manager passes come first
	-socket-mode mode who may connect to unix:/path/of/the.sock, in octal as for chmod
	                  (default 0660: its owner and its group)
	-tls-cert file    certificate chain in PEM: serve HTTPS, and HTTP/2
	-tls-key file     its private key; both are read again when they change
	-drain duration   how long requests may take to end after the signal (default 30s)
	-dev[=directory]  read templates and public files from the directory that holds
	                  router/ and public/ at each request (default: that of the source),
	                  and show faults in the browser
	-log format       text or json, to standard error (default text)

Flags of routes:

	-json             JSON, for programs: an array of objects, or one for -explain
	-method method    only routes that answer the method
	-path path        only routes whose URL contains the text, or that answer the path
	-explain request  in place of the list, which file answers a request and why, such
	                  as "POST /users/new"; without a method it is GET

Flags of check:

	-json             JSON, for programs: an array of faults and warnings
	-v                say which templates html/template renders, and why; which pages
	                  run no script, and which are judged only in part
	-warnings=fail    exit with 1 if there is a warning
	-previous file    warn of what pages and clients of another version ask for, and this
	                  one does not answer; the file is what its command manifest prints
%[4]s%[2]s
Exit codes: 0, 1 if there are faults or it cannot serve or stop, 2 for wrong arguments.
`
