package flow

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
)

const (
	jsonMedia  = "application/json"
	formType   = "application/x-www-form-urlencoded"
	multiMedia = "multipart/form-data; boundary=b"
)

var (
	sending = flowtest.Sending
	parts   = flowtest.Parts
)

// lone returns a Router of one route file, x, that answers every method with the
// handler, after the middleware, and the log that it writes.
func lone(handler any, use ...any) (*Router, *journal) {
	r := New(flowtest.Files("router/x.http"))
	r.Use(use...)
	r.At("x").ANY().Do(handler)
	return r, journalOf(r)
}

// journalOf makes r log into a journal, in JSON: see records.
func journalOf(r *Router) *journal {
	log := &journal{}
	r.Logger = slog.New(slog.NewJSONHandler(log, nil))
	return log
}

// A journal is a log that may be read while others write.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// browse sends a GET as browsers do, which prefer HTML.
func browse(h http.Handler, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Accept", "text/html")
	return do(h, r)
}

func do(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestNumbersAndCopiesOfAll(t *testing.T) {
	is := is.New(t)
	r, _ := lone(func(req *Request) string {
		_, isNumber := req.All()["n"].(json.Number)
		is.True(isNumber)
		req.All()["n"] = "changed"
		req.Inputs("l")[0] = "changed"
		is.Equal(req.Input("n"), "1")
		is.Equal(req.Input("l"), "a")
		is.Equal(req.Only("x"), Data{})
		return ""
	})
	is.Equal(do(r, sending("POST", "/x", jsonMedia, `{"n":1,"l":["a"]}`)).Code, 200)
}

// A reader is middleware that reads bodies.
type reader struct {
	name string
	use  []any
}

// readers are what may have asked for the body before the handler does, well or badly.
var readers = []reader{
	{"nobody", nil},
	{"a guard", []any{func(req *Request) Response { req.Input("a"); return Next() }}},
	{"a guard that binds", []any{func(req *Request) Response { req.Bind(&struct{}{}); return Next() }}},
	{"ParseForm", []any{before(func(r *http.Request) { r.ParseForm() })}},
	{"FormValue", []any{before(func(r *http.Request) { r.FormValue("a") })}},
	{"From", []any{before(func(r *http.Request) { From(r.Context()).Input("a") })}},
}

// consumers read by themselves what flow can give back of JSON and urlencoded
// bodies only.
var consumers = []reader{
	{"a guard reads it raw", []any{func(req *Request) Response { io.ReadAll(req.Body); return Next() }}},
	{"a guard reads it raw and closes it", []any{func(req *Request) Response {
		io.ReadAll(req.Body)
		req.Body.Close()
		return Next()
	}}},
	{"FormValue of a copy", []any{before(func(r *http.Request) { r.Clone(r.Context()).FormValue("a") })}},
	{"a reader of some", []any{before(func(r *http.Request) { io.ReadFull(r.Body, make([]byte, 3)) })}},
}

// answerers answer in place of the handler after they have asked for the body.
var answerers = []reader{
	{"a guard that answers", []any{func(req *Request) Response { req.All(); return Text("mine").Status(201) }}},
	{"a guard that fails", []any{func(req *Request) (Response, error) { req.All(); return Response{}, Error(418, "mine") }}},
}

// before returns standard middleware that does something before it goes on.
func before(f func(*http.Request)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f(r)
			next.ServeHTTP(w, r)
		})
	}
}

