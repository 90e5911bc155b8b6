package flow

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/servertest"
)

func TestServe(t *testing.T) {
	is := is.New(t)
	type key struct{}
	router, log := lone(func(req *Request) string { return fmt.Sprint(req.Context().Value(key{})) })
	file := servertest.SocketFile(t)
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "hello"))
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, "unix:"+file, router) }()
	servertest.Until(t, "it serves", func() bool { return strings.Contains(log.String(), "serving") })
	is.True(router.serving.Load() != nil) // it said what it has to say before the first request

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
	faulty := New(flowtest.Files("router/a.http"))
	for _, tt := range []struct {
		name, addr string
		handler    http.Handler
		want       string
	}{
		{"nil", "127.0.0.1:0", nil, "flow: Serve: the handler is nil"},
		{"a nil Router", "127.0.0.1:0", (*Router)(nil), "flow: Serve: the handler is nil"},
		{"faults", "127.0.0.1:0", faulty, faulty.Check().Error()},
		{"no address", "", http.NotFoundHandler(), `flow: Serve: there is no address to listen on: give "host:port", ":8080" or "unix:/path/of/the.sock"`},
		{"no port", "nonsense", http.NotFoundHandler(), "flow: Serve: cannot listen on \"nonsense\": listen tcp: address nonsense: missing port in address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := Serve(t.Context(), tt.addr, tt.handler)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
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

// TestServeListener serves at a listener that speaks TLS by itself. A request that runs when
// the server stops is answered.
func TestServeListener(t *testing.T) {
	is := is.New(t)
	entered, leave := make(chan bool), make(chan bool)
	router, log := lone(func(req *Request) string {
		if req.URL.RawQuery == "waits" {
			close(entered)
			<-leave
		}
		return fmt.Sprint(req.ProtoMajor, " ", req.TLS.NegotiatedProtocol)
	})
	var d diary
	router.OnStart(d.does("start", nil))
	router.OnStop(d.does("stop", nil))
	l := loopback(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- ServeListener(ctx, tls.NewListener(l, servertest.ServerTLS()), router) }()

	client := &http.Transport{TLSClientConfig: servertest.ClientTLS(), ForceAttemptHTTP2: true}
	url := "https://" + l.Addr().String() + "/x"
	resp, err := client.RoundTrip(httptest.NewRequest("GET", url, nil))
	is.NoErr(err)
	is.Equal(servertest.SumUp(t, resp), "200 2 h2")
	answers := make(chan *http.Response, 1)
	go func() {
		resp, err := client.RoundTrip(httptest.NewRequest("GET", url+"?waits", nil))
		if err != nil {
			t.Error(err)
		}
		answers <- resp
	}()
	servertest.Within(t, "the request runs", entered)
	stop()
	servertest.Until(t, "it stops", func() bool { return strings.Contains(log.String(), "stopping") })
	close(leave)
	is.Equal(servertest.SumUp(t, servertest.Within(t, "it is answered", answers)), "200 2 h2")
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
	faulty := New(flowtest.Files("router/a.http"))
	for _, tt := range []struct {
		name    string
		handler http.Handler
		broken  error
		want    string
	}{
		{"it stops", http.NotFoundHandler(), nil, "<nil>"},
		{"nil", nil, nil, "flow: ServeListener: the handler is nil"},
		{"faults", faulty, nil, faulty.Check().Error()},
		{"faults of Hosts", Hosts{"": faulty}, nil, Hosts{"": faulty}.Check().Error()},
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
			err := fmt.Sprint(ServeListener(ctx, l, tt.handler))
			is.True(strings.HasSuffix(err, tt.want)) // that of OnStart begins with its place
			is.Equal(l.closed.Load(), int32(1))
		})
	}
	t.Run("nil listeners", func(t *testing.T) {
		is := is.New(t)
		for _, l := range []net.Listener{nil, (*net.TCPListener)(nil)} {
			is.Equal(fmt.Sprint(ServeListener(t.Context(), l, sampleSite())), "flow: ServeListener: the listener is nil")
		}
	})
}

func TestDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		router, _ := lone(func(req *Request) string { return fmt.Sprint(Draining(req.Context())) })
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
		router, _ := lone(func(req *Request) string { return "never" })
		client := servertest.InMemory(t, router, nil).Dial()
		client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
		resp := client.Head()
		is.Equal(resp.StatusCode, http.StatusRequestTimeout)
		is.True(resp.Close)
	})
}

