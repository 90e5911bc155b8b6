package vet

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
	"golang.org/x/tools/go/packages"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/cmd/flow/internal/typed"
	"example.com/flow/internal/command"
	"example.com/flow/internal/fault"
)

// Command is flow vet.
var Command = cli.Command{
	Name:  "vet",
	Args:  "[PACKAGES] [-- BUILD FLAGS]",
	Short: "find names and paths in Go code that the tree does not have",
	Long: `Vet looks at what only Go's source shows: constant paths and names in At, In, View,
Block, Route, RedirectTo, Asset, Param and Segments, and tags param:"id" of what Bind
fills, that the tree of route files does not have; Page in the handlers of endpoints;
handlers that return Next; go:embed without all:, or without a
directory that is there; Go files that look like counterparts and are none; static
calls in a package that makes no Router; and files of the tree with an extension that
Router.Formats does not have. What the source does not tell for sure is
left to the command check of the application. Tests are not looked at.

PACKAGES are those of the go command, ./... if there are none. What stands behind "--"
are flags for its builds, such as -tags=integration. Vet is also a tool for go vet,
which remembers that a package was right until its Go code changes, though, and so
does not see a route file that was renamed since:

	go vet -vettool=$(which flow) ./...`,
	PassesOn: true,
	Setup: func(flags *flag.FlagSet) cli.Work {
		asJSON := flags.Bool("json", false, "JSON, for programs: an array of mistakes")
		return func(ctx context.Context, p cli.Process, args, passedOn []string) error {
			if len(args) == 0 {
				args = []string{"./..."}
			}
			if _, err := project.FindModule(p.Dir); err != nil {
				return err
			}
			found, err := Check(ctx, typed.Packages, p.Dir, args, passedOn, nil)
			switch {
			case err != nil:
				return err
			case *asJSON:
				if err := command.PrintFaults(p.Stdout, found); err != nil || len(found) == 0 {
					return err
				}
				return command.ErrReported
			}
			return fault.Join(found)
		}
	},
}

// AsTool runs the analyzer as the go command asks for with these arguments, and ends the
// program. It returns if they are not of the go command.
func AsTool(args []string) {
	for i, arg := range args {
		if arg == "-V=full" || arg == "-flags" || i == len(args)-1 && strings.HasSuffix(arg, ".cfg") {
			unitchecker.Main(Analyzer)
		}
		if !strings.HasPrefix(arg, "-") {
			return
		}
	}
}

// A reader reads packages with their types.
type reader func(cfg packages.Config, patterns ...string) ([]*packages.Package, error)

// Check looks at packages and returns what is wrong about them, sorted, and with files named
// from a directory. read is typed.Packages, or typed.Built for what was just built. patterns and
// flags are those of the go command, and env are variables for it, beside those of this process.
// The error is about code that cannot be looked at.
func Check(ctx context.Context, read reader, dir string, patterns, flags, env []string) ([]fault.Fault, error) {
	pkgs, err := loadPackages(ctx, read, dir, patterns, flags, env)
	if err != nil {
		return nil, err
	}
	checkers, err := newCheckers(pkgs)
	if err != nil {
		return nil, err
	}
	below := strings.NewReplacer(" "+filepath.ToSlash(dir)+"/", " ", "("+filepath.ToSlash(dir)+"/", "(")
	var all []fault.Fault
	for _, c := range checkers {
		c.found = func(d analysis.Diagnostic) {
			pos := c.fset.Position(d.Pos)
			file, text := shown(dir, pos.Filename), below.Replace(d.Message)
			f := fault.InLine(file, pos.Line, "%s", text)
			f.Column = pos.Column
			if !strings.HasSuffix(file, ".go") { // a file of the tree
				f = fault.In(file, "%s", text)
			}
			all = append(all, f)
		}
		c.checkAll()
	}
	return fault.Of(fault.Join(all)), nil
}

