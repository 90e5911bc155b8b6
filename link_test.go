package flow

import (
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/devlink"
	"example.com/flow/internal/devpage"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/servertest"
)

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
			l, err := devlink.Listen(servertest.SocketFile(t))
			is.NoErr(err)
			defer l.Close()
			t.Setenv(devlink.Variable, l.Path)
			dir := onDisk(t, flowtest.Pages(map[string]string{tt.file: "hello"}))
			var stderr servertest.Log
			code := make(chan int, 1)
			go func() {
				args := []string{"app", "serve", "-addr", "127.0.0.1:0", "-dev=" + dir}
				r := New(flowtest.Pages(map[string]string{tt.file: "hello"}))
				code <- runProcess(t.Context(), built(r), command.Process{Args: args, Getenv: os.Getenv, Stdout: io.Discard, Stderr: &stderr})
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
			is.NoErr(tool.Send(devlink.Message{Warnings: []devpage.Fault{{Text: "x < y", File: "app/a.go", Line: 3}}}))
			for shown := ""; !strings.Contains(shown, `<code>app/a.go:3</code> x &lt; y`); time.Sleep(5 * time.Millisecond) {
				resp, err := http.Get(m.URL + "/_flow") // until the message is there
				is.NoErr(err)
				shown = servertest.SumUp(t, resp)
			}
			tool.Close() // as if the tool was killed
			is.Equal(servertest.Within(t, "it stops", code), command.OK)
			is.Equal(stderr.String(), "") // nothing of what is ordinary
		})
	}
}
