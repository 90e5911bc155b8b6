//go:build unix

package dev

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"
)

// TestCtrlC stops the tool at different moments, 20 times with FLOW_SLOW=1. Nothing is left
// of the tool, of the program, and of the go tool.
func TestCtrlC(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	times := 4
	if os.Getenv("FLOW_SLOW") != "" {
		times = 20
	}
	for i := range times {
		s.version("v" + strconv.Itoa(i))
		s.launch()
		switch i % 4 {
		case 0:
			s.out.until(t, "flow: ready on ")
		case 1:
			time.Sleep(time.Duration(i) * 20 * time.Millisecond) // within the build
		case 2: // while the next build runs
			s.out.until(t, "flow: ready on ")
			s.version("next" + strconv.Itoa(i))
			time.Sleep(time.Duration(i) * 10 * time.Millisecond)
		case 3: // at once
		}
		is.NoErr(s.tool.Process.Signal([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}[i%3]))
		select {
		case err := <-s.done:
			is.NoErr(err) // exit code 0
		case <-time.After(patience):
			t.Fatal("the tool does not end")
		}
		is.Equal(processes(t, s.temp), []string(nil))
		left, err := os.ReadDir(s.temp)
		is.NoErr(err)
		is.Equal(len(left), 0)
	}
}

// TestKilledToolLeavesNoProgram: when the tool is killed, the program notices, and stops.
func TestKilledToolLeavesNoProgram(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.start()
	running := processes(t, s.temp)
	is.Equal(len(running), 1)
	pid, err := strconv.Atoi(strings.Fields(running[0])[0])
	is.NoErr(err)
	is.NoErr(s.tool.Process.Kill())
	<-s.done
	for end := time.Now().Add(patience); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the program goes on without the tool")
		}
	}

	// The next tool removes what this one could not, and nothing of one that runs.
	t.Setenv("GOTMPDIR", s.temp)
	one, removeOne, err := tempDir()
	is.NoErr(err)
	two, removeTwo, err := tempDir()
	is.NoErr(err)
	found, err := filepath.Glob(filepath.Join(s.temp, "*"))
	is.NoErr(err)
	slices.Sort(found)
	want := []string{one, two}
	slices.Sort(want)
	is.Equal(found, want)
	removeOne()
	removeTwo()
}

// TestNobodyReads: when the pipe is closed that the tool writes to, it ends gracefully.
func TestNobodyReads(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	r, w, err := os.Pipe()
	is.NoErr(err)
	s.stderr = w
	go io.Copy(s.out, r) // until it is closed
	s.launch()
	w.Close()
	s.out.until(t, "flow: ready on ")
	r.Close()
	s.write("app/router/index.html", "<p>new {{.}}</p>\n") // of which it tells
	select {
	case err := <-s.done:
		is.NoErr(err)
	case <-time.After(patience):
		t.Fatal("the tool does not end")
	}
	is.Equal(processes(t, s.temp), []string(nil))
}

// TestSecondInterruptStopsAtOnce: the second Ctrl-C does not wait for requests.
func TestSecondInterruptStopsAtOnce(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.write("app/app.go", strings.Replace(siteFiles["app/app.go"], "500 * time.Millisecond", "time.Hour", 1))
	s.start()
	go func() {
		if resp, err := client.Get(s.url + "/slow"); err == nil {
			resp.Body.Close()
		}
	}()
	s.out.until(t, "a slow request")
	is.NoErr(s.tool.Process.Signal(os.Interrupt))
	s.out.until(t, "flow: waiting for the last requests")
	is.NoErr(s.tool.Process.Signal(os.Interrupt))
	select {
	case err := <-s.done:
		is.NoErr(err)
	case <-time.After(patience):
		t.Fatal("the tool does not end")
	}
	is.Equal(processes(t, s.temp), []string(nil))
}

// TestNextSignal: the signal after the first one is not lost, however soon it comes.
func TestNextSignal(t *testing.T) {
	for range 500 {
		is := is.New(t)
		until, hurry, release := untilSignal(t.Context())
		is.NoErr(syscall.Kill(os.Getpid(), syscall.SIGHUP))
		is.NoErr(syscall.Kill(os.Getpid(), syscall.SIGTERM))
		<-until.Done()
		select {
		case <-hurry:
		case <-time.After(patience):
			t.Fatal("the next signal was lost")
		}
		release()
	}
}

// TestSlowRequest: the last requests are answered.
func TestSlowRequest(t *testing.T) {
	is := is.New(t)
	s := newSite(t)
	s.start()
	answer := make(chan string, 1)
	go func() {
		resp, err := client.Get(s.url + "/slow")
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answer <- string(body)
	}()
	s.out.until(t, "a slow request")
	s.stop()
	is.Equal(<-answer, "slow")
}

// TestSocketFile: a child that gets the socket does not make others wait in accept(2).
func TestSocketFile(t *testing.T) {
	is := is.New(t)
	f, err := openFront("localhost:0", false)
	is.NoErr(err)
	defer f.close()
	cmd := exec.Command("true")
	cmd.ExtraFiles = []*os.File{f.socket}
	is.NoErr(cmd.Run())
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, f.socket.Fd(), syscall.F_GETFL, 0)
	is.Equal(errno, syscall.Errno(0))
	is.True(flags&syscall.O_NONBLOCK != 0)
}