// sampleSite returns a Router with a route of each kind.
func sampleSite() *Router {
	r := New(flowtest.Files("router/index.html", "router/users/index.http", "router/users/[id].http", "router/users/new.http", "router/docs/[...rest].http"))
	r.In("users").Use(pass)
	r.At("users/index").POST().Name("users.create").Do(hello)
	r.At("users/index").GET().Do(hello)
	r.At("users/[id]").ANY().Name("users.show").Do(hello)
	r.At("users/new").GET().Do(hello)
	r.At("docs/[...rest]").GET().Do(hello)
	return r
}

func faultySite() *Router { return New(flowtest.Files("router/a.http", "router/b.http")) }

// A result is what a run of Main shows.
type result struct {
	code           int
	stdout, stderr string
}

// built returns a function that builds an application, for Run.
func built(r *Router) func(context.Context) (*Router, error) {
	return func(context.Context) (*Router, error) { return r, nil }
}

// runWith runs Main with arguments that are separated by spaces.
func runWith(ctx context.Context, r *Router, env map[string]string, args string) result {
	return runBuild(ctx, built(r), nil, env, args)
}

// runBuild runs an application that has flags of its own.
func runBuild(ctx context.Context, build func(context.Context) (*Router, error), own *flag.FlagSet, env map[string]string, args string) result {
	old := slog.Default()
	defer slog.SetDefault(old)
	var stdout, stderr bytes.Buffer
	code := runProcess(ctx, build, command.Process{
		Args:   append([]string{"/usr/bin/app"}, strings.Fields(args)...),
		Getenv: func(key string) string { return env[key] },
		Flags:  own,
		Stdout: &stdout,
		Stderr: &stderr,
	})
	return result{code, stdout.String(), stderr.String()}
}

// TestFaultsHaveTheirLines: on a machine with the source, check prints the line of each fault
// and warning, and so does development, at its start and when a request fails.
func TestFaultsHaveTheirLines(t *testing.T) {
	const before, after = "\n\n  2 | <b class=\"x\">{{.Nme}}</b>\n    |  ", "\n"
	good := flowtest.Pages(map[string]string{"index.html": "home"})
	bad := fstest.MapFS{"router/index.html": {Data: []byte("<p>\n<b class=\"x\">{{.Nme}}</b>\n")}}
	dir := onDisk(t, bad)
	t.Chdir(dir)
	page := func(r *Router) *Router {
		r.At("index").GET().Do(func(*Request) (struct{ Name string }, error) { return struct{ Name string }{}, nil })
		return r
	}
	const text = `router/index.html:2:17: {{.Nme}}: struct { Name string } has no field or method Nme: did you mean "Name"?`
	const shown = text + before + "               ^^^" + after
	t.Run("check", func(t *testing.T) {
		is := is.New(t)
		is.Equal(runWith(t.Context(), page(New(bad)), nil, "check"), result{command.Failure, "", shown})
		// Programs read what they have always read.
		got := runWith(t.Context(), page(New(bad)), nil, "check -json")
		is.True(strings.Contains(got.stdout, `"column": 17,`))
		is.True(!strings.Contains(got.stdout+got.stderr, "^^^"))
		is.Equal(runWith(t.Context(), page(New(bad)), nil, "routes"), result{command.Failure, "", text + "\n"})
		is.Equal(runWith(t.Context(), page(New(bad)), nil, "serve -addr 127.0.0.1:0"), result{command.Failure, "", text + "\n"}) // as in production
	})
	t.Run("a warning", func(t *testing.T) {
		is := is.New(t)
		tree := fstest.MapFS{"router/a.html": {Data: []byte("\n\n<b>{{.Name}}</b>")}}
		t.Chdir(onDisk(t, tree))
		got := runWith(t.Context(), New(tree), nil, "check")
		is.Equal(got.code, command.OK)
		is.True(strings.HasPrefix(got.stderr, "router/a.html:3: warning: {{.Name}} asks for data"))
		is.True(strings.HasSuffix(got.stderr, "\n\n  3 | <b>{{.Name}}</b>\n    |    ^^^^^^^^^\n"))
	})
	t.Run("development begins", func(t *testing.T) {
		is := is.New(t)
		r := page(New(flowtest.Files("router/index.html", "router/b.http")))
		got := runWith(t.Context(), r, nil, "serve -dev=. -addr 127.0.0.1:0")
		is.Equal(got.code, command.Failure)
		is.True(strings.Contains(got.stderr, shown))
		is.True(strings.Contains(got.stderr, "router/b.http: no handler is registered for it"))
	})
	for _, tt := range []struct {
		log   string
		times int
	}{{"text", 1}, {"json", 0}} { // once, though the page is asked for again; and not into a log that programs read
		t.Run("a request fails, log "+tt.log, func(t *testing.T) {
			is := is.New(t)
			r := page(New(good))
			r.OnStart(func(context.Context) error {
				visit(r, "/")
				visit(r, "/")
				return errors.New("enough")
			})
			got := runWith(t.Context(), r, nil, "serve -dev=. -addr 127.0.0.1:0 -log "+tt.log)
			is.Equal(strings.Count(got.stderr, shown+"\n"), tt.times)
			is.Equal(strings.Count(got.stderr, "flow: request failed"), 2)
		})
	}
	t.Run("an editor that is none", func(t *testing.T) {
		is := is.New(t)
		t.Setenv("FLOW_EDITOR", "vim")
		got := runWith(t.Context(), page(New(good)), nil, "serve -dev=. -addr 127.0.0.1:0")
		is.Equal(got.code, command.Usage)
		is.True(strings.Contains(got.stderr, `FLOW_EDITOR is "vim": write a URL with {file}`))
	})
}

