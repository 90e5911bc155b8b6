package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/flow"
	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/site"
)

const (
	patience = 10 * time.Second // how long an answer may take
	maxSize  = 1 << 30          // of an answer, in bytes
)

// A visitor asks an application, as a browser at an address does.
type visitor struct{ host, addr string }

// visitors ask for everything, one after the other. What they get must be the same.
var visitors = [2]visitor{{"export.example", "192.0.2.1:40001"}, {"again.example", "192.0.2.2:40002"}}

// An answer is what an application has answered to GET.
type answer struct {
	status  int
	header  http.Header
	pattern string // of http.Request.Pattern
	sum     [sha256.Size]byte
	at      int64 // of the body in the spool
	size    int64
	refused bool   // a guard has answered
	wrong   string // why there is no whole answer; "" if there is one
}

// ask asks for a path. It returns an error if the context has ended, or if the answer cannot be stored.
func (v visitor) ask(ctx context.Context, r *flow.Router, path string, store *spool) (a answer, err error) {
	u, err := url.ParseRequestURI((&url.URL{Path: path}).EscapedPath())
	if err != nil {
		return answer{wrong: err.Error()}, nil
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var refused atomic.Bool
	req := (&http.Request{
		Method: http.MethodGet, URL: u, RequestURI: u.RequestURI(), Host: v.host, RemoteAddr: v.addr,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody,
		Header: http.Header{
			"Accept":     {"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"},
			"User-Agent": {"Mozilla/5.0 (compatible; flow-export)"},
		},
	}).WithContext(site.WithRefusal(limited, &refused))
	rec := &recorder{fields: http.Header{}, sum: sha256.New(), spool: store, at: store.end, cancel: cancel}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if recover() != nil { // flow answers to a panic; what is left asks to break off
				rec.fail("was broken off")
			}
		}()
		r.ServeHTTP(rec, req)
	}()
	ended := true
	select {
	case <-done:
	case <-limited.Done():
		ended = false
	}
	a = rec.close(ended)
	a.refused = refused.Load()
	if coding := a.header.Get("Content-Encoding"); coding != "" && a.wrong == "" {
		a.wrong = "is encoded as " + coding + ", which nobody has asked for"
	}
	if ended {
		a.pattern = req.Pattern
	}
	switch {
	case ctx.Err() != nil:
		return a, context.Cause(ctx)
	case rec.failure != nil:
		return a, rec.failure
	}
	return a, a.dropNonce(store)
}

// nonce matches one in a Content-Security-Policy.
var nonce = regexp.MustCompile(`'nonce-([^']+)'`)

// dropNonce makes a page that has a nonce one that is the same for everybody, as flow does with pages that
// it renders once: hashes of the inline scripts and styles that have the nonce take its place in the
// policy. It changes nothing if the nonce stands elsewhere, too, or if there are several policies.
func (a *answer) dropNonce(store *spool) error {
	policy := a.header.Get(policyKey)
	found := nonce.FindStringSubmatch(policy)
	if found == nil || len(a.header[policyKey]) > 1 || !a.isPage() || a.wrong != "" {
		return nil
	}
	body, err := store.body(*a)
	if err != nil {
		return err
	}
	t, _ := csp.NewTemplate(strings.ReplaceAll(policy, found[0], "'nonce'"))
	page, policy, ok := t.PageOf(body, found[1])
	if !ok {
		return nil
	}
	a.header.Set(policyKey, policy)
	store.drop(*a)
	a.size, a.sum = int64(len(page)), sha256.Sum256(page)
	return store.write(page)
}

const policyKey = "Content-Security-Policy"

// isPage reports whether an answer is HTML.
func (a *answer) isPage() bool { return mediaType(a.header.Get("Content-Type")) == "text/html" }

// A recorder is the http.ResponseWriter of one answer. A handler that does not stop may use it after it is
// closed.
type recorder struct {
	fields http.Header // what Header returns
	cancel func()      // of the context of the request

	mu      sync.Mutex
	answer  answer
	sum     hash.Hash
	spool   *spool
	at      int64
	buffer  []byte
	closed  bool
	failure error // of the spool
}

func (r *recorder) Header() http.Header { return r.fields }

func (r *recorder) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeHeader(status)
}

