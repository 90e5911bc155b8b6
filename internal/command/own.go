package command

import (
	"flag"
	"fmt"
	"strings"
)

// checkOwn returns an error if the application has registered a flag with the name of a flag
// of flow. The error does not depend on the arguments, so that it shows in every run.
func checkOwn(own *flag.FlagSet) error {
	taken := flag.NewFlagSet("", flag.ContinueOnError)
	new(Serve).flags(taken, func(string) string { return "" })
	new(Routes).flags(taken)
	new(Check).flags(taken)
	if Exporter != nil {
		Exporter.New(taken)
	}
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
	return fmt.Errorf("flow: package flag has %s, registered by the application or a package that it imports, and the commands of flow have flags of the same name: choose another name", strings.Join(both, ", "))
}

// valuesOf returns the values of flags that the arguments have, without the application's own flags,
// which may have any value.
func valuesOf(flags, own *flag.FlagSet) (values []string) {
	flags.Visit(func(f *flag.Flag) {
		if own.Lookup(f.Name) == nil {
			values = append(values, f.Value.String())
		}
	})
	return values
}

// column is where the descriptions of flags begin in the help, after a tab.
const column = 18

// describeOwn returns the part of the help about the flags of the application. It is "" if
// there are none.
func describeOwn(own *flag.FlagSet) string {
	var b strings.Builder
	own.VisitAll(func(f *flag.Flag) {
		if b.Len() == 0 {
			b.WriteString("\nFlags of the application, for all commands but version and help:\n\n")
		}
		b.WriteString(DescribeFlag(f, column, defaultOf(f)))
	})
	return b.String()
}

// DescribeFlag returns the lines of a help about a flag. What the flag does begins in a column,
// after a tab, and has a default at its end.
func DescribeFlag(f *flag.Flag, column int, byDefault string) string {
	indent := "\n\t" + strings.Repeat(" ", column)
	placeholder, usage := flag.UnquoteUsage(f)
	name := strings.TrimSpace("-" + f.Name + " " + placeholder)
	if len(name) >= column {
		name += indent
	}
	text := strings.TrimSpace(usage + byDefault)
	return fmt.Sprintf("\t%-*s%s\n", column, name, strings.ReplaceAll(text, "\n", indent))
}

// defaultOf returns the default of a flag for the help. It is "" for the zero value of the
// type, as in package flag.
func defaultOf(f *flag.Flag) string {
	switch f.DefValue {
	case "", "0", "0s", "false":
		return ""
	}
	return " (default " + f.DefValue + ")"
}
