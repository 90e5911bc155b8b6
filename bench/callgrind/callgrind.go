// Package callgrind counts the instructions of pieces of a program: what they cost in user
// space, to a few units, however busy the machine is. It needs valgrind. What the kernel
// does, and what a processor waits for memory, is not counted.
//
// [Count] runs a program that calls [Mark] before and after each piece, and prints what the
// pieces are.
package callgrind

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// Mark separates what is counted from what comes before and after it.
//
//go:noinline
func Mark() {}

// markName is how valgrind calls Mark.
const markName = "example.com/flow/bench/callgrind.Mark"

var total = regexp.MustCompile(`(?m)^totals: (\d+)$`)

// Count builds a main package, runs it with arguments under callgrind, and returns what it
// prints, and the number of instructions between its first call of Mark and the second one,
// between the third and the fourth, and so on.
func Count(pkg string, args ...string) (printed []byte, counts []int, err error) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return nil, nil, errors.New("instructions are counted by valgrind, which is not installed")
	}
	dir, err := os.MkdirTemp("", "flow-callgrind-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	// What "go run" and "go test" build has no names, by which callgrind finds Mark.
	program := filepath.Join(dir, "program")
	if text, err := exec.Command("go", "build", "-o", program, pkg).CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("go build %s: %w\n%s", pkg, err, text)
	}
	parts := filepath.Join(dir, "part")
	cmd := exec.Command("valgrind", append([]string{"--tool=callgrind", "--callgrind-out-file=" + parts, "--dump-before=" + markName, program}, args...)...)
	// valgrind knows no AVX-512, and fails at the signals of preemption. The garbage collector
	// would work in one piece and not in the other, and a second processor would look for work.
	cmd.Env = append(os.Environ(), "GODEBUG=cpu.avx512f=off,asyncpreemptoff=1", "GOGC=off", "GOMAXPROCS=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	if printed, err = cmd.Output(); err != nil {
		return nil, nil, fmt.Errorf("valgrind: %w\n%s", err, said.Bytes())
	}
	for i := 2; ; i += 2 { // the first part ends with the first call
		text, err := os.ReadFile(parts + "." + strconv.Itoa(i))
		if os.IsNotExist(err) {
			return printed, counts, nil
		}
		if err != nil {
			return nil, nil, err
		}
		found := total.FindSubmatch(text)
		if found == nil {
			return nil, nil, fmt.Errorf("valgrind tells no count:\n%s", text)
		}
		n, err := strconv.Atoi(string(found[1]))
		if err != nil {
			return nil, nil, err
		}
		counts = append(counts, n)
	}
}