// wire sends text to a server as it is, with the sending side closed, and returns
// the status of the answer.
func wire(t *testing.T, server *httptest.Server, text string) int {
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

func TestBadBodies(t *testing.T) {
	whole, big := "Content-Length: %d\r\n\r\n%s", strings.Repeat("x", 3000)
	rows := []struct {
		name, contentType, framing, body string
		want                             int
	}{
		{"truncated JSON", jsonMedia, "Content-Length: 100\r\n\r\n", `{"a":1}`, 400},
		{"truncated form", formType, "Content-Length: 100\r\n\r\n", `a=1`, 400},
		{"truncated multipart", multiMedia, "Content-Length: 1000\r\n\r\n", parts("a=1"), 400},
		{"multipart cut off in a file", multiMedia, "Content-Length: 1000\r\n\r\n", parts("a=1", "f@file")[:100], 400},
		{"multipart cut off in the head of a part", multiMedia, "Content-Length: 1000\r\n\r\n", parts("a=1", "f@file")[:70], 400},
		{"multipart chunks cut off in the head of a part", multiMedia, "Transfer-Encoding: chunked\r\n\r\n", "46\r\n" + parts("a=1", "f@file")[:70] + "\r\n", 400},
		{"chunks without end", formType, "Transfer-Encoding: chunked\r\n\r\n", "3\r\na=1\r\n", 400},
		{"malformed chunks", jsonMedia, "Transfer-Encoding: chunked\r\n\r\n", "2\r\n{}\r\nzz\r\n", 400},
		{"malformed chunks of multipart", multiMedia, "Transfer-Encoding: chunked\r\n\r\n", "2\r\n--\r\nzz\r\n", 400},
		{"too large JSON", jsonMedia, whole, `{"a":"` + big + `"}`, 413},
		{"too large form", formType, whole, "a=" + big, 413},
		{"too large multipart", multiMedia, whole, parts("a=" + big), 413},
		{"too large after the form", multiMedia, whole, parts("a=1") + big, 413},
		{"too large chunks", formType, "Transfer-Encoding: chunked\r\n\r\n", "bba\r\na=" + big + "\r\n0\r\n\r\n", 413},
		{"malformed JSON", jsonMedia, whole, `{"a":1`, 400},
		{"blank JSON", jsonMedia, whole, " ", 400},
		{"two JSON values", jsonMedia, whole, `{"a":1}{"a":2}`, 400},
		{"deep JSON", jsonMedia, whole, strings.Repeat("[", 1001), 400},
		{"malformed form", formType, whole, "a=1&b=%zz", 400},
		{"semicolon in a form", formType, whole, "a=1;b=2", 400},
		{"multipart without a boundary", "multipart/form-data", whole, parts("a=1"), 400},
		{"multipart with another boundary", "multipart/form-data; boundary=c", whole, parts("a=1"), 400},
		{"multipart without an end", multiMedia, whole, strings.TrimSuffix(parts("a=1"), "--b--\r\n"), 400},
	}
	for _, reader := range slices.Concat(readers, consumers, answerers) {
		t.Run(reader.name, func(t *testing.T) {
			t.Parallel() // a server that refuses a body lingers before it closes the connection
			var called atomic.Bool
			r, log := lone(func(*Request) string { called.Store(true); return "" }, reader.use...)
			r.MaxBody = 2500
			server := httptest.NewServer(r)
			defer server.Close()
			for _, tt := range rows {
				t.Run(tt.name, func(t *testing.T) {
					is := is.New(t)
					framing := tt.framing + tt.body
					if tt.framing == whole {
						framing = fmt.Sprintf(whole, len(tt.body), tt.body)
					}
					for _, method := range []string{"POST", "DELETE"} {
						got := wire(t, server, method+" /x?a=q HTTP/1.1\r\nHost: x\r\nContent-Type: "+tt.contentType+"\r\n"+framing)
						is.Equal(got, tt.want)
					}
					is.True(!called.Load())                           // a handler got a bad body
					is.True(!strings.Contains(log.String(), "ERROR")) // it is no fault of ours
				})
			}
		})
	}
}

// TestCauseOfABadBody: of JSON beyond its limits the log says which one it was.
func TestCauseOfABadBody(t *testing.T) {
	is := is.New(t)
	r, log := lone(hello)
	w := do(r, sending("POST", "/x", jsonMedia, strings.Repeat("[", 201)+strings.Repeat("]", 201)))
	is.Equal(w.Code, 400)
	var problem problemBody
	is.NoErr(json.Unmarshal(w.Body.Bytes(), &problem))
	is.Equal(problem.Detail, "the body is nested too deeply")
	all := records(t, log)
	is.Equal(len(all), 1)
	is.Equal(all[0]["level"], "INFO")
	is.Equal(all[0]["error"], "400 the body is nested too deeply: JSON of 402 bytes is nested more than 200 deep")
}

func TestGuardThatPanicsOverABadBody(t *testing.T) {
	is := is.New(t)
	r, log := lone(hello, func(req *Request) Response { panic("without input " + req.Input("a")) })
	is.Equal(do(r, sending("POST", "/x", jsonMedia, "{")).Code, 400)
	is.True(strings.Contains(log.String(), "panic: without input")) // it is logged all the same
}

// panickingBody is a body that panics when it is read.
type panickingBody struct{ value any }

func (p panickingBody) Read([]byte) (int, error) { panic(p.value) }

// TestBodyThatPanics: whoever has put such a body in the place of the client's, the
// request is answered, or aborted if that is what the panic asks for.
func TestBodyThatPanics(t *testing.T) {
	for _, reader := range slices.Concat(readers[:3], answerers) { // the others read it themselves
		for _, media := range []string{jsonMedia, formType, multiMedia} {
			t.Run(reader.name+" "+media, func(t *testing.T) {
				is := is.New(t)
				called := false
				r, log := lone(func(*Request) string { called = true; return "" }, reader.use...)
				request := func(value any) *http.Request {
					req := httptest.NewRequest("POST", "/x", panickingBody{value})
					req.Header.Set("Content-Type", media)
					return req
				}
				is.Equal(do(r, request("x")).Code, 500)
				stacks := 0
				for _, record := range records(t, log) {
					if record["stack"] != nil {
						stacks++
					}
				}
				is.Equal(stacks, 1)
				func() {
					defer func() { is.Equal(recover(), http.ErrAbortHandler) }()
					do(r, request(http.ErrAbortHandler))
				}()
				is.True(!called)
			})
		}
	}
}

func TestMaxBody(t *testing.T) {
	upTo := func(n int) string { return strings.Repeat("x", n) }
	readAll := func(req *Request) (string, error) {
		b, err := io.ReadAll(req.Body)
		return fmt.Sprint(len(b)), err
	}
	readAllStd := func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		fmt.Fprint(w, len(b))
	}
	for _, tt := range []struct {
		name         string
		router, verb int64
		handler      any
		contentType  string
		size         int
		want         string
	}{
		{"default", 0, 0, readAll, "text/plain", 10 << 20, "200 10485760"},
		{"over the default", 0, 0, readAll, "text/plain", 10<<20 + 1, "413"},
		{"form over the default", 0, 0, readAll, formType, 10<<20 + 1, "413"},
		{"Router.MaxBody", 10, 0, readAll, "text/plain", 10, "200 10"},
		{"over Router.MaxBody", 10, 0, readAll, "text/plain", 11, "413"},
		{"Verb.MaxBody", 10, 20, readAll, "text/plain", 20, "200 20"},
		{"over Verb.MaxBody", 30, 20, readAll, "text/plain", 21, "413"},
		{"form", 10, 20, readAll, formType, 20, "200 20"},
		{"form over Verb.MaxBody", 30, 20, readAll, formType, 21, "413"},
		{"net/http", 10, 0, readAllStd, formType, 10, "200 10"},
		{"over, net/http", 10, 0, readAllStd, formType, 11, "413"},
		{"malformed, net/http", 10, 0, readAllStd, jsonMedia, 10, "200 10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := New(flowtest.Files("router/x.http"))
			r.MaxBody = tt.router
			if v := r.At("x").POST(); tt.verb > 0 {
				v.MaxBody(tt.verb).Do(tt.handler)
			} else {
				v.Do(tt.handler)
			}
			is.NoErr(r.Check())
			w := do(r, sending("POST", "/x", tt.contentType, upTo(tt.size)))
			got := fmt.Sprint(w.Code)
			if w.Code == 200 {
				got += " " + w.Body.String()
			}
			is.Equal(got, tt.want)
		})
	}
}