func (r *recorder) writeHeader(status int) {
	if r.closed || r.answer.status != 0 || status < 200 {
		return
	}
	r.answer.status, r.answer.header = status, r.fields.Clone()
	if mediaType(r.fields.Get("Content-Type")) == "text/event-stream" {
		r.answer.wrong = "is an event stream, which does not end"
		r.cancel()
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answer.status == 0 && !r.closed {
		if r.fields["Content-Type"] == nil && len(p) > 0 {
			r.fields.Set("Content-Type", http.DetectContentType(p))
		}
		r.writeHeader(http.StatusOK)
	}
	switch {
	case r.closed || r.answer.wrong != "" || r.failure != nil:
		return 0, io.ErrClosedPipe
	case r.answer.size+int64(len(p)) > maxSize:
		r.answer.wrong = fmt.Sprintf("has more than %d MiB", maxSize>>20)
		r.cancel()
		return 0, io.ErrShortWrite
	}
	r.answer.size += int64(len(p))
	r.sum.Write(p)
	if r.buffer = append(r.buffer, p...); len(r.buffer) > 1<<20 {
		r.flush()
	}
	return len(p), r.failure
}

// Flush is for handlers that want an http.Flusher.
func (r *recorder) Flush() { r.WriteHeader(http.StatusOK) }

func (r *recorder) flush() {
	r.failure = r.spool.write(r.buffer)
	r.buffer = r.buffer[:0]
}

// fail says why there is no whole answer.
func (r *recorder) fail(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && r.answer.wrong == "" {
		r.answer.wrong = why
	}
}

// close returns the answer. ended says that the handler has returned.
func (r *recorder) close(ended bool) answer {
	if ended {
		r.WriteHeader(http.StatusOK)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.flush()
	a := &r.answer
	if !ended && a.wrong == "" {
		a.wrong = fmt.Sprintf("did not end within %v", patience)
	}
	a.at = r.at
	r.sum.Sum(a.sum[:0])
	return *a
}

// A spool holds the bodies of answers in a file, since those of a large site would take much memory.
type spool struct {
	file *os.File
	end  int64
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "flow-export-*")
	return &spool{file: f}, err
}

func (s *spool) write(p []byte) error {
	_, err := s.file.WriteAt(p, s.end)
	s.end += int64(len(p))
	return err
}

// drop forgets the body of an answer, which must be the last one.
func (s *spool) drop(a answer) { s.end = a.at }

// body returns the body of an answer.
func (s *spool) body(a answer) ([]byte, error) {
	b := make([]byte, a.size)
	_, err := s.file.ReadAt(b, a.at)
	if err == io.EOF {
		err = nil
	}
	return b, err
}

// Close removes the file.
func (s *spool) Close() {
	s.file.Close()
	os.Remove(s.file.Name())
}

// mediaType returns the type of a Content-Type without parameters, in lower case.
func mediaType(contentType string) string {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		t, _, _ = strings.Cut(contentType, ";")
		t = strings.ToLower(strings.TrimSpace(t))
	}
	return t
}

// dependsOn returns on what an answer says that it depends and that a file cannot know, or "".
func (a answer) dependsOn() string {
	if a.header["Set-Cookie"] != nil {
		return "sets a cookie"
	}
	for _, list := range a.header["Vary"] {
		for name := range strings.SplitSeq(list, ",") {
			switch name = http.CanonicalHeaderKey(strings.TrimSpace(name)); name {
			case "Cookie", "Authorization", "Accept-Language", "*":
				return "has Vary: " + name
			}
		}
	}
	return ""
}

// differs says how a second answer differs from the first, or returns "".
func (a answer) differs(again answer, store *spool) (string, error) {
	if again.wrong != "" {
		return "the second answer " + again.wrong, nil
	}
	if a.status != again.status {
		return fmt.Sprintf("the first answer is %d, the second %d", a.status, again.status), nil
	}
	for _, name := range []string{"Content-Type", "Location", "Set-Cookie", "Vary"} {
		if one, other := a.header[name], again.header[name]; !slices.Equal(one, other) {
			return fmt.Sprintf("%s is %q, and then %q", name, strings.Join(one, ", "), strings.Join(other, ", ")), nil
		}
	}
	if a.sum == again.sum || a.status != http.StatusOK && a.status != http.StatusNotFound { // of a redirect, only Location counts
		return "", nil
	}
	one, err := store.body(a)
	if err != nil {
		return "", err
	}
	other, err := store.body(again)
	if err != nil {
		return "", err
	}
	at := 0
	for at < min(len(one), len(other)) && one[at] == other[at] {
		at++
	}
	line, column := bytes.Count(one[:at], []byte("\n"))+1, at-bytes.LastIndexByte(one[:at], '\n')
	return fmt.Sprintf("line %d, column %d has %q, and then %q", line, column, around(one, at), around(other, at)), nil
}

// around returns the part of a text around an index.
func around(text []byte, at int) string {
	begin := max(0, at-16, bytes.LastIndexByte(text[:at], '\n')+1)
	end := min(len(text), at+24)
	if i := bytes.IndexByte(text[at:end], '\n'); i >= 0 {
		end = at + i
	}
	return string(bytes.ToValidUTF8(text[begin:end], nil))
}
