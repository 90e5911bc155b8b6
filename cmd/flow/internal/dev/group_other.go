//go:build !unix

package dev

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
)

// stopSignals end the tool.
var stopSignals = []os.Signal{os.Interrupt}

// ownGroup does nothing: without Unix there are no process groups.
func ownGroup(*exec.Cmd) {}

// interruptGroup ends a command and its children.
func interruptGroup(p *os.Process) error {
	killGroup(p)
	return nil
}

// killGroup ends a process and its children, as far as Windows knows of them.
func killGroup(p *os.Process) {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() != nil {
		_ = p.Kill() // which fails if it has ended
	}
}

// sweepGroup does nothing: nobody knows what a process has left behind that has ended.
func sweepGroup(int) {}

// stopGracefully fails, since there is no signal for it. The end of the link tells the
// program.
func stopGracefully(*os.Process) error { return errors.ErrUnsupported }
