package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"
)

// A program is the running sample application.
type program struct {
	*exec.Cmd
	url   string
	lines *bufio.Reader // of its log
}

// build builds the sample application and returns the path of the binary.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	binary := filepath.Join(t.TempDir(), "app.exe")
	if out, err := exec.Command("go", append(append([]string{"build"}, flags...), "-o", binary, ".")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// started runs the program until it serves.
func started(t *testing.T, binary string, args ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.Command(binary, append([]string{"-addr", "127.0.0.1:0"}, args...)...)}
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	p.lines = bufio.NewReader(stderr)
	p.url = regexp.MustCompile(`http://[^\s"]+`).FindString(p.until(t, "serving"))
	return p
}

// until reads the log until a line has the text, and returns it.
func (p *program) until(t *testing.T, text string) string {
	t.Helper()
	for {
		line, err := p.lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, text) {
			return line
		}
	}
}

// wait reads the rest of the log and waits for the end.
func (p *program) wait() error {
	io.Copy(io.Discard, p.lines)
	return p.Wait()
}

func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGTERM to send")
	}
	binary := build(t)
	t.Run("SIGTERM", func(t *testing.T) {
		is := is.New(t)
		p := started(t, binary)
		resp, err := http.Get(p.url + "/events/stream")
		is.NoErr(err)
		defer resp.Body.Close()
		is.NoErr(p.Process.Signal(syscall.SIGTERM))
		_, err = io.Copy(io.Discard, resp.Body)
		is.NoErr(err)      // the stream came to its end, and was not cut
		is.NoErr(p.wait()) // exit code 0
	})
	t.Run("a second one", func(t *testing.T) {
		is := is.New(t)
		p := started(t, binary, "-drain", "1h")
		r, w := io.Pipe()
		defer w.Close()
		req, err := http.NewRequest("POST", p.url+"/api/echo", r)
		is.NoErr(err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Expect", "100-continue")
		client := http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Hour}}
		go func() { // a request that does not end
			if resp, err := client.Do(req); err == nil {
				resp.Body.Close()
			}
		}()
		io.WriteString(w, "{") // returns once the handler has asked for the body
		is.NoErr(p.Process.Signal(os.Interrupt))
		p.until(t, "stopping")
		is.NoErr(p.Process.Signal(os.Interrupt))
		is.True(p.wait() != nil)
		is.Equal(p.ProcessState.Sys().(syscall.WaitStatus).Signal(), syscall.SIGINT) // it did not exit by itself
	})
}

func TestCommands(t *testing.T) {
	is := is.New(t)
	binary := build(t, "-trimpath")
	out, err := exec.Command(binary, "check", "-warnings=fail").CombinedOutput()
	is.NoErr(err)
	is.True(strings.HasPrefix(string(out), "no faults in "))

	out, err = exec.Command(binary, "-dev", "-addr", "nowhere").CombinedOutput()
	is.True(err != nil)
	is.True(strings.Contains(string(out), "-dev: the binary does not know where its source is")) // with -trimpath
}

// TestDev lets the binary find its source by itself.
func TestDev(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGTERM to send")
	}
	is := is.New(t)
	p := started(t, build(t), "-dev")
	resp, err := http.Get(p.url + "/app.css")
	is.NoErr(err)
	resp.Body.Close()
	is.Equal(resp.StatusCode, 200)
	is.Equal(resp.Header.Get("Cache-Control"), "no-store") // as nothing but development has it
	is.NoErr(p.Process.Signal(syscall.SIGTERM))
	is.NoErr(p.wait())
}
