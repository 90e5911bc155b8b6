//go:build linux

package deploy_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/servertest"
)

func TestHAProxyConfiguration(t *testing.T) {
	needs(t, "haproxy")
	is := is.New(t)
	out, err := exec.Command("haproxy", "-c", "-f", "haproxy.cfg").CombinedOutput()
	is.Equal(strings.TrimSpace(string(out)), "Configuration file is valid") // and no warnings
	is.NoErr(err)
}

// A site is three servers behind HAProxy.
type site struct {
	addr, stats string
	backends    []string // their addresses
	servers     []*process
	proxy       *process
}

func startedSite(t *testing.T) *site {
	t.Helper()
	addrs := freeAddrs(t, 5)
	s := &site{addr: addrs[0], stats: addrs[1], backends: addrs[2:]}
	for _, addr := range s.backends {
		s.servers = append(s.servers, serving(t, exec.Command(sample(t), "-addr", addr)))
	}
	s.proxy = started(t, exec.Command("haproxy", "-db", "-f", s.configuration(t)))
	until(t, "HAProxy serves", func() bool {
		s.proxy.runs(t)
		resp, err := http.Get("http://" + s.addr + "/")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("HAProxy:\n%s", unusual(s.proxy.log.String()))
		}
	})
	return s
}

var (
	bindLine   = regexp.MustCompile(`(?m)^( *bind) :80$`)
	serverLine = regexp.MustCompile(`(?m)^( *server app[123]) 127\.0\.0\.1:808[123]$`)
)

// configuration returns a file: the one beside this test, with the addresses of the
// site. It says in addition where to look at the health of the servers.
func (s *site) configuration(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if n, m := len(bindLine.FindAllString(text, -1)), len(serverLine.FindAllString(text, -1)); n != 1 || m != 3 {
		t.Fatalf("haproxy.cfg has %d lines like %v and %d like %v, want 1 and 3", n, bindLine, m, serverLine)
	}
	text = bindLine.ReplaceAllString(text, "$1 "+s.addr)
	next := 0
	text = serverLine.ReplaceAllStringFunc(text, func(line string) string {
		next++
		return serverLine.ReplaceAllString(line, "$1 "+s.backends[next-1])
	})
	text += fmt.Sprintf("\nfrontend health\n    no log\n    bind %s\n    stats enable\n    stats uri /\n", s.stats)
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// up reports whether HAProxy sends requests to a server.
func (s *site) up(t *testing.T, i int) bool {
	t.Helper()
	for line := range strings.Lines(fetch(t, "GET", "http://"+s.stats+"/;csv", nil).body) {
		fields := strings.Split(line, ",")
		if fields[0] == "app" && fields[1] == fmt.Sprintf("app%d", i+1) {
			return fields[17] == "UP" // status, in the HAProxy Management Guide, 9.1
		}
	}
	t.Fatalf("HAProxy knows no server app%d", i+1)
	return false
}

// replace replaces a server by a new process, and waits until HAProxy uses it. A slow
// replacement begins when HAProxy knows that the old process is gone; otherwise it may
// never learn of it.
func (s *site) replace(t *testing.T, i int, slow bool) {
	t.Helper()
	s.servers[i].stop(t)
	if slow {
		until(t, "HAProxy knows that it is down", func() bool { return !s.up(t, i) })
	}
	s.servers[i] = serving(t, exec.Command(sample(t), "-addr", s.backends[i]))
	until(t, "the new process is healthy", func() bool {
		return fetch(t, "GET", "http://"+s.backends[i]+"/healthz", nil).StatusCode == http.StatusOK
	})
	until(t, "HAProxy uses it", func() bool { return s.up(t, i) })
}

// unusual returns the lines of a log of HAProxy but for those of requests that went
// well.
func unusual(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if !strings.Contains(line, " ---- ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[:min(len(lines), 200)], "")
}

var loggedID = regexp.MustCompile(`\{[0-9a-f-]{36}\}`)

// TestRollingRestart replaces each of three processes twice, under load.
func TestRollingRestart(t *testing.T) {
	servertest.Slow(t)
	needs(t, "haproxy", "wrk")
	s := startedSite(t)
	l := loaded(t, s.addr, login(t, s.backends[0]))
	for _, slow := range []bool{false, true} {
		for i := range s.servers {
			l.goesOn(t)
			s.replace(t, i, slow)
		}
	}
	l.goesOn(t)
	l.check(t)
	if log := s.proxy.log.String(); !loggedID.MatchString(log) {
		t.Errorf("HAProxy does not log the ids of requests:\n%.300s", log)
	}
}

// TestAnyProcessAnswers looks for state that a process would keep to itself.
func TestAnyProcessAnswers(t *testing.T) {
	needs(t)
	is := is.New(t)
	addrs := freeAddrs(t, 3)
	for _, addr := range addrs {
		serving(t, exec.Command(sample(t), "-addr", addr))
	}
	session := login(t, addrs[0])
	asset := regexp.MustCompile(`/app\.[^"/]+\.css`)
	hashed := asset.FindString(fetch(t, "GET", "http://"+addrs[0]+"/", nil).body)
	is.True(hashed != "")
	tags := map[string]string{} // of the first process
	for i, addr := range addrs {
		t.Run(fmt.Sprint("process ", i+1), func(t *testing.T) {
			is := is.New(t)
			a := fetch(t, "GET", "http://"+addr+"/dashboard", nil, session)
			is.Equal(a.StatusCode, 200) // it accepts the session of the first
			is.True(strings.Contains(a.body, "ada"))
			is.Equal(fetch(t, "GET", "http://"+addr+"/dashboard", nil, session+"x").StatusCode, 302)
			is.Equal(asset.FindString(fetch(t, "GET", "http://"+addr+"/", nil).body), hashed)
			for _, path := range []string{hashed, "/app.css", "/about"} {
				a := fetch(t, "GET", "http://"+addr+path, nil)
				is.Equal(a.StatusCode, 200)
				tag := a.Header.Get("ETag")
				is.True(tag != "")
				if i == 0 {
					tags[path] = tag
				}
				is.Equal(tag, tags[path])
				is.Equal(fetch(t, "GET", "http://"+addr+path, nil, "If-None-Match: "+tags[path]).StatusCode, 304)
			}
		})
	}
}
