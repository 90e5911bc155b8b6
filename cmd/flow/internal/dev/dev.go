// Package dev is the command "flow dev": it builds an application, runs it, and replaces
// it by the next build whenever a file is saved.
//
// A [session] is the tool at work, and the only place with a state that changes: look at
// session.go first. A watcher tells it which paths were touched (watch.go, notice.go), and
// a batch when that has settled (settle.go). A layout knows the files of the program and
// decides what a change means (packages.go, change.go). What is built (build.go), in a
// directory of the tool (temp.go), is started as a process, with which the session speaks by
// a link (process.go). Clients connect to a front (front.go, proxy.go), which hands its
// socket to each process in turn, and shows a report while there is none (report.go). What
// the go tool and programs report becomes faults (output.go), for open pages and for the
// terminal (terminal.go). When nothing else is to be done, what flow vet finds in the code
// becomes warnings (review.go).
package dev

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/command"
)

// Command is "flow dev".
var Command = cli.Command{
	Name:  "dev",
	Args:  "[package] [-- arguments of the program]",
	Short: "run the application, and show each change at once",
	Long: `
Dev builds and runs a main package, by default that of the module, and does so again
whenever a file is saved that needs it. The program that ran before answers until the
next one is ready. Open pages load themselves again, and show what is wrong; templates
and files of public/ need no build. What "flow vet" finds after a good build is a
warning. It ends with Ctrl-C.

The program runs in the working directory, as "program serve -dev", with the arguments
that follow "--". Flags of the go tool may also be in GOFLAGS.`,
	PassesOn: true,
	Setup: func(flags *flag.FlagSet) cli.Work {
		o := &options{}
		flags.StringVar(&o.addr, "addr", "", "`host:port` to listen on (default \"localhost:8080\", or the port PORT\nof the environment)")
		flags.StringVar(&o.build, "build", "", "`flags` of \"go build\", as in -build \"-tags sqlite -race\"")
		flags.DurationVar(&o.ready, "ready", readyTime, "how long the program may take until it is ready, a `duration`\n(default 30s)")
		flags.BoolVar(&o.stopFirst, "stop-first", false, "end the program before the next one starts, if both cannot run at once:\nit locks a file, or listens at a port of its own; requests wait meanwhile")
		flags.BoolVar(&o.proxy, "proxy", !canPassSockets, "answer as a proxy in front of the program, as where sockets cannot be\nhanded on")
		return o.run
	},
}

// options are the flags.
type options struct {
	addr, build string
	ready       time.Duration
	stopFirst   bool
	proxy       bool
}

// run is the work of the command.
func (o *options) run(ctx context.Context, p cli.Process, args, passedOn []string) error {
	if len(args) > 1 {
		return command.Usagef("dev: unexpected argument %q: arguments of the program stand behind \"--\"", args[1])
	}
	for _, arg := range passedOn {
		if name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); strings.HasPrefix(arg, "-") && name == "addr" {
			return command.Usagef("dev: -addr is for flow dev, and stands before \"--\": it hands its socket to the program")
		}
	}
	if strings.HasPrefix(o.addr, "unix:") {
		return command.Usagef("dev: -addr is %q: it must be host:port, which a browser can open", o.addr)
	}
	if o.ready <= 0 {
		return command.Usagef("dev: -ready is %v: it must be more than nothing", o.ready)
	}
	flags, err := splitFlags(o.build)
	if err != nil {
		return command.Usagef("dev: -build: %v", err)
	}
	given := ""
	if len(args) == 1 {
		given = args[0]
	}
	ctx, hurry, release := untilSignal(ctx)
	defer release()
	m, err := project.FindModule(p.Dir)
	if err != nil {
		return err
	}
	pkg, name, err := findMain(ctx, m, p.Dir, given, flags)
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	front, err := openFront(cmp.Or(o.addr, "localhost:"+cmp.Or(p.Getenv("PORT"), "8080")), o.proxy)
	if err != nil {
		return err
	}
	defer front.close()
	temp, remove, err := tempDir()
	if err != nil {
		return err
	}
	defer remove()
	t := newTerminal(p.Stderr, p.Getenv)
	t.say("building %s for %s", pkg, front.url(""))
	s := &session{
		program:   program{dir: p.Dir, module: m.Dir, pkg: pkg, name: name, flags: flags},
		front:     front,
		terminal:  t,
		temp:      temp,
		patience:  o.ready,
		stopFirst: o.stopFirst,
		calls:     make(chan func()),
		done:      make(chan struct{}),
	}
	s.plan = startPlan{dir: p.Dir, name: name, args: slices.Concat(front.args(), passedOn), port: front.port(), socket: front.socket, links: temp, stdout: p.Stdout, stderr: t, tell: s.tell, said: s.said, over: s.over}
	return s.run(ctx, hurry)
}

// untilSignal returns a context that ends with ctx, with the first signal to stop, or when
// nobody reads any more what the tool says, as after Ctrl-C in "flow dev 2>&1 | tee log".
// Once the context has ended, hurry gets the next signal to stop, however soon it comes. Only
// a signal of the same kind that comes before the system has delivered the first one is lost:
// the system makes one of them.
func untilSignal(ctx context.Context) (until context.Context, hurry <-chan os.Signal, release func()) {
	until, cancel := context.WithCancel(ctx)
	stops, unread := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(stops, stopSignals...)
	signal.Notify(unread, syscall.SIGPIPE)
	go func() {
		select {
		case <-stops:
		case <-unread:
		case <-until.Done():
		}
		cancel() // from here on, nobody but the caller reads from stops
	}()
	return until, stops, func() {
		signal.Stop(stops)
		signal.Stop(unread)
		cancel()
	}
}

var (
	flagWords = regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`)
	quotes    = regexp.MustCompile(`"([^"]*)"|'([^']*)'`)
)

// splitFlags splits a text into flags at its spaces. What is in quotes stays together.
func splitFlags(text string) (flags []string, err error) {
	if strings.TrimSpace(flagWords.ReplaceAllString(text, "")) != "" {
		return nil, fmt.Errorf("a quote is not closed in %q", text)
	}
	for _, word := range flagWords.FindAllString(text, -1) {
		flags = append(flags, quotes.ReplaceAllString(word, "$1$2"))
	}
	return flags, nil
}
