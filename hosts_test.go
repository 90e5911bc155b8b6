package flow_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// siteOf returns a Router whose only page is a text.
func siteOf(text string) *flow.Router {
	return flow.New(fstest.MapFS{"router/index.html": {Data: []byte(text)}})
}

func TestHosts(t *testing.T) {
	six := siteOf("six")
	hosts := flow.Hosts{"example.com": siteOf("one"), "www.example.com": siteOf("www"), "[::1]": six, "192.0.2.1": six}
	withDefault := flow.Hosts{"example.com": siteOf("one"), "": siteOf("all others")}
	for _, tt := range []struct {
		hosts flow.Hosts
		host  string
		want  string
	}{
		{hosts, "example.com", "200 one"},
		{hosts, "Example.COM", "200 one"},
		{hosts, "example.com:8080", "200 one"},
		{hosts, "example.com.", "200 one"},
		{hosts, "[::1]", "200 six"},
		{hosts, "[::1]:8080", "200 six"},
		{hosts, "a.example.com", "404"},
		{hosts, "example.com.evil.org", "404"},
		{hosts, "example.com..", "404"},
		{hosts, "", "404"},
		{withDefault, "a.example.com", "200 all others"},
		{withDefault, "", "200 all others"},
	} {
		t.Run(tt.host, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(tt.hosts.Check())
			req := httptest.NewRequest("GET", "/", nil)
			req.Host = tt.host
			w := do(tt.hosts, req)
			is.True(strings.HasPrefix(fmt.Sprint(w.Code, " ", w.Body), tt.want))
			is.Equal(w.Header().Get("X-Content-Type-Options"), "nosniff")
		})
	}
}

func TestHostsFaults(t *testing.T) {
	mounted, outer := siteOf("inner"), siteOf("outer")
	outer.Mount("/in", mounted)
	nested := flow.New(flowtest.Files("router/a.html"))
	nested.Mount("/", flow.Hosts{"x": siteOf("x")})
	faulty := flow.New(flowtest.Files("router/b.http"))
	for name, tt := range map[string]struct {
		hosts flow.Hosts
		want  string
	}{
		"none":          {flow.Hosts{}, `Hosts: there is no Router`},
		"nil":           {flow.Hosts{"a": nil}, `Hosts["a"]: the Router is nil`},
		"a port":        {flow.Hosts{"a:80": siteOf("")}, `Hosts["a:80"]: no host is compared with this name: write "a"`},
		"upper case":    {flow.Hosts{"A.Org": siteOf("")}, `Hosts["A.Org"]: no host is compared with this name: write "a.org"`},
		"a dot":         {flow.Hosts{"a.": siteOf("")}, `Hosts["a."]: no host is compared with this name: write "a"`},
		"IPv6":          {flow.Hosts{"::1": siteOf("")}, `Hosts["::1"]: no host is compared with this name: write "[::1]"`},
		"a wildcard":    {flow.Hosts{"*.a": siteOf("")}, `Hosts["*.a"]: a name stands for one host: write "" for all others`},
		"a URL":         {flow.Hosts{"https://a": siteOf("")}, `Hosts["https://a"]: this is no host: write its name alone, such as "example.com"`},
		"Unicode":       {flow.Hosts{"bücher.de": siteOf("")}, `Hosts["bücher.de"]: browsers send the name of the host in ASCII: write it in that form, which begins with "xn--"`},
		"a mounted one": {flow.Hosts{"a": mounted}, `Hosts["a"]: the Router is mounted at "/in" by hosts_test.go:N, and answers there only: call New for another one`},
		"Hosts inside":  {flow.Hosts{"a": nested}, `Hosts["a"]: Hosts are mounted in this Router: write all hosts into one map`},
		"faults, once":  {flow.Hosts{"a": faulty, "b": faulty, "c": nil}, "Hosts[\"c\"]: the Router is nil\nHosts[\"a\"]: router/b.http: no handler is registered"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			err := tt.hosts.Check()
			is.True(err != nil)
			text := regexp.MustCompile(`hosts_test\.go:\d+`).ReplaceAllString(err.Error(), "hosts_test.go:N")
			is.True(strings.HasPrefix(text, tt.want))
			is.Equal(strings.Count(text, "\n"), strings.Count(tt.want, "\n"))
			is.Equal(flow.Serve(t.Context(), "127.0.0.1:0", tt.hosts).Error(), err.Error())

			front := siteOf("front") // Check of a Router reports the same
			front.Mount("/", tt.hosts)
			err = front.Check()
			is.True(err != nil)
			is.Equal(strings.Count(err.Error(), `Mount("/"): Hosts`), strings.Count(tt.want, "\n")+1)
		})
	}
	is := is.New(t)
	warned := flow.New(flowtest.Files("router/a.html", "router/+row.html"))
	front := siteOf("front")
	front.Mount("/", flow.Hosts{"a": warned})
	is.NoErr(front.Check())
	is.True(strings.HasPrefix(fmt.Sprint(front.Warnings()), `Mount("/"): Hosts["a"]: router/+row.html: warning: `))

	r := siteOf("front")
	r.Mount("/in/", flow.Hosts{"a": siteOf("a")})
	r.Mount("/", flow.Hosts{"a": r})
	text := r.Check().Error()
	is.True(strings.Contains(text, `Mount("/in/"): Hosts match whole paths: mount them at "/"`))
	is.True(strings.Contains(text, `Mount("/"): a Router cannot be mounted inside itself`))
}

