package flow_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

func TestServe(t *testing.T) {
	is := is.New(t)
	type key struct{}
	router, log := lone(func(req *flow.Request) string { return fmt.Sprint(req.Context().Value(key{})) })
	file := servertest.SocketFile(t)
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "hello"))
	done := make(chan error, 1)
	go func() { done <- flow.Serve(ctx, "unix:"+file, router) }()
	servertest.Until(t, "it serves", func() bool { return strings.Contains(log.String(), "serving") })
	is.True(router.Begun()) // it said what it has to say before the first request

	info, err := os.Lstat(file)
	is.NoErr(err)
	is.True(runtime.GOOS == "windows" || info.Mode() == fs.ModeSocket|0o660)
	client := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", file) }}
	resp, err := client.RoundTrip(httptest.NewRequest("GET", "http://a/x", nil))
	is.NoErr(err)
	is.Equal(servertest.SumUp(t, resp), "200 hello")
	client.CloseIdleConnections()
	stop()
	is.NoErr(servertest.Within(t, "it stops", done))
	_, err = os.Lstat(file)
	is.True(errors.Is(err, os.ErrNotExist)) // the socket is gone
}

func TestServeRefuses(t *testing.T) {
	faulty := flow.New(flowtest.Files("router/a.http"))
	for _, tt := range []struct {
		name, addr string
		handler    http.Handler
		want       string
	}{
		{"nil", "127.0.0.1:0", nil, "flow: Serve: the handler is nil"},
		{"a nil Router", "127.0.0.1:0", (*flow.Router)(nil), "flow: Serve: the handler is nil"},
		{"faults", "127.0.0.1:0", faulty, faulty.Check().Error()},
		{"no address", "", http.NotFoundHandler(), `flow: Serve: there is no address to listen on: give "host:port", ":8080" or "unix:/path/of/the.sock"`},
		{"no port", "nonsense", http.NotFoundHandler(), "flow: Serve: cannot listen on \"nonsense\": listen tcp: address nonsense: missing port in address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(errorText(flow.Serve(t.Context(), tt.addr, tt.handler)), tt.want)
		})
	}
}

// A countedListener counts how often it is closed. One that is broken accepts nobody.
type countedListener struct {
	net.Listener
	closed atomic.Int32
	broken error
}

func (l *countedListener) Accept() (net.Conn, error) {
	if l.broken != nil {
		return nil, l.broken
	}
	return l.Listener.Accept()
}

func (l *countedListener) Close() error {
	l.closed.Add(1)
	return l.Listener.Close()
}

func loopback(t testing.TB) *countedListener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &countedListener{Listener: l}
}

// TestServeListener serves at a listener that speaks TLS by itself.
func TestServeListener(t *testing.T) {
	is := is.New(t)
	router, log := lone(func(req *flow.Request) string {
		return fmt.Sprint(req.ProtoMajor, " ", req.TLS.NegotiatedProtocol)
	})
	var d diary
	router.OnStart(d.does("start", nil))
	router.OnStop(d.does("stop", nil))
	l := loopback(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- flow.ServeListener(ctx, tls.NewListener(l, servertest.ServerTLS()), router) }()

	client := &http.Transport{TLSClientConfig: servertest.ClientTLS(), ForceAttemptHTTP2: true}
	resp, err := client.RoundTrip(httptest.NewRequest("GET", "https://"+l.Addr().String()+"/x", nil))
	is.NoErr(err)
	is.Equal(servertest.SumUp(t, resp), "200 2 h2")
	stop()
	client.CloseIdleConnections()
	is.NoErr(servertest.Within(t, "it has stopped", done))
	is.Equal(d, diary{"start", "stop"})
	is.Equal(l.closed.Load(), int32(1))
	is.Equal(records(t, log)[0]["address"], l.Addr().String())
}

// TestServeListenerCloses: whatever ServeListener returns, the listener is closed, and once.
func TestServeListenerCloses(t *testing.T) {
	failing := sampleSite()
	failing.OnStart(func(context.Context) error { return io.ErrShortWrite })
	faulty := flow.New(flowtest.Files("router/a.http"))
	for _, tt := range []struct {
		name    string
		handler http.Handler
		broken  error
		want    string
	}{
		{"it stops", http.NotFoundHandler(), nil, "<nil>"},
		{"nil", nil, nil, "flow: ServeListener: the handler is nil"},
		{"faults", faulty, nil, faulty.Check().Error()},
		{"faults of Hosts", flow.Hosts{"": faulty}, nil, flow.Hosts{"": faulty}.Check().Error()},
		{"OnStart fails", failing, nil, "short write"},
		{"the listener fails", http.NotFoundHandler(), io.ErrNoProgress, "flow: ServeListener: multiple Read calls return no data or error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			l := loopback(t)
			l.broken = tt.broken
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if tt.want == "<nil>" {
				stop()
			}
			err := fmt.Sprint(flow.ServeListener(ctx, l, tt.handler))
			is.True(strings.HasSuffix(err, tt.want)) // that of OnStart begins with its place
			is.Equal(l.closed.Load(), int32(1))
		})
	}
	t.Run("nil listeners", func(t *testing.T) {
		is := is.New(t)
		for _, l := range []net.Listener{nil, (*net.TCPListener)(nil)} {
			is.Equal(fmt.Sprint(flow.ServeListener(t.Context(), l, sampleSite())), "flow: ServeListener: the listener is nil")
		}
	})
}

func TestDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		router, _ := lone(func(req *flow.Request) string { return fmt.Sprint(flow.Draining(req.Context())) })
		s := servertest.InMemory(t, router, nil)
		client := s.Dial()
		client.Send(servertest.GetX)
		is.Equal(client.Answer(), "200 false")
		s.Stop()
		synctest.Wait()
		client.Send(servertest.GetX)
		is.Equal(client.Answer(), "200 true close")
		is.Equal(says(do(router, httptest.NewRequest("GET", "/x", nil))), "200 false") // of no server, or another
	})
}

// TestStalledUploadIsAnswered has a Router say what is wrong.
func TestStalledUploadIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		router, _ := lone(func(req *flow.Request) string { return "never" })
		client := servertest.InMemory(t, router, nil).Dial()
		client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
		resp := client.Head()
		is.Equal(resp.StatusCode, http.StatusRequestTimeout)
		is.True(resp.Close)
	})
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
			inner := flow.New(flowtest.Files("router/a.html"))
			inner.OnStop(d.does("inner 1", nil))
			files := []string{"router/a.html"}
			if tt.faulty {
				files = append(files, "router/b.http")
			}
			outer := flow.New(flowtest.Files(files...))
			log := journalOf(outer)
			outer.OnStop(d.does("outer 1", io.ErrShortWrite))
			outer.Mount("/in", inner)
			inner.OnStop(d.does("inner 2", io.ErrNoProgress))
			outer.OnStop(d.does("outer 2", nil))
			ctx, stop := context.WithCancel(t.Context())
			stop()
			err := flow.Serve(ctx, tt.addr, outer)
			is.Equal(d, diary{"outer 2", "inner 2", "outer 1", "inner 1"})
			is.True(errors.Is(err, io.ErrShortWrite))
			is.True(errors.Is(err, io.ErrNoProgress))
			is.True(strings.HasPrefix(err.Error(), tt.want))
			is.True(regexp.MustCompile(`(?m)^\S*serve_test\.go:\d+: OnStop: short write$`).MatchString(err.Error()))
			var failed []string
			for _, record := range records(t, log) {
				if record["level"] == "ERROR" && strings.Contains(record["error"].(string), "OnStop") {
					failed = append(failed, record["error"].(string))
				}
			}
			is.Equal(len(failed), 2) // both are logged

			err = flow.Serve(ctx, tt.addr, outer)
			is.True(err != nil)
			is.True(strings.Contains(err.Error(), "the application has stopped"))
			is.Equal(len(d), 4) // once
		})
	}
}

// TestOnStopWrapped: who serves another handler does not know of the Router.
func TestOnStopWrapped(t *testing.T) {
	is := is.New(t)
	var d diary
	r := sampleSite()
	r.OnStop(d.does("stop", nil))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	is.NoErr(flow.Serve(ctx, "127.0.0.1:0", flow.Logger(slog.New(slog.DiscardHandler))(r)))
	is.Equal(len(d), 0)
}

func TestHooksNil(t *testing.T) {
	is := is.New(t)
	r := sampleSite()
	r.OnStart(nil)
	r.OnStop(nil)
	err := r.Check()
	is.True(err != nil)
	is.True(regexp.MustCompile(`^\S*serve_test\.go:\d+: OnStart: the function is nil\n\S*serve_test\.go:\d+: OnStop: the function is nil$`).MatchString(err.Error()))
	text := fmt.Sprint(flowtest.PanicOf(func() { r.OnStop(nil) }))
	is.True(strings.Contains(text, "OnStop(nil) comes too late"))
}

