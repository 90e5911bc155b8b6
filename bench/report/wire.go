package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"example.com/flow/bench/rows"
	"example.com/flow/bench/wire"
)

// contestants are the servers, by the names that command server gives them.
var contestants = []struct{ name, who string }{
	{"flow.Serve", "flow"},
	{"flow, http.Server with the same timeouts", "flow-http"},
	{"ServeMux, http.Server with the same timeouts", "mux"},
	{"httprouter, no timeouts", "httprouter"},
	{"gin, no timeouts", "gin"},
	{"echo, no timeouts", "echo"},
	{"fiber, no timeouts", "fiber"},
}

const nginxName = "nginx, 2 workers"

// measureWire measures what this machine has the programs for, and notes the rest.
func (f *Findings) measureWire(progress io.Writer) error {
	if err := f.countInstructions(progress); err != nil {
		return err
	}
	if _, err := exec.LookPath("wrk"); err != nil || runtime.GOOS != "linux" {
		f.Missing = append(f.Missing, "Servers were not measured over the wire: that needs Linux and wrk.")
		return nil
	}
	dir, err := os.MkdirTemp("", "flow-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := wire.BuildServer(dir)
	if err != nil {
		return err
	}
	for _, c := range contestants { // new processes: what a load leaves in a heap is not counted
		fmt.Fprintln(progress, "memory:", c.name)
		p, err := wire.Start(program, c.who)
		if err != nil {
			return err
		}
		footprint, err := p.Measure(c.name, "/users/7", "7")
		p.Stop()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		f.Memory = append(f.Memory, footprint)
	}

	if f.Page, err = comparePages(program, progress); err != nil {
		return err
	}
	var servers []*wire.Process
	var names []string
	for _, c := range contestants {
		p, err := wire.Start(program, c.who)
		if err != nil {
			return err
		}
		defer p.Stop()
		servers, names = append(servers, p), append(names, c.name)
	}
	fmt.Fprintln(progress, "wrk, text")
	text := wire.Load{Path: "/users/7", Want: "7", Connections: 32, Rounds: 4, Time: 3 * time.Second}
	if f.Text, err = wire.Compare(servers, names, text); err != nil {
		return err
	}
	if _, err := exec.LookPath("nginx"); err != nil {
		f.Missing = append(f.Missing, "nginx is not installed, and missing among the servers of files.")
	} else {
		if err := os.Mkdir(filepath.Join(dir, "files"), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "files", "site.css"), []byte(rows.CSS), 0o600); err != nil {
			return err
		}
		p, err := wire.StartNginx(dir)
		if err != nil {
			return err
		}
		defer p.Stop()
		servers, names = append(servers, p), append(names, nginxName)
	}
	fmt.Fprintln(progress, "wrk, file")
	file := wire.Load{Path: "/site.css", Want: rows.CSS, Connections: 32, Rounds: 3, Time: 3 * time.Second}
	f.File, err = wire.Compare(servers, names, file)
	return err
}

// comparePages measures the servers of a page with data.
func comparePages(program string, progress io.Writer) ([]wire.Figure, error) {
	fmt.Fprintln(progress, "wrk, page")
	var servers []*wire.Process
	var names []string
	for _, p := range rows.Lists {
		server, err := wire.Start(program, "page "+p.Name)
		if err != nil {
			return nil, err
		}
		defer server.Stop()
		servers, names = append(servers, server), append(names, p.Name)
	}
	return wire.Compare(servers, names, wire.Load{Path: "/page", Want: rows.ListText(), Connections: 32, Rounds: 4, Time: 3 * time.Second})
}

// countInstructions runs command instructions, if there is valgrind.
func (f *Findings) countInstructions(progress io.Writer) error {
	if _, err := exec.LookPath("valgrind"); err != nil {
		f.Missing = append(f.Missing, "Instructions were not counted: that needs valgrind.")
		return nil
	}
	fmt.Fprintln(progress, "instructions")
	cmd := exec.Command("go", "run", "example.com/flow/bench/instructions")
	cmd.Stderr = progress
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("instructions: %w", err)
	}
	f.Instructions = string(text)
	return nil
}
