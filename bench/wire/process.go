// Package wire measures servers from outside: each is a process of its own, asked over
// loopback, and what counts is the time of the processor that it takes.
package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// BuildServer compiles command server into a directory, and returns its path.
func BuildServer(dir string) (string, error) {
	program := filepath.Join(dir, "server")
	if out, err := exec.Command("go", "build", "-o", program, "example.com/flow/bench/server").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./server: %w\n%s", err, out)
	}
	return program, nil
}

// A Process is a server that runs.
type Process struct {
	Addr string
	cmd  *exec.Cmd
	in   io.Closer // its standard input: command server ends with it
}

// Start starts a contestant of command server, and returns when it accepts connections.
func Start(program, who string) (*Process, error) {
	return startServer(program, who, func(start func() error) error { return start() })
}

// StartOnOneProcessor is Start for a server that is to be compared with others on the same
// processor, the first one that there is.
func StartOnOneProcessor(program, who string) (*Process, error) {
	return startServer(program, who, onOneProcessor)
}

func startServer(program, who string, where func(start func() error) error) (*Process, error) {
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	return start(exec.Command(program, "-who", who, "-addr", addr), addr, where)
}

func start(cmd *exec.Cmd, addr string, where func(start func() error) error) (*Process, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := where(cmd.Start); err != nil {
		return nil, err
	}
	p := &Process{Addr: addr, cmd: cmd, in: in}
	for patience := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			return p, nil
		}
		if time.Now().After(patience) {
			p.Stop()
			return nil, fmt.Errorf("%s: %w", cmd, err)
		}
	}
}

// FreeAddr returns an address of loopback that nobody listens on.
func FreeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Stop ends the process, and waits for that.
func (p *Process) Stop() {
	p.in.Close()
	p.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(5*time.Second, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	p.cmd.Wait() // it was told to end: how does not matter
}

// all returns the ids of the process and of its children: the workers of nginx.
func (p *Process) all() []int {
	pid := p.cmd.Process.Pid
	pids := []int{pid}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, field := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			pids = append(pids, child)
		}
	}
	return pids
}

// CPU returns how long processors have worked for the process and its children.
func (p *Process) CPU() (sum time.Duration, err error) {
	for _, pid := range p.all() {
		took, err := cpuTime(pid)
		if err != nil {
			return 0, err
		}
		sum += took
	}
	return sum, nil
}

// Memory returns how much memory of the process and its children is resident, in bytes.
func (p *Process) Memory() (sum int64, err error) {
	for _, pid := range p.all() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			return 0, err
		}
		fields := strings.Fields(string(text))
		if len(fields) < 2 {
			return 0, errors.New("/proc/statm: too short")
		}
		pages, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += pages * int64(os.Getpagesize())
	}
	return sum, nil
}