// TestOnStart calls the functions of all Routers of an application before it serves, unless
// it has faults, and none after one that fails.
func TestOnStart(t *testing.T) {
	for _, tt := range []struct {
		name, addr string
		faulty     bool
		fails      error // of the second function
		done       string
		want       string // of the error
	}{
		{"it serves", "127.0.0.1:0", false, nil, "inner 1, outer 1, inner 2, outer 2, stop", ""},
		{"it cannot serve", "", false, nil, "inner 1, outer 1, inner 2, outer 2, stop", "flow: Serve: there is no address "},
		{"a function fails", "127.0.0.1:0", false, io.ErrShortWrite, "inner 1, outer 1, stop", `flow: Serve: \S*serve_test\.go:\d+: OnStart: short write$`},
		{"faults", "127.0.0.1:0", true, nil, "stop", "router/b.http: no handler "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var d diary
			files := []string{"router/a.html"}
			if tt.faulty {
				files = append(files, "router/b.http")
			}
			inner, outer := flow.New(flowtest.Files("router/a.html")), flow.New(flowtest.Files(files...))
			log := journalOf(outer)
			inner.OnStart(d.does("inner 1", nil))
			outer.OnStart(d.does("outer 1", tt.fails))
			outer.Mount("/in", inner)
			inner.OnStart(d.does("inner 2", nil))
			outer.OnStart(d.does("outer 2", nil))
			outer.OnStop(d.does("stop", nil))
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			outer.Logger = slog.New(slog.NewJSONHandler(&stopsServing{log, stop}, nil))
			err := flow.Serve(ctx, tt.addr, outer)
			is.Equal(strings.Join(d, ", "), tt.done)
			is.Equal(err != nil, tt.want != "")
			is.True(err == nil || regexp.MustCompile("^"+tt.want).MatchString(err.Error()))
			is.Equal(errors.Is(err, io.ErrShortWrite), tt.fails != nil)
			is.Equal(strings.Contains(log.String(), `"msg":"serving"`), tt.want == "")
		})
	}
}

// A stopsServing is a journal that stops a server as soon as it serves.
type stopsServing struct {
	*journal
	stop func()
}

func (s *stopsServing) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(`"msg":"serving"`)) {
		s.stop()
	}
	return s.journal.Write(b)
}

// TestOnStartAroundRequests has a job that runs from before the first request until after
// the last one, which ends late. Meanwhile another Serve has the same job.
func TestOnStartAroundRequests(t *testing.T) {
	is := is.New(t)
	type key struct{}
	files := []string{servertest.SocketFile(t), servertest.SocketFile(t)}
	entered, leave := make(chan bool), make(chan bool)
	var job context.Context // that of OnStart
	router, log := lone(func(req *flow.Request) string {
		close(entered)
		<-leave
		return fmt.Sprint("the job has ended: ", job.Err() != nil)
	})
	started, begin := 0, make(chan bool)
	router.OnStart(func(ctx context.Context) error {
		started++
		job = ctx
		<-begin
		return nil
	})
	ended := make(chan bool, 1)
	router.OnStop(func(context.Context) error { ended <- job.Err() != nil; return nil })
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "hello"))
	defer stop()
	done := make(chan error, 2)
	for _, file := range files {
		go func() { done <- flow.Serve(ctx, "unix:"+file, router) }()
	}
	for _, file := range files { // neither listens before the function returns
		_, err := net.Dial("unix", file)
		is.True(err != nil)
	}
	begin <- true
	servertest.Until(t, "both serve", func() bool { return strings.Count(log.String(), `"msg":"serving"`) == 2 })
	is.Equal(started, 1)
	is.Equal(job.Value(key{}), "hello")
	conn, err := net.Dial("unix", files[0])
	is.NoErr(err)
	client := servertest.NewClient(t, conn)
	defer client.Close()
	client.Send(servertest.GetX)
	<-entered
	stop()
	is.NoErr(servertest.Within(t, "the other one has stopped", done))
	servertest.Until(t, "it stops, too", func() bool { return strings.Count(log.String(), `"msg":"stopping"`) == 2 })
	close(leave)
	is.Equal(client.Answer(), "200 the job has ended: false close")
	is.NoErr(servertest.Within(t, "it has stopped", done))
	is.True(<-ended)
	is.True(flow.Serve(ctx, "unix:"+files[0], router) != nil) // the job would not run again
}

// TestOnStartIsDeaf: a function that ignores its context does not keep the program from
// stopping. The log and the last line of the program name it, and the exit code is 1.
func TestOnStartIsDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		ctx, stop := context.WithCancel(t.Context())
		var d diary
		leave := make(chan struct{})
		defer close(leave)
		begin := time.Now()
		got := runBuild(ctx, func(context.Context) (*flow.Router, error) {
			r := sampleSite()
			r.OnStart(func(context.Context) error { stop(); <-leave; return nil })
			r.OnStart(d.does("start", nil))
			r.OnStop(d.does("stop", nil))
			return r, nil
		}, nil, nil, "-addr 127.0.0.1:0 -drain 7s")
		is.Equal(time.Since(begin), 7*time.Second)
		is.Equal(got.code, command.Failure)
		is.Equal(d, diary{"stop"})
		const deaf = `\S*serve_test\.go:\d+: OnStart: it has not returned when its context ended, and is left behind`
		is.True(regexp.MustCompile(`^.*level=INFO msg=stopping waits="\S*serve_test\.go:\d+: OnStart"
.*level=ERROR msg="flow: the application has not started as it should" error="` + deaf + `"
.*level=INFO msg=stopped
app: ` + deaf + `\n$`).MatchString(got.stderr))
	})
}

