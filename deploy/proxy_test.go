//go:build linux

package deploy_test

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/servertest"
)

// A proxy is a program that stands before the application. In the texts that a test
// gives it, ADDR is where it listens, PORT the port of that, DIR a directory of its own,
// and FILE its configuration there.
type proxy struct {
	program string
	file    string            // the configuration beside this test
	edits   map[string]string // what a test replaces in it: each is there once
	around  [2]string         // what a test writes before and after it
	socket  string            // a server that is a socket in the file system, as a format
	check   string            // the arguments that check a configuration
	valid   *regexp.Regexp    // what it then prints, if there is no warning either
	run     string            // the arguments that start it
	down    string            // what it logs of a server that fails its health check, as a format
	id      string            // what it logs of a request, as a format for the id
	ready   string            // a path that it answers once it serves; "/" if that is ""
}

var proxies = []proxy{
	{
		program: "haproxy", file: "haproxy.cfg",
		// A server is down if it does not answer a check in 500 ms. Here it may be slow as well, on a
		// machine that is busy.
		edits:  map[string]string{"bind :80\n": "bind ADDR\n", "timeout connect 2s\n": "timeout connect 2s\n    timeout check 1m\n"},
		socket: "unix@%s",
		check:  "-c -f FILE", run: "-db -f FILE",
		valid: regexp.MustCompile(`^Configuration file is valid\n$`),
		down:  "Server app/app%d is DOWN",
		id:    "{%s}",
	},
	{
		program: "nginx", file: "nginx.conf",
		edits: map[string]string{"listen 80;": "listen ADDR;", "/var/log/nginx/app.log": "/dev/stdout"},
		// The file is one that another includes. Here, nginx is a single process, of which
		// nothing is left when it is killed.
		around: [2]string{`daemon off; master_process off; pid DIR/pid; events {}
			http {
			client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi;
			uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
			`, "}\n"},
		socket: "unix:%s",
		check:  "-e stderr -t -q -c FILE", run: "-e stderr -c FILE",
		valid: regexp.MustCompile(`^$`),
		id:    " %s\n",
	},
	{
		program: "caddy", file: "Caddyfile",
		edits:  map[string]string{"\nexample.com {\n": "\nhttp://:PORT {\n\tbind 127.0.0.1\n", "{\n\tservers {\n": "{\n\tadmin off\n\tservers {\n"},
		socket: "unix/%s",
		check:  "validate --adapter caddyfile --config FILE", run: "run --adapter caddyfile --config FILE",
		valid: regexp.MustCompile(`^([^\n]*"level":"info"[^\n]*\n)*Valid configuration\n([^\n]*"level":"info"[^\n]*"logger":"http\.handlers\.reverse_proxy\.health_checker\.active"[^\n]*context canceled"\}\n)*$`), // checks of health that it has begun end behind that
		down:  `"HTTP request failed","host":"127.0.0.1:%[2]s"`,
		id:    `"X-Request-Id":["%s"]`,
	},
}

// command returns a command of the proxy, in a directory that is its home.
func (p proxy) command(dir, arguments string) *exec.Cmd {
	cmd := exec.Command(p.program, strings.Fields(strings.ReplaceAll(arguments, "FILE", filepath.Join(dir, p.file)))...)
	cmd.Env = append(cmd.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	return cmd
}

// configured returns a directory with the configuration: the one beside this test, which
// listens on an address and asks other servers.
func (p proxy) configured(t *testing.T, addr string, servers []string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	b, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	replace := func(old, new string) {
		t.Helper()
		if n := strings.Count(text, old); n != 1 {
			t.Fatalf("%s holds %q %d times, want once", p.file, old, n)
		}
		text = strings.Replace(text, old, new, 1)
	}
	for old, new := range p.edits {
		replace(old, new)
	}
	for i, server := range servers {
		if strings.HasPrefix(server, "/") {
			server = fmt.Sprintf(p.socket, server)
		}
		replace(fmt.Sprintf("127.0.0.1:%d", 8081+i), server)
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	text = strings.NewReplacer("ADDR", addr, "PORT", port, "DIR", dir).Replace(p.around[0] + text + p.around[1])
	if err := os.WriteFile(filepath.Join(dir, p.file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// started starts the proxy and waits until it answers.
func (p proxy) started(t *testing.T, addr string, servers []string) *process {
	t.Helper()
	dir := p.configured(t, addr, servers)
	proc := started(t, p.command(dir, p.run))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s:\n%s", p.program, unusual(proc.log.String()))
		}
	})
	servertest.Until(t, p.program+" serves", func() bool {
		proc.runs(t)
		resp, err := client.Get("http://" + addr + cmp.Or(p.ready, "/"))
		if err == nil {
			resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	})
	return proc
}

// wentWell is what the proxies log of a request that was answered with less than 400.
var wentWell = regexp.MustCompile(` ---- |" [123]\d\d \d+ |"status":[123]\d\d`)

// unusual returns the lines of a log but for those of requests that went well.
func unusual(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if !wentWell.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[:min(len(lines), 100)], "")
}

func TestConfigurations(t *testing.T) {
	for _, p := range proxies {
		t.Run(p.program, func(t *testing.T) {
			needs(t, p.program)
			is := is.New(t)
			addrs := freeAddrs(t, 4)
			dir := p.configured(t, addrs[0], addrs[1:])
			if p.around[0] == "" { // the file by itself is a configuration: as it is
				b, err := os.ReadFile(p.file)
				is.NoErr(err)
				is.NoErr(os.WriteFile(filepath.Join(dir, p.file), b, 0o600))
			}
			out, err := p.command(dir, p.check).CombinedOutput()
			t.Logf("%s", out)
			is.True(p.valid.Match(out)) // and there are no warnings
			is.NoErr(err)
		})
	}
}

// TestRollingRestart replaces each of three processes twice, under load. A slow
// replacement begins when the proxy knows that the old process is gone, which nginx never
// learns; otherwise it may not learn of it either.
func TestRollingRestart(t *testing.T) {
	servertest.Slow(t)
	for _, p := range proxies {
		t.Run(p.program, func(t *testing.T) {
			needs(t, p.program, "wrk")
			addrs := freeAddrs(t, 4)
			var servers []*process
			for _, addr := range addrs[1:] {
				servers = append(servers, serving(t, exec.Command(sample(t), "-addr", addr)))
			}
			front := p.started(t, addrs[0], addrs[1:])
			l := loaded(t, addrs[0], login(t, addrs[1]))
			for _, slow := range []bool{false, true} {
				for i, addr := range addrs[1:] {
					l.goesOn(t)
					mark := front.log.Len()
					servers[i].stop(t)
					if _, port, _ := net.SplitHostPort(addr); slow && p.down != "" {
						text := fmt.Sprintf(p.down+"%.0[2]s", i+1, port)
						servertest.Until(t, "it is known to be down", func() bool { return front.log.has(text, mark) })
					}
					servers[i] = serving(t, exec.Command(sample(t), "-addr", addr))
					servers[i].logs(t, `path=/users`) // which the health check does not ask for
				}
			}
			l.goesOn(t)
			l.check(t)
		})
	}
}
