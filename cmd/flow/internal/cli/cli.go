// Package cli reads the command line of the tool. A [Command] says its name, its flags and
// what it does; [Run] finds the one that the arguments name, prints help, and turns errors
// into exit codes. Flags may stand before and after the other arguments.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"example.com/flow/internal/command"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/shell"
)

// A Process is what a command has of the system.
type Process struct {
	Dir            string // the working directory, absolute
	Getenv         func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// A Command is one command of the tool.
type Command struct {
	Name  string // "add"
	Args  string // what follows the flags in its usage: "PATH"
	Short string // one line for the list of commands, without a full stop
	Long  string // the rest of its help, before the flags
	// PassesOn: what stands behind "--" is not for the tool, and is allowed.
	PassesOn bool
	// Setup registers the flags of the command, and returns what does its work once they
	// are read.
	Setup func(*flag.FlagSet) Work
}

// Work does the work of a command. Of its two lists of arguments the first has those that
// are no flags, and the second what stands behind "--".
type Work func(ctx context.Context, p Process, args, passedOn []string) error

// Run runs the command that the arguments name, the first of which is no program, and
// returns the exit code. A command that panics has changed nothing: it changes files by
// package files only, at its end.
func Run(ctx context.Context, p Process, commands []Command, args []string) (exitCode int) {
	return command.ExitCode(p.Stderr, "flow", "flow help", run(ctx, p, commands, args))
}

func run(ctx context.Context, p Process, commands []Command, args []string) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Bug(args, v)
		}
	}()
	if len(args) == 0 {
		printCommands(p.Stderr, commands)
		return command.Usagef("say what to do")
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(rest) == 0 {
			return printCommands(p.Stdout, commands)
		}
		c, err := find(commands, rest[0])
		if err != nil {
			return err
		}
		return c.printHelp(p.Stdout)
	}
	c, err := find(commands, name)
	if err != nil {
		return err
	}
	return c.run(ctx, p, rest)
}

func find(commands []Command, name string) (Command, error) {
	byName := map[string]Command{}
	for _, c := range commands {
		byName[c.Name] = c
	}
	c, ok := byName[name]
	if !ok {
		byName["help"] = Command{} // which is none of them, and may be meant
		return c, command.Usagef("there is no command %q%s", name, fault.Suggest(name, byName, ""))
	}
	return c, nil
}

func (c Command) run(ctx context.Context, p Process, args []string) error {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	work := c.Setup(flags)
	given, passedOn, err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return c.printHelp(p.Stdout)
	case err != nil:
		return command.Usagef("%s: %v%s", c.Name, err, hint(flags, err))
	case len(passedOn) > 0 && !c.PassesOn:
		return command.Usagef("%s: unexpected argument %q", c.Name, "--")
	}
	if err := shell.CheckQuotes(given); err != nil {
		return command.Usagef("%s: %v", c.Name, err)
	}
	return work(ctx, p, given, passedOn)
}

// parse reads flags that stand before, between and after other arguments.
func parse(flags *flag.FlagSet, args []string) (given, passedOn []string, err error) {
	for i, arg := range args {
		if arg == "--" {
			args, passedOn = args[:i], args[i+1:]
			break
		}
	}
	for {
		if err := flags.Parse(args); err != nil {
			return nil, nil, err
		}
		if flags.NArg() == 0 {
			return given, passedOn, nil
		}
		given, args = append(given, flags.Arg(0)), flags.Args()[1:]
	}
}

// hint says which flag an unknown one was likely meant to be.
func hint(flags *flag.FlagSet, err error) string {
	unknown, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !ok {
		return ""
	}
	known := map[string]bool{}
	flags.VisitAll(func(f *flag.Flag) { known["-"+f.Name] = true })
	return fault.Suggest(unknown, known, "")
}

func printCommands(w io.Writer, commands []Command) error {
	var b strings.Builder
	b.WriteString("flow is the tool for people who write applications with the router flow.\n\nUsage:\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "\tflow %-6s %s\n", c.Name, c.Short)
	}
	b.WriteString("\n\"flow help COMMAND\" tells more of one.\n\nExit codes: 0, 1 if there are faults or it fails, 2 for wrong arguments.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// column is where the descriptions of flags begin in the help, after a tab.
const column = 19

func (c Command) printHelp(w io.Writer) error {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	c.Setup(flags)
	var listed strings.Builder
	flags.VisitAll(func(f *flag.Flag) { listed.WriteString(command.DescribeFlag(f, column, "")) })
	words := []string{"flow", c.Name}
	if listed.Len() > 0 {
		words = append(words, "[flags]")
	}
	if c.Args != "" {
		words = append(words, c.Args)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s\n", strings.Join(words, " "), strings.TrimSpace(c.Long))
	if listed.Len() > 0 {
		b.WriteString("\nFlags:\n\n" + listed.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}
