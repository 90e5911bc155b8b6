package command

import (
	"crypto/tls"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/testkit/servertest"
)

func TestVersion(t *testing.T) {
	is := is.New(t)
	var b strings.Builder
	is.NoErr(printBuild(&b, &debug.BuildInfo{
		GoVersion: "go1.26.0",
		Main:      debug.Module{Path: "example.com/hello", Version: "v1.2.3"},
		Settings: []debug.BuildSetting{
			{Key: "GOOS", Value: "linux"},
			{Key: "GOARCH", Value: "arm64"},
			{Key: "vcs.revision", Value: "c492e0f"},
			{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
			{Key: "vcs.modified", Value: "true"},
		},
	}))
	is.Equal(b.String(), `
module    example.com/hello
version   v1.2.3
go        go1.26.0
platform  linux/arm64
revision  c492e0f
time      2026-01-02T03:04:05Z
modified  true
`[1:])
}

// TestSettings reads the flags of serve.
func TestSettings(t *testing.T) {
	plain := Serve{Addr: ":8080", Drain: server.DefaultDrain, Log: "text", SocketMode: 0o660}
	with := func(change func(*Serve)) Serve {
		s := plain
		change(&s)
		return s
	}
	for _, tt := range []struct {
		args, port string
		want       Serve
	}{
		{"", "", plain},
		{"", "3000", with(func(s *Serve) { s.Addr = ":3000" })},
		{"-addr :80", "3000", with(func(s *Serve) { s.Addr, s.AddrGiven = ":80", true })},
		{"-drain 0", "", with(func(s *Serve) { s.Drain = 0 })},
		{"-log=json", "", with(func(s *Serve) { s.Log = "json" })},
		{"-dev", "", with(func(s *Serve) { s.Dev, s.Addr = Dev{On: true}, ":8080" })},
		{"-dev", "3000", with(func(s *Serve) { s.Dev, s.Addr = Dev{On: true}, ":3000" })},
		{"-addr :8080 -dev", "3000", with(func(s *Serve) { s.Dev, s.AddrGiven = Dev{On: true}, true })},
		{"-dev -addr=", "", with(func(s *Serve) { s.Dev, s.Addr, s.AddrGiven = Dev{On: true}, "", true })}, // which is an error
		{"-dev=false", "", plain},
		{"-dev=x -addr :1", "", with(func(s *Serve) { s.Dev, s.Addr, s.AddrGiven = Dev{true, "x"}, ":1", true })},
		{"-addr unix:s -socket-mode 0666", "", with(func(s *Serve) { s.Addr, s.AddrGiven, s.SocketMode = "unix:s", true, 0o666 })},
		{"-addr unix:s -socket-mode=600", "", with(func(s *Serve) { s.Addr, s.AddrGiven, s.SocketMode = "unix:s", true, 0o600 })},
		{"-socket-mode 660", "", plain},
		{"-tls-cert a -tls-key b", "", with(func(s *Serve) { s.TLSCert, s.TLSKey = "a", "b" })},
	} {
		t.Run(tt.args+" PORT="+tt.port, func(t *testing.T) {
			is := is.New(t)
			c, err := Parse(Process{Args: append([]string{"app"}, strings.Fields(tt.args)...), Getenv: func(string) string { return tt.port }})
			is.NoErr(err)
			is.Equal(c.Serve, tt.want)
		})
	}
}

// TestDevFind looks for the directory of development in the source of the program.
func TestDevFind(t *testing.T) {
	source, other, empty := t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{source, other} {
		is.New(t).NoErr(os.Mkdir(filepath.Join(dir, "router"), 0o700))
	}
	const unknown = "-dev: the binary does not know where its source is: give the directory that holds router/, as -dev=app"
	for _, tt := range []struct{ name, value, source, want, err string }{
		{"the source", "", source, source, ""},
		{"another directory", other, source, other, ""},
		{"another one, and no source", other, "", other, ""},
		{"no source", "", "", "", unknown},
		{"-trimpath", "", "example.com/app", "", unknown},
		{"a source that is gone", "", filepath.Join(source, "gone"), "", unknown},
		{"a source without a tree", "", empty, "", "-dev=" + empty + ": there is no directory router in it"},
		{"a directory without a tree", empty, source, "", "-dev=" + empty + ": there is no directory router in it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir, err := (&Dev{On: true, Dir: tt.value}).Find(tt.source)
			is.Equal(dir, tt.want)
			if tt.err == "" {
				is.NoErr(err)
				return
			}
			is.True(err != nil)
			is.Equal(err.Error(), tt.err)
			is.Equal(Exit(Command{}, err, Process{Stderr: io.Discard}), Usage)
		})
	}
}

// TestConfigFollowsTheFiles: the certificate of the flags is the one that is in the files now.
func TestConfigFollowsTheFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		dir, far := t.TempDir(), time.Unix(1<<32, 0)
		var set Serve
		set.TLSCert, set.TLSKey = servertest.WriteCertificate(t, dir, servertest.NewCertificate(1, far))
		config, err := set.Config(slog.New(slog.DiscardHandler))
		is.NoErr(err)
		servertest.WriteCertificate(t, dir, servertest.NewCertificate(2, far))
		time.Sleep(10 * time.Second)
		pair, err := config.GetCertificate(&tls.ClientHelloInfo{})
		is.NoErr(err)
		is.Equal(pair.Leaf.SerialNumber.Int64(), int64(2))
	})
}
