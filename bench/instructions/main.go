// Command instructions counts the instructions that one request over a connection that is
// kept costs in user space, with its client in the same process:
//
//	go run ./instructions
//
// It needs valgrind. What it prints is exact to a few units, however busy the machine is,
// but the kernel is not counted. Each server answers 1,000 and 4,000 requests under
// callgrind, and the difference is what 3,000 requests cost.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"example.com/flow"
	"example.com/flow/bench/tree"
	"example.com/flow/bench/wire"
)

// A server serves a handler at an address, until the program ends.
type server struct {
	name    string
	handler func() http.Handler
	serve   func(addr string, h http.Handler) error
	asked   request
}

// A request is what a server is asked for, with GET, and what it answers.
type request struct {
	path   string
	status int
	body   string
}

var (
	hit  = request{"/users/7", http.StatusOK, "7"}
	miss = request{"/wp-login.php", http.StatusNotFound, `{"type":"about:blank","title":"Not Found","status":404}`}
	// muxMiss is the same of ServeMux.
	muxMiss = request{miss.path, miss.status, "404 page not found\n"}
)

var servers = []server{
	{"bare handler, http.Server", bare, withoutTimeouts, hit},
	{"flow, http.Server", app, withoutTimeouts, hit},
	{"bare handler, http.Server with four timeouts", bare, withTimeouts, hit},
	{"flow, http.Server with four timeouts", app, withTimeouts, hit},
	{"bare handler, flow.Serve", bare, flowServe, hit},
	{"flow, flow.Serve", app, flowServe, hit},
	{"404 of ServeMux, http.Server with four timeouts", mux, withTimeouts, muxMiss},
	{"404 of flow, http.Server with four timeouts", app, withTimeouts, miss},
	{"404 of flow, flow.Serve", app, flowServe, miss},
}

func main() {
	only := flag.Int("server", -1, "be the server of this `index`, and ask it")
	n := flag.Int("n", 0, "how often to ask it")
	flag.Parse()
	var err error
	if *only >= 0 {
		err = ask(servers[*only], *n)
	} else {
		err = count(os.Stdout)
	}
	if err != nil {
		log.Fatal("instructions: ", err)
	}
}

// count runs this program under callgrind for each server, and prints what a request costs.
func count(out io.Writer) error {
	const few, many = 1_000, 4_000
	for i, s := range servers {
		var counts []int
		for _, n := range []int{few, many} {
			c, err := callgrind(i, n)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			counts = append(counts, c)
		}
		fmt.Fprintf(out, "%-48s %7d\n", s.name, (counts[1]-counts[0])/(many-few))
	}
	return nil
}

var collected = regexp.MustCompile(`Collected : (\d+)`)

// callgrind returns how many instructions this program takes to answer n requests.
func callgrind(server, n int) (int, error) {
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "-server", fmt.Sprint(server), "-n", fmt.Sprint(n))
	// valgrind knows no AVX-512, and fails at the signals of preemption. The garbage collector would work in one run and not in
	// the other, and a second processor would look for work.
	cmd.Env = append(os.Environ(), "GODEBUG=cpu.avx512f=off,asyncpreemptoff=1", "GOGC=off", "GOMAXPROCS=1")
	text, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, text)
	}
	found := collected.FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("valgrind tells no count:\n%s", text)
	}
	return strconv.Atoi(string(found[1]))
}

// ask starts a server and sends it n requests.
func ask(s server, n int) error {
	addr, err := wire.FreeAddr()
	if err != nil {
		return err
	}
	h, failed := s.handler(), make(chan error, 1)
	go func() { failed <- s.serve(addr, h) }()
	dial := func() (*wire.Client, error) {
		return wire.DialStatus(addr, s.asked.path, s.asked.status, s.asked.body, 1)
	}
	c, err := dial()
	for begun := time.Now(); err != nil && time.Since(begun) < 30*time.Second; c, err = dial() {
		select {
		case err := <-failed:
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
	if err != nil {
		return err
	}
	return c.Ask(n)
}

func bare() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "7")
	})
}

func mux() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /users/{id}", func(http.ResponseWriter, *http.Request) {})
	return m
}

func app() http.Handler {
	r := flow.New(tree.New(map[string]string{"router/users/[id].http": ""}, time.Time{}))
	r.At("users/[id]").GET().Do(func(req *flow.Request) string { return req.Param("id") })
	r.Logger = slog.New(slog.DiscardHandler)
	if err := r.Check(); err != nil {
		log.Fatal(err)
	}
	return r
}

func withoutTimeouts(addr string, h http.Handler) error { return http.ListenAndServe(addr, h) }

func withTimeouts(addr string, h http.Handler) error {
	return (&http.Server{
		Addr: addr, Handler: h,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}).ListenAndServe()
}

func flowServe(addr string, h http.Handler) error {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // which a handler that is no Router logs with
	return flow.Serve(context.Background(), addr, h)
}