var columns = regexp.MustCompile(` {2,}`)

// asTable makes what "routes" prints independent of where the tests are.
func asTable(text string) string {
	return columns.ReplaceAllString(thisTest.ReplaceAllString(text, "hello"), "  ")
}

func TestRoutesCommand(t *testing.T) {
	const head = "METHOD  URL  GUARDS  HANDLER  NAME  FILE\n"
	for _, tt := range []struct{ args, want string }{
		{"routes", `
GET  /  public  -  index  router/index.html
GET  /docs/{rest...}  public  hello  docs.rest  router/docs/[...rest].http
GET  /users  flow.pass  hello  users.create  router/users/index.http
POST  /users  flow.pass  hello  users.create  router/users/index.http
GET  /users/new  flow.pass  hello  users.new  router/users/new.http
ANY  /users/{id}  flow.pass  hello  users.show  router/users/[id].http
`},
		{"routes -method post", `
POST  /users  flow.pass  hello  users.create  router/users/index.http
ANY  /users/{id}  flow.pass  hello  users.show  router/users/[id].http
`},
		{"routes -path /users/new", `
GET  /users/new  flow.pass  hello  users.new  router/users/new.http
ANY  /users/{id}  flow.pass  hello  users.show  router/users/[id].http
`},
		{"routes -path=/users/42", `
ANY  /users/{id}  flow.pass  hello  users.show  router/users/[id].http
`},
		{"routes -path docs", `
GET  /docs/{rest...}  public  hello  docs.rest  router/docs/[...rest].http
`},
		{"routes -path /nowhere", "\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			got := runWith(t.Context(), sampleSite(), nil, tt.args)
			is.Equal(got.code, command.OK)
			is.Equal(asTable(got.stdout), head+tt.want[1:])
			is.Equal(got.stderr, "")
		})
	}
}

