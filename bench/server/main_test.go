package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/bench/rows"
	"example.com/flow/bench/wire"
)

// Each contestant answers rightly over the wire, as one process that tells what it takes.
func TestContestantsServe(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a process takes is read on Linux only")
	}
	program, err := wire.BuildServer(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	is := is.New(t)
	for _, p := range rows.Lists {
		is.True(contestants["page "+p.Name] != nil)
	}
	for who := range contestants {
		t.Run(who, func(t *testing.T) {
			is := is.New(t)
			p, err := wire.Start(program, who)
			is.NoErr(err)
			defer p.Stop()
			answers := map[string]string{"/users/7": "7", "/site.css": rows.CSS}
			if strings.HasPrefix(who, "page ") {
				answers = map[string]string{"/page": rows.ListText()}
			}
			for path, want := range answers {
				c, err := wire.Dial(p.Addr, path, want, 3)
				is.NoErr(err)
				is.NoErr(c.Ask(2))
				c.Close()
			}
			for path := range answers {
				_, err = wire.Dial(p.Addr, path, "8", 1)
				is.True(err != nil) // a wrong answer is noticed
			}
			took, err := p.CPU()
			is.NoErr(err)
			is.True(took > 0 && took < time.Minute)
			memory, err := p.Memory()
			is.NoErr(err)
			is.True(memory > 1<<20)
		})
	}
}

func TestNginxServesTheFile(t *testing.T) {
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skip("nginx is not installed")
	}
	is := is.New(t)
	dir := t.TempDir()
	is.NoErr(os.Mkdir(filepath.Join(dir, "files"), 0o700))
	is.NoErr(os.WriteFile(filepath.Join(dir, "files", "site.css"), []byte(rows.CSS), 0o600))
	p, err := wire.StartNginx(dir)
	is.NoErr(err)
	defer p.Stop()
	c, err := wire.Dial(p.Addr, "/site.css", rows.CSS, 2)
	is.NoErr(err)
	defer c.Close()
	is.NoErr(c.Ask(2))
}
