package apptest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"example.com/flow"
)

// A Result is what a program shows that calls flow.Run.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Built returns a function that builds an application, for flow.Run.
func Built(r *flow.Router) func(context.Context) (*flow.Router, error) {
	return func(context.Context) (*flow.Router, error) { return r, nil }
}

// Run runs the program of an application, with arguments that are separated by spaces.
func Run(ctx context.Context, r *flow.Router, args string) Result {
	return RunBuild(ctx, Built(r), nil, strings.Fields(args)...)
}

// RunBuild runs the program of an application that has flags of its own.
func RunBuild(ctx context.Context, build func(context.Context) (*flow.Router, error), own *flag.FlagSet, args ...string) Result {
	log := slog.Default()
	defer slog.SetDefault(log)
	oldArgs, oldFlags := os.Args, flag.CommandLine
	defer func() { os.Args, flag.CommandLine = oldArgs, oldFlags }()
	if own == nil {
		own = new(flag.FlagSet)
	}
	os.Args, flag.CommandLine = append([]string{"/usr/bin/app"}, args...), own
	var result Result
	result.Stdout = written(&os.Stdout, func() {
		result.Stderr = written(&os.Stderr, func() { result.Code = flow.Run(ctx, build) })
	})
	return result
}

// written returns what f writes to a file of the process.
func written(file **os.File, f func()) string {
	from, to, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	old, text := *file, make(chan string)
	go func() {
		b, _ := io.ReadAll(from)
		text <- string(b)
	}()
	*file = to
	func() {
		defer func() { *file = old; to.Close() }()
		f()
	}()
	return <-text
}

// Checked returns the faults and warnings of the command check, a line each.
func Checked(r *flow.Router) string {
	var found []struct {
		File, Severity, Text string
		Line, Column         int
	}
	if err := json.Unmarshal([]byte(Run(context.Background(), r, "check -json").Stdout), &found); err != nil {
		panic(err)
	}
	var lines []string
	for _, f := range found {
		text := f.File
		for _, n := range []int{f.Line, f.Column} {
			if n > 0 {
				text += fmt.Sprint(":", n)
			}
		}
		if text != "" {
			text += ": "
		}
		if f.Severity == "warning" {
			text += "warning: "
		}
		lines = append(lines, text+f.Text)
	}
	return strings.Join(lines, "\n")
}
