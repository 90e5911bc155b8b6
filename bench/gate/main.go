// Command gate fails if requests have become dearer than the goals of the project allow:
//
//	go run ./gate                  all rows, in less than two minutes
//	go run ./gate -run github      those whose names match a regular expression
//	go run ./gate -list            the goals, without measuring
//
// Each figure is a ratio between contestants that were measured in the same run, in rounds
// that alternate, or a count. A row that fails is tried a second and a third time, since a
// machine may be busy with something else.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"

	"example.com/flow/bench/measure"
	"example.com/flow/bench/rows"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the command without what belongs to the process. It returns the exit code: 0 if
// all rows pass, 1 if one does not, 2 if the arguments are wrong.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("gate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("run", "", "measure the rows whose names match this `regexp`")
	list := flags.Bool("list", false, "print the goals without measuring")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintf(stderr, "gate: -run: %v\n", err)
		return 2
	}
	if *list {
		printGoals(stdout, goals)
		return 0
	}
	if len(rowsOf(goals, match)) == 0 {
		fmt.Fprintf(stderr, "gate: -run: no row matches %q: see -list\n", *only)
		return 2
	}
	failed, err := hold(goals, match, measureRow, stdout)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "gate: %v\n", err)
		return 1
	case failed > 0:
		fmt.Fprintf(stderr, "gate: %d above the gate\n", failed)
		return 1
	}
	return 0
}

// measureRow measures a row of package rows.
func measureRow(name string) (measure.Result, error) { return rows.Named(name).Build().Run(budget) }

// tries is how often a row is measured before it fails.
const tries = 3

// hold measures the rows of goals that match, prints each figure beside its goal, and
// returns how many of them fail. A figure passes if it does so in one of the tries.
func hold(goals []goal, match *regexp.Regexp, measure func(string) (measure.Result, error), out io.Writer) (failed int, err error) {
	fmt.Fprintf(out, "%-18s %-56s %8s %8s %8s\n", "row", "what", "got", "goal", "gate")
	for _, row := range rowsOf(goals, match) {
		open := goalsOf(goals, row)
		for try := 1; len(open) > 0; try++ {
			result, err := measure(row)
			if err != nil {
				return failed, fmt.Errorf("%s: %w", row, err)
			}
			var again []goal
			for _, g := range open {
				got := g.of.get(result)
				switch {
				case g.passes(got):
					printFigure(out, g, got, "")
				case try < tries:
					printFigure(out, g, got, "again")
					again = append(again, g)
				default:
					printFigure(out, g, got, "FAILS")
					failed++
				}
			}
			open = again
		}
	}
	return failed, nil
}

// rowsOf returns the names of the rows that match, each once, in the order of the goals.
func rowsOf(goals []goal, match *regexp.Regexp) (names []string) {
	seen := map[string]bool{}
	for _, g := range goals {
		if !seen[g.row] && match.MatchString(g.row) {
			names = append(names, g.row)
		}
		seen[g.row] = true
	}
	return names
}

func goalsOf(goals []goal, row string) (of []goal) {
	for _, g := range goals {
		if g.row == row {
			of = append(of, g)
		}
	}
	return of
}

func printFigure(out io.Writer, g goal, got float64, remark string) {
	fmt.Fprintf(out, "%-18s %-56s %8.4g %8.4g %8.4g  %s\n", g.row, g.of.name, got, g.most, g.limit(), remark)
}

func printGoals(out io.Writer, goals []goal) {
	fmt.Fprintf(out, "%-18s %-56s %8s %8s\n", "row", "what", "goal", "gate")
	for _, g := range goals {
		fmt.Fprintf(out, "%-18s %-56s %8.4g %8.4g\n", g.row, g.of.name, g.most, g.limit())
	}
}
