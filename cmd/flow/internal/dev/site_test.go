package dev

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flow/cmd/flow/internal/cli"
	"example.com/flow/internal/develop/devpage"
)

// asTool has the test binary be the tool.
const asTool = "FLOW_DEV_TEST_TOOL"

// asKilled has the test binary make the directory of a tool, and end without removing it.
const asKilled = "FLOW_DEV_TEST_KILLED"

func TestMain(m *testing.M) {
	if os.Getenv(asKilled) != "" {
		dir, _, err := tempDir()
		fmt.Println(dir, err)
		os.Exit(0)
	}
	if os.Getenv(asTool) != "" {
		dir, _ := os.Getwd()
		p := cli.Process{Dir: dir, Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr}
		os.Exit(cli.Run(context.Background(), p, []cli.Command{Command}, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// patience is for what should happen soon, on a machine that is busy.
const patience = 5 * time.Minute

// siteFiles are an application. FLOW stands for the directory of the library.
var siteFiles = map[string]string{
	"go.mod":  "module example.org/site\n\ngo 1.26\n\nrequire example.com/flow v0.0.0\n\nrequire github.com/julienschmidt/httprouter v1.3.1-0.20240130105656-484018016424 // indirect\n\nreplace example.com/flow => \"FLOW\"\n",
	"main.go": "package main\n\nimport (\n\t\"example.com/flow\"\n\t\"example.org/site/app\"\n)\n\nfunc main() { flow.Main(app.Router) }\n",
	"app/app.go": `package app

import (
	"embed"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"example.com/flow"
)

//go:embed all:router all:public
var files embed.FS

var Router = flow.New(files)

func init() {
	Router.At("exit").GET().Do(func(r *flow.Request) (flow.Response, error) {
		fmt.Fprintln(os.Stderr, "the last words")
		os.Exit(3)
		return flow.Response{}, nil
	})
	Router.At("slow").GET().Do(func(r *flow.Request) (flow.Response, error) {
		fmt.Fprintln(os.Stderr, "a slow request")
		time.Sleep(500 * time.Millisecond)
		return flow.Text("slow"), nil
	})
	Router.At("echo").POST().Do(func(r *flow.Request) (flow.Response, error) {
		if r.Input("log") != "" {
			slog.Info("echo", "log", r.Input("log"), "url", "http://localhost:"+os.Getenv("PORT"))
		}
		return flow.Text(Version + " " + r.Input("x")), nil
	})
	Router.At("events").GET().Do(func(r *flow.Request) flow.Response {
		return flow.Handler(http.HandlerFunc(stream)).Header("Content-Type", "text/event-stream")
	})
}

func stream(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		fmt.Fprintf(w, "data: %s\n\n", Version)
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
`,
	"app/version.go":             "package app\n\nconst Version = \"v0\"\n",
	"app/index.go":               "package app\n\nimport \"example.com/flow\"\n\nfunc init() {\n\tflow.GET().Do(func(r *flow.Request) (flow.Response, error) { return flow.Page(Version), nil })\n}\n",
	"app/router/index.html":      "<p>{{.}}</p>\n",
	"app/router/exit.http":       "",
	"app/router/slow.http":       "",
	"app/router/echo.http":       "",
	"app/router/events.http":     "",
	"app/public/a.css":           "p{}\n",
	"app/notes.txt":              "not embedded\n",
	"app/app_test.go":            "package app\n",
	"app/router/users/list.html": "<p>users</p>\n",
}

// A site is an application on disk, with a tool that runs it.
type site struct {
	t    *testing.T
	dir  string
	tool *exec.Cmd
	out  *output
	url  string

	stderr *os.File // of the tool, in place of out

	temp string // where the tool makes what it makes
	done chan error
}

// newSite writes the files of an application.
func newSite(t *testing.T) *site {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs")
	}
	library, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, dir: dir, out: &output{}, done: make(chan error, 1)}
	for name, text := range siteFiles {
		s.write(name, strings.ReplaceAll(text, "FLOW", filepath.ToSlash(library)))
	}
	sums, err := os.ReadFile(filepath.Join(library, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("go.sum", string(sums))
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *site) write(name, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// version writes the version that the application answers with.
func (s *site) version(v string) {
	s.t.Helper()
	s.write("app/version.go", "package app\n\nconst Version = \""+v+"\"\n")
}

// start starts the tool, and waits until it says that something is ready.
func (s *site) start(args ...string) {
	s.t.Helper()
	s.launch(args...)
	s.out.until(s.t, "flow: ready on ")
}

// launch starts the tool.
func (s *site) launch(args ...string) {
	s.t.Helper()
	s.tool = exec.Command(os.Args[0], append([]string{"dev", "-addr", "localhost:0"}, args...)...)
	s.tool.Dir = s.dir
	temp, err := os.MkdirTemp("", "flow")
	if err != nil {
		s.t.Fatal(err)
	}
	s.temp = temp
	s.t.Cleanup(func() { os.RemoveAll(temp) })
	s.tool.Env = append(os.Environ(), asTool+"=1", "GOTMPDIR="+temp, "PWD="+s.dir, "GOFLAGS=-ldflags=-w") // without debug information, programs are linked in half the time
	s.tool.Stdout, s.tool.Stderr = s.out, s.out
	if s.stderr != nil {
		s.tool.Stderr = s.stderr
	}
	s.tool.WaitDelay = 10 * time.Second
	if err := s.tool.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() { s.done <- s.tool.Wait() }()
	s.t.Cleanup(func() {
		s.stop()
		left, err := os.ReadDir(temp)
		if err != nil || len(left) > 0 {
			s.t.Errorf("the tool has left %v in its directory, %v", left, err)
		}
		if strings.Contains(s.out.String(), "DATA RACE") {
			s.t.Error("the tool has a data race")
		}
		if s.t.Failed() {
			s.t.Logf("the tool has said:\n%s", s.out)
		}
	})
	said := s.out.until(s.t, "flow: building ")
	_, s.url, _ = strings.Cut(strings.TrimSpace(said), " for ")
}

// stop ends the tool as Ctrl-C does, and waits for its end.
func (s *site) stop() {
	s.t.Helper()
	if s.tool.Process.Signal(os.Interrupt) != nil {
		return // it has ended
	}
	select {
	case <-s.done:
	case <-time.After(patience):
		s.tool.Process.Kill()
		s.t.Error("the tool does not end")
	}
}

// get returns the status and the body of a page.
func (s *site) get(path string) (status int, body string) {
	s.t.Helper()
	req, err := http.NewRequest("GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// client makes a connection for each request, as if each came from somebody else.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}

// shows waits until a page has a text.
func (s *site) shows(path, text string) {
	s.t.Helper()
	s.waits(path, text, true)
}

// hides waits until a page does not have a text any more.
func (s *site) hides(path, text string) {
	s.t.Helper()
	s.waits(path, text, false)
}

func (s *site) waits(path, text string, has bool) {
	s.t.Helper()
	body := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, body = s.get(path); strings.Contains(body, text) == has {
			return
		}
	}
	s.t.Fatalf("%s has %q: %t, and should not; it is\n%s", path, text, !has, body)
}

// says has the application log a text.
func (s *site) says(text string) {
	s.t.Helper()
	resp, err := client.PostForm(s.url+"/echo", url.Values{"log": {text}})
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
}

// An event is what open pages are told.
type event struct {
	Process       string
	Pages, Styles int
	Excerpts      []devpage.Excerpt
	Notes         []devpage.Excerpt
}

// faults returns the faults of all excerpts.
func (e event) faults() (all []devpage.Fault) {
	for _, x := range e.Excerpts {
		all = append(all, x.Faults...)
	}
	return all
}

// events are what one open page was told.
type events struct {
	mu    sync.Mutex
	last  string
	ended bool
	more  news
}

// listen listens as an open page does.
func (s *site) listen() *events {
	s.t.Helper()
	resp, err := client.Get(s.url + "/_flow/events")
	if err != nil {
		s.t.Fatal(err)
	}
	e := &events{}
	go func() {
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				e.mu.Lock()
				e.last = data
				e.more.tell()
				e.mu.Unlock()
			}
		}
		e.mu.Lock()
		e.ended = true
		e.more.tell()
		e.mu.Unlock()
	}()
	return e
}

// until waits for an event. What it is, is for the message.
func (e *events) until(t *testing.T, what string, is func(event) bool) event {
	t.Helper()
	var found event
	last := ""
	if !e.more.until(&e.mu, func() bool {
		if last = e.last; last == "" {
			return false
		}
		found = event{}
		if err := json.Unmarshal([]byte(last), &found); err != nil {
			t.Error(err)
		}
		return is(found)
	}) {
		t.Fatalf("no event is %s, the last is %s", what, last)
	}
	return found
}

// first returns an event, whatever it tells.
func (e *events) first(t *testing.T) event {
	t.Helper()
	return e.until(t, "any", func(event) bool { return true })
}

// faults waits for an event with a number of faults.
func (e *events) faults(t *testing.T, n int) []devpage.Fault {
	t.Helper()
	return e.until(t, fmt.Sprint("one with ", n, " faults"), func(e event) bool { return len(e.faults()) == n }).faults()
}

// ends waits until the stream has ended.
func (e *events) ends(t *testing.T) {
	t.Helper()
	if !e.more.until(&e.mu, func() bool { return e.ended }) {
		t.Fatal("the stream does not end")
	}
}

// A news wakes whoever waits for what a mutex guards.
type news struct{ waited chan struct{} }

// tell tells that there is more, with the mutex locked.
func (n *news) tell() {
	if n.waited != nil {
		close(n.waited)
		n.waited = nil
	}
}

// until calls is with the mutex locked, first at once and then whenever there is more, and
// reports whether it was true in time.
func (n *news) until(mu *sync.Mutex, is func() bool) bool {
	late := time.After(patience)
	for {
		mu.Lock()
		if is() {
			mu.Unlock()
			return true
		}
		if n.waited == nil {
			n.waited = make(chan struct{})
		}
		waited := n.waited
		mu.Unlock()
		select {
		case <-waited:
		case <-late:
			return false
		}
	}
}

// An output is what the tool says.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more news
	seen int // up to where until has read
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.more.tell()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// rest waits until nothing has been said for half a second.
func (o *output) rest() {
	before, since := o.String(), time.Now()
	for end := time.Now().Add(patience); time.Since(since) < 500*time.Millisecond && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if now := o.String(); now != before {
			before, since = now, time.Now()
		}
	}
}

// until waits for a line with a text, behind that of the last call, and returns it.
func (o *output) until(t *testing.T, text string) string {
	t.Helper()
	line := ""
	if !o.more.until(&o.mu, func() bool {
		rest := o.text.String()[o.seen:]
		at := strings.Index(rest, text)
		if at < 0 {
			return false
		}
		length := strings.IndexByte(rest[at:], '\n')
		if length < 0 {
			return false
		}
		o.seen += at + length
		line = rest[at : at+length]
		return true
	}) {
		t.Fatalf("the tool does not say %q, but\n%s", text, o)
	}
	return line
}

// quiet fails the test if the tool says anything in the next moment.
func (o *output) quiet(t *testing.T) {
	t.Helper()
	before := o.String()
	time.Sleep(600 * time.Millisecond)
	if said := strings.TrimPrefix(o.String(), before); said != "" {
		t.Fatalf("the tool says %q", said)
	}
}

// processes returns the programs below a directory that run, which Linux tells.
func processes(t *testing.T, temp string) (running []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell which programs run")
	}
	found, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range found {
		if exe, err := os.Readlink(link); err == nil && strings.HasPrefix(exe, temp) {
			running = append(running, fmt.Sprint(filepath.Base(filepath.Dir(link)), " ", exe))
		}
	}
	return running
}
