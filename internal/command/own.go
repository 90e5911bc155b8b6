package command

import (
	"flag"
	"fmt"
	"strings"
)

// checkOwn reports flags of the application that have the names of others. That is a
// mistake of the program, whatever its arguments.
func checkOwn(own *flag.FlagSet) error {
	if own == nil {
		return nil
	}
	taken := flag.NewFlagSet("", flag.ContinueOnError)
	new(Serve).flags(taken, func(string) string { return "" })
	new(Routes).flags(taken)
	taken.Bool("h", false, "")
	taken.Bool("help", false, "")
	var both []string
	own.VisitAll(func(f *flag.Flag) {
		if taken.Lookup(f.Name) != nil {
			both = append(both, "-"+f.Name)
		}
	})
	if both == nil {
		return nil
	}
	return fmt.Errorf("flow: package flag has %s, registered by the application or a package that it imports, and the commands of flow have flags of that name: call it otherwise", strings.Join(both, ", "))
}

// addOwn adds the flags of the application to those of a command.
func addOwn(flags, own *flag.FlagSet) {
	if own != nil {
		own.VisitAll(func(f *flag.Flag) { flags.Var(f.Value, f.Name, f.Usage) })
	}
}

// markParsed has own.Parsed report true: packages ask flag.Parsed before they trust
// their flags.
func markParsed(own *flag.FlagSet) {
	if own != nil {
		own.Parse(nil)
	}
}

// column is where the texts of flags begin, behind a tab, in the help.
const column = 18

// describeOwn returns the part of the help that tells the flags of the application, or ""
// if there are none.
func describeOwn(own *flag.FlagSet) string {
	if own == nil {
		return ""
	}
	indent := "\n\t" + strings.Repeat(" ", column)
	var b strings.Builder
	own.VisitAll(func(f *flag.Flag) {
		if b.Len() == 0 {
			b.WriteString("\nFlags of the application, for serve, routes and check:\n\n")
		}
		placeholder, usage := flag.UnquoteUsage(f)
		name := strings.TrimSpace("-" + f.Name + " " + placeholder)
		if len(name) >= column {
			name += indent
		}
		text := strings.TrimSpace(usage + defaultOf(f))
		fmt.Fprintf(&b, "\t%-*s%s\n", column, name, strings.ReplaceAll(text, "\n", indent))
	})
	return b.String()
}

// defaultOf returns what the help says of the default of a flag: nothing if it is the
// zero value of its type.
func defaultOf(f *flag.Flag) string {
	switch f.DefValue {
	case "", "0", "0s", "false":
		return ""
	}
	return " (default " + f.DefValue + ")"
}
