package flow

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"flag"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/servertest"
)

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

var (
	columns = regexp.MustCompile(` {2,}`)
	ofHello = regexp.MustCompile(`[^\s"]+/flow_test\.go:\d+`)
)

// asTable makes what "routes" prints independent of where the tests are.
func asTable(text string) string {
	return columns.ReplaceAllString(ofHello.ReplaceAllString(text, "hello"), "  ")
}

func TestRoutesCommand(t *testing.T) {
	const head = "METHOD  URL  FILE  HANDLER  NAME  MIDDLEWARE\n"
	for _, tt := range []struct{ args, want string }{
		{"routes", `
GET  /  router/index.html  -  index  0
GET  /docs/{rest...}  router/docs/[...rest].http  hello  docs.rest  0
GET  /users  router/users/index.http  hello  users.create  1
POST  /users  router/users/index.http  hello  users.create  1
GET  /users/new  router/users/new.http  hello  users.new  1
ANY  /users/{id}  router/users/[id].http  hello  users.show  1
`},
		{"routes -method post", `
POST  /users  router/users/index.http  hello  users.create  1
ANY  /users/{id}  router/users/[id].http  hello  users.show  1
`},
		{"routes -path /users/new", `
GET  /users/new  router/users/new.http  hello  users.new  1
ANY  /users/{id}  router/users/[id].http  hello  users.show  1
`},
		{"routes -path=/users/42", `
ANY  /users/{id}  router/users/[id].http  hello  users.show  1
`},
		{"routes -path docs", `
GET  /docs/{rest...}  router/docs/[...rest].http  hello  docs.rest  0
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

func TestRoutesAsJSON(t *testing.T) {
	is := is.New(t)
	r := sampleSite()
	got := runWith(t.Context(), r, nil, "routes -json")
	is.Equal(got.code, command.OK)
	var routes []RouteInfo
	is.NoErr(json.Unmarshal([]byte(got.stdout), &routes))
	is.Equal(len(routes), len(r.Routes()))
	for i, info := range r.Routes() {
		is.Equal(RouteInfo(routes[i]), info)
	}
	is.Equal(runWith(t.Context(), sampleSite(), nil, "routes -json -path nowhere").stdout, "[]\n")
	one := runWith(t.Context(), sampleSite(), nil, "routes -json -path {id}").stdout
	is.Equal(ofHello.ReplaceAllString(one, "hello"), `
[
	{
		"method": "ANY",
		"pattern": "/users/{id}",
		"file": "router/users/[id].http",
		"name": "users.show",
		"handler": "hello",
		"middleware": 1
	}
]
`[1:])
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
		{"check -json", "flag provided but not defined: -json"},
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
	certFile, keyFile := writeCertificate(t, servertest.Certificate())
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
			r := New(flowtest.Pages(map[string]string{"index.html": "embedded"}))
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
				code <- runProcess(ctx, built(r), command.Process{Args: []string{"app", "-drain=0", tt.arg}, Getenv: getenv, Stdout: io.Discard, Stderr: io.Discard})
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

func writeCertificate(t testing.TB, cert tls.Certificate) (certFile, keyFile string) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: cert.Certificate[0]},
		keyFile:  {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// TestDevOfMountedRouters: -dev is for all of an application.
func TestDevOfMountedRouters(t *testing.T) {
	is := is.New(t)
	dir := onDisk(t, fstest.MapFS{"router/a.html": {Data: []byte("on disk")}})
	made := func(source string) *Router {
		r := New(flowtest.Files("router/a.html"))
		r.app = applicationOf(fault.Position{File: filepath.ToSlash(filepath.Join(source, "app.go"))})
		return r
	}
	outer, inner, gone := made(dir), made(dir), made(filepath.Join(dir, "gone"))
	outer.Mount("/in", inner)
	inner.Mount("/gone", gone)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	is.Equal(runWith(ctx, outer, nil, "-dev -addr 127.0.0.1:0 -drain 0s").code, 0)
	is.Equal(says(serve(outer, "GET", "/a")), "200 on disk")
	is.Equal(says(serve(outer, "GET", "/in/a")), "200 on disk")
	is.Equal(says(serve(outer, "GET", "/in/gone/a")), "200 ") // as it was built
}
