package flow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// TestMain lets the binary of the tests be a program of its own: see TestStoreIsClosed and
// TestSecondSignal.
func TestMain(m *testing.M) {
	if program, ok := map[string]func() int{"store": storeMain, "deaf": deafMain}[os.Getenv("FLOW_TEST_PROGRAM")]; ok {
		flag.CommandLine = flag.NewFlagSet("store", flag.ExitOnError) // without the flags of tests
		os.Exit(program())
	}
	os.Exit(m.Run())
}

// A result is what a run of Main shows.
type result struct {
	code           int
	stdout, stderr string
}

// sampleSite returns a Router with a route of each kind.
func sampleSite() *flow.Router {
	r := flow.New(flowtest.Files("router/index.html", "router/users/index.http", "router/users/[id].http", "router/users/new.http", "router/docs/[...rest].http"))
	r.In("users").Use(pass)
	r.At("users/index").POST().Name("users.create").Do(hello)
	r.At("users/index").GET().Do(hello)
	r.At("users/[id]").ANY().Name("users.show").Do(hello)
	r.At("users/new").GET().Do(hello)
	r.At("docs/[...rest]").GET().Do(hello)
	return r
}

func faultySite() *flow.Router { return flow.New(flowtest.Files("router/a.http", "router/b.http")) }

// built returns a function that builds an application, for Run.
func built(r *flow.Router) func(context.Context) (*flow.Router, error) {
	return func(context.Context) (*flow.Router, error) { return r, nil }
}

// runWith runs Main with arguments that are separated by spaces.
func runWith(ctx context.Context, r *flow.Router, env map[string]string, args string) result {
	return runBuild(ctx, built(r), nil, env, args)
}

