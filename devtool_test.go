package flow_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/develop/devlink"
	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// TestDevTellsOpenPages of a fault in the answer to a script.
func TestDevTellsOpenPages(t *testing.T) {
	is := is.New(t)
	r, dir := failing(t)
	s := httptest.NewServer(r)
	defer s.Close()
	resp, err := http.Get(s.URL + "/_flow/events")
	is.NoErr(err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	is.True(strings.Contains(next(), `"excerpts":null`))
	_, err = http.Get(s.URL + "/fragment")
	is.NoErr(err)
	event := next()
	is.True(strings.Contains(event, `"file":"router/broken.html","line":2`))
	is.True(strings.Contains(event, `"headline":"error calling index: index of untyped nil"`))
	is.True(strings.Contains(event, `{"number":2,"pieces":[{"text":"{{"},{"text":"index . 1","wrong":true},{"text":"}}"}],"marked":true}`))
	write(t, dir, "router/broken.html", "mended")
	is.True(strings.Contains(next(), `"excerpts":null`))
}

// TestStartedByTool runs the command serve as "flow dev" does.
func TestStartedByTool(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	for _, tt := range []struct {
		name, file string
		fault      string
	}{
		{"ready", "index.html", ""},
		{"with a fault", "{id}.html", "router/{id}.html"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			l := listenAsTool(t)
			dir := onDisk(t, flowtest.Pages(map[string]string{tt.file: "hello"}))
			var stderr servertest.Log
			code := make(chan int, 1)
			go func() {
				args := []string{"app", "serve", "-addr", "127.0.0.1:0", "-dev=" + dir}
				r := flow.New(flowtest.Pages(map[string]string{tt.file: "hello"}))
				code <- flow.RunProcess(t.Context(), built(r), command.Process{Args: args, Getenv: os.Getenv, Stdout: io.Discard, Stderr: &stderr})
			}()
			tool, err := l.Accept()
			is.NoErr(err)
			defer tool.Close()
			m, err := tool.Receive()
			is.NoErr(err)
			if tt.fault != "" {
				is.Equal(len(m.Faults), 1)
				is.True(strings.HasSuffix(m.Faults[0].File, tt.fault))
				is.Equal(servertest.Within(t, "it ends", code), command.Failure)
				is.Equal(stderr.String(), "") // the tool says it
				return
			}
			is.True(m.Ready)
			is.Equal(m.Dirs, []string{dir})
			resp, err := http.Get(m.URL)
			is.NoErr(err)
			is.Equal(servertest.SumUp(t, resp), "200 hello")
			for _, step := range []struct{ text, want string }{
				{"", ""}, // at the start
				{"hello {{end}}", "router/index.html:1: unexpected {{end}}"},
				{"hello", ""},
			} {
				if step.text != "" {
					write(t, dir, "router/index.html", step.text)
					is.NoErr(tool.Send(devlink.Message{Changed: true}))
				}
				m, err := tool.Receive()
				is.NoErr(err)
				is.True(m.Faults != nil) // also if there are none
				said := ""
				for _, f := range m.Faults {
					said += f.String()
				}
				is.True(strings.HasSuffix(said, step.want) && (said == "") == (step.want == ""))
			}
			is.NoErr(tool.Send(devlink.Message{Log: []devpage.Record{{Message: "of the program before"}}}))
			is.NoErr(tool.Send(devlink.Message{Warnings: []devpage.Fault{{Text: "x < y", File: "app/a.go", Line: 3}}}))
			for shown := ""; !strings.Contains(shown, `<code>app/a.go:3</code> x &lt; y`); time.Sleep(5 * time.Millisecond) {
				resp, err := http.Get(m.URL + "/_flow") // until the message is there
				is.NoErr(err)
				shown = servertest.SumUp(t, resp)
			}
			resp, err = http.Get(m.URL + "/_flow")
			is.NoErr(err)
			is.True(strings.Contains(servertest.SumUp(t, resp), "of the program before"))
			tool.Close() // as if the tool was killed
			is.Equal(servertest.Within(t, "it stops", code), command.OK)
			is.Equal(stderr.String(), "") // nothing of what is ordinary
		})
	}
}

