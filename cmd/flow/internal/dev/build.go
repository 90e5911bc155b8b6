package dev

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// killDelay is how long a command has to end after it was interrupted.
const killDelay = 2 * time.Second

// A program is what is built: a main package.
type program struct {
	dir    string   // the working directory, in which the go tool runs
	module string   // the directory of its go.mod
	pkg    string   // as the go tool takes it
	name   string   // of the binary
	flags  []string // for the go tool
}

// A binary is a program that was built.
type binary struct {
	path  string
	files fileSet // the route files that it was built from
	built *building
}

// remove removes the binary from disk, if there is one.
func (b *binary) remove() {
	if b != nil {
		os.RemoveAll(filepath.Dir(b.path))
	}
}

// same reports whether two binaries hold the same program.
func (b *binary) same(other *binary) bool {
	one, err := os.ReadFile(b.path)
	if err != nil {
		return false
	}
	two, err := os.ReadFile(other.path)
	return err == nil && bytes.Equal(one, two)
}

// errOutdated is the error of a build that was cancelled.
var errOutdated = errors.New("the build is outdated")

// goBuild builds the program into a directory of its own below temp. output is what the
// go tool has said, if the build has failed or not. When ctx ends, the go tool and the
// compilers that it runs are ended, and the error is errOutdated.
func (p program) goBuild(ctx context.Context, temp string, number int) (path, output string, err error) {
	path = filepath.Join(temp, strconv.Itoa(number), p.name)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		return "", "", err
	}
	cmd := goCommand(ctx, p.dir, slices.Concat([]string{"build", "-o", path}, p.flags, []string{p.pkg}))
	// The work directory of a go tool that is killed would stay for ever elsewhere.
	cmd.Env = append(os.Environ(), "GOTMPDIR="+temp, "PWD="+p.dir)
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		sweepGroup(cmd.Process.Pid)
	}
	if err != nil {
		os.RemoveAll(filepath.Dir(path))
		if ctx.Err() != nil {
			return "", "", errOutdated
		}
	}
	return path, withoutProgress(string(out)), err
}

// goCommand returns a command of the go tool, which ends with what it runs when ctx ends.
func goCommand(ctx context.Context, dir string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	ownGroup(cmd)
	cmd.Cancel = func() error { return interruptGroup(cmd.Process) }
	cmd.WaitDelay = killDelay
	return cmd
}

// progress matches the lines in which the go tool tells what it downloads.
var progress = regexp.MustCompile(`(?m)^go: (?:downloading|finding) .*\n?`)

func withoutProgress(output string) string { return progress.ReplaceAllString(output, "") }
