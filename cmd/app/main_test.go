package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func noEnv(string) string { return "" }

// TestRun serves, has an event stream open, and is told to stop.
func TestRun(t *testing.T) {
	is := is.New(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	stderr, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"-addr", "127.0.0.1:0"}, noEnv, w)
		w.Close()
	}()

	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	is.NoErr(err)
	url := regexp.MustCompile(`http://\S+`).FindString(line)
	is.True(url != "") // the log says where it serves
	go io.Copy(io.Discard, lines)

	resp, err := http.Get(url + "/events/stream")
	is.NoErr(err)
	defer resp.Body.Close()
	is.Equal(resp.StatusCode, 200)
	stop()
	_, err = io.Copy(io.Discard, resp.Body)
	is.NoErr(err) // the stream came to its end, and was not cut
	is.Equal(<-code, 0)
}

func TestRunFails(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"help", []string{"-h"}, 0, "the address to listen on"},
		{"an unknown flag", []string{"-port", "80"}, 2, "-port"},
		{"no address", []string{"-addr", "nonsense"}, 1, "nonsense"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var stderr bytes.Buffer
			is.Equal(run(t.Context(), tt.args, noEnv, &stderr), tt.code)
			is.True(strings.Contains(stderr.String(), tt.want)) // it says what is wrong
		})
	}
}

func TestURLOf(t *testing.T) {
	for _, tt := range []struct {
		ip   net.IP
		want string
	}{
		{net.IPv6unspecified, "http://localhost:8080"},
		{net.IPv4zero, "http://localhost:8080"},
		{net.IPv4(127, 0, 0, 1), "http://127.0.0.1:8080"},
		{net.IPv6loopback, "http://[::1]:8080"},
	} {
		t.Run(tt.ip.String(), func(t *testing.T) {
			is := is.New(t)
			is.Equal(urlOf(&net.TCPAddr{IP: tt.ip, Port: 8080}), tt.want)
		})
	}
}

func TestDefaultAddr(t *testing.T) {
	is := is.New(t)
	is.Equal(defaultAddr(""), ":8080")
	is.Equal(defaultAddr("3000"), ":3000")
}
