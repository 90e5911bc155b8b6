package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/cmd/flow/internal/files"
	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/flowtest"
)

// commands are two for tests: the first says what it was given.
var commands = []Command{
	{
		Name: "say", Args: "WORD...", Short: "say words", Long: "Says the words.",
		Setup: func(flags *flag.FlagSet) Work {
			loud := flags.Bool("loud", false, "in capitals")
			to := flags.String("to", "you", "`whom` to tell,\nby name")
			return func(_ context.Context, p Process, args, passedOn []string) error {
				switch strings.Join(args, " ") {
				case "fail":
					return errors.New("it failed")
				case "said":
					return fmt.Errorf("wrapped: %w", command.ErrReported)
				case "usage":
					return fmt.Errorf("wrapped: %w", command.Usagef("say: %s", "otherwise"))
				}
				if len(args) > 0 && args[0] == "panic" {
					panic("oops\nit " + args[1])
				}
				fmt.Fprintln(p.Stdout, *loud, *to, args, passedOn)
				return nil
			}
		},
		PassesOn: true,
	},
	{Name: "plain", Short: "say nothing", Long: "Says nothing.", Setup: func(*flag.FlagSet) Work {
		return func(context.Context, Process, []string, []string) error { return nil }
	}},
}

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		args           string
		code           int
		stdout, stderr string // what is in it
	}{
		{"say a b", command.OK, "false you [a b] []", ""},
		{"say -loud a -to me b", command.OK, "true me [a b] []", ""},
		{"say a --loud", command.OK, "true you [a] []", ""},
		{"say a -- -loud b", command.OK, "false you [a] [-loud b]", ""},
		{"say --", command.OK, "false you [] []", ""},
		{"say - x", command.OK, "false you [- x] []", ""},
		{"say fail", command.Failure, "", "it failed\n"},
		{"say said", command.Failure, "", ""},
		{"say usage", command.Usage, "", "say: otherwise"},
		{"say -lout", command.Usage, "", `say: flag provided but not defined: -lout: did you mean "-loud"?`},
		{"say x -to", command.Usage, "", "flag needs an argument: -to"},
		{"say 'a b' c", command.Usage, "", `flow: say: the shell has passed the single quotes of 'a b' as part of the argument, as cmd.exe does. Use double quotes: "a b"`},
		{"say -to me 'a'", command.Usage, "", `Use double quotes: "a"`},
		{"say 'tis a", command.OK, "false you ['tis a] []", ""},
		{"say a -- 'b'", command.OK, "false you [a] ['b']", ""},
		{"plain", command.OK, "", ""},
		{"plain x -- y", command.Usage, "", `plain: unexpected argument "--"`},
		{"", command.Usage, "", "flow: say what to do"},
		{"sai", command.Usage, "", `flow: there is no command "sai": did you mean "say"?`},
		{"hlep", command.Usage, "", `flow: there is no command "hlep": did you mean "help"?`},
		{"something", command.Usage, "", `flow: there is no command "something"` + "\n"},
		{"help", command.OK, "\tflow say    say words\n\tflow plain  say nothing\n", ""},
		{"-h", command.OK, "flow say", ""},
		{"--help", command.OK, "flow say", ""},
		{"help say", command.OK, "Usage: flow say [flags] WORD...\n\nSays the words.\n\nFlags:\n\n\t-loud              in capitals\n\t-to whom           whom to tell,\n\t                   by name\n", ""},
		{"say -h", command.OK, "Usage: flow say", ""},
		{"help plain", command.OK, "Usage: flow plain\n\nSays nothing.\n", ""},
		{"help nothing", command.Usage, "", `there is no command "nothing"`},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			var stdout, stderr strings.Builder
			p := Process{Stdout: &stdout, Stderr: &stderr}
			is.Equal(Run(context.Background(), p, commands, strings.Fields(tt.args)), tt.code)
			is.True(strings.Contains(stdout.String(), tt.stdout)) // it is said
			is.True(strings.Contains(stderr.String(), tt.stderr)) // it is complained of
			is.True(stdout.Len() == 0 || stderr.Len() == 0)
			is.Equal(tt.stderr == "", stderr.Len() == 0)
		})
	}
}

// A panic is a bug of the tool: one line says so, and names a file for the report.
func TestPanic(t *testing.T) {
	is := is.New(t)
	flowtest.SetTempDir(t, t.TempDir())
	var errs strings.Builder
	is.Equal(Run(t.Context(), Process{Stdout: io.Discard, Stderr: &errs}, commands, []string{"say", "panic", "fails"}), command.Failure)
	line, rest, _ := strings.Cut(errs.String(), "\n")
	is.Equal(rest, "")
	name, ok := strings.CutPrefix(line, "flow say: this is a bug of flow, and nothing was changed: oops: please report it with ")
	is.True(ok)
	name, _, _ = strings.Cut(name, ", which has the version, the command and the stack")
	report, err := os.ReadFile(name)
	is.NoErr(err)
	for _, want := range []string{runtime.Version(), `command: flow ["say" "panic" "fails"]`, "panic: oops\nit fails\n", "cli_test.go:"} {
		is.True(strings.Contains(string(report), want))
	}
}

// Without a place for the file, the report itself is printed.
func TestPanicWithoutTempDir(t *testing.T) {
	is := is.New(t)
	flowtest.SetTempDir(t, filepath.Join(t.TempDir(), "none"))
	var errs strings.Builder
	is.Equal(Run(t.Context(), Process{Stdout: io.Discard, Stderr: &errs}, commands, []string{"say", "panic", "fails"}), command.Failure)
	is.True(strings.Contains(errs.String(), "please report it with what follows"))
	is.True(strings.Contains(errs.String(), "cli_test.go:"))
}

func TestPanicThatLeftChanges(t *testing.T) {
	is := is.New(t)
	flowtest.SetTempDir(t, t.TempDir())
	err := Bug([]string{"mv"}, files.NotUndone{Panic: "oops", Left: errors.New("and it could not be taken back: x")})
	is.True(strings.HasPrefix(err.Error(), "flow mv: this is a bug of flow, and it could not be taken back: x: oops: please report it with "))
}
