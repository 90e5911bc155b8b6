package apptest

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"example.com/flow/internal/testkit/servertest"
)

// Do returns what h answers.
func Do(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Request returns a request of this machine for a target as a server would see it: escapes,
// dots and all. Headers are written "Name: value".
func Request(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "/", nil)
	u, err := url.ParseRequestURI(target)
	if err != nil {
		panic(err)
	}
	r.URL, r.RequestURI = u, target
	r.RemoteAddr, r.Host = "127.0.0.1:1234", "localhost:8080"
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// Serve asks h with a Request.
func Serve(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	return Do(h, Request(method, target, headers...))
}

// Script is what development puts at the end of a page.
var Script = regexp.MustCompile(`<script src="/_flow/reload.js"[^>]*></script>\n$`)

// Visit sends a GET as a browser does that opens a page. It cuts the Script off the answer.
func Visit(h http.Handler, target string) *httptest.ResponseRecorder {
	w := Serve(h, "GET", target, "Accept: text/html")
	w.Body = bytes.NewBuffer(Script.ReplaceAll(w.Body.Bytes(), nil))
	return w
}

// Remote makes a request one of another machine.
func Remote(r *http.Request) *http.Request {
	r.RemoteAddr = "192.0.2.1:1234"
	return r
}

// Ask returns the answer to a request with headers as "Name: value". A body is a form.
func Ask(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	return Do(h, r)
}

// Show prints the answer to a GET, for examples.
func Show(h http.Handler, target string) {
	w := Do(h, httptest.NewRequest("GET", target, nil))
	fmt.Println(w.Code, w.Body)
}

// Says sums an answer up in a line.
func Says(w *httptest.ResponseRecorder) string {
	text := fmt.Sprint(w.Code)
	for _, key := range []string{"Allow", "Location"} {
		if v := w.Header().Get(key); v != "" {
			text += " " + key + " " + v
		}
	}
	if w.Code == http.StatusOK {
		text += " " + w.Body.String()
	}
	return text
}

var (
	tags   = regexp.MustCompile(`<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// AsText returns what a page says, with HERE for positions in the tests.
func AsText(page string) string {
	_, main, _ := strings.Cut(page, "<main>")
	text := html.UnescapeString(tags.ReplaceAllString(main, " "))
	text = InTest.ReplaceAllString(spaces.ReplaceAllString(text, " "), "HERE")
	return strings.NewReplacer(" ,", ",", " .", ".").Replace(text)
}

// A ProblemBody is problem+json as clients read it.
type ProblemBody struct {
	Type, Title, Detail string
	Status              int
	Errors              map[string]string
}

// Wire sends text to a server as it is, with the sending side closed, and returns
// the status of the answer.
func Wire(t *testing.T, server *httptest.Server, text string) int {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, text) // a server may answer and close before it has read all
	conn.(*net.TCPConn).CloseWrite()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// Dial connects to a server by hand until the end of the test.
func Dial(t testing.TB, addr string) *servertest.Client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return servertest.NewClient(t, conn)
}

// Together calls f at the same time n times.
func Together(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// A CountingReader counts the bytes that are read.
type CountingReader struct {
	io.Reader
	N int
}

func (c *CountingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.N += n
	return n, err
}