func TestRoutesPath(t *testing.T) {
	inner := New(flowtest.Files("router/[x].html", "router/index.html"))
	r := New(flowtest.Files("router/index.html", "router/users/index.html", "router/users/[id].html", "router/docs/[...rest].html", "router/a b.html", "public/app.css"))
	r.Mount("/in/[org]", inner)
	r.Mount("/debug/pprof", http.NotFoundHandler())
	for _, tt := range []struct{ path, want string }{
		{"/users/42", "/users/{id}"},
		{"/users/42/", "/users/{id}"},
		{"/users/4/2", ""},
		{"users/42", ""},
		{"/users", "/users /users/{id}"}, // those that contain it too
		{"{id}", "/users/{id}"},
		{"/docs/a/b", "/docs/{rest...}"},
		{"/a%20b", "/a%20b"},
		{"/in/acme/7", "/in/{org}/{x}"},
		{"/in/acme", "/in/{org}"},
		{"/debug/pprof", "/debug/pprof/"},
		{"/debug/pprof/heap", "/debug/pprof/"},
		{"/none", ""},
		{"%zz", ""},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			got := runWith(t.Context(), r, nil, "routes -json -path "+tt.path)
			is.Equal(got.code, 0)
			var listed []RouteInfo
			is.NoErr(json.Unmarshal([]byte(got.stdout), &listed))
			var patterns []string
			for _, i := range listed {
				patterns = append(patterns, i.Pattern)
			}
			is.Equal(strings.Join(patterns, " "), tt.want)
		})
	}
}

func TestMainFaults(t *testing.T) {
	for _, args := range []string{"", "serve -addr 127.0.0.1:0", "routes", "routes -json", "check"} {
		t.Run(args, func(t *testing.T) {
			is := is.New(t)
			got := runWith(t.Context(), faultySite(), nil, args)
			is.Equal(got, result{command.Failure, "", faultySite().Check().Error() + "\n"})
		})
	}
}

func TestCheckCommand(t *testing.T) {
	is := is.New(t)
	is.Equal(runWith(t.Context(), sampleSite(), nil, "check"), result{command.OK, "no faults in 6 routes\n", ""})
}

// TestCheckCommandPrintsBoth: who mends a fault sees the warnings at once. Other commands print
// none.
func TestCheckCommandPrintsBoth(t *testing.T) {
	is := is.New(t)
	r := New(flowtest.Pages(map[string]string{"a.html": `<a href="/b">b</a>`, "+row.html": "R"}))
	fault, warning := r.Check().Error(), r.compile().warnings.Error()
	is.True(strings.Contains(fault, "nothing answers /b"))
	is.True(strings.Contains(warning, "no template calls this partial"))
	is.Equal(runWith(t.Context(), r, nil, "check"), result{command.Failure, "", fault + "\n" + warning + "\n"})
	is.Equal(runWith(t.Context(), r, nil, "routes"), result{command.Failure, "", fault + "\n"})
}

// TestCheckJSON: programs read faults and warnings together, also if there are none.
func TestCheckJSON(t *testing.T) {
	type finding struct {
		File     string
		Line     int
		Column   int
		Severity string
		Text     string
	}
	typed := New(flowtest.Pages(map[string]string{"a.html": "<p>\n<b>{{.Nme}}</b>", "+row.html": "R"}))
	typed.At("a").GET().Do(func(*Request) (struct{ Name string }, error) { return struct{ Name string }{}, nil })
	const unused = "no template calls this partial"
	for _, tt := range []struct {
		name string
		r    *Router
		code int
		want []finding
	}{
		{"none", sampleSite(), command.OK, []finding{}},
		{"a fault with a column, and a warning", typed, command.Failure, []finding{
			{"router/a.html", 2, 7, "error", `{{.Nme}}: struct { Name string } has no field or method Nme: did you mean "Name"?`},
			{"router/+row.html", 0, 0, "warning", unused},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got := runWith(t.Context(), tt.r, nil, "check -json")
			is.Equal(got.code, tt.code)
			is.Equal(got.stderr, "")
			var found []finding
			is.NoErr(json.Unmarshal([]byte(got.stdout), &found))
			for i, f := range found {
				if strings.HasPrefix(f.Text, unused) {
					found[i].Text = unused
				}
			}
			is.Equal(found, tt.want)
		})
	}
}

