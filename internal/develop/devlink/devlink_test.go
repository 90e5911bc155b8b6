package devlink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/testkit/servertest"
)

// patience is for what should happen at once, on a machine that is busy.
const patience = 5 * time.Minute

func within[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatal("not in time: " + what)
	}
	return v
}

// linked returns both sides of a link.
func linked(t *testing.T) (app, tool *Conn) {
	t.Helper()
	client, server := net.Pipe()
	t.Cleanup(func() { client.Close(); server.Close() })
	return newConn(client), newConn(server)
}

// started returns an application that a tool has started, and the tool's side.
func started(t *testing.T) (app *App, ctx context.Context, tool *Conn) {
	t.Helper()
	l, err := Listen(servertest.SocketFile(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	accepted := make(chan *Conn, 1)
	go func() {
		c, _ := l.Accept()
		accepted <- c
	}()
	t.Setenv(Variable, l.Path)
	app, ctx, err = Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tool = within(t, "the application has connected", accepted)
	t.Cleanup(func() { app.Close(); tool.Close() })
	return app, ctx, tool
}

func TestMessages(t *testing.T) {
	for _, tt := range []struct {
		m    Message
		line string
	}{
		{Message{Ready: true, URL: "http://localhost:8080"}, `{"ready":true,"url":"http://localhost:8080"}`},
		{Message{Ready: true, URL: "http://localhost:8080", Dirs: []string{"/a/app", "/b"}}, `{"ready":true,"url":"http://localhost:8080","dirs":["/a/app","/b"]}`},
		{Message{Changed: true}, `{"changed":true}`},
		{Message{Warnings: []devpage.Fault{{Text: "x"}}}, `{"warnings":[{"text":"x"}]}`},
		{Message{Warnings: []devpage.Fault{}}, `{"warnings":[]}`},
		{Message{Faults: []devpage.Fault{}}, `{"faults":[]}`},
		{Message{Log: []devpage.Record{{Time: time.Unix(7, 0).UTC(), Level: slog.LevelWarn, Message: "x", Values: []devpage.Value{{Name: "a", Text: "b"}, {Name: "token", Masked: true}}}}},
			`{"log":[{"time":"1970-01-01T00:00:07Z","level":"WARN","message":"x","values":[{"name":"a","text":"b"},{"name":"token","masked":true}]}]}`},
		{Message{Faults: []devpage.Fault{{Text: "x\ny", File: "a.go", Line: 3, Source: []devpage.Line{{Number: 3, Text: "x", Marked: true}}}}},
			`{"faults":[{"text":"x\ny","file":"a.go","line":3,"source":[{"number":3,"text":"x","marked":true}]}]}`},
	} {
		t.Run(tt.line, func(t *testing.T) {
			is := is.New(t)
			app, tool := linked(t)
			go app.Send(tt.m)
			line, err := tool.reader.ReadString('\n')
			is.NoErr(err)
			is.Equal(line, tt.line+"\n")
			go tool.Send(tt.m) // and the other way
			got, err := app.Receive()
			is.NoErr(err)
			is.Equal(got, tt.m)
		})
	}
}

// TestBadLines: what is no message is skipped, however long it is.
func TestBadLines(t *testing.T) {
	is := is.New(t)
	app, tool := linked(t)
	go func() {
		for _, line := range []string{"", "x", "{}", "[]", "null", `{"ready":1}`, `{"changed":false}`, `{"faults":null}`, `{"later":true}`,
			strings.Repeat("x", 5000), `{"ready":true,"url":"` + strings.Repeat("x", maxLine) + `"}`} {
			io.WriteString(app.conn, line+"\n")
		}
		io.WriteString(app.conn, `{"changed":true,"later":[1]}`+"\n"+`{"ready":true}`)
		app.Close()
	}()
	m, err := tool.Receive()
	is.NoErr(err)
	is.Equal(m, Message{Changed: true})
	_, err = tool.Receive()
	is.Equal(err, io.EOF) // the last line was cut off, and may have meant something else
}

// TestStart: the application takes what the tool has set away from its children.
func TestStart(t *testing.T) {
	is := is.New(t)
	t.Setenv("LISTEN_FDS", "1")
	t.Setenv("LISTEN_PID", "")
	started(t)
	_, ok := os.LookupEnv(Variable)
	is.True(!ok)
	is.Equal(os.Getenv("LISTEN_PID"), strconv.Itoa(os.Getpid()))

	t.Setenv("LISTEN_PID", "1") // a service manager has passed sockets to another process
	started(t)
	is.Equal(os.Getenv("LISTEN_PID"), "1")
}

func TestNoTool(t *testing.T) {
	is := is.New(t)
	t.Setenv(Variable, "")
	t.Setenv("LISTEN_FDS", "1")
	t.Setenv("LISTEN_PID", "")
	app, ctx, err := Start(t.Context())
	is.NoErr(err)
	is.Equal(ctx, t.Context())
	is.True(app == nil)
	is.Equal(os.Getenv("LISTEN_PID"), "") // it is for whoever started the program to say
	app.Ready("http://localhost", nil, nil, nil)
	is.True(!app.Report(io.EOF))
	is.NoErr(app.Close())

	file := servertest.SocketFile(t)
	t.Setenv(Variable, file) // of a tool that has ended
	_, _, err = Start(t.Context())
	is.True(err != nil)
	is.True(strings.HasPrefix(err.Error(), `the environment has FLOW_DEV, but "flow dev" does not answer there: dial unix `+file))
}

// A board is the open pages of a test.
type board chan string

func (b board) Changed()                    { b <- "changed" }
func (b board) SetFaults(f []devpage.Fault) { b <- "faults " + strconv.Itoa(len(f)) }

func (b board) Precede(log []devpage.Record) { b <- "log " + log[0].Message }

func (b board) SetWarnings(f []devpage.Fault) { b <- "warnings " + strconv.Itoa(len(f)) }

func (b board) SetTemplateFaults(f, w []devpage.Fault) {
	b <- fmt.Sprint("templates ", len(f), " ", len(w))
}

func TestApp(t *testing.T) {
	is := is.New(t)
	app, ctx, tool := started(t)
	is.True(app.Report(errors.New("flow: a.go:3: x is wrong\nand more\nrouter/b.html: y")))
	m, err := tool.Receive()
	is.NoErr(err)
	is.Equal(m, Message{Faults: []devpage.Fault{{Text: "x is wrong\nand more", File: "a.go", Line: 3}, {Text: "y", File: "router/b.html"}}})

	b := make(board, 10)
	type found struct{ faults, warnings []devpage.Fault }
	templates := make(chan found, 10) // what is wrong with them each time that they are looked at
	perhaps := []devpage.Fault{{Text: "perhaps", File: "b.html"}}
	templates <- found{[]devpage.Fault{{Text: "no", File: "a.html"}}, perhaps}
	templates <- found{warnings: perhaps}
	for range 3 {
		templates <- found{}
	}
	app.Ready("http://localhost:1", []string{"/a"}, b, func() (faults, warnings []devpage.Fault) {
		now := <-templates
		return now.faults, now.warnings
	})
	m, err = tool.Receive()
	is.NoErr(err)
	is.Equal(m, Message{Ready: true, URL: "http://localhost:1", Dirs: []string{"/a"}})
	m, err = tool.Receive()
	is.NoErr(err)
	is.Equal(m, Message{Faults: []devpage.Fault{{Text: "no", File: "a.html"}}, Warnings: perhaps})
	is.Equal(within(t, "templates", b), "templates 1 1")
	is.NoErr(tool.Send(Message{Changed: true}))
	is.NoErr(tool.Send(Message{Faults: make([]devpage.Fault, 2)}))
	is.NoErr(tool.Send(Message{Warnings: make([]devpage.Fault, 3)}))
	is.NoErr(tool.Send(Message{Log: []devpage.Record{{Message: "a"}}}))
	is.NoErr(tool.Send(Message{Faults: []devpage.Fault{}, Changed: true}))
	for _, want := range []string{"changed", "templates 0 1", "faults 2", "templates 0 0", "warnings 3", "log a", "changed", "templates 0 0", "faults 0", "templates 0 0"} {
		is.Equal(within(t, want, b), want)
	}
	m, err = tool.Receive()
	is.NoErr(err)
	is.Equal(m, Message{Faults: []devpage.Fault{}, Warnings: perhaps}) // good again, and not silent about it
	m, err = tool.Receive()
	is.NoErr(err)
	is.Equal(m, Message{Faults: []devpage.Fault{}})
	is.NoErr(ctx.Err())
	app.Leave([]devpage.Record{{Message: "b"}})
	last := m
	for ; err == nil; m, err = tool.Receive() { // what it says of the templates goes before
		last = m
	}
	is.Equal(last, Message{Log: []devpage.Record{{Message: "b"}}})
	within(t, "the link is over", ctx.Done())
	is.True(!app.Report(io.EOF))
}

// TestTemplatesWait: while the tool has faults of newer source, pages do not show what this
// application says of the templates; the tool hears it, and both do afterwards.
func TestTemplatesWait(t *testing.T) {
	is := is.New(t)
	app, _, tool := started(t)
	b := make(board, 10)
	app.Ready("http://localhost:1", nil, b, func() (faults, warnings []devpage.Fault) {
		return []devpage.Fault{{Text: "no route is called x"}}, []devpage.Fault{{Text: "perhaps"}}
	})
	said := func() int {
		t.Helper()
		m, err := tool.Receive()
		is.NoErr(err)
		return len(m.Faults)
	}
	is.Equal(said(), 0) // ready
	is.Equal(said(), 1)
	for _, step := range []struct {
		sent  Message
		pages []string
		looks bool
	}{
		{Message{}, []string{"templates 1 1"}, false},
		{Message{Faults: make([]devpage.Fault, 2)}, []string{"faults 2", "templates 0 0"}, true},
		{Message{Changed: true}, []string{"changed", "templates 0 0"}, true},
		{Message{Faults: make([]devpage.Fault, 1)}, []string{"faults 1"}, false},
		{Message{Faults: []devpage.Fault{}}, []string{"faults 0", "templates 1 1"}, true},
		{Message{Changed: true}, []string{"changed", "templates 1 1"}, true},
	} {
		is.NoErr(tool.Send(step.sent))
		for _, want := range step.pages {
			is.Equal(within(t, want, b), want)
		}
		if step.looks {
			is.Equal(said(), 1)
		}
	}
}

// TestTooEarly: what the tool says before the application is ready is for nobody.
func TestTooEarly(t *testing.T) {
	is := is.New(t)
	_, ctx, tool := started(t)
	is.NoErr(tool.Send(Message{Changed: true}))
	tool.Close()
	within(t, "the tool is gone", ctx.Done())
}

// TestSendToADeafSide: one that does not read does not stop the other for long.
func TestSendToADeafSide(t *testing.T) {
	is := is.New(t)
	_, tool := linked(t)
	failed := make(chan error, 1)
	go func() {
		big := Message{Faults: []devpage.Fault{{Text: strings.Repeat("x", 1<<20)}}}
		for {
			if err := tool.Send(big); err != nil {
				failed <- err
				return
			}
		}
	}()
	err := within(t, "it fails", failed)
	is.True(err != nil)
	is.True(tool.Send(Message{Changed: true}) != nil) // nothing can follow half a line
}

// TestListen: a socket is for one application, and gone when it is of no use.
func TestListen(t *testing.T) {
	is := is.New(t)
	l, err := Listen(servertest.SocketFile(t))
	is.NoErr(err)
	_, err = Listen(l.Path)
	is.True(err != nil)
	ended := make(chan error, 1)
	go func() {
		_, err := l.Accept()
		ended <- err
	}()
	l.Close()
	is.True(within(t, "it ends", ended) != nil)
	_, err = os.Stat(l.Path)
	is.True(os.IsNotExist(err))
	_, err = net.Dial("unix", l.Path)
	is.True(err != nil)
}

// FuzzReceive: whatever comes, messages say something, and the end is the end.
func FuzzReceive(f *testing.F) {
	f.Add([]byte(`{"ready":true}` + "\n" + `{"faults":[]}` + "\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		client, server := net.Pipe()
		go func() {
			client.Write(b)
			client.Close()
		}()
		defer server.Close()
		for c := newConn(server); ; {
			m, err := c.Receive()
			if err != nil {
				return
			}
			if m.isEmpty() {
				t.Fatalf("%+v says nothing", m)
			}
		}
	})
}
