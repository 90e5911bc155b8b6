// Package shell knows how shells pass arguments to a program. [Quote] writes an argument for
// them, and [CheckQuotes] finds quotes that a shell has not taken off.
package shell

import (
	"fmt"
	"strings"
)

// Quote returns an argument as it is written in a shell. It uses double quotes, which all
// shells take: cmd.exe passes single quotes to the program. Only what sh would replace between
// double quotes is in single quotes.
func Quote(arg string) string {
	switch {
	case strings.ContainsAny(arg, "\"$`!\\"):
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	case arg == "" || strings.ContainsAny(arg, " \t\n'&|;<>()[]{}*?~#^"):
		return `"` + arg + `"`
	}
	return arg
}

// CheckQuotes returns an error if the shell has passed on the single quotes around one of the
// arguments, as cmd.exe does. It also splits what is in such quotes at its spaces.
func CheckQuotes(args []string) error {
	for i, first := range args {
		if !strings.HasPrefix(first, "'") {
			continue
		}
		for end := range args[i:] {
			quoted := strings.Join(args[i:i+end+1], " ")
			if inner, ok := strings.CutSuffix(quoted[1:], "'"); ok {
				return fmt.Errorf("the shell has passed the single quotes of %s as part of the argument, as cmd.exe does. Use double quotes: \"%s\"", quoted, inner)
			}
		}
	}
	return nil
}