func TestMainUsage(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ args, want string }{
		{"nope", `there is no command "nope"`},
		{"-port 80", "flag provided but not defined: -port"},
		{"rout", `there is no command "rout": did you mean "routes"?`},
		{"-addr :80 serve", `unexpected argument "serve": a command comes before its flags`},
		{"routes check", `unexpected argument "check"`},
		{"serve now", `unexpected argument "now"`},
		{"-dev app", `unexpected argument "app": the directory is given as -dev=app`},
		{"routes /users", `unexpected argument "/users"`},
		{"routes -addr :80", "flag provided but not defined: -addr"},
		{"check -method GET", "flag provided but not defined: -method"},
		{"version 2", `unexpected argument "2"`},
		{"-addr", "flag needs an argument: -addr"},
		{"-drain soon", `invalid value "soon" for flag -drain: parse error`},
		{"-drain -1s", "-drain is -1s: it must not be negative"},
		{"-log xml", `invalid value "xml" for flag -log: must be text or json`},
		{"-tls-cert a.pem", "-tls-cert and -tls-key belong together: give both"},
		{"-tls-key a.pem", "-tls-cert and -tls-key belong together: give both"},
		{"-addr unix:s -socket-mode 0668", `invalid value "0668" for flag -socket-mode: must be permissions in octal, such as 0660`},
		{"-addr unix:s -socket-mode 01777", `invalid value "01777" for flag -socket-mode: must be permissions in octal, such as 0660`},
		{"-addr unix:s -socket-mode ug+rw", `invalid value "ug+rw" for flag -socket-mode: must be permissions in octal, such as 0660`},
		{"-socket-mode 0666", `-socket-mode is for a socket in the file system: -addr is ":8080", and not unix:/path/of/the.sock`},
		{"-dev", "-dev: the binary does not know where its source is: give the directory that holds router/, as -dev=app"},
		{"-dev=" + dir, "-dev=" + dir + ": there is no directory router in it"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			got := runWith(t.Context(), sampleSite(), nil, tt.args)
			is.Equal(got, result{command.Usage, "", "app: " + tt.want + "\n\"app -h\" tells the commands and their flags.\n"})
		})
	}
}

func TestHelp(t *testing.T) {
	want := runWith(t.Context(), sampleSite(), nil, "help").stdout
	for _, args := range []string{"help", "-h", "--help", "serve -h", "routes -h", "check -h", "version -help", "help routes"} {
		t.Run(args, func(t *testing.T) {
			is := is.New(t)
			is.Equal(runWith(t.Context(), faultySite(), nil, args), result{command.OK, want, ""})
		})
	}
	is := is.New(t)
	for _, word := range []string{"app [serve] [flags]", "app routes [flags]", "app check", "app version", "app help", "-addr", "-socket-mode", "0660", "-tls-cert", "-tls-key", "-drain", "-dev", "-log", "-json", "-method", "-path", "PORT", ":8080", "30s"} {
		is.True(strings.Contains(want, word)) // each command, flag and default
	}
}

func TestVersion(t *testing.T) {
	is := is.New(t)
	got := runWith(t.Context(), sampleSite(), nil, "version")
	is.Equal(got.code, command.OK)
	is.True(strings.Contains(got.stdout, "example.com/flow\n"))
}

func TestMainCannotServe(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-addr nonsense", "app: cannot listen on \"nonsense\": listen tcp: address nonsense: missing port in address\n"},
		{"-tls-cert nowhere -tls-key nowhere", "app: -tls-cert and -tls-key: open nowhere: no such file or directory\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is := is.New(t)
			is.Equal(runWith(t.Context(), sampleSite(), nil, tt.args), result{command.Failure, "", tt.want})
		})
	}
}

// TestMainServes serves HTTPS from a directory, and logs in JSON.
func TestMainServes(t *testing.T) {
	is := is.New(t)
	certFile, keyFile := servertest.WriteCertificate(t, t.TempDir(), servertest.Certificate())
	dir := onDisk(t, flowtest.Pages(map[string]string{"index.html": "on disk"}))
	r := New(flowtest.Pages(map[string]string{"index.html": "embedded"}))
	log := &journal{}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	defer slog.SetDefault(slog.Default())
	code := make(chan int, 1)
	go func() {
		args := []string{"app", "serve", "-addr", "127.0.0.1:0", "-tls-cert", certFile, "-tls-key", keyFile, "-log", "json", "-dev=" + dir}
		code <- runProcess(ctx, built(r), command.Process{Args: args, Getenv: func(string) string { return "" }, Stdout: io.Discard, Stderr: log})
	}()
	servertest.Until(t, "it serves, or fails", func() bool { return log.String() != "" })
	url, _ := records(t, log)[0]["url"].(string)
	client := &http.Transport{TLSClientConfig: servertest.ClientTLS(), ForceAttemptHTTP2: true}
	resp, err := client.RoundTrip(httptest.NewRequest("GET", url+"/", nil))
	is.NoErr(err)
	is.Equal(resp.ProtoMajor, 2)
	is.Equal(servertest.SumUp(t, resp), "200 on disk")
	is.True(r.Logger == slog.Default()) // it is the logger of both
	is.True(r.front != nil)             // it has begun before the first request
	client.CloseIdleConnections()
	stop()
	is.Equal(servertest.Within(t, "it stops", code), command.OK)
}

