// Command gate fails if requests have become dearer than the goals of the project allow:
//
//	go run ./gate                  all rows, in less than two minutes
//	go run ./gate -run github      those whose names match a regular expression
//	go run ./gate -list            the goals, without measuring
//
// It counts instructions, which needs valgrind, and allocations. These are the same on a
// busy machine. A few goals are times, as ratios between contestants that were measured in
// rounds that alternate; they are tried a second and a third time if they fail.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

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
	pieces := flags.Bool("pieces", false, "be the process whose instructions are counted")
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
	if *pieces {
		if err := printPieces(goals, match, stdout); err != nil {
			fmt.Fprintf(stderr, "gate: %v\n", err)
			return 1
		}
		return 0
	}
	failed, err := hold(goals, match, newMeter(*only), stdout)
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

// A meter measures a row of package rows in one way.
type meter func(w way, row string) (measure.Result, error)

// newMeter returns a meter for the rows that match. It counts the instructions of all of
// them at once, when it is first asked for those of one. Asked again for those of a row, it
// counts them in another process.
func newMeter(only string) meter {
	var instructions map[string]measure.Result
	return func(w way, row string) (result measure.Result, err error) {
		switch w {
		case timed:
			return rows.Named(row).Build().Run(budget)
		case allocated:
			return rows.Named(row).Build().Allocations()
		}
		if instructions == nil {
			if instructions, err = measure.CountPieces("example.com/flow/bench/gate", "-pieces", "-run", only); err != nil {
				return result, err
			}
		}
		if result, ok := instructions[row]; ok {
			delete(instructions, row)
			return result, nil
		}
		again, err := measure.CountPieces("example.com/flow/bench/gate", "-pieces", "-run", "^"+regexp.QuoteMeta(row)+"$")
		return again[row], err
	}
}

// printPieces does the work whose instructions are counted.
func printPieces(goals []goal, match *regexp.Regexp, out io.Writer) error {
	for _, row := range rowsOf(goals, match) {
		goals := goalsOf(goals, row, counted)
		if len(goals) == 0 {
			continue // which may start processes, whose ends callgrind does not bear
		}
		asked := func(name string) bool {
			return slices.ContainsFunc(goals, func(g goal) bool { return slices.Contains(g.of.uses, name) })
		}
		if err := rows.Named(row).Build().PrintPieces(row, asked, out); err != nil {
			return err
		}
	}
	return nil
}

// tries is how often a row is measured before it fails. A second count is the same as the
// first one, but for the caches of type assertions, which a process seldom leaves unfilled.
var tries = map[way]int{counted: 2, allocated: 3, timed: 3}

// hold measures the rows of goals that match, prints each figure beside its goal, and
// returns how many of them fail. A figure passes if it does so in one of the tries.
func hold(goals []goal, match *regexp.Regexp, measure meter, out io.Writer) (failed int, err error) {
	fmt.Fprintf(out, "%-18s %-76s %8s %8s %8s\n", "row", "what", "got", "goal", "gate")
	for _, row := range rowsOf(goals, match) {
		for _, w := range []way{counted, allocated, timed} {
			open := goalsOf(goals, row, w)
			for try := 1; len(open) > 0; try++ {
				result, err := measure(w, row)
				if err != nil {
					return failed, fmt.Errorf("%s: %w", row, err)
				}
				var again []goal
				for _, g := range open {
					got := g.of.get(result)
					switch {
					case g.passes(got):
						printFigure(out, g, got, "")
					case try < tries[w]:
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

// goalsOf returns the goals of a row that are measured in one way.
func goalsOf(goals []goal, row string, w way) (of []goal) {
	for _, g := range goals {
		if g.row == row && g.of.way == w {
			of = append(of, g)
		}
	}
	return of
}

func printFigure(out io.Writer, g goal, got float64, remark string) {
	fmt.Fprintf(out, "%-18s %-76s %8.4g %8.4g %8.4g  %s\n", g.row, g.of.name, got, g.most, g.limit(), remark)
}

func printGoals(out io.Writer, goals []goal) {
	fmt.Fprintf(out, "%-18s %-76s %8s %8s\n", "row", "what", "goal", "gate")
	for _, g := range goals {
		fmt.Fprintf(out, "%-18s %-76s %8.4g %8.4g\n", g.row, g.of.name, g.most, g.limit())
	}
}
