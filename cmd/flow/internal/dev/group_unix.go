//go:build unix

package dev

import (
	"os"
	"os/exec"
	"syscall"
)

// stopSignals end the tool.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// ownGroup has a command run in a process group of its own, so that a Ctrl-C in the
// terminal is for the tool alone, and whatever the command starts can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptGroup has a command of ownGroup and its children clean up and end.
func interruptGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGINT) }

// killGroup ends a command of ownGroup and its children at once.
func killGroup(p *os.Process) { sweepGroup(p.Pid) }

// sweepGroup ends what a command of ownGroup, which has ended, has left behind. An error
// means that there is nothing.
func sweepGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// stopGracefully asks a program to stop.
func stopGracefully(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