// TestMainSocketMode listens on sockets that only some may use.
func TestMainSocketMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	for flags, want := range map[string]fs.FileMode{"": 0o660, " -socket-mode 0606": 0o606} {
		t.Run(flags, func(t *testing.T) {
			is := is.New(t)
			file := servertest.SocketFile(t)
			r := sampleSite()
			log := journalOf(r)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			done := make(chan result, 1)
			go func() { done <- runWith(ctx, r, nil, "-addr unix:"+file+flags) }()
			servertest.Until(t, "it serves, or fails", func() bool { return log.String() != "" || len(done) > 0 })
			info, err := os.Lstat(file)
			is.NoErr(err)
			is.Equal(info.Mode(), fs.ModeSocket|want)
			stop()
			is.Equal(servertest.Within(t, "it stops", done).code, command.OK)
		})
	}
}

// TestMain lets the binary of the tests be a program of its own: see TestStoreIsClosed and
// TestSecondSignal.
func TestMain(m *testing.M) {
	if program, ok := map[string]func() int{"store": storeMain, "deaf": deafMain}[os.Getenv("FLOW_TEST_PROGRAM")]; ok {
		flag.CommandLine = flag.NewFlagSet("store", flag.ExitOnError) // without the flags of tests
		os.Exit(program())
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
			is.True(regexp.MustCompile(`(?m)^\S*serve_test\.go:\d+: OnStop: short write$`).MatchString(err.Error()))
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
			inner, outer := New(flowtest.Files("router/a.html")), New(flowtest.Files(files...))
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
			err := Serve(ctx, tt.addr, outer)
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
	router, log := lone(func(req *Request) string {
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
		go func() { done <- Serve(ctx, "unix:"+file, router) }()
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
	is.True(Serve(ctx, "unix:"+files[0], router) != nil) // the job would not run again
}

// TestStopDuringOnStart: a function that takes long notices that the program should stop. The
// next one is not called, and nothing is served.
func TestStopDuringOnStart(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error // of the function
	}{
		{"it fails", context.Canceled},
		{"it ends", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			router := sampleSite()
			log := journalOf(router)
			ctx, stop := context.WithCancel(t.Context())
			var d diary
			router.OnStart(func(ctx context.Context) error {
				stop()
				<-ctx.Done()
				return tt.err
			})
			router.OnStart(d.does("start", nil))
			router.OnStop(d.does("stop", nil))
			err := Serve(ctx, "127.0.0.1:0", router)
			is.True(errors.Is(err, tt.err))
			is.Equal(err != nil, tt.err != nil)
			is.Equal(d, diary{"stop"})
			var said []string
			for _, record := range records(t, log) {
				said = append(said, record["msg"].(string))
			}
			is.Equal(said, []string{"stopping", "stopped"})
		})
	}
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
		got := runBuild(ctx, func(context.Context) (*Router, error) {
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
	return Run(context.Background(), func(context.Context) (*Router, error) {
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
			got := runBuild(ctx, func(context.Context) (*Router, error) {
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

// TestOnStartFails: the program says which function has failed.
func TestOnStartFails(t *testing.T) {
	is := is.New(t)
	got := runBuild(t.Context(), func(context.Context) (*Router, error) {
		r := sampleSite()
		r.OnStart(func(context.Context) error { return errors.New("no table users") })
		return r, nil
	}, nil, nil, "-addr 127.0.0.1:0")
	is.Equal(got.code, command.Failure)
	is.True(regexp.MustCompile(`^app: \S*serve_test\.go:\d+: OnStart: no table users\n$`).MatchString(got.stderr))
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
		is.True(strings.Contains(string(out), "serve_test.go:"))
		is.True(strings.Contains(string(out), "OnStop: rename "))
		is.True(strings.Contains(string(out), "a deferred call runs\n"))
	})
}