func TestBodyAfterwards(t *testing.T) {
	type copyKey struct{}
	all := append(slices.Clone(readers), reader{"From, with another copy", []any{func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r = r.WithContext(context.WithValue(r.Context(), copyKey{}, 1))
			From(r.Context()).Input("a")
			next.ServeHTTP(w, r)
		})
	}}})
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "PROPFIND"} {
		for _, tt := range []struct{ contentType, body, want string }{
			{jsonMedia, `{"a":"1"}`, `a="1" body="{\"a\":\"1\"}" q="q" form="" post="" file=""`},
			{formType, "a=1&b=2", `a="1" body="a=1&b=2" q="q" form="1" post="1" file=""`},
			{multiMedia, parts("a=1", "f@text"), `a="1" body="" q="q" form="1" post="1" file="text"`},
			{"text/plain", "a=1", `a="" body="a=1" q="q" form="" post="" file=""`},
		} {
			all := all
			if tt.contentType == jsonMedia || tt.contentType == formType {
				all = slices.Concat(all, consumers)
			}
			for _, reader := range all {
				t.Run(strings.Join([]string{method, tt.contentType, reader.name}, " "), func(t *testing.T) {
					is := is.New(t)
					got := ""
					r, _ := lone(func(req *Request) string {
						raw, err := io.ReadAll(req.Body)
						is.NoErr(err)
						text := ""
						if f, _, err := req.FormFile("f"); err == nil {
							b, err := io.ReadAll(f)
							is.NoErr(err)
							text = string(b)
						}
						got = fmt.Sprintf("a=%q body=%q q=%q form=%q post=%q file=%q",
							req.Input("a"), raw, req.FormValue("q"), req.FormValue("a"), req.PostFormValue("a"), text)
						return ""
					}, reader.use...)
					is.Equal(do(r, sending(method, "/x?q=q", tt.contentType, tt.body)).Code, 200)
					is.Equal(got, tt.want)
				})
			}
		}
	}
}

