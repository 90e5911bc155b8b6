// Command report measures all rows, and servers over the wire, and writes what it found to
// README.md, pages.svg and chart.svg:
//
//	go run ./report                  in less than ten minutes, best on a machine with nothing else to do
//	go run ./report -run json        prints the rows that match, and writes nothing
//	go run ./report -wire=false      without servers
//
// Over the wire it needs Linux and wrk, for files nginx too, and for instructions valgrind;
// it leaves out what it does not have, and says so.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"example.com/flow/bench/measure"
	"example.com/flow/bench/rows"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// budget makes all rows a matter of three minutes.
var budget = measure.Budget{Rounds: 101, Turn: 2 * time.Millisecond, Most: 8 * time.Second}

// run is the command without what belongs to the process. It returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("run", "", "print the rows whose names match this `regexp`, and write nothing")
	dir := flags.String("o", ".", "write README.md, pages.svg and chart.svg to this `directory`")
	overWire := flags.Bool("wire", true, "measure servers over the wire")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintf(stderr, "report: -run: %v\n", err)
		return 2
	}
	if err := report(match, *only != "", *overWire, *dir, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "report: %v\n", err)
		return 1
	}
	return 0
}

// report measures, and prints or writes what it found.
func report(match *regexp.Regexp, print, overWire bool, dir string, stdout, stderr io.Writer) error {
	found := Findings{Machine: thisMachine()}
	for _, subject := range rows.Subjects {
		measured := Subject{Title: subject.Title, Note: subject.Note}
		for _, row := range subject.Rows {
			if !match.MatchString(row.Name) {
				continue
			}
			fmt.Fprintln(stderr, row.Name)
			result, err := row.Build().Run(budget)
			if err != nil {
				return fmt.Errorf("%s: %w", row.Name, err)
			}
			measured.Rows = append(measured.Rows, Row{row.Name, row.Title, result})
		}
		if len(measured.Rows) > 0 {
			found.Subjects = append(found.Subjects, measured)
		}
	}
	if print {
		for _, subject := range found.Subjects {
			subject.render(stdout)
		}
		return nil
	}
	if overWire {
		if err := found.measureWire(stderr); err != nil {
			return err
		}
	} else {
		found.Missing = append(found.Missing, "Servers were not measured over the wire.")
	}
	for name, write := range map[string]func(io.Writer){"README.md": found.render, "pages.svg": found.pagesChart, "chart.svg": found.chart} {
		var text bytes.Buffer
		write(&text)
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