// listenAsTool listens where "flow dev" would, for what is served from now on in this process.
func listenAsTool(t *testing.T) *devlink.Listener {
	t.Helper()
	l, err := devlink.Listen(servertest.SocketFile(t))
	is.New(t).NoErr(err)
	t.Cleanup(func() { l.Close() })
	t.Setenv(devlink.Variable, l.Path)
	return l
}

// TestURLBehindTool: functions of OnStart and handlers know where the tool is found. As a proxy,
// it has the program listen elsewhere.
func TestURLBehindTool(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	is := is.New(t)
	l := listenAsTool(t)
	t.Setenv("PORT", "3000")
	files := flowtest.Pages(map[string]string{"index.html": "", "url.http": ""})
	r := flow.New(files)
	r.At("url").GET().Do(func(req *flow.Request) string { return flow.URL(req.Context()) })
	atStart := ""
	r.OnStart(func(ctx context.Context) error { atStart = flow.URL(ctx); return nil })
	args := []string{"app", "serve", "-addr", "127.0.0.1:0", "-dev=" + onDisk(t, files)}
	code := make(chan int, 1)
	go func() {
		code <- flow.RunProcess(t.Context(), built(r), command.Process{Args: args, Getenv: os.Getenv, Stdout: io.Discard, Stderr: io.Discard})
	}()
	tool, err := l.Accept()
	is.NoErr(err)
	m, err := tool.Receive()
	is.NoErr(err)
	is.True(m.Ready)
	is.Equal(atStart, "http://localhost:3000")
	resp, err := http.Get(m.URL + "/url")
	is.NoErr(err)
	is.Equal(servertest.SumUp(t, resp), "200 http://localhost:3000")
	tool.Close()
	is.Equal(servertest.Within(t, "it stops", code), command.OK)
}

// TestToolHearsThatNoneIsAccepted: an application that stops ends the link when it accepts
// no more connections, and not only when its last request is answered.
func TestToolHearsThatNoneIsAccepted(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	is := is.New(t)
	l := listenAsTool(t)
	files := flowtest.Pages(map[string]string{"slow.http": ""})
	dir := onDisk(t, files)
	r := flow.New(files)
	begun, goOn := make(chan bool), make(chan bool)
	r.At("slow").GET().Do(func(*flow.Request) string {
		slog.Info("slow", "link", "http://localhost/")
		begun <- true
		<-goOn
		return "slow"
	})
	ctx, stop := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		args := []string{"app", "serve", "-addr", "127.0.0.1:0", "-dev=" + dir}
		code <- flow.RunProcess(ctx, built(r), command.Process{Args: args, Getenv: os.Getenv, Stdout: io.Discard, Stderr: io.Discard})
	}()
	tool, err := l.Accept()
	is.NoErr(err)
	defer tool.Close()
	ready, err := tool.Receive()
	is.NoErr(err)
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Get(ready.URL + "/slow")
		if err != nil {
			answer <- err.Error()
			return
		}
		answer <- servertest.SumUp(t, resp)
	}()
	servertest.Within(t, "the request begins", begun)
	stop()
	over := make(chan []devpage.Record, 1)
	go func() {
		var log []devpage.Record
		for m := (devlink.Message{}); err == nil; m, err = tool.Receive() {
			log = append(log, m.Log...)
		}
		over <- log
	}()
	log := servertest.Within(t, "the link is over", over)
	is.Equal(len(log), 1) // for the next program
	is.Equal(log[0].Message, "slow")
	_, err = net.Dial("tcp", strings.TrimPrefix(ready.URL, "http://"))
	is.True(err != nil)
	close(goOn)
	is.Equal(servertest.Within(t, "the request ends", answer), "200 slow close")
	is.Equal(servertest.Within(t, "it stops", code), command.OK)
}

