package command

import (
	"errors"
	"fmt"
	"io"
)

// The exit codes of a program.
const (
	OK = iota
	Failure
	Usage
)

// ErrReported is the error of a command that has printed what is wrong. ExitCode prints nothing
// for it.
var ErrReported = errors.New("the error was printed before")

// A usageError is an error in the arguments.
type usageError struct{ error }

// Usagef returns an error in the arguments, for which the exit code is Usage.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// ExitCode prints the error of a command, and returns the exit code. help is the command line that
// prints the help of the program.
func ExitCode(stderr io.Writer, program, help string, err error) int {
	var usage usageError
	switch {
	case err == nil:
		return OK
	case errors.Is(err, ErrReported):
		return Failure
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "%s: %v\n\"%s\" tells the commands and their flags.\n", program, err, help)
		return Usage
	}
	fmt.Fprintln(stderr, err)
	return Failure
}
