package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// An application is one of "flow new", with "flow dev" running in its directory.
type application struct {
	dir   string
	typed string // the command
	cmd   *exec.Cmd
	said  chan struct{} // closed when the tool has said its last

	mu    sync.Mutex
	lines []line
}

// A line is what the tool has said.
type line struct {
	text string
	at   time.Time
}

// usualAddress is where flow dev serves by itself.
const usualAddress = "localhost:8080"

// mainGo is the main.go of the application: notes are in memory, and this one is there
// whenever the program starts.
const mainGo = `package main

import (
	"example.com/flow"
	"hello/app"
	"hello/notes"
)

func main() {
	a := &app.App{}
	a.Notes.Add(notes.Draft{Title: "Buy milk", Text: "Two bottles"})
	flow.Main(app.New(a))
}
`

// start builds the tool, has it make the application hello below a directory, and runs flow
// dev there. It builds the application before, so that flow dev starts as it does on any day
// but the first.
func start(below, address string) (*application, error) {
	tool := filepath.Join(below, "flow")
	a := &application{dir: filepath.Join(below, "hello"), said: make(chan struct{})}
	if err := errors.Join(
		command(filepath.Join("..", "cmd", "flow"), "go", "build", "-o", tool, "."),
		command(below, tool, "new", "hello"),
		os.WriteFile(filepath.Join(a.dir, "main.go"), []byte(mainGo), 0o666),
		command(a.dir, "go", "build", "-o", os.DevNull, "."),
	); err != nil {
		return nil, err
	}
	args := []string{"dev"}
	if address != usualAddress {
		args = append(args, "-addr", address)
	}
	a.typed = "flow " + strings.Join(args, " ")
	a.cmd = exec.Command(tool, args...)
	a.cmd.Dir, a.cmd.WaitDelay = a.dir, 10*time.Second
	out, err := a.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	go a.listen(out)
	return a, nil
}

// command runs a command in a directory.
func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// listen collects what the tool says, but for the log of requests.
func (a *application) listen(out io.Reader) {
	defer close(a.said)
	for s := bufio.NewScanner(out); s.Scan(); {
		if !strings.HasPrefix(s.Text(), "time=") {
			a.mu.Lock()
			a.lines = append(a.lines, line{s.Text(), time.Now()})
			a.mu.Unlock()
		}
	}
}

// output returns all that the tool has said so far.
func (a *application) output() []line {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.lines)
}

// await waits until the tool has said a line with a text in it.
func (a *application) await(text string) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		lines := a.output()
		if slices.ContainsFunc(lines, func(l line) bool { return strings.Contains(l.text, text) }) {
			return nil
		}
	}
	return fmt.Errorf("flow dev has not said %q: %v", text, a.output())
}

func (a *application) stop() error {
	a.cmd.Process.Signal(os.Interrupt)
	<-a.said
	return a.cmd.Wait()
}