// TestDevListensOnLocalhost, also if the program calls Dev by itself.
func TestDevListensOnLocalhost(t *testing.T) {
	dir := onDisk(t, flowtest.Pages(map[string]string{"index.html": "on disk"}))
	for _, tt := range []struct {
		name, arg string
		dev       bool
		local     bool
	}{
		{"the flag", "-dev=" + dir, false, true},
		{"Router.Dev", "-log=json", true, true},
		{"neither", "-log=json", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(map[string]string{"index.html": "embedded"}))
			if tt.dev {
				r.Dev(dir)
			}
			log := journalOf(r)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			defer slog.SetDefault(slog.Default())
			code := make(chan int, 1)
			go func() {
				getenv := func(string) string { return "0" } // PORT
				code <- flow.RunProcess(ctx, built(r), command.Process{Args: []string{"app", "-drain=0", tt.arg}, Getenv: getenv, Stdout: io.Discard, Stderr: io.Discard})
			}()
			servertest.Until(t, "it serves, or fails", func() bool { return log.String() != "" || len(code) > 0 })
			printed, err := url.Parse(records(t, log)[0]["url"].(string))
			is.NoErr(err)
			// Of a server on every interface, the log says localhost, which is no IP address.
			is.Equal(net.ParseIP(printed.Hostname()).IsLoopback(), tt.local)
			for _, host := range []string{printed.Hostname(), "localhost", "127.0.0.1"} {
				resp, err := http.Get("http://" + net.JoinHostPort(host, printed.Port()))
				is.NoErr(err)
				resp.Body.Close()
				is.Equal(resp.StatusCode, 200)
			}
			stop()
			is.Equal(servertest.Within(t, "it stops", code), command.OK)
		})
	}
}

// TestMailsAreForThisMachine logs a mail, whose link signs in, and asks for it from elsewhere.
func TestMailsAreForThisMachine(t *testing.T) {
	files := flowtest.Pages(map[string]string{"index.html": "home"})
	dir := onDisk(t, files)
	header := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				r.Header.Set(pairs[i], pairs[i+1])
			}
		}
	}
	for _, tt := range []struct {
		name, args string
		change     func(*http.Request)
		shown      bool
	}{
		{"this machine", "-dev=" + dir, header(), true},
		{"this machine, under its address", "-dev=" + dir, func(r *http.Request) { r.Host = "127.0.0.1:8080" }, true},
		{"a link of another site", "-dev=" + dir, header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), true},
		{"production", "", header(), false},
		{"production, in JSON", "-log json", header(), false},
		{"development that is turned off", "-dev=false", header(), false},
		{"another machine", "-dev=" + dir + " -addr :0", func(r *http.Request) { r.RemoteAddr = "192.0.2.1:1234" }, false},
		{"a Unix socket", "-dev=" + dir, func(r *http.Request) { r.RemoteAddr = "@" }, false},
		{"DNS rebinding", "-dev=" + dir, func(r *http.Request) { r.Host = "evil.example:8080" }, false},
		{"DNS rebinding by a name like ours", "-dev=" + dir, func(r *http.Request) { r.Host = "localhost.evil.example:8080" }, false},
		{"DNS rebinding with headers as of our own", "-dev=" + dir, func(r *http.Request) {
			r.Host = "evil.example:8080"
			header("Origin", "http://evil.example:8080", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors")(r)
		}, false},
		{"fetch of another site", "-dev=" + dir, header("Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"), false},
		{"fetch of a frame without an origin", "-dev=" + dir, header("Origin", "null", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"), false},
		{"EventSource of another site", "-dev=" + dir, header("Origin", "https://evil.example", "Accept", "text/event-stream"), false},
		{"WebSocket of another site", "-dev=" + dir, header("Origin", "https://evil.example", "Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="), false},
		{"a proxy", "-dev=" + dir, header("X-Forwarded-For", "127.0.0.1"), false},
		{"a proxy of HTTP/1.0", "-dev=" + dir, func(r *http.Request) { r.ProtoMinor = 0 }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			defer slog.SetDefault(slog.Default())
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			runBuild(ctx, func(context.Context) (*flow.Router, error) {
				r := flow.New(files)
				r.OnStart(func(context.Context) error {
					slog.Info("a mail", "text", "Hello,\n\nhttp://localhost/in?token=s3cret\n")
					for _, path := range []string{"/_flow", "/_flow?path=/", "/_flow/events", "/_flow/log", "/_flow/reload.js", "/"} {
						if tt.shown && path == "/_flow/events" {
							continue // which goes on for ever
						}
						req := request("GET", path)
						tt.change(req)
						w := do(r, req)
						isMap := strings.TrimSuffix(path, "?path=/") == "/_flow"
						is.Equal(strings.Contains(w.Body.String(), "s3cret"), tt.shown && isMap)
						is.Equal(w.Header().Get("Access-Control-Allow-Origin"), "")
						if tt.shown && isMap {
							is.True(strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") &&
								strings.Contains(w.Header().Get("Content-Security-Policy"), "frame-ancestors 'self'"))
							is.Equal(w.Header().Get("Cross-Origin-Resource-Policy"), "same-origin") // for images and scripts, which have no Origin
							is.Equal(w.Header().Get("Cache-Control"), "no-store")
						} else if path != "/" && !tt.shown {
							is.Equal(w.Code, http.StatusNotFound)
						}
					}
					stop()
					return nil
				})
				return r, nil
			}, nil, nil, "-addr 127.0.0.1:0 "+tt.args)
		})
	}
}

