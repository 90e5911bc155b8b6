package command

import (
	"cmp"
	"context"
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// A Process is the arguments, environment and streams of a program. Tests make their own.
type Process struct {
	Args           []string // as os.Args: the name of the program first
	Getenv         func(string) string
	Flags          *flag.FlagSet // the flags that the application has registered itself, or nil
	Stdout, Stderr io.Writer
}

// ThisProcess returns the current Process.
func ThisProcess() Process {
	return Process{os.Args, os.Getenv, flag.CommandLine, os.Stdout, os.Stderr}
}

// ownFlags returns Flags, or an empty set.
func (p Process) ownFlags() *flag.FlagSet { return cmp.Or(p.Flags, new(flag.FlagSet)) }

// UntilSignal returns a context that ends with ctx or with the first SIGINT or SIGTERM. A
// second signal ends the program. release ends the context, and restores the default behaviour
// of both signals.
func UntilSignal(ctx context.Context) (until context.Context, release func()) {
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	until, cancel := context.WithCancel(ctx)
	context.AfterFunc(signalled, func() {
		stop() // first, so that a second signal ends the program as soon as the server stops
		cancel()
	})
	return until, stop
}
