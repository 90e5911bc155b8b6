package dev

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/flow/internal/develop/devlink"
	"example.com/flow/internal/develop/devpage"
)

// A process is a program that was started.
type process struct {
	bin      *binary
	cmd      *exec.Cmd
	stderr   *tail
	linkOver chan struct{} // closed when it says nothing any more, since it has ended or accepts no more connections

	// What follows is for the goroutine of the session.

	link    *devlink.Conn   // nil until it has connected
	faults  []devpage.Fault // that Check has found
	leaving bool            // it was told to stop
}

// A startPlan is what every process is started with.
type startPlan struct {
	dir    string
	name   string         // what it is called in its messages
	args   []string       // behind "serve -dev"
	port   int            // where browsers find the program
	socket *os.File       // to listen on, or nil
	links  string         // where sockets for links are made
	stdout io.Writer      // of the process
	stderr io.Writer      // of the process
	tell   func(f func()) // has the goroutine of the session call a function, in the order of the calls
	said   func(*process, devlink.Message)
	over   func(*process, error)
}

// start starts a binary. said and over are called by tell: for each message of the process,
// and when it has ended.
func (s startPlan) start(bin *binary) (*process, error) {
	l, err := devlink.Listen(s.links + string(os.PathSeparator) + "link" + strconv.Itoa(bin.built.number))
	if err != nil {
		return nil, err
	}
	p := &process{bin: bin, stderr: &tail{to: s.stderr}, linkOver: make(chan struct{})}
	p.cmd = exec.Command(bin.path, append([]string{"serve", "-dev"}, s.args...)...)
	p.cmd.Args[0] = s.name
	p.cmd.Dir = s.dir
	p.cmd.Stdout, p.cmd.Stderr = s.stdout, p.stderr
	p.cmd.Env = append(environment(), "PWD="+s.dir, "PORT="+strconv.Itoa(s.port), devlink.Variable+"="+l.Path)
	if s.socket != nil {
		p.cmd.ExtraFiles = []*os.File{s.socket}
		p.cmd.Env = append(p.cmd.Env, "LISTEN_FDS=1") // the program adds LISTEN_PID: see devlink.Start
	}
	p.cmd.WaitDelay = killDelay // for children that keep its standard error
	ownGroup(p.cmd)
	if err := p.cmd.Start(); err != nil {
		l.Close()
		return nil, err
	}
	go func() {
		defer close(p.linkOver)
		link, err := l.Accept()
		if err != nil {
			return
		}
		defer link.Close()
		s.tell(func() { p.link = link })
		for {
			m, err := link.Receive()
			if err != nil {
				return
			}
			s.tell(func() { s.said(p, m) })
		}
	}()
	go func() {
		err := p.cmd.Wait()
		sweepGroup(p.cmd.Process.Pid)
		// What it has said before it ended is told before its end, even if it has connected
		// just now.
		stop := time.AfterFunc(50*time.Millisecond, func() { l.Close() })
		defer stop.Stop()
		select {
		case <-p.linkOver:
		case <-time.After(killDelay): // a child of it has the link
		}
		s.tell(func() { s.over(p, err) })
	}()
	return p, nil
}

// environment returns the variables of this process, without those that speak of sockets
// and of another tool around this one.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains([]string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", devlink.Variable}, name)
	})
}

// send tells the process something. One that does not listen is none of the tool's
// concern: its end is told otherwise.
func (p *process) send(m devlink.Message) {
	if p != nil && p.link != nil {
		_ = p.link.Send(m)
	}
}

// stop has the process stop gracefully: the requests that are under way are answered.
func (p *process) stop() {
	p.leaving = true
	if stopGracefully(p.cmd.Process) != nil && p.link != nil {
		p.link.Close()
	}
}

// kill ends the process, if there is one, and its children at once.
func (p *process) kill() {
	if p != nil {
		p.leaving = true
		killGroup(p.cmd.Process)
	}
}

// ending returns words for how a process has ended.
func ending(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// maxTail is how much of the standard error of a process is kept, in bytes.
const maxTail = 8 << 10

// A tail passes on what is written to it, and keeps the end of that.
type tail struct {
	to   io.Writer
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-maxTail):]
	t.mu.Unlock()
	return t.to.Write(b)
}

// String returns what was kept, without a line that is not whole.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.kept)
	if len(text) == maxTail {
		_, text, _ = strings.Cut(text, "\n")
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