// TestLogInDevelopment: the route map shows what slog.Default has logged since the beginning,
// but for the requests. In production nothing is kept.
func TestLogInDevelopment(t *testing.T) {
	files := flowtest.Pages(map[string]string{"index.html": "hello"})
	dir := onDisk(t, files)
	for _, tt := range []struct {
		name, args string
		build      func(*flow.Router)
		built      bool // what was logged before the end of build is shown, too
	}{
		{"text", "-dev=" + dir, func(*flow.Router) {}, true},
		{"json", "-log json -dev=" + dir, func(*flow.Router) {}, true},
		{"another default", "-dev=" + dir, func(*flow.Router) { slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) }, true},
		{"Dev", "", func(r *flow.Router) { r.Dev(dir) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			defer slog.SetDefault(slog.Default())
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			page := ""
			got := runBuild(ctx, func(context.Context) (*flow.Router, error) {
				r := flow.New(files)
				slog.Info("it is built")
				tt.build(r)
				r.Use(flow.Logger(nil))
				r.OnStart(func(context.Context) error {
					slog.With("to", "ada@example.com").Info("a mail", "link", "http://localhost/in?token=x", "password", "s3cret")
					do(r, request("GET", "/"))
					page = apptest.AsText(do(r, request("GET", "/_flow")).Body.String())
					stop()
					return nil
				})
				return r, nil
			}, nil, nil, "-addr 127.0.0.1:0 "+tt.args)
			is.Equal(got.code, command.OK)
			_, log, _ := strings.Cut(page, " Log What was logged last")
			log, requests, _ := strings.Cut(log, " Last requests ")
			is.True(strings.Contains(log, " INFO a mail to= ada@example.com link= http://localhost/in?token=x password= not shown"))
			is.Equal(strings.Contains(log, "it is built"), tt.built)
			is.True(!strings.Contains(log, "request method")) // the line of the Logger
			is.True(strings.Contains(requests, "GET / 200"))
		})
	}
	t.Run("production", func(t *testing.T) {
		is := is.New(t)
		defer slog.SetDefault(slog.Default())
		ctx, stop := context.WithCancel(t.Context())
		var handler slog.Handler
		runBuild(ctx, func(context.Context) (*flow.Router, error) {
			r := flow.New(files)
			r.OnStart(func(context.Context) error {
				handler = slog.Default().Handler()
				stop()
				return nil
			})
			return r, nil
		}, nil, nil, "-addr 127.0.0.1:0")
		_, plain := handler.(*slog.TextHandler)
		is.True(plain)
	})
}
