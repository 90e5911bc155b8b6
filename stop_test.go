package flow

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/servertest"
)

// TestMain lets the binary of the tests be a program of its own: see TestStoreIsClosed.
func TestMain(m *testing.M) {
	if os.Getenv("FLOW_TEST_PROGRAM") == "store" {
		flag.CommandLine = flag.NewFlagSet("store", flag.ExitOnError) // without the flags of tests
		os.Exit(storeMain())
	}
	os.Exit(m.Run())
}

// A diary is what has been done, in order.
type diary []string

// does returns a function for OnStop that writes down that it runs, and returns an error.
func (d *diary) does(what string, err error) func(context.Context) error {
	return func(context.Context) error {
		*d = append(*d, what)
		return err
	}
}

// TestOnStop calls the functions of all Routers of an application, whatever becomes of
// Serve.
func TestOnStop(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	is.New(t).NoErr(err)
	defer taken.Close()
	for _, tt := range []struct {
		name, addr string
		faulty     bool
		want       string // of the error, other than those of OnStop
	}{
		{"it serves", "127.0.0.1:0", false, ""},
		{"the address is taken", taken.Addr().String(), false, "flow: Serve: cannot listen on "},
		{"there is no address", "", false, "flow: Serve: there is no address "},
		{"faults", "127.0.0.1:0", true, "router/b.http: no handler "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var d diary
			inner := New(flowtest.Files("router/a.html"))
			inner.OnStop(d.does("inner 1", nil))
			files := []string{"router/a.html"}
			if tt.faulty {
				files = append(files, "router/b.http")
			}
			outer := New(flowtest.Files(files...))
			log := journalOf(outer)
			outer.OnStop(d.does("outer 1", io.ErrShortWrite))
			outer.Mount("/in", inner)
			inner.OnStop(d.does("inner 2", io.ErrNoProgress))
			outer.OnStop(d.does("outer 2", nil))
			ctx, stop := context.WithCancel(t.Context())
			stop()
			err := Serve(ctx, tt.addr, outer)
			is.Equal(d, diary{"outer 2", "inner 2", "outer 1", "inner 1"})
			is.True(errors.Is(err, io.ErrShortWrite))
			is.True(errors.Is(err, io.ErrNoProgress))
			is.True(strings.HasPrefix(err.Error(), tt.want))
			is.True(regexp.MustCompile(`(?m)^\S*stop_test\.go:\d+: OnStop: short write$`).MatchString(err.Error()))
			var failed []string
			for _, record := range records(t, log) {
				if record["level"] == "ERROR" && strings.Contains(record["error"].(string), "OnStop") {
					failed = append(failed, record["error"].(string))
				}
			}
			is.Equal(len(failed), 2) // both are logged

			err = Serve(ctx, tt.addr, outer)
			is.True(err != nil)
			is.True(strings.Contains(err.Error(), "the application has stopped"))
			is.Equal(len(d), 4) // once
		})
	}
}

// TestOnStopAfterTheLastRequest registers within a request, which ends late.
func TestOnStopAfterTheLastRequest(t *testing.T) {
	is := is.New(t)
	var mu sync.Mutex
	var d diary
	add := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		d = append(d, what)
	}
	entered, leave := make(chan bool), make(chan bool)
	var router *Router
	router, log := lone(func(req *Request) string {
		router.OnStop(func(context.Context) error { add("stop what the request began"); return nil })
		close(entered)
		<-leave
		add("answer")
		return "done"
	})
	router.OnStop(func(context.Context) error { add("stop"); return nil })
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	file := servertest.SocketFile(t)
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, "unix:"+file, router) }()
	servertest.Until(t, "it serves", func() bool { return strings.Contains(log.String(), "serving") })
	conn, err := net.Dial("unix", file)
	is.NoErr(err)
	client := servertest.NewClient(t, conn)
	defer client.Close()
	client.Send(servertest.GetX)
	<-entered
	stop()
	servertest.Until(t, "it stops", func() bool { return strings.Contains(log.String(), "stopping") })
	close(leave)
	is.Equal(client.Answer(), "200 done close")
	is.NoErr(servertest.Within(t, "it has stopped", done))
	is.Equal(d, diary{"answer", "stop what the request began", "stop"})
	router.OnStop(func(context.Context) error { add("late"); return nil })
	is.Equal(d[3:], diary{"late"}) // at once
}

