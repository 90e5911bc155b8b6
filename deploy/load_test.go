//go:build linux

package deploy_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/flow/internal/testkit/servertest"
)

// A load is a number of clients that ask without a pause, and count what fails.
type load struct {
	wrk    []*process
	stop   chan struct{}
	done   sync.WaitGroup
	mu     sync.Mutex
	asked  int
	failed []error
}

// visitors is how many there are. Each other one keeps its connection.
const visitors = 8

// maxLoad ends wrk by itself, which tests interrupt before, however busy the machine is. A request
// has failed after maxWait: wrk reserves memory for each microsecond of that.
const maxLoad, maxWait = "1h", "1m"

// script has wrk ask for several pages, every 10 milliseconds on each connection.
const script = `
local paths, n = {"/", "/users", "/app.css"}, 0
request = function()
	n = n + 1
	return wrk.format(nil, paths[n % #paths + 1])
end
delay = function() return 10 end
`

// loaded puts load on a server: wrk with connections that are kept and with new ones
// for each request, and visitors, which wrk is not strict enough for.
func loaded(t *testing.T, addr, session string) *load {
	t.Helper()
	file := filepath.Join(t.TempDir(), "load.lua")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &load{stop: make(chan struct{})}
	for _, connection := range []string{"keep-alive", "close"} {
		l.wrk = append(l.wrk, started(t, exec.Command("wrk", "-t1", "-c8", "-d", maxLoad, "--timeout", maxWait,
			"-s", file, "-H", "Connection: "+connection, "http://"+addr)))
	}
	for i := range visitors {
		v := &visitor{addr: addr, session: session, keep: i%2 == 0}
		l.done.Go(func() { l.visit(v, v.ask) })
	}
	t.Cleanup(l.end)
	return l
}

// visit has a visitor ask every 10 milliseconds.
func (l *load) visit(v *visitor, ask func(n int) error) {
	defer v.leave()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		err := ask(n)
		l.mu.Lock()
		l.asked++
		if err != nil {
			l.failed = append(l.failed, fmt.Errorf("%v: %w", time.Now().Format("15:04:05.000"), err))
		}
		l.mu.Unlock()
	}
}

func (l *load) end() {
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.done.Wait()
}

// goesOn waits until each visitor has asked many more times.
func (l *load) goesOn(t *testing.T) {
	t.Helper()
	enough := l.count() + 50*visitors
	servertest.Until(t, "the load goes on", func() bool { return l.count() >= enough })
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

// check ends the load, and fails the test if any request failed.
func (l *load) check(t *testing.T) {
	t.Helper()
	l.end()
	for _, p := range l.wrk {
		select {
		case <-p.ended:
			t.Errorf("the load has ended too early: %v", p.err)
		default:
		}
		if err := p.signalled(t, syscall.SIGINT); err != nil {
			t.Errorf("%v\n%s", err, p.log)
		}
		n, err := summary(p.log.String())
		if err != nil {
			t.Errorf("%v:\n%s", err, p.log)
		}
		t.Logf("%d requests of wrk", n)
	}
	t.Logf("%d requests of visitors, %d failed", l.asked, len(l.failed))
	if l.asked == 0 {
		t.Error("nobody asked")
	}
	for _, err := range l.failed[:min(len(l.failed), 10)] {
		t.Error(err)
	}
}

var total = regexp.MustCompile(`(?m)^ +(\d+) requests in `)

// summary returns how many requests wrk sent, and an error if any failed.
func summary(text string) (int, error) {
	found := total.FindStringSubmatch(text)
	switch {
	case found == nil:
		return 0, errors.New("wrk has no summary")
	case strings.Contains(text, "Socket errors"), strings.Contains(text, "Non-2xx"):
		return 0, errors.New("requests failed")
	}
	n, err := strconv.Atoi(found[1])
	if err == nil && n == 0 {
		err = errors.New("there were no requests")
	}
	return n, err
}

// bodyDelay is the time between a header and its body. Some requests are under way
// whenever a process is told to stop.
const bodyDelay = 20 * time.Millisecond

// A visitor asks on one connection at a time, and never twice: what fails counts.
// An http.Transport would repeat requests on connections that were closed.
type visitor struct {
	addr    string
	session string // a header
	keep    bool   // the connection, as long as the server does
	conn    net.Conn
	r       *bufio.Reader
}

// ask sends the n-th request and looks at the answer.
func (v *visitor) ask(n int) error {
	head, body, want := fmt.Sprintf("GET /users?n=%d", n), "", "</html>"
	switch n % 4 {
	case 1, 3: // which nobody may repeat
		head, body, want = "POST /api/echo", fmt.Sprintf("n=visit-%d", n), fmt.Sprintf(`"visit-%d"`, n)
	case 2: // which only those see who are signed in
		head, want = "GET /dashboard", "ada"
	}
	reused := v.conn != nil
	status, text, err := v.exchange(head, body)
	if err != nil {
		v.leave()
		return fmt.Errorf("%s (on a connection that was used before: %v): %w", head, reused, err)
	}
	if status != http.StatusOK || !strings.Contains(text, want) {
		return fmt.Errorf("%s: %d, want 200 with %q: %.80q", head, status, want, text)
	}
	return nil
}

func (v *visitor) exchange(head, body string) (status int, text string, err error) {
	if v.conn == nil {
		if v.conn, err = net.DialTimeout("tcp", v.addr, servertest.Patience); err != nil {
			return 0, "", err
		}
		v.r = bufio.NewReader(v.conn)
	}
	v.conn.SetDeadline(time.Now().Add(servertest.Patience))
	headers := []string{head + " HTTP/1.1", "Host: a", v.session}
	if body != "" {
		headers = append(headers, formType, "Content-Length: "+strconv.Itoa(len(body)))
	}
	if !v.keep {
		headers = append(headers, "Connection: close")
	}
	if _, err := io.WriteString(v.conn, strings.Join(headers, "\r\n")+"\r\n\r\n"); err != nil {
		return 0, "", err
	}
	if body != "" {
		time.Sleep(bodyDelay)
		if _, err := io.WriteString(v.conn, body); err != nil {
			return 0, "", err
		}
	}
	resp, err := http.ReadResponse(v.r, nil)
	if err != nil {
		return 0, "", err
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, "", err
	}
	if resp.Close {
		v.leave()
	}
	return resp.StatusCode, string(b), nil
}

// leave closes the connection; the next request opens one.
func (v *visitor) leave() {
	if v.conn != nil {
		v.conn.Close()
		v.conn = nil
	}
}