// TestHostsAreServed calls the functions of all Routers, each once, by Serve, and by the
// command serve for a Router in which the Hosts are mounted.
func TestHostsAreServed(t *testing.T) {
	build := func(d *diary) (hosts flow.Hosts, front *flow.Router) {
		a, b := siteOf("a"), siteOf("b")
		for name, r := range map[string]*flow.Router{"a": a, "b": b} {
			r.OnStart(d.does("start "+name, nil))
			r.OnStop(d.does("stop "+name, nil))
		}
		hosts = flow.Hosts{"b": b, "": a, "a": a}
		front = flow.New(flowtest.Files("router/readyz.http"))
		front.At("readyz").GET().Do(func(*flow.Request) string { return "ok" })
		front.OnStart(d.does("start front", nil))
		front.OnStop(d.does("stop front", nil))
		return hosts, front
	}
	t.Run("Serve", func(t *testing.T) {
		is := is.New(t)
		var d diary
		hosts, _ := build(&d)
		log := journalOf(hosts[""])
		file := servertest.SocketFile(t)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- flow.Serve(ctx, "unix:"+file, hosts) }()
		servertest.Until(t, "it serves", func() bool { return strings.Contains(log.String(), `"msg":"serving"`) })
		conn, err := net.Dial("unix", file)
		is.NoErr(err)
		client := servertest.NewClient(t, conn)
		client.Send("GET / HTTP/1.1\r\nHost: b:80\r\nConnection: close\r\n\r\n")
		is.Equal(client.Answer(), "200 b close")
		client.Close()
		stop()
		is.NoErr(servertest.Within(t, "it stops", done))
		is.Equal(d, diary{"start a", "start b", "stop b", "stop a"})
		is.True(!strings.Contains(log.String(), "nobody calls"))
		all := records(t, log)
		is.Equal(all[len(all)-1]["msg"], "stopped")
	})
	t.Run("the command serve", func(t *testing.T) {
		is := is.New(t)
		var d diary
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		got := runBuild(ctx, func(context.Context) (*flow.Router, error) {
			hosts, front := build(&d)
			front.Mount("/", hosts)
			hosts["b"].OnStart(func(context.Context) error { stop(); return nil })
			return front, nil
		}, nil, nil, "-addr 127.0.0.1:0")
		is.Equal(got.code, command.OK)
		is.Equal(d, diary{"start front", "start a", "start b", "stop b", "stop a", "stop front"})
	})
	t.Run("-dev", func(t *testing.T) { // which says that it does not reach them
		is := is.New(t)
		for _, mounts := range []bool{true, false} {
			var d diary
			ctx, stop := context.WithCancel(t.Context())
			stop()
			got := runBuild(ctx, func(context.Context) (*flow.Router, error) {
				hosts, front := build(&d)
				if mounts {
					front.Mount("/", hosts)
				}
				return front, nil
			}, nil, nil, "-addr 127.0.0.1:0 -dev="+onDisk(t, flowtest.Files("router/readyz.http")))
			is.Equal(got.code, command.OK)
			is.Equal(strings.Contains(got.stderr, "-dev does not reach the Routers of Hosts"), mounts)
		}
	})
	t.Run("the command routes", func(t *testing.T) {
		is := is.New(t)
		var d diary
		got := runBuild(t.Context(), func(context.Context) (*flow.Router, error) {
			hosts, front := build(&d)
			front.Mount("/", hosts)
			return front, nil
		}, nil, nil, "routes")
		is.Equal(got.code, command.OK)
		var patterns []string
		for line := range strings.Lines(got.stdout) {
			patterns = append(patterns, strings.Fields(line)[1])
		}
		is.Equal(patterns, []string{"URL", "/readyz", "/", "a/", "b/"})
	})
}