// TestOnStopWrapped: who serves another handler does not know of the Router.
func TestOnStopWrapped(t *testing.T) {
	is := is.New(t)
	var d diary
	r := sampleSite()
	r.OnStop(d.does("stop", nil))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	is.NoErr(Serve(ctx, "127.0.0.1:0", Logger(slog.New(slog.DiscardHandler))(r)))
	is.Equal(len(d), 0)
}

func TestOnStopNil(t *testing.T) {
	is := is.New(t)
	r := sampleSite()
	r.OnStop(nil)
	err := r.Check()
	is.True(err != nil)
	is.True(regexp.MustCompile(`^\S*stop_test\.go:\d+: OnStop: the function is nil$`).MatchString(err.Error()))
	text := fmt.Sprint(flowtest.PanicOf(func() { r.OnStop(nil) }))
	is.True(strings.Contains(text, "OnStop(nil) comes too late"))
}

// TestRun builds an application for the commands that need it, and stops it after each.
func TestRun(t *testing.T) {
	for _, tt := range []struct {
		args   string
		router *Router // sampleSite if nil
		fails  error   // what build returns
		stop   error   // what OnStop returns
		code   int
		done   string
		stderr string // what it ends in
	}{
		{args: "help"},
		{args: "version"},
		{args: "serve -h"},
		{args: "nope", code: command.Usage, stderr: "there is no command"},
		{args: "-addr", code: command.Usage, stderr: "flag needs an argument"},
		{args: "routes", done: "build stop"},
		{args: "check", done: "build stop"},
		{args: "-addr 127.0.0.1:0", done: "build stop", stderr: "msg=stopped"},
		{args: "check", router: faultySite(), code: command.Failure, done: "build stop", stderr: "no handler"},
		{args: "", router: faultySite(), code: command.Failure, done: "build stop", stderr: "no handler"},
		{args: "-addr nonsense", code: command.Failure, done: "build stop", stderr: "missing port"},
		{args: "-tls-cert x -tls-key x", code: command.Failure, done: "build stop", stderr: "open x: "},
		{args: "-dev=nowhere", code: command.Usage, done: "build stop", stderr: "there is no directory router in it"},
		{args: "", fails: io.ErrShortBuffer, code: command.Failure, done: "build stop", stderr: "app: short buffer\n"},
		{args: "check", stop: io.ErrShortWrite, code: command.Failure, done: "build stop", stderr: "OnStop: short write\n"},
		{args: "-addr 127.0.0.1:0 -drain 0", stop: io.ErrShortWrite, code: command.Failure, done: "build stop", stderr: "OnStop: short write\n"},
		{args: "-dev=nowhere", stop: io.ErrShortWrite, code: command.Usage, done: "build stop", stderr: "OnStop: short write\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			ctx, stop := context.WithCancel(t.Context())
			stop()
			var d diary
			got := runBuild(ctx, func(built context.Context) (*Router, error) {
				is.Equal(built, ctx)
				d = append(d, "build")
				r := tt.router
				if r == nil {
					r = sampleSite()
				}
				r.OnStop(d.does("stop", tt.stop))
				return r, tt.fails
			}, nil, nil, tt.args)
			is.Equal(got.code, tt.code)
			is.Equal(strings.Join(d, " "), tt.done)
			is.True(strings.Contains(got.stderr, tt.stderr))
			is.Equal(got.stderr == "", tt.stderr == "")
		})
	}
}

// TestRunWithoutRouter has a function that builds nothing.
func TestRunWithoutRouter(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.New("the database is down"), "app: the database is down\n"},
		{nil, "flow: the Router that should run is nil\n"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			is := is.New(t)
			build := func(context.Context) (*Router, error) { return nil, tt.err }
			for _, args := range []string{"", "routes", "check"} {
				is.Equal(runBuild(t.Context(), build, nil, nil, args), result{command.Failure, "", tt.want})
			}
		})
	}
}