// TestSecondSignal ends a program at once that waits for a function of OnStart.
func TestSecondSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGTERM to send")
	}
	is := is.New(t)
	binary, err := os.Executable()
	is.NoErr(err)
	cmd := exec.Command(binary, "-addr", "127.0.0.1:0", "-drain", "1h")
	cmd.Env = append(os.Environ(), "FLOW_TEST_PROGRAM=deaf")
	stderr, err := cmd.StderrPipe()
	is.NoErr(err)
	is.NoErr(cmd.Start())
	defer cmd.Process.Kill()
	log := bufio.NewScanner(stderr)
	for _, text := range []string{"the function has begun", "msg=stopping waits="} {
		for found := false; !found; found = strings.Contains(log.Text(), text) {
			is.True(log.Scan())
		}
		is.NoErr(cmd.Process.Signal(syscall.SIGTERM))
	}
	is.True(!log.Scan())
	var exit *exec.ExitError
	is.True(errors.As(cmd.Wait(), &exit))
	is.Equal(exit.Error(), "signal: terminated")
}

// deafMain is the main function of a program that never starts.
func deafMain() int {
	return flow.Run(context.Background(), func(context.Context) (*flow.Router, error) {
		r := sampleSite()
		r.OnStart(func(context.Context) error {
			slog.Info("the function has begun")
			select {}
		})
		return r, nil
	})
}

// TestOnStartOnlyServes: what has a Router answer in another way starts nothing.
func TestOnStartOnlyServes(t *testing.T) {
	for _, tt := range []struct {
		args, done string
	}{
		{"check", "stop"},
		{"routes", "stop"},
		{"routes -explain /", "stop"},
		{"-addr 127.0.0.1:0", "start stop"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var d diary
			got := runBuild(ctx, func(context.Context) (*flow.Router, error) {
				r := sampleSite()
				r.OnStart(func(ctx context.Context) error {
					stop()
					return d.does("start", nil)(ctx)
				})
				r.OnStop(d.does("stop", nil))
				return r, nil
			}, nil, nil, tt.args)
			is.Equal(got.code, command.OK)
			is.Equal(strings.Join(d, " "), tt.done)
		})
	}
	is := is.New(t)
	var d diary
	r := sampleSite()
	r.OnStart(d.does("start", nil))
	is.Equal(serve(r, "GET", "/").Code, http.StatusOK)
	is.Equal(len(d), 0)
	text := fmt.Sprint(flowtest.PanicOf(func() { r.OnStart(d.does("late", nil)) }))
	is.True(strings.Contains(text, "OnStart comes too late"))
}

// A fileStore keeps lines in a file. What was added since it was opened is in another one
// until the store is closed, as in a database with a write-ahead log.
type fileStore struct {
	mu   sync.Mutex
	name string
	log  *os.File // nil once it is closed
}

func (s *fileStore) add(line string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil {
		return errors.New("the store is closed")
	}
	_, err := s.log.WriteString(line + "\n")
	return err
}

func (s *fileStore) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Close()
	s.log = nil
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.Rename(s.name+"-wal", s.name)
}

func openStore(name string) (*fileStore, error) {
	log, err := os.Create(name + "-wal")
	return &fileStore{name: name, log: log}, err
}

// storeMain is the main function of a program with a store.
func storeMain() int {
	defer io.WriteString(os.Stderr, "a deferred call runs\n")
	dsn := flag.String("dsn", "", "`file` of the store")
	return flow.Run(context.Background(), func(context.Context) (*flow.Router, error) {
		s, err := openStore(*dsn)
		if err != nil {
			return nil, err
		}
		r := flow.New(flowtest.Files("router/lines.http"))
		r.OnStop(s.close)
		r.At("lines").POST().Do(func(req *flow.Request) (string, error) {
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
	is := is.New(t)
	binary, err := os.Executable()
	is.NoErr(err)
	dsn := filepath.Join(t.TempDir(), "lines")
	cmd := exec.Command(binary, "-addr", "127.0.0.1:0", "-dsn", dsn)
	cmd.Env = append(os.Environ(), "FLOW_TEST_PROGRAM=store")
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
}
