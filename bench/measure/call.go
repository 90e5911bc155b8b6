package measure

import (
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Call is a request, and what has to come back.
type Call struct {
	Method, Path string
	Header       map[string]string // beside those that every request has
	Bare         bool              // it has no header fields at all
	Body         string
	Want         Answer
}

// An Answer is what a contestant has to answer. What is zero is not compared. A body that
// is packed with gzip is compared unpacked.
type Answer struct {
	Status int
	Body   string            // the whole of it, less white space at its end
	Size   int               // of the body, in bytes
	Holds  string            // a part of the body
	Header map[string]string // lines that have to be there; an empty value means any
}

// A runner sends the calls of a group to one handler. A call is sent with a request like
// that of a server: it has RequestURI, a header of its own, and a body that is
// http.NoBody for GET. There is one request for all of the calls, since that of a server
// has just been read, and is in the cache too.
type runner struct {
	handler http.Handler
	calls   []call
	request *http.Request
	writer  *writer
}

// A call is a Call made ready.
type call struct {
	Call
	header http.Header
	body   *body // nil if there is none
}

func newRunner(h http.Handler, calls []Call) *runner {
	r := &runner{
		handler: h,
		request: &http.Request{
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			URL: &url.URL{}, Host: "example.com", RemoteAddr: "192.0.2.1:49152",
		},
		writer: &writer{header: http.Header{}},
	}
	for _, c := range calls {
		one := call{Call: c, header: http.Header{"User-Agent": {"bench"}, "Accept": {"*/*"}}}
		if c.Bare {
			clear(one.header)
		}
		for key, value := range c.Header {
			one.header.Set(key, value)
		}
		if c.Body != "" {
			one.body = &body{text: c.Body}
			one.header.Set("Content-Length", fmt.Sprint(len(c.Body)))
		}
		r.calls = append(r.calls, one)
	}
	return r
}

// send sends one call. What the handler answered is in the writer after that.
func (r *runner) send(c *call) {
	q, w := r.request, r.writer
	q.Method, q.RequestURI, q.URL.Path = c.Method, c.Path, c.Path
	q.Header, q.Body, q.ContentLength = c.header, http.NoBody, 0
	if c.body != nil {
		c.body.read = 0
		q.Body, q.ContentLength = c.body, int64(len(c.body.text))
	}
	clear(w.header)
	w.status, w.wrote = 0, 0
	n := len(c.header)
	r.handler.ServeHTTP(w, q)
	if len(c.header) != n { // such as X-Request-Id: each request of a server has a new header
		c.restore()
	}
}

// restore takes away what a handler has added to the header of a call.
func (c *call) restore() {
	maps.DeleteFunc(c.header, func(key string, _ []string) bool {
		_, given := c.Header[key]
		return !given && key != "User-Agent" && key != "Accept" && key != "Content-Length"
	})
}

// run sends n calls, in turn, and returns how long that took.
func (r *runner) run(n int) time.Duration {
	start := time.Now()
	for i := 0; n > 0; n-- {
		r.send(&r.calls[i])
		if i++; i == len(r.calls) {
			i = 0
		}
	}
	return time.Since(start)
}

// check compares the answers to all calls, twice, since a second request may be answered
// by what the first one has left in a pool.
func (r *runner) check() error {
	defer func() { r.writer.keep = nil }()
	for range 2 {
		for i := range r.calls {
			c := &r.calls[i]
			r.writer.keep = &strings.Builder{}
			r.send(c)
			if err := r.writer.compare(c.Want); err != nil {
				return fmt.Errorf("%s %s: %w", c.Method, c.Path, err)
			}
		}
	}
	return nil
}

// A writer is a ResponseWriter that costs next to nothing. Like that of a server it has
// WriteString and ReadFrom.
type writer struct {
	header http.Header
	status int
	wrote  int
	keep   *strings.Builder // of what was written, while answers are checked
	buffer [8 << 10]byte
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
}

func (w *writer) Write(b []byte) (int, error) {
	w.took(len(b))
	if w.keep != nil {
		w.keep.Write(b)
	}
	return len(b), nil
}

func (w *writer) WriteString(s string) (int, error) {
	w.took(len(s))
	if w.keep != nil {
		w.keep.WriteString(s)
	}
	return len(s), nil
}

// ReadFrom reads into the one buffer of the writer, as the connections of net/http have a
// pool of them.
func (w *writer) ReadFrom(r io.Reader) (n int64, err error) {
	for {
		m, err := r.Read(w.buffer[:])
		w.Write(w.buffer[:m])
		n += int64(m)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

func (w *writer) took(n int) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.wrote += n
}

// compare reports how the answer differs from the right one.
func (w *writer) compare(want Answer) error {
	status, body := w.status, w.keep.String()
	if w.header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = unpacked(body); err != nil {
			return err
		}
	}
	if status == 0 {
		status = http.StatusOK // a handler that writes nothing
	}
	switch {
	case want.Status != 0 && status != want.Status:
		return fmt.Errorf("got status %d, want %d: %q", status, want.Status, shorten(body))
	case want.Body != "" && strings.TrimRight(body, " \n") != want.Body:
		return fmt.Errorf("got body %q, want %q", shorten(body), shorten(want.Body))
	case want.Size != 0 && len(body) != want.Size:
		return fmt.Errorf("got a body of %d bytes, want %d", len(body), want.Size)
	case !strings.Contains(body, want.Holds):
		return fmt.Errorf("got body %q, want %q in it", shorten(body), want.Holds)
	}
	for key, value := range want.Header {
		got := w.header.Get(key)
		if got == "" || value != "" && !strings.EqualFold(got, value) { // "UTF-8" is "utf-8"
			return fmt.Errorf("got %s: %q, want %q", key, got, value)
		}
	}
	return nil
}

func unpacked(body string) (string, error) {
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(z)
	return string(text), err
}

func shorten(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// A body is the body of a request that can be sent again.
type body struct {
	text string
	read int
}

func (b *body) Read(p []byte) (int, error) {
	if b.read == len(b.text) {
		return 0, io.EOF
	}
	n := copy(p, b.text[b.read:])
	b.read += n
	return n, nil
}

func (b *body) Close() error { return nil }