// TestRunLogs: what build logs looks like the rest of the log.
func TestRunLogs(t *testing.T) {
	is := is.New(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	got := runBuild(ctx, func(context.Context) (*Router, error) {
		slog.Info("building")
		return sampleSite(), nil
	}, nil, nil, "-addr 127.0.0.1:0 -log json")
	is.Equal(got.code, command.OK)
	is.True(strings.Contains(got.stderr, `"msg":"building"`))
}

// TestOwnFlags reads flags of the application along with those of each command.
func TestOwnFlags(t *testing.T) {
	for _, tt := range []struct {
		args   string
		code   int
		dsn    string // as build sees it; "" if it is not called
		debug  bool
		stderr string
	}{
		{"-addr 127.0.0.1:0 -dsn x.db -debug", command.OK, "x.db", true, "msg=stopped"},
		{"serve -dsn=x.db -addr 127.0.0.1:0", command.OK, "x.db", false, "msg=stopped"},
		{"routes -dsn x.db -json", command.OK, "x.db", false, ""},
		{"check -debug", command.OK, "app.db", true, ""},
		{"-dsn x.db check", command.Usage, "", false, `unexpected argument "check": a command comes before its flags`},
		{"check -dns x.db", command.Usage, "", false, "flag provided but not defined: -dns"},
		{"check -debug=perhaps", command.Usage, "", false, `invalid boolean value "perhaps" for -debug`},
		{"version -dsn x.db", command.Usage, "", false, "flag provided but not defined: -dsn"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			ctx, stop := context.WithCancel(t.Context())
			stop()
			own := flag.NewFlagSet("", flag.PanicOnError)
			dsn := own.String("dsn", "app.db", "`file` of the database")
			debug := own.Bool("debug", false, "tell more")
			seen := ""
			got := runBuild(ctx, func(context.Context) (*Router, error) {
				is.True(own.Parsed())
				is.Equal(*debug, tt.debug)
				seen = *dsn
				return sampleSite(), nil
			}, own, nil, tt.args)
			is.Equal(got.code, tt.code)
			is.Equal(seen, tt.dsn)
			is.True(strings.Contains(got.stderr, tt.stderr))
		})
	}
}

func TestOwnFlagsInHelp(t *testing.T) {
	is := is.New(t)
	own := flag.NewFlagSet("", flag.PanicOnError)
	own.String("dsn", "app.db", "`file` of the database")
	own.Bool("debug", false, "tell more,\nand more")
	own.Duration("session-lifetime", 0, "how long")
	own.Int("n", 7, "")
	plain := runWith(t.Context(), sampleSite(), nil, "help").stdout
	help := runBuild(t.Context(), built(sampleSite()), own, nil, "help").stdout
	before, after, found := strings.Cut(plain, "\nExit codes:")
	is.True(found)
	is.Equal(help, before+`
Flags of the application, for serve, routes and check:

	-debug            tell more,
	                  and more
	-dsn file         file of the database (default app.db)
	-n int            (default 7)
	-session-lifetime duration
	                  how long

Exit codes:`+after)
}

// TestOwnFlagsClash: no flag of flow is hidden, or hides one.
func TestOwnFlagsClash(t *testing.T) {
	for _, name := range []string{"addr", "socket-mode", "tls-cert", "tls-key", "drain", "dev", "log", "json", "method", "path", "h", "help"} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			own := flag.NewFlagSet("", flag.PanicOnError)
			own.String(name, "", "")
			own.String("dsn", "", "")
			for _, args := range []string{"", "routes", "version", "help"} {
				got := runBuild(t.Context(), func(context.Context) (*Router, error) { panic("not called") }, own, nil, args)
				is.Equal(got.code, command.Failure)
				is.True(strings.HasPrefix(got.stderr, "flow: package flag has -"+name+", registered by "))
			}
		})
	}
}

// A store keeps lines in a file. What was added since it was opened is in another one
// until the store is closed, as in a database with a write-ahead log.
type store struct {
	mu   sync.Mutex
	name string
	log  *os.File // nil once it is closed
}

func openStore(name string) (*store, error) {
	log, err := os.Create(name + "-wal")
	return &store{name: name, log: log}, err
}

func (s *store) add(line string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil {
		return errors.New("the store is closed")
	}
	_, err := s.log.WriteString(line + "\n")
	return err
}

func (s *store) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Close()
	s.log = nil
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.Rename(s.name+"-wal", s.name)
}

