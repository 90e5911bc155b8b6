package wire

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Load is what servers are asked for.
type Load struct {
	Path, Want  string // and the body that has to come back
	Connections int
	Rounds      int
	Time        time.Duration // of each server in a round
}

// A Figure is what one server did under a load, round by round.
type Figure struct {
	Name     string
	Requests []float64       // in a second
	CPU      []float64       // seconds of the processor for 100,000 requests
	P50, P99 []time.Duration // of the latency
}

// Compare puts a load on servers, in turn and in several rounds.
func Compare(servers []*Process, names []string, load Load) ([]Figure, error) {
	figures := make([]Figure, len(servers))
	for i, p := range servers {
		figures[i].Name = names[i]
		c, err := Dial(p.Addr, load.Path, load.Want, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
		c.Close()
	}
	for round := range load.Rounds {
		for turn := range servers { // another one is the first in each round
			i := (round + turn) % len(servers)
			if err := figures[i].add(servers[i], load); err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
		}
	}
	return figures, nil
}

// add puts the load on a server once.
func (f *Figure) add(p *Process, load Load) error {
	before, err := p.CPU()
	if err != nil {
		return err
	}
	cmd := exec.Command("wrk", "-t1", fmt.Sprintf("-c%d", load.Connections), fmt.Sprintf("-d%ds", int(load.Time.Seconds())), "--latency", "http://"+p.Addr+load.Path)
	text, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, text)
	}
	after, err := p.CPU()
	if err != nil {
		return err
	}
	s, err := parse(string(text))
	if err != nil {
		return err
	}
	f.Requests = append(f.Requests, s.rate)
	f.CPU = append(f.CPU, (after-before).Seconds()*100_000/float64(s.requests))
	f.P50, f.P99 = append(f.P50, s.p50), append(f.P99, s.p99)
	return nil
}

// A sample is what wrk tells.
type sample struct {
	requests int
	rate     float64 // requests in a second
	p50, p99 time.Duration
}

var (
	requestsLine = regexp.MustCompile(`(?m)^ *(\d+) requests in `)
	rateLine     = regexp.MustCompile(`(?m)^Requests/sec: *([\d.]+)`)
	p50Line      = regexp.MustCompile(`(?m)^ *50% *([\d.]+(?:us|ms|s))`)
	p99Line      = regexp.MustCompile(`(?m)^ *99% *([\d.]+(?:us|ms|s))`)
)

// parse reads what wrk prints. Errors of sockets and answers that are no success are
// errors.
func parse(text string) (s sample, err error) {
	for _, trouble := range []string{"Socket errors", "Non-2xx"} {
		if strings.Contains(text, trouble) {
			return s, fmt.Errorf("wrk tells of errors:\n%s", text)
		}
	}
	field := func(line *regexp.Regexp) string {
		if found := line.FindStringSubmatch(text); found != nil {
			return found[1]
		}
		return ""
	}
	var errs [4]error
	s.requests, errs[0] = strconv.Atoi(field(requestsLine))
	s.rate, errs[1] = strconv.ParseFloat(field(rateLine), 64)
	s.p50, errs[2] = time.ParseDuration(field(p50Line))
	s.p99, errs[3] = time.ParseDuration(field(p99Line))
	if err := errors.Join(errs[:]...); err != nil || s.requests == 0 {
		return s, fmt.Errorf("wrk tells something else: %w\n%s", err, text)
	}
	return s, nil
}

// A Footprint is how much memory of a server is resident, in bytes.
type Footprint struct {
	Name          string
	One, Thousand int64 // with so many connections, each of which was used
}

// Measure measures a server that was just started.
func (p *Process) Measure(name, path, want string) (f Footprint, err error) {
	f.Name = name
	for _, c := range []struct {
		connections int
		memory      *int64
	}{{1, &f.One}, {1000, &f.Thousand}} {
		client, err := Dial(p.Addr, path, want, c.connections)
		if err != nil {
			return f, err
		}
		defer client.Close()
		if err := client.Ask(10); err != nil {
			return f, err
		}
		if *c.memory, err = p.Memory(); err != nil {
			return f, err
		}
	}
	return f, nil
}

// StartNginx starts nginx with two workers for the files of a directory, below which it
// keeps its own.
func StartNginx(dir string) (*Process, error) {
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	var user string
	if os.Geteuid() == 0 {
		user = "user root;" // the directory is readable for its owner only
	}
	config := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, user, dir, addr), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command("nginx", "-c", config, "-p", dir, "-e", "stderr")
	return start(cmd, addr, func(start func() error) error { return start() })
}

// nginxConfig keeps connections for as many requests as there are, as the other servers
// do, and open files.
const nginxConfig = `%[1]s
daemon off;
worker_processes 2;
pid %[2]s/nginx.pid;
error_log stderr crit;
events { worker_connections 2048; }
http {
	access_log off;
	sendfile on;
	tcp_nopush on;
	open_file_cache max=10;
	keepalive_requests 1000000000;
	types { text/css css; }
	client_body_temp_path %[2]s/body;
	proxy_temp_path %[2]s/proxy;
	fastcgi_temp_path %[2]s/fastcgi;
	uwsgi_temp_path %[2]s/uwsgi;
	scgi_temp_path %[2]s/scgi;
	server {
		listen %[3]s;
		root %[2]s/files;
	}
}
`