// runBuild runs an application that has flags of its own.
func runBuild(ctx context.Context, build func(context.Context) (*flow.Router, error), own *flag.FlagSet, env map[string]string, args string) result {
	old := slog.Default()
	defer slog.SetDefault(old)
	var stdout, stderr bytes.Buffer
	code := flow.RunProcess(ctx, build, command.Process{
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
	page := func(r *flow.Router) *flow.Router {
		r.At("index").GET().Do(func(*flow.Request) (struct{ Name string }, error) { return struct{ Name string }{}, nil })
		return r
	}
	const text = `router/index.html:2:17: {{.Nme}}: struct { Name string } has no field or method Nme: did you mean "Name"?`
	const shown = text + before + "               ^^^" + after
	t.Run("check", func(t *testing.T) {
		is := is.New(t)
		is.Equal(runWith(t.Context(), page(flow.New(bad)), nil, "check"), result{command.Failure, "", shown})
		// Programs read what they have always read.
		got := runWith(t.Context(), page(flow.New(bad)), nil, "check -json")
		is.True(strings.Contains(got.stdout, `"column": 17,`))
		is.True(!strings.Contains(got.stdout+got.stderr, "^^^"))
		is.Equal(runWith(t.Context(), page(flow.New(bad)), nil, "routes"), result{command.Failure, "", text + "\n"})
		is.Equal(runWith(t.Context(), page(flow.New(bad)), nil, "serve -addr 127.0.0.1:0"), result{command.Failure, "", text + "\n"}) // as in production
	})
	t.Run("a warning", func(t *testing.T) {
		is := is.New(t)
		tree := fstest.MapFS{"router/a.html": {Data: []byte("\n\n<b>{{.Name}}</b>")}}
		t.Chdir(onDisk(t, tree))
		got := runWith(t.Context(), flow.New(tree), nil, "check")
		is.Equal(got.code, command.OK)
		is.True(strings.HasPrefix(got.stderr, "router/a.html:3: warning: {{.Name}} asks for data"))
		is.True(strings.HasSuffix(got.stderr, "\n\n  3 | <b>{{.Name}}</b>\n    |    ^^^^^^^^^\n"))
	})
	t.Run("development begins", func(t *testing.T) {
		is := is.New(t)
		r := page(flow.New(flowtest.Files("router/index.html", "router/b.http")))
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
			r := page(flow.New(good))
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
		got := runWith(t.Context(), page(flow.New(good)), nil, "serve -dev=. -addr 127.0.0.1:0")
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
GET  /users  flow_test.pass  hello  users.create  router/users/index.http
POST  /users  flow_test.pass  hello  users.create  router/users/index.http
GET  /users/new  flow_test.pass  hello  users.new  router/users/new.http
ANY  /users/{id}  flow_test.pass  hello  users.show  router/users/[id].http
`},
		{"routes -method post", `
POST  /users  flow_test.pass  hello  users.create  router/users/index.http
ANY  /users/{id}  flow_test.pass  hello  users.show  router/users/[id].http
`},
		{"routes -path /users/new", `
GET  /users/new  flow_test.pass  hello  users.new  router/users/new.http
ANY  /users/{id}  flow_test.pass  hello  users.show  router/users/[id].http
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
	inner := flow.New(flowtest.Files("router/[x].html", "router/index.html"))
	r := flow.New(flowtest.Files("router/index.html", "router/users/index.html", "router/users/[id].html", "router/docs/[...rest].html", "router/a b.html", "public/app.css"))
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
			var listed []flow.RouteInfo
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
	const noTree = "router: the files given to flow.New hold no such directory: embed it with //go:embed all:router\n"
	is.Equal(runWith(t.Context(), flow.New(fstest.MapFS{}), nil, "check"), result{command.Failure, "", noTree})
}

// TestCommandsAfterCheck: Check lets go of what only commands need of templates. They say the same of an
// application that was checked before.
func TestCommandsAfterCheck(t *testing.T) {
	build := func() *flow.Router {
		return flow.New(flowtest.Pages(map[string]string{"+layout.html": `<html lang="en"><title>T</title>{{template "content" .}}`, "a.html": `<input name="x"><a href="/b">b</a>`, "b.html": "{{1}}"}))
	}
	for _, args := range []string{"check -v", "manifest"} {
		is := is.New(t)
		checked := build()
		is.NoErr(checked.Check())
		want := runWith(t.Context(), build(), nil, args)
		is.Equal(want.code, command.OK)
		is.True(strings.Contains(want.stdout, "/b") || strings.Contains(want.stderr, "<input> has no label"))
		is.Equal(runWith(t.Context(), checked, nil, args), want)
	}
}

// TestCheckCommandPrintsBoth: who mends a fault sees the warnings at once. Other commands print
// none.
func TestCheckCommandPrintsBoth(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{"a.html": `<a href="/b">b</a>`, "+row.html": "R"}))
	fault, warning := r.Check().Error(), r.Warnings().Error()
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
	typed := flow.New(flowtest.Pages(map[string]string{"a.html": "<p>\n<b>{{.Nme}}</b>", "+row.html": "R"}))
	typed.At("a").GET().Do(func(*flow.Request) (struct{ Name string }, error) { return struct{ Name string }{}, nil })
	const unused = "no template calls this partial"
	for _, tt := range []struct {
		name string
		r    *flow.Router
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
	for _, tt := range []struct{ args, want string }{
		{"nope", `there is no command "nope"`},
		{"-port 80", "flag provided but not defined: -port"},
		{"rout", `there is no command "rout": did you mean "routes"?`},
		{"-addr :80 serve", `unexpected argument "serve": a command comes before its flags`},
		{"routes check", `unexpected argument "check"`},
		{"export site", `the command export is that of a package, which the program does not import: write import _ "example.com/flow/export" in its main package`},
		{"exprt site", `there is no command "exprt": did you mean "export"?`},
		{"-dev app", `unexpected argument "app": the directory is given as -dev=app`},
		{"-addr", "flag needs an argument: -addr"},
		{"-drain soon", `invalid value "soon" for flag -drain: parse error`},
		{"-drain -1s", "-drain is -1s: it must not be negative"},
		{"-log xml", `invalid value "xml" for flag -log: must be text or json`},
		{"-tls-cert a.pem", "-tls-cert and -tls-key belong together: give both"},
		{"-addr unix:s -socket-mode 0668", `invalid value "0668" for flag -socket-mode: must be permissions in octal, such as 0660`},
		{"-socket-mode 0666", `-socket-mode is for a socket in the file system: -addr is ":8080", and not unix:/path/of/the.sock`},
		{"routes -path '/users'", `the shell has passed the single quotes of '/users' as part of the argument, as cmd.exe does. Use double quotes: "/users"`},
		{"routes -json -explain 'POST /users/new'", `the shell has passed the single quotes of 'POST /users/new' as part of the argument, as cmd.exe does. Use double quotes: "POST /users/new"`},
		{"check -previous 'old.json'", `the shell has passed the single quotes of 'old.json' as part of the argument, as cmd.exe does. Use double quotes: "old.json"`},
		{"-dev='app'", `the shell has passed the single quotes of 'app' as part of the argument, as cmd.exe does. Use double quotes: "app"`},
		{"-dev", "-dev: the binary does not know where its source is: give the directory that holds router/, as -dev=app"},
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
	is.True(!strings.Contains(want, "export")) // the program does not import that package
}

func TestVersion(t *testing.T) {
	is := is.New(t)
	got := runWith(t.Context(), sampleSite(), nil, "version")
	is.Equal(got.code, command.OK)
	is.True(strings.Contains(got.stdout, "example.com/flow\n"))
}

// TestMainServes serves HTTPS from a directory, and logs in JSON.
func TestMainServes(t *testing.T) {
	is := is.New(t)
	certFile, keyFile := servertest.WriteCertificate(t, t.TempDir(), servertest.Certificate())
	dir := onDisk(t, flowtest.Pages(map[string]string{"index.html": "on disk"}))
	r := flow.New(flowtest.Pages(map[string]string{"index.html": "embedded"}))
	log := &journal{}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	defer slog.SetDefault(slog.Default())
	code := make(chan int, 1)
	go func() {
		args := []string{"app", "serve", "-addr", "127.0.0.1:0", "-tls-cert", certFile, "-tls-key", keyFile, "-log", "json", "-dev=" + dir}
		code <- flow.RunProcess(ctx, built(r), command.Process{Args: args, Getenv: func(string) string { return "" }, Stdout: io.Discard, Stderr: log})
	}()
	servertest.Until(t, "it serves, or fails", func() bool { return log.String() != "" })
	url, _ := records(t, log)[0]["url"].(string)
	client := &http.Transport{TLSClientConfig: servertest.ClientTLS(), ForceAttemptHTTP2: true}
	resp, err := client.RoundTrip(httptest.NewRequest("GET", url+"/", nil))
	is.NoErr(err)
	is.Equal(resp.ProtoMajor, 2)
	is.Equal(servertest.SumUp(t, resp), "200 on disk")
	is.True(r.Logger == slog.Default()) // it is the logger of both
	client.CloseIdleConnections()
	stop()
	is.Equal(servertest.Within(t, "it stops", code), command.OK)
}

// TestURL asks in a function of OnStart where the application will be found.
func TestURL(t *testing.T) {
	certFile, keyFile := servertest.WriteCertificate(t, t.TempDir(), servertest.Certificate())
	dir := onDisk(t, flowtest.Pages(map[string]string{"index.html": ""}))
	for _, tt := range []struct{ name, args, port, want string }{
		{"the usual address", "", "", "http://localhost:8080"},
		{"the port of the environment", "", "3000", "http://localhost:3000"},
		{"a given port", "-addr :5000", "3000", "http://localhost:5000"},
		{"development", "-dev=" + dir, "3000", "http://localhost:3000"},
		{"TLS", "-addr :8443 -tls-cert " + certFile + " -tls-key " + keyFile, "", "https://localhost:8443"},
		{"a port of the system", "-addr :0", "3000", ""},
		{"a Unix socket", "-addr unix:" + servertest.SocketFile(t), "3000", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			found := "not asked"
			got := runBuild(ctx, func(context.Context) (*flow.Router, error) {
				r := sampleSite()
				r.OnStart(func(ctx context.Context) error { found = flow.URL(ctx); stop(); return nil })
				return r, nil
			}, nil, map[string]string{"PORT": tt.port}, tt.args)
			is.Equal(got.code, command.OK)
			is.Equal(found, tt.want)
		})
	}
}

// TestURLOfServe: a function of OnStart serves, too. Of a listener it is not known whether it
// speaks TLS.
func TestURLOfServe(t *testing.T) {
	is := is.New(t)
	is.Equal(flow.URL(t.Context()), "")
	ctx, stop := context.WithCancel(t.Context())
	site := func(start func(context.Context) error) *flow.Router {
		r := sampleSite()
		r.Logger = slog.New(slog.DiscardHandler)
		r.OnStart(start)
		return r
	}
	is.NoErr(flow.Serve(ctx, ":3000", site(func(outer context.Context) error {
		is.Equal(flow.URL(outer), "http://localhost:3000")
		l, err := net.Listen("tcp", "127.0.0.1:0")
		is.NoErr(err)
		inside := site(func(ctx context.Context) error { is.Equal(flow.URL(ctx), ""); stop(); return nil })
		return flow.ServeListener(outer, l, inside)
	})))
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

// TestRun builds an application for the commands that need it, and stops it after each.
func TestRun(t *testing.T) {
	_, notFound := os.Open("x")
	for _, tt := range []struct {
		args   string
		router *flow.Router // sampleSite if nil
		fails  error        // what build returns
		stop   error        // what OnStop returns
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
		{args: "-addr nonsense", code: command.Failure, done: "build stop", stderr: "app: cannot listen on \"nonsense\": listen tcp: address nonsense: missing port in address\n"},
		{args: "-tls-cert x -tls-key x", code: command.Failure, done: "build stop", stderr: "app: -tls-cert and -tls-key: " + notFound.Error() + "\n"},
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
			got := runBuild(ctx, func(built context.Context) (*flow.Router, error) {
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
			build := func(context.Context) (*flow.Router, error) { return nil, tt.err }
			for _, args := range []string{"", "routes", "check"} {
				is.Equal(runBuild(t.Context(), build, nil, nil, args), result{command.Failure, "", tt.want})
			}
		})
	}
}

// TestRunLogs: what build logs looks like the rest of the log. In development, which people
// read, several lines are lines.
func TestRunLogs(t *testing.T) {
	dir := onDisk(t, flowtest.Files("router/index.html"))
	for args, want := range map[string]string{
		"-log json":                   `"msg":"building","text":"a\nb"}`,
		"-log json -dev=" + dir:       `"msg":"building","text":"a\nb"}`,
		"":                            `level=INFO msg=building text="a\nb"`,
		"-dev=" + dir:                 "level=INFO msg=building\n    text=\n        a\n        b\n",
		"-log text -dev=" + dir + "/": "level=INFO msg=building\n    text=\n        a\n        b\n",
	} {
		t.Run(args, func(t *testing.T) {
			is := is.New(t)
			defer slog.SetDefault(slog.Default())
			ctx, stop := context.WithCancel(t.Context())
			stop()
			got := runBuild(ctx, func(context.Context) (*flow.Router, error) {
				slog.Info("building", "text", "a\nb")
				return sampleSite(), nil
			}, nil, nil, "-addr 127.0.0.1:0 "+args)
			is.Equal(got.code, command.OK)
			is.True(strings.Contains(got.stderr, want))
		})
	}
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
		{"check -dsn 'x.db'", command.OK, "'x.db'", false, ""}, // the application knows what its quotes mean
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
			got := runBuild(ctx, func(context.Context) (*flow.Router, error) {
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
Flags of the application, for all commands but version and help:

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
				got := runBuild(t.Context(), func(context.Context) (*flow.Router, error) { panic("not called") }, own, nil, args)
				is.Equal(got.code, command.Failure)
				is.True(strings.HasPrefix(got.stderr, "flow: package flag has -"+name+", registered by "))
			}
		})
	}
}
