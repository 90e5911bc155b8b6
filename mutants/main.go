// Command mutants breaks one condition of a package at a time, and reports the changes that no
// test notices:
//
//	go run . -C .. -every 10 ./internal/serve/routes/match ./internal/serve/pages/csp
//	go run . -C .. -tests .,./flowtest ./internal/check/links
//
// A condition becomes true, or false, and a comparison such as a < b also a <= b. The tests of
// the package run for each mutant, and for those that survive the tests of -tests, too. A test
// that takes ten times as long as without a mutant has noticed it.
//
// The mutants of a package are chosen by their code, so that two versions of flow can be
// compared: -C names the directory of the module, or of another version of it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	every := flag.Uint("every", 1, "run one of `n` mutants")
	dir := flag.String("C", ".", "the `directory` of the module with the packages")
	tests := flag.String("tests", "", "`packages` whose tests run for mutants that survive those of their own, with commas")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: mutants [-every n] [-C directory] [-tests packages] package...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 || *every == 0 {
		flag.Usage()
		os.Exit(2)
	}
	others := strings.FieldsFunc(*tests, func(c rune) bool { return c == ',' })
	for _, pkg := range flag.Args() {
		if err := Run(context.Background(), os.Stdout, *dir, pkg, others, uint32(*every)); err != nil {
			fmt.Fprintf(os.Stderr, "mutants: %s: %v\n", pkg, err)
			os.Exit(1)
		}
	}
}

// Run runs the tests with each mutant of the package, prints those that survive, and how many
// there are.
func Run(ctx context.Context, out io.Writer, dir, pkg string, others []string, every uint32) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	mutants, overlay, err := mutatePackage(dir, pkg, temp, every)
	if err != nil {
		return err
	}
	var suites []*suite
	for i, tested := range append([]string{pkg}, others...) {
		s, err := build(ctx, dir, tested, overlay, filepath.Join(temp, fmt.Sprint(i, ".test")))
		if err != nil {
			return err
		}
		suites = append(suites, s)
	}
	survivors := 0
	for _, m := range mutants {
		noticed := false
		for _, s := range suites {
			if noticed = s.fails(ctx, m.ID); noticed {
				break
			}
		}
		if !noticed {
			survivors++
			if path, err := filepath.Rel(dir, m.Pos.Filename); err == nil {
				m.Pos.Filename = path
			}
			fmt.Fprintln(out, m)
		}
	}
	fmt.Fprintf(out, "%s: %d of %d mutants survive\n", pkg, survivors, len(mutants))
	return ctx.Err()
}

// mutatePackage writes the files of a package with mutants to temp, and an overlay for the go
// command that replaces them.
func mutatePackage(dir, pkg, temp string, every uint32) (mutants []Mutant, overlay string, err error) {
	list, err := command(context.Background(), dir, "go", "list", "-json=Dir,Name,GoFiles", pkg)
	if err != nil {
		return nil, "", err
	}
	var p struct {
		Dir, Name string
		GoFiles   []string
	}
	if err := json.Unmarshal(list, &p); err != nil {
		return nil, "", err
	}
	replace := map[string]string{}
	write := func(name string, text []byte) error {
		replace[filepath.Join(p.Dir, name)] = filepath.Join(temp, name)
		return os.WriteFile(filepath.Join(temp, name), text, 0o666)
	}
	m := &mutator{fset: token.NewFileSet(), every: every}
	for _, name := range p.GoFiles {
		text, err := m.file(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, "", err
		}
		if err := write(name, text); err != nil {
			return nil, "", err
		}
	}
	if err := write("active_mutant.go", []byte("package "+p.Name+"\n"+variables)); err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay = filepath.Join(temp, "overlay.json")
	return m.mutants, overlay, os.WriteFile(overlay, text, 0o666)
}

// A suite is the compiled tests of a package.
type suite struct {
	program, dir string
	limit        time.Duration
}

// build compiles the tests of a package, and runs them without a mutant.
func build(ctx context.Context, dir, pkg, overlay, program string) (*suite, error) {
	if _, err := command(ctx, dir, "go", "test", "-vet=off", "-overlay", overlay, "-c", "-o", program, pkg); err != nil {
		return nil, err
	}
	where, err := command(ctx, dir, "go", "list", "-f", "{{.Dir}}", pkg)
	if err != nil {
		return nil, err
	}
	s := &suite{program, strings.TrimSpace(string(where)), time.Hour}
	start := time.Now()
	if s.fails(ctx, 0) {
		return nil, fmt.Errorf("the tests of %s fail without a mutant", pkg)
	}
	s.limit = 10*time.Since(start) + 5*time.Second
	return s, nil
}

// fails reports whether the tests notice a mutant.
func (s *suite) fails(ctx context.Context, id int) bool {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program, "-test.failfast", "-test.short")
	cmd.Dir = s.dir
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", environment, id))
	return cmd.Run() != nil
}

// command runs a program, and returns what it prints. Its error has what the program says.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, &errs)
	}
	return out.Bytes(), nil
}