// newCheckers returns checkers of the packages that import flow. All packages are given to
// each module, which is read once, whatever number of its packages there is to look at.
func newCheckers(pkgs []*packages.Package) ([]*checker, error) {
	given := map[string]*unit{}
	var checkers []*checker
	for _, p := range pkgs {
		u := newGiven(p.Fset, p.Types, p.Syntax, p.TypesInfo)
		if u == nil {
			continue
		}
		given[u.dir] = u
		if flowOf(u.pkg) != nil {
			checkers = append(checkers, &checker{unit: u, ignored: p.IgnoredFiles})
		}
	}
	modules := map[project.Module]*module{}
	for _, c := range checkers {
		at, err := project.FindModule(c.dir)
		if err == nil && modules[at] == nil {
			modules[at], err = readModule(at, given)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.pkg.Path(), err)
		}
		c.module = modules[at]
	}
	return checkers, nil
}

// loadPackages has packages read and type-checked, without their tests.
func loadPackages(ctx context.Context, read reader, dir string, patterns, flags, env []string) ([]*packages.Package, error) {
	pkgs, err := read(packages.Config{Context: ctx, Dir: dir, BuildFlags: flags, Env: append(os.Environ(), env...)}, patterns...)
	if err != nil {
		return nil, err
	}
	var causes, consequences []string
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, err := range p.Errors {
			if strings.HasPrefix(err.Msg, "could not import ") { // why not, is told of what is imported
				consequences = append(consequences, compileErrors(err, dir)...)
			} else {
				causes = append(causes, compileErrors(err, dir)...)
			}
		}
	})
	if len(causes) == 0 {
		causes = consequences
	}
	if len(causes) > 0 {
		slices.Sort(causes)
		return nil, errors.New(strings.Join(slices.Compact(causes), "\n"))
	}
	if len(pkgs) == 0 {
		return nil, noPackages(ctx, dir, patterns, flags, env)
	}
	return pkgs, nil
}

// noPackages returns the error for patterns for which the go command lists no package. If it
// cannot even begin to build, packages.Load leaves out what it says.
func noPackages(ctx context.Context, dir string, patterns, flags, env []string) error {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-export"}, flags, patterns)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if said, err := cmd.CombinedOutput(); err != nil && len(said) > 0 {
		return errors.New(strings.TrimSpace(string(said)))
	}
	return fmt.Errorf("there are no packages in %s", strings.Join(patterns, " "))
}

// compilePlace is the place of what the compiler says.
var compilePlace = regexp.MustCompile(`^(.+\.go):(\d+)(?::\d+)?: `)

// compileErrors returns the errors of one text as findings are written. The go command may
// tell what the type checker tells too, below a line for the package. A line that begins
// with a tab goes on with the error before it, and one without a place with another one
// without; the place of another declaration is left out, which the two tell in different ways.
func compileErrors(err packages.Error, dir string) []string {
	text := err.Msg
	if err.Pos != "" && err.Pos != "-" {
		text = err.Pos + ": " + text
	}
	var lines []string
	placed := true // the line before has a place
	for line := range strings.SplitSeq(text, "\n") {
		place := compilePlace.FindStringSubmatch(line)
		if place != nil {
			file := place[1]
			if filepath.IsAbs(file) {
				file = shown(dir, file)
			}
			line = file + ":" + place[2] + ": " + line[len(place[0]):]
		}
		switch {
		case line == "", strings.HasPrefix(line, "# "), strings.Contains(line, "other declaration of "):
		case len(lines) > 0 && (strings.HasPrefix(line, "\t") || place == nil && !placed):
			lines[len(lines)-1] += "\n" + line
		default:
			lines, placed = append(lines, line), place != nil
		}
	}
	return lines
}

// shown returns a file as it is named from a directory.
func shown(dir, file string) string {
	if below, err := filepath.Rel(dir, file); err == nil {
		file = below
	}
	return filepath.ToSlash(file)
}
