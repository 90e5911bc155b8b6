package flowtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/flow"
	"example.com/flow/internal/check/examples"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/httpfile"
)

// A runner sends the requests of one file.
type runner struct {
	file   site.File
	routes *site.Map
	shown  string // the name of the file for messages
	url    string // of the server
	client *http.Transport
	jar    http.CookieJar
	values *httpfile.Values
	types  examples.Types
	path   string // of the last request, with what the file leaves out
	sent   int    // requests of the file
}

func newRunner(t *testing.T, router *flow.Router, file site.File, routes *site.Map, variables map[string]string) *runner {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, client := &http.Server{Handler: router}, &http.Transport{}
	go server.Serve(listener)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
			t.Errorf("flowtest: a handler has not returned %v after its client has left", timeout)
		}
	})
	jar, _ := cookiejar.New(nil) // which returns no error
	return &runner{file: file, routes: routes, shown: shownFile(file.Name), url: "http://" + listener.Addr().String(), client: client, jar: jar, values: httpfile.NewValues(variables)}
}

// timeout is how long an answer may take. An example that takes longer has no end. Tests make
// it shorter.
var timeout = 10 * time.Second

// send sends the next request of the file, and returns its answer.
func (r *runner) send(req *httpfile.Request) (*httpfile.Answer, error) {
	r.sent++
	if req.Disabled {
		return nil, errNotSent
	}
	if err := r.values.Set(req.Variables); err != nil {
		return nil, err
	}
	m, err := req.Message(r.values, r.file.Open)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	target := r.file.Prefix + m.Target
	if strings.Contains(target, pattern.Hole) {
		return nil, fmt.Errorf("%s: the Router is mounted at a prefix with parameters: write the whole URL", req)
	}
	r.path, _, _ = strings.Cut(target, "?")
	out, err := http.NewRequestWithContext(ctx, m.Method, r.url+target, bytes.NewReader(m.Body))
	if err != nil {
		return nil, err
	}
	out.Header, out.Host = m.Header, m.Host
	if host := m.Header.Get("Host"); host != "" {
		out.Host = host
	}
	r.setCookies(out)
	resp, err := r.client.RoundTrip(out) // which follows no redirects
	if err == nil {
		defer resp.Body.Close()
		a := &httpfile.Answer{Status: resp.StatusCode, Header: resp.Header}
		if a.Body, err = readBody(resp); err == nil {
			r.jar.SetCookies(cookieURL(out), resp.Cookies())
			r.values.Keep(req, a)
			return a, nil
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && resp != nil && isEventStream(resp):
		return nil, fmt.Errorf("%s: no event within %v: send one at once, or write # @disabled above the request", req, timeout)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%s: the answer has no end after %v: write # @disabled above the request, if it should have none", req, timeout)
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, fmt.Errorf("%s: the answer has more than %d MiB: write # @disabled above the request, if it has no end", req, maxAnswer>>20)
	}
	return nil, fmt.Errorf("%s: %w", req, err)
}

// shapeWrong returns what of the answer to the last request its handler does not declare.
func (r *runner) shapeWrong(req *httpfile.Request, a *httpfile.Answer) []string {
	if req.Method == http.MethodHead {
		return nil // it has no body
	}
	return examples.Answer(r.routes.ShapeOf(req.Method, r.path), &r.types, a)
}

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 64 << 20

func isEventStream(resp *http.Response) bool {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return mediaType == "text/event-stream"
}

// readBody reads the body of an answer: of an event stream the first event, which may be
// followed by others as long as the server runs.
func readBody(resp *http.Response) ([]byte, error) {
	from := http.MaxBytesReader(nil, resp.Body, maxAnswer)
	if !isEventStream(resp) {
		return io.ReadAll(from)
	}
	var text []byte
	b, isEvent := bufio.NewReader(from), false
	for {
		line, err := b.ReadBytes('\n')
		text = append(text, line...)
		isBlank := len(bytes.TrimSpace(line)) == 0
		switch {
		case errors.Is(err, io.EOF), err == nil && isEvent && isBlank:
			return text, nil
		case err != nil:
			return nil, err
		}
		// Servers begin with a comment or a time to wait, which are no events.
		isEvent = isEvent || !isBlank && line[0] != ':' && !bytes.HasPrefix(line, []byte("retry:"))
	}
}

// setCookies gives a request the cookies of earlier answers. As in clients, a cookie that the
// example sets itself is kept, too.
func (r *runner) setCookies(out *http.Request) {
	u := cookieURL(out)
	r.jar.SetCookies(u, out.Cookies())
	out.Header.Del("Cookie")
	for _, c := range r.jar.Cookies(u) {
		out.AddCookie(c)
	}
}

// cookieURL returns the URL of a request for its cookies: that of the server which examples
// are written for.
func cookieURL(out *http.Request) *url.URL {
	return &url.URL{Scheme: "http", Host: "localhost:8080", Path: out.URL.Path}
}