// storeMain is the main function of a program with a store.
func storeMain() int {
	defer io.WriteString(os.Stderr, "a deferred call runs\n")
	dsn := flag.String("dsn", "", "`file` of the store")
	return Run(context.Background(), func(context.Context) (*Router, error) {
		s, err := openStore(*dsn)
		if err != nil {
			return nil, err
		}
		r := New(flowtest.Files("router/lines.http"))
		r.OnStop(s.close)
		r.At("lines").POST().Do(func(req *Request) (string, error) {
			slog.Info("a request has begun")
			line, err := io.ReadAll(req.Body)
			if err != nil {
				return "", err
			}
			return "added", s.add(string(line))
		})
		return r, nil
	})
}

// TestStoreIsClosed runs a program with a store until SIGTERM. A request that is under
// way still finds the store open, and when the program has ended, it is closed.
func TestStoreIsClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGTERM to send")
	}
	binary, err := os.Executable()
	is.New(t).NoErr(err)
	program := func(args ...string) *exec.Cmd {
		cmd := exec.Command(binary, args...)
		cmd.Env = append(os.Environ(), "FLOW_TEST_PROGRAM=store")
		return cmd
	}
	t.Run("SIGTERM", func(t *testing.T) {
		is := is.New(t)
		dsn := filepath.Join(t.TempDir(), "lines")
		cmd := program("-addr", "127.0.0.1:0", "-dsn", dsn)
		stderr, err := cmd.StderrPipe()
		is.NoErr(err)
		is.NoErr(cmd.Start())
		defer cmd.Process.Kill()
		log := bufio.NewReader(stderr)
		until := func(text string) (line string) {
			for !strings.Contains(line, text) {
				if line, err = log.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			return line
		}
		url := regexp.MustCompile(`http://[^\s"]+`).FindString(until("serving"))
		body, slow := io.Pipe()
		answer := make(chan string, 1)
		go func() {
			resp, err := http.Post(url+"/lines", "text/plain", body)
			if err != nil {
				answer <- err.Error()
				return
			}
			answer <- servertest.SumUp(t, resp)
		}()
		io.WriteString(slow, "to be ")
		until("a request has begun")
		is.NoErr(cmd.Process.Signal(syscall.SIGTERM))
		until("stopping")
		_, err = os.Stat(dsn + "-wal")
		is.NoErr(err) // it is open
		io.WriteString(slow, "or not")
		slow.Close()
		is.Equal(servertest.Within(t, "it answers", answer), "200 added close")
		until("a deferred call runs")
		is.NoErr(cmd.Wait()) // exit code 0
		lines, err := os.ReadFile(dsn)
		is.NoErr(err)
		is.Equal(string(lines), "to be or not\n")
		_, err = os.Stat(dsn + "-wal")
		is.True(errors.Is(err, os.ErrNotExist))
	})
	for _, tt := range []struct {
		args   string
		code   int
		opened bool
	}{
		{"help", 0, false},
		{"version", 0, false},
		{"nope", 2, false},
		{"routes", 0, true},
		{"check", 0, true},
		{"-addr nonsense", 1, true},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			dsn := filepath.Join(t.TempDir(), "lines")
			args := strings.Fields(tt.args)
			if tt.opened {
				args = append(args, "-dsn", dsn)
			}
			cmd := program(args...)
			out, _ := cmd.CombinedOutput()
			is.Equal(cmd.ProcessState.ExitCode(), tt.code)
			is.True(slices.Contains(strings.Split(string(out), "\n"), "a deferred call runs"))
			is.Equal(strings.Contains(string(out), "-dsn file"), tt.args == "help")
			_, err := os.Stat(dsn)
			is.Equal(err == nil, tt.opened) // and closed
			_, err = os.Stat(dsn + "-wal")
			is.True(errors.Is(err, os.ErrNotExist))
		})
	}
	t.Run("a store that cannot be closed", func(t *testing.T) {
		is := is.New(t)
		dsn := t.TempDir() // a directory stands where the file should be
		is.NoErr(os.WriteFile(filepath.Join(dsn, "x"), nil, 0o600))
		cmd := program("check", "-dsn", dsn)
		out, _ := cmd.CombinedOutput()
		defer os.Remove(dsn + "-wal")
		is.Equal(cmd.ProcessState.ExitCode(), 1)
		is.True(strings.Contains(string(out), "stop_test.go:"))
		is.True(strings.Contains(string(out), "OnStop: rename "))
		is.True(strings.Contains(string(out), "a deferred call runs\n"))
	})
}
