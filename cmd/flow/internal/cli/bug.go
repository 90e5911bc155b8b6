package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"example.com/flow/cmd/flow/internal/files"
	"example.com/flow/internal/command"
)

// Bug returns the error for a panic with the value v of the command that some arguments name:
// a line that says that it is a bug of the tool, and names the file with what is worth
// reporting. It has to be called while the command panics, since the file has the stack.
func Bug(args []string, v any) error {
	var build strings.Builder
	command.PrintVersion(&build) // without build information, the rest is worth reporting
	report := fmt.Sprintf("%scommand: flow %q\npanic: %v\n\n%s", build.String(), args, v, debug.Stack())
	changed := "and nothing was changed"
	if left, ok := v.(files.NotUndone); ok {
		changed, v = strings.ReplaceAll(left.Left.Error(), "\n", ", "), left.Panic
	}
	value, _, _ := strings.Cut(fmt.Sprint(v), "\n")
	said := fmt.Sprintf("flow %s: this is a bug of flow, %s: %s: please report it with ", args[0], changed, value)
	name, err := writeReport(report)
	if err != nil {
		return fmt.Errorf("%swhat follows, since %w\n\n%s", said, err, report)
	}
	return errors.New(said + name + ", which has the version, the command and the stack")
}

// writeReport writes a report to a new file for temporary ones.
func writeReport(report string) (name string, err error) {
	f, err := os.CreateTemp("", "flow-bug-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(report)
	return f.Name(), errors.Join(err, f.Close())
}
