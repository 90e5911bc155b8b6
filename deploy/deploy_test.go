//go:build linux

// Package deploy_test runs the sample application as the files beside it deploy it:
// behind HAProxy, nginx and Caddy, with sockets of systemd, and in an image that holds nothing else.
package deploy_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/flow"
	"example.com/flow/internal/testkit/servertest"

	// It is built with "go build", of which the cache of test results knows nothing.
	_ "example.com/flow/app"
)

// secret is what all processes sign sessions with.
const secret = "APP_SECRET=known to all of them"

func TestMain(m *testing.M) {
	if v, ok := versions[os.Getenv(versionKey)]; ok {
		flow.Main(v.router(remoteTable(os.Getenv(tableKey)))) // see TestTwoVersions
		return
	}
	code := m.Run()
	if workDir != "" {
		os.RemoveAll(workDir)
	}
	os.Exit(code)
}

// workDir holds the image, once there is one.
var workDir string

// needs skips a test that lacks programs. In CI they must be there.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts servers")
	}
	for _, name := range programs {
		_, err := exec.LookPath(name)
		switch {
		case err == nil:
		case os.Getenv("CI") == "true":
			t.Fatalf("%v: install the Debian packages haproxy, nginx, caddy, wrk and systemd", err)
		default:
			t.Skip(err)
		}
	}
}

// image returns the directory that the Dockerfile makes the image of.
func image(t *testing.T) string {
	t.Helper()
	dir, err := builtImage()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var buildCommand = regexp.MustCompile(`(?m)^RUN (.*\bgo build\b.*)$`)

var builtImage = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		return "", err
	}
	found := buildCommand.FindSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("Dockerfile: there is no line like %v", buildCommand)
	}
	if workDir, err = os.MkdirTemp("", "deploy"); err != nil {
		return "", err
	}
	dir := filepath.Join(workDir, "image")
	cmd := exec.Command("sh", "-c", strings.ReplaceAll(string(found[1]), "/image", dir))
	cmd.Dir = ".." // the root of the repository, as in the Dockerfile
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", found[1], err, out)
	}
	return dir, nil
})

// sample returns the path of the sample application.
func sample(t *testing.T) string { return filepath.Join(image(t), "app") }

// A process is a program that runs.
type process struct {
	*exec.Cmd
	log   *journal
	ended chan struct{}
	err   error // that Wait returned, when it has ended
}

// started starts a program, which ends with the test at the latest.
func started(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: cmd, log: &journal{}, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL // also if the test is killed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		p.err = cmd.Wait()
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// serving starts a server and waits until it says so.
func serving(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	cmd.Env = append(cmd.Environ(), secret)
	p := started(t, cmd)
	p.logs(t, "msg=serving")
	return p
}

// logs waits until the log has the text.
func (p *process) logs(t *testing.T, text string) {
	t.Helper()
	servertest.Until(t, fmt.Sprintf("%s logs %q", p.Path, text), func() bool {
		p.runs(t)
		return strings.Contains(p.log.String(), text)
	})
}

// runs fails the test if the process has ended.
func (p *process) runs(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended:
		t.Fatalf("%s has ended: %v\n%s", p.Path, p.err, p.log)
	default:
	}
}

// signalled ends the process with a signal and returns what came of it.
func (p *process) signalled(t *testing.T, sig os.Signal) error {
	t.Helper()
	if err := p.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(servertest.Patience):
		t.Fatalf("%v does not end %s\n%s", sig, p.Path, p.log)
	}
	return p.err
}

// stop ends a server as systemd and Kubernetes do.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.signalled(t, syscall.SIGTERM); err != nil {
		t.Fatalf("SIGTERM: %v\n%s", err, p.log)
	}
}

// A journal keeps what a process prints.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

// has reports whether there is a text behind the first bytes.
func (j *journal) has(text string, first int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return bytes.Contains(j.text.Bytes()[first:], []byte(text))
}

func (j *journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Len()
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// freeAddrs returns n addresses that nobody listens on. Their ports are below those
// that the system gives to clients: nobody else gets one while a server is replaced.
func freeAddrs(t *testing.T, n int) []string {
	t.Helper()
	var addrs []string
	for range 1000 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000)))
		if err != nil {
			continue
		}
		defer l.Close()
		if addrs = append(addrs, l.Addr().String()); len(addrs) == n {
			return addrs
		}
	}
	t.Fatal("no ports are free")
	return nil
}

// An answer is a response that has been read.
type answer struct {
	*http.Response
	body string
}

// client follows no redirects, and uses a connection once.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       servertest.Patience,
}

// fetch sends a request, with headers as "Name: value".
func fetch(t *testing.T, method, url string, body io.Reader, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp, string(b)}
}

const formType = "Content-Type: application/x-www-form-urlencoded"

// login signs in and returns the session as a header.
func login(t *testing.T, addr string) string {
	t.Helper()
	a := fetch(t, "POST", "http://"+addr+"/login", strings.NewReader("name=ada&password=engine"), formType)
	if a.StatusCode != http.StatusSeeOther || len(a.Cookies()) != 1 {
		t.Fatalf("POST /login: %s with %d cookies, want 303 with one", a.Status, len(a.Cookies()))
	}
	return "Cookie: " + a.Cookies()[0].Name + "=" + a.Cookies()[0].Value
}
