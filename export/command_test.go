package export_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/command"
)

// TestProgress: the command says how far it is if it takes long.
func TestProgress(t *testing.T) {
	is := is.New(t)
	r := site(map[string]string{"index.html": `<a href="/slow">`, "slow.html": ""})
	r.At("slow").GET().Do(func(*flow.Request) flow.Response {
		time.Sleep(6 * time.Second)
		return flow.Text("")
	})
	dir := filepath.Join(t.TempDir(), "site")
	var stderr strings.Builder
	synctest.Test(t, func(t *testing.T) {
		run := command.Exporter.New(flag.NewFlagSet("", flag.ContinueOnError))
		is.NoErr(run(t.Context(), r, []string{dir}, command.Process{Stdout: t.Output(), Stderr: &stderr}))
	})
	is.True(strings.HasSuffix(stderr.String(), " so far, the last one /slow\n"))
}
