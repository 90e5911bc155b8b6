package vet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/routetree"
)

// Command is flow vet.
var Command = cli.Command{
	Name:  "vet",
	Args:  "[PACKAGES] [-- FLAGS OF GO VET]",
	Short: "find names and paths in Go code that the tree does not have",
	Long: `Vet looks at what only Go's source shows: constant paths and names in At, In, View,
Block, Route, RedirectTo, Asset, Param and Segments that the tree of route files does
not have; Page in the handlers of endpoints; go:embed without all:, or without a
directory that is there; Go files that look like counterparts and are none; and static
calls in a package that makes no Router. What the source does not tell for sure is
left to the command check of the application. Tests are not looked at.

PACKAGES are those of the go command, ./... if there are none. What stands behind "--"
goes to go vet, such as -tags=integration. It also works as a tool of the go command,
which remembers packages without findings, whatever changes in the tree:

	go vet -vettool=$(which flow) ./...`,
	PassesOn: true,
	Setup: func(*flag.FlagSet) cli.Work {
		return func(ctx context.Context, p cli.Process, args, passedOn []string) error {
			if len(args) == 0 {
				args = []string{"./..."}
			}
			return vet(ctx, p, args, passedOn)
		}
	},
}

// AsTool runs the analyzer as the go command asks for with these arguments, and ends the
// program. It returns if they are not of the go command.
func AsTool(args []string) {
	if slices.ContainsFunc(args, func(arg string) bool { return arg == "-V=full" || arg == "-flags" }) || len(args) > 0 && strings.HasSuffix(args[len(args)-1], ".cfg") {
		unitchecker.Main(Analyzer)
	}
}

// vet has the go command run this program on packages, and prints what it found.
func vet(ctx context.Context, p cli.Process, packages, flags []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	m, err := project.FindModule(p.Dir)
	if err != nil {
		return err
	}
	sum, err := stateOf(m)
	if err != nil {
		return err
	}
	args := slices.Concat([]string{"vet", "-vettool=" + self, "-flow.state=" + sum}, flags, packages)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = p.Dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	text := readable(out.String(), p.Dir)
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		return err
	case err != nil && text == "":
		return fmt.Errorf("go vet: %w", err)
	case err != nil:
		return errors.New(text)
	}
	if text != "" {
		text += "\n"
	}
	_, err = io.WriteString(p.Stderr, text) // what the go command tells beside, such as a download
	return err
}

// stateOf sums up what the analyzer reads of a module beside the package that it looks at:
// the names and the text of the route files, the names of the public files, and all Go
// files, as names, sizes and times.
func stateOf(m project.Module) (string, error) {
	h := sha256.New()
	dirs, err := m.Packages()
	if err != nil {
		return "", err
	}
	note := func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q", file)
		if !d.IsDir() {
			fmt.Fprintf(h, " %d %d\n", info.Size(), info.ModTime().UnixNano())
		}
		return nil
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			file := filepath.Join(dir, e.Name())
			switch {
			case e.IsDir() && (e.Name() == routetree.RouterDir || e.Name() == routetree.PublicDir):
				err = filepath.WalkDir(file, note)
			case strings.HasSuffix(e.Name(), ".go"):
				err = note(file, e, nil)
			}
			if err != nil {
				return "", err
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// finding is a line of the go command that tells of a place in a Go file.
var finding = regexp.MustCompile(`^(?:vet: )?(.+\.go):(\d+)(?::\d+)?: (.*)$`)

// readable returns what go vet has printed with files named from a directory, sorted, each
// line once, and without the packages.
func readable(out, dir string) string {
	type line struct {
		file string
		line int
		text string
	}
	var lines []line
	var others []string
	below := strings.NewReplacer(" "+dir+string(filepath.Separator), " ", `"`+dir+string(filepath.Separator), `"`)
	for text := range strings.Lines(out) {
		text = strings.TrimSuffix(text, "\n")
		if text == "" || strings.HasPrefix(text, "# ") {
			continue
		}
		f := finding.FindStringSubmatch(text)
		if f == nil {
			others = append(others, text)
			continue
		}
		file := strings.TrimPrefix(filepath.ToSlash(f[1]), "./")
		if inside, err := filepath.Rel(dir, f[1]); err == nil && filepath.IsAbs(f[1]) && filepath.IsLocal(inside) {
			file = filepath.ToSlash(inside)
		}
		n, _ := strconv.Atoi(f[2]) // of digits alone
		lines = append(lines, line{file, n, strings.ReplaceAll(below.Replace(f[3]), " ./", " ")})
	}
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text))
	})
	var all []string
	for _, l := range slices.Compact(lines) {
		all = append(all, fmt.Sprintf("%s:%d: %s", l.file, l.line, l.text))
	}
	return strings.Join(append(all, others...), "\n")
}