// TestServeDoesNotKnow: the log names the functions that nobody calls, once, and only if a
// server of flow passes requests on to their Router.
func TestServeDoesNotKnow(t *testing.T) {
	const warning = "flow: nobody calls these functions"
	mux := func(r *flow.Router) http.Handler {
		m := http.NewServeMux()
		m.Handle("/", r)
		return m
	}
	for _, tt := range []struct {
		name  string
		wrap  func(*flow.Router) http.Handler
		hooks bool
		warns bool
	}{
		{"a ServeMux", mux, true, true},
		{"middleware", func(r *flow.Router) http.Handler { return flow.Logger(slog.New(slog.DiscardHandler))(r) }, true, true},
		{"a ServeMux in a Router", func(r *flow.Router) http.Handler {
			front := flow.New(flowtest.Files("router/a.html"))
			front.Logger = r.Logger
			front.Mount("/", mux(r))
			return front
		}, true, true},
		{"a Router with such a mount", func(r *flow.Router) http.Handler {
			outer := flow.New(flowtest.Files("router/a.html"))
			outer.Logger = r.Logger
			outer.Mount("/", r)
			return mux(outer)
		}, true, true},
		{"no functions", mux, false, false},
		{"itself", func(r *flow.Router) http.Handler { return r }, true, false},
		{"Hosts", func(r *flow.Router) http.Handler { return flow.Hosts{"": r} }, true, false},
		{"Hosts in a Router", func(r *flow.Router) http.Handler {
			front := flow.New(flowtest.Files("router/a.html"))
			front.Logger = r.Logger
			front.Mount("/", flow.Hosts{"": r})
			return front
		}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := siteOf("hello")
			log := journalOf(r)
			defer slog.SetDefault(slog.Default())
			slog.SetDefault(r.Logger)
			if tt.hooks {
				r.OnStart(func(context.Context) error { return nil })
				r.OnStop(func(context.Context) error { return nil })
			}
			file := servertest.SocketFile(t)
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error, 1)
			h := tt.wrap(r)
			go func() { done <- flow.Serve(ctx, "unix:"+file, h) }()
			servertest.Until(t, "it serves", func() bool { return strings.Contains(log.String(), `"msg":"serving"`) })
			for range 2 {
				conn, err := net.Dial("unix", file)
				is.NoErr(err)
				client := servertest.NewClient(t, conn)
				client.Send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
				is.Equal(client.Answer(), "200 hello close")
				client.Close()
			}
			stop()
			is.NoErr(servertest.Within(t, "it stops", done))
			is.Equal(strings.Count(log.String(), warning), map[bool]int{true: 1}[tt.warns])
			is.Equal(regexp.MustCompile(`"functions":"\S*hosts_test\.go:\d+: OnStart, \S*hosts_test\.go:\d+: OnStop"`).MatchString(log.String()), tt.warns)
		})
	}
	t.Run("another server", func(t *testing.T) {
		is := is.New(t)
		r := siteOf("hello")
		log := journalOf(r)
		r.OnStart(func(context.Context) error { return io.ErrShortWrite })
		s := httptest.NewServer(mux(r))
		defer s.Close()
		resp, err := http.Get(s.URL)
		is.NoErr(err)
		is.Equal(servertest.SumUp(t, resp), "200 hello")
		is.Equal(log.String(), "")
	})
}
