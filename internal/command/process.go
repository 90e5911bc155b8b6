package command

import (
	"context"
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// A Process is what a program has of the system.
type Process struct {
	Args           []string // its name first
	Getenv         func(string) string
	Flags          *flag.FlagSet // those that the application has registered itself, or nil
	Stdout, Stderr io.Writer
}

// ThisProcess returns the Process that runs.
func ThisProcess() Process {
	return Process{os.Args, os.Getenv, flag.CommandLine, os.Stdout, os.Stderr}
}

// UntilSignal returns a context that ends with ctx, or with the first SIGINT or SIGTERM.
// The second one ends the program. To call release ends it, and gives signals their
// ordinary meaning back.
func UntilSignal(ctx context.Context) (until context.Context, release func()) {
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	until, cancel := context.WithCancel(ctx)
	context.AfterFunc(signalled, func() {
		stop() // first, so that whoever sees the server stop can end it at once with a second signal
		cancel()
	})
	return until, stop
}