func TestMiddlewareThatReplacesTheBody(t *testing.T) {
	for _, tt := range []struct {
		name string
		use  func(*http.Request)
		want string // Input and what is raw
	}{
		{"with the same", func(r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(b))
		}, "1 a=1"},
		{"with another", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("a=unpacked")) }, "unpacked a=unpacked"},
		{"with another that it parses", func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("a=unpacked"))
			r.ParseForm()
		}, "unpacked "},
		{"with none", func(r *http.Request) { r.Body = nil }, " "},
		{"no, but changes the form", func(r *http.Request) {
			r.ParseForm()
			r.PostForm.Set("a", "clean")
		}, "clean a=1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got := ""
			r, _ := lone(func(req *Request) string {
				got = req.Input("a") + " "
				if req.Body != nil {
					b, err := io.ReadAll(req.Body)
					is.NoErr(err)
					got += string(b)
				}
				return ""
			}, before(tt.use))
			is.Equal(do(r, sending("POST", "/x", formType, "a=1")).Code, 200)
			is.Equal(got, tt.want)
		})
	}
}

// unread fails a test that reads it.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func TestBodyThatNobodyReads(t *testing.T) {
	deny := func(*Request) Response { return Text("no").Status(403) }
	for _, tt := range []struct {
		name, target, contentType string
		use                       []any
		handler                   any
		want                      int
	}{
		{"a guard denies", "/x", jsonMedia, []any{deny}, hello, 403},
		{"other media type", "/x", "application/octet-stream", nil, hello, 200},
		{"net/http handler", "/x", jsonMedia, nil, func(http.ResponseWriter, *http.Request) {}, 200},
		{"404", "/none", jsonMedia, nil, hello, 404},
		{"404 with middleware", "/none", jsonMedia, []any{before(func(*http.Request) {})}, hello, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := lone(tt.handler, tt.use...)
			req := httptest.NewRequest("POST", tt.target, unread{t})
			req.Header.Set("Content-Type", tt.contentType)
			is.Equal(do(r, req).Code, tt.want)
		})
	}
}

// TestBodyOfAStandardHandlerStreams: behind a guard, too, it gets a body as it comes.
func TestBodyOfAStandardHandlerStreams(t *testing.T) {
	for _, media := range []string{jsonMedia, formType, multiMedia, "text/plain"} {
		for _, use := range [][]any{nil, {pass}, {wrap, pass}} {
			is := is.New(t)
			r, _ := lone(func(_ http.ResponseWriter, r *http.Request) { io.ReadFull(r.Body, make([]byte, 3)) }, use...)
			body := &countingReader{Reader: strings.NewReader("a=" + strings.Repeat("1", 1<<10))}
			req := httptest.NewRequest("POST", "/x", body)
			req.Header.Set("Content-Type", media)
			is.Equal(do(r, req).Code, 200)
			is.Equal(body.n, 3)
		}
	}
}

func TestTemporaryFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	count := func() int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	body := parts("a=1", "f@"+strings.Repeat("x", 2<<20)) // over what is kept in memory
	parse := func(r *http.Request) { r.ParseMultipartForm(1) }
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
		body    string
		want    int // files while the handler runs
	}{
		{"handler", nil, func(*Request) string { return "" }, body, 1},
		{"handler that panics", nil, func(*Request) string { panic("x") }, body, 1},
		{"handler that aborts", nil, func(*Request) string { panic(http.ErrAbortHandler) }, body, 1},
		{"guard that denies after Input", []any{func(req *Request) Response { req.Input("a"); return Text("no") }}, hello, body, 0},
		{"middleware parsed", []any{before(parse)}, func(*Request) string { panic(http.ErrAbortHandler) }, body, 1},
		{"truncated after the file", nil, hello, strings.TrimSuffix(body, "--b--\r\n"), 0},
		{"too large after the file", nil, hello, body + strings.Repeat("x", 2<<20), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			during := 0
			handler := tt.handler
			if f, ok := handler.(func(*Request) string); ok {
				handler = func(req *Request) string { during = count(); return f(req) }
			}
			r, _ := lone(handler, tt.use...)
			r.MaxBody = 3 << 20
			func() {
				defer func() { recover() }()
				do(r, sending("POST", "/x", multiMedia, tt.body))
			}()
			is.Equal(during, tt.want)
			is.Equal(count(), 0)
		})
	}
}
