// Package requests_test asks whole applications: which file answers, with bodies of all kinds, with handlers and
// middleware that fail, and through Routers that are mounted.
package requests_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// A reader is middleware that reads bodies.
type reader struct {
	name string
	use  []any
}

// readers are what may have asked for the body before the handler does, well or badly.
var readers = []reader{
	{"nobody", nil},
	{"a guard", []any{func(req *flow.Request) flow.Response { req.Input("a"); return flow.Next() }}},
	{"a guard that binds", []any{func(req *flow.Request) flow.Response { req.Bind(&struct{}{}); return flow.Next() }}},
	{"ParseForm", []any{apptest.Before(func(r *http.Request) { r.ParseForm() })}},
	{"FormValue", []any{apptest.Before(func(r *http.Request) { r.FormValue("a") })}},
	{"From", []any{apptest.Before(func(r *http.Request) { flow.From(r.Context()).Input("a") })}},
}

// consumers read by themselves what flow can give back of JSON and urlencoded
// bodies only.
var consumers = []reader{
	{"a guard reads it raw", []any{func(req *flow.Request) flow.Response { io.ReadAll(req.Body); return flow.Next() }}},
	{"a guard reads it raw and closes it", []any{func(req *flow.Request) flow.Response {
		io.ReadAll(req.Body)
		req.Body.Close()
		return flow.Next()
	}}},
	{"FormValue of a copy", []any{apptest.Before(func(r *http.Request) { r.Clone(r.Context()).FormValue("a") })}},
	{"a reader of some", []any{apptest.Before(func(r *http.Request) { io.ReadFull(r.Body, make([]byte, 3)) })}},
}

// answerers answer in place of the handler after they have asked for the body.
var answerers = []reader{
	{"a guard that answers", []any{func(req *flow.Request) flow.Response { req.All(); return flow.Text("mine").Status(201) }}},
	{"a guard that fails", []any{func(req *flow.Request) (flow.Response, error) {
		req.All()
		return flow.Response{}, flow.Error(418, "mine")
	}}},
}

func TestBadBodies(t *testing.T) {
	whole, big := "Content-Length: %d\r\n\r\n%s", strings.Repeat("x", 3000)
	rows := []struct {
		name, contentType, framing, body string
		want                             int
	}{
		{"truncated JSON", flowtest.JSON, "Content-Length: 100\r\n\r\n", `{"a":1}`, 400},
		{"truncated form", flowtest.Form, "Content-Length: 100\r\n\r\n", `a=1`, 400},
		{"truncated multipart", flowtest.Multipart, "Content-Length: 1000\r\n\r\n", flowtest.Parts("a=1"), 400},
		{"multipart chunks cut off in the head of a part", flowtest.Multipart, "Transfer-Encoding: chunked\r\n\r\n", "46\r\n" + flowtest.Parts("a=1", "f@file")[:70] + "\r\n", 400},
		{"chunks without end", flowtest.Form, "Transfer-Encoding: chunked\r\n\r\n", "3\r\na=1\r\n", 400},
		{"malformed chunks", flowtest.JSON, "Transfer-Encoding: chunked\r\n\r\n", "2\r\n{}\r\nzz\r\n", 400},
		{"too large form", flowtest.Form, whole, "a=" + big, 413},
		{"too large multipart", flowtest.Multipart, whole, flowtest.Parts("a=" + big), 413},
		{"too large after the form", flowtest.Multipart, whole, flowtest.Parts("a=1") + big, 413},
		{"too large chunks", flowtest.Form, "Transfer-Encoding: chunked\r\n\r\n", "bba\r\na=" + big + "\r\n0\r\n\r\n", 413},
		{"malformed JSON", flowtest.JSON, whole, `{"a":1`, 400},
		{"malformed form", flowtest.Form, whole, "a=1&b=%zz", 400},
		{"semicolon in a form", flowtest.Form, whole, "a=1;b=2", 400},
		{"multipart without a boundary", "multipart/form-data", whole, flowtest.Parts("a=1"), 400},
		{"multipart with another boundary", "multipart/form-data; boundary=c", whole, flowtest.Parts("a=1"), 400},
		{"multipart without an end", flowtest.Multipart, whole, strings.TrimSuffix(flowtest.Parts("a=1"), "--b--\r\n"), 400},
	}
	for _, reader := range slices.Concat(readers, consumers, answerers) {
		t.Run(reader.name, func(t *testing.T) {
			t.Parallel() // a server that refuses a body lingers before it closes the connection
			var called atomic.Bool
			r, log := apptest.Lone(func(*flow.Request) string { called.Store(true); return "" }, reader.use...)
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
						got := apptest.Wire(t, server, method+" /x?a=q HTTP/1.1\r\nHost: x\r\nContent-Type: "+tt.contentType+"\r\n"+framing)
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
	r, log := apptest.Lone(apptest.Hello)
	w := apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.JSON, strings.Repeat("[", 201)+strings.Repeat("]", 201)))
	is.Equal(w.Code, 400)
	var problem apptest.ProblemBody
	is.NoErr(json.Unmarshal(w.Body.Bytes(), &problem))
	is.Equal(problem.Detail, "the body is nested too deeply")
	all := apptest.Records(t, log)
	is.Equal(len(all), 1)
	is.Equal(all[0]["level"], "INFO")
	is.Equal(all[0]["error"], "400 the body is nested too deeply: JSON of 402 bytes is nested more than 200 deep")
}

func TestGuardThatPanicsOverABadBody(t *testing.T) {
	is := is.New(t)
	r, log := apptest.Lone(apptest.Hello, func(req *flow.Request) flow.Response { panic("without input " + req.Input("a")) })
	is.Equal(apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.JSON, "{")).Code, 400)
	is.True(strings.Contains(log.String(), "panic: without input")) // it is logged all the same
}

// panickingBody is a body that panics when it is read.
type panickingBody struct{ value any }

func (p panickingBody) Read([]byte) (int, error) { panic(p.value) }

// TestBodyThatPanics: whoever has put such a body in the place of the client's, the
// request is answered, or aborted if that is what the panic asks for.
func TestBodyThatPanics(t *testing.T) {
	for _, reader := range slices.Concat(readers[:3], answerers) { // the others read it themselves
		for _, media := range []string{flowtest.JSON, flowtest.Form, flowtest.Multipart} {
			t.Run(reader.name+" "+media, func(t *testing.T) {
				is := is.New(t)
				called := false
				r, log := apptest.Lone(func(*flow.Request) string { called = true; return "" }, reader.use...)
				request := func(value any) *http.Request {
					req := httptest.NewRequest("POST", "/x", panickingBody{value})
					req.Header.Set("Content-Type", media)
					return req
				}
				is.Equal(apptest.Do(r, request("x")).Code, 500)
				stacks := 0
				for _, record := range apptest.Records(t, log) {
					if record["stack"] != nil {
						stacks++
					}
				}
				is.Equal(stacks, 1)
				func() {
					defer func() { is.Equal(recover(), http.ErrAbortHandler) }()
					apptest.Do(r, request(http.ErrAbortHandler))
				}()
				is.True(!called)
			})
		}
	}
}

func TestMaxBody(t *testing.T) {
	upTo := func(n int) string { return strings.Repeat("x", n) }
	readAll := func(req *flow.Request) (string, error) {
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
		{"form over the default", 0, 0, readAll, flowtest.Form, 10<<20 + 1, "413"},
		{"Router.MaxBody", 10, 0, readAll, "text/plain", 10, "200 10"},
		{"over Router.MaxBody", 10, 0, readAll, "text/plain", 11, "413"},
		{"Verb.MaxBody", 10, 20, readAll, "text/plain", 20, "200 20"},
		{"over Verb.MaxBody", 30, 20, readAll, "text/plain", 21, "413"},
		{"form", 10, 20, readAll, flowtest.Form, 20, "200 20"},
		{"form over Verb.MaxBody", 30, 20, readAll, flowtest.Form, 21, "413"},
		{"net/http", 10, 0, readAllStd, flowtest.Form, 10, "200 10"},
		{"over, net/http", 10, 0, readAllStd, flowtest.Form, 11, "413"},
		{"malformed, net/http", 10, 0, readAllStd, flowtest.JSON, 10, "200 10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Files("router/x.http"))
			r.MaxBody = tt.router
			if v := r.At("x").POST(); tt.verb > 0 {
				v.MaxBody(tt.verb).Do(tt.handler)
			} else {
				v.Do(tt.handler)
			}
			is.NoErr(r.Check())
			w := apptest.Do(r, flowtest.Sending("POST", "/x", tt.contentType, upTo(tt.size)))
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
	all := append(slices.Clone(readers), reader{"From, with another copy", []any{apptest.Around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(context.WithValue(r.Context(), copyKey{}, 1))
		flow.From(r.Context()).Input("a")
		next.ServeHTTP(w, r)
	})}})
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "PROPFIND"} {
		for _, tt := range []struct{ contentType, body, want string }{
			{flowtest.JSON, `{"a":"1"}`, `a="1" body="{\"a\":\"1\"}" q="q" form="" post="" file=""`},
			{flowtest.Form, "a=1&b=2", `a="1" body="a=1&b=2" q="q" form="1" post="1" file=""`},
			{flowtest.Multipart, flowtest.Parts("a=1", "f@text"), `a="1" body="" q="q" form="1" post="1" file="text"`},
			{"text/plain", "a=1", `a="" body="a=1" q="q" form="" post="" file=""`},
		} {
			all := all
			if tt.contentType == flowtest.JSON || tt.contentType == flowtest.Form {
				all = slices.Concat(all, consumers)
			}
			for _, reader := range all {
				t.Run(strings.Join([]string{method, tt.contentType, reader.name}, " "), func(t *testing.T) {
					is := is.New(t)
					got := ""
					r, _ := apptest.Lone(func(req *flow.Request) string {
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
					is.Equal(apptest.Do(r, flowtest.Sending(method, "/x?q=q", tt.contentType, tt.body)).Code, 200)
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
			r, _ := apptest.Lone(func(req *flow.Request) string {
				got = req.Input("a") + " "
				if req.Body != nil {
					b, err := io.ReadAll(req.Body)
					is.NoErr(err)
					got += string(b)
				}
				return ""
			}, apptest.Before(tt.use))
			is.Equal(apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.Form, "a=1")).Code, 200)
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
	deny := func(*flow.Request) flow.Response { return flow.Text("no").Status(403) }
	for _, tt := range []struct {
		name, target, contentType string
		use                       []any
		handler                   any
		want                      int
	}{
		{"a guard denies", "/x", flowtest.JSON, []any{deny}, apptest.Hello, 403},
		{"other media type", "/x", "application/octet-stream", nil, apptest.Hello, 200},
		{"net/http handler", "/x", flowtest.JSON, nil, func(http.ResponseWriter, *http.Request) {}, 200},
		{"404", "/none", flowtest.JSON, nil, apptest.Hello, 404},
		{"404 with middleware", "/none", flowtest.JSON, []any{apptest.Before(func(*http.Request) {})}, apptest.Hello, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, _ := apptest.Lone(tt.handler, tt.use...)
			req := httptest.NewRequest("POST", tt.target, unread{t})
			req.Header.Set("Content-Type", tt.contentType)
			is.Equal(apptest.Do(r, req).Code, tt.want)
		})
	}
}

// TestBodyOfAStandardHandlerStreams: behind a guard, too, it gets a body as it comes.
func TestBodyOfAStandardHandlerStreams(t *testing.T) {
	for _, media := range []string{flowtest.JSON, flowtest.Form, flowtest.Multipart, "text/plain"} {
		for _, use := range [][]any{nil, {apptest.Pass}, {apptest.Wrap, apptest.Pass}} {
			is := is.New(t)
			r, _ := apptest.Lone(func(_ http.ResponseWriter, r *http.Request) { io.ReadFull(r.Body, make([]byte, 3)) }, use...)
			body := &apptest.CountingReader{Reader: strings.NewReader("a=" + strings.Repeat("1", 1<<10))}
			req := httptest.NewRequest("POST", "/x", body)
			req.Header.Set("Content-Type", media)
			is.Equal(apptest.Do(r, req).Code, 200)
			is.Equal(body.N, 3)
		}
	}
}

// TestTemporaryFilesAreRemoved: uploaded files do not outlive the request, whoever has parsed
// the form.
func TestTemporaryFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	flowtest.SetTempDir(t, dir)
	count := func() int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	body := flowtest.Parts("a=1", "f@"+strings.Repeat("x", 2<<20)) // over what is kept in memory
	parse := func(r *http.Request) { r.ParseMultipartForm(1) }
	aborts := func(*flow.Request) string { panic(http.ErrAbortHandler) }
	for _, tt := range []struct {
		name    string
		use     []any
		handler any
		body    string
		want    int // files while the handler runs
	}{
		{"handler", nil, apptest.Hello, body, 1},
		{"handler that panics", nil, func(*flow.Request) string { panic("x") }, body, 1},
		{"handler that aborts", nil, aborts, body, 1},
		{"guard that denies after Input", []any{func(req *flow.Request) flow.Response { req.Input("a"); return flow.Text("no") }}, apptest.Hello, body, 0},
		{"guard that parses and denies", []any{apptest.Wrap, func(req *flow.Request) flow.Response { parse(req.Request); return flow.Text("no") }}, apptest.Std(parse), body, 0},
		{"middleware parsed", []any{apptest.Before(parse)}, aborts, body, 1},
		{"middleware that parses and denies", []any{func(http.Handler) http.Handler { return http.HandlerFunc(apptest.Std(parse)) }}, apptest.Hello, body, 0},
		{"net/http handler", nil, apptest.Std(parse), body, 1},
		{"net/http handler that aborts", nil, apptest.Std(func(r *http.Request) { parse(r); panic(http.ErrAbortHandler) }), body, 1},
		{"truncated after the file", nil, apptest.Hello, strings.TrimSuffix(body, "--b--\r\n"), 0},
		{"too large after the file", nil, apptest.Hello, body + strings.Repeat("x", 2<<20), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			during := 0
			handler := tt.handler
			switch f := handler.(type) {
			case func(*flow.Request) string:
				handler = func(req *flow.Request) string { during = count(); return f(req) }
			case func(http.ResponseWriter, *http.Request):
				handler = func(w http.ResponseWriter, r *http.Request) { defer func() { during = count() }(); f(w, r) }
			}
			r, _ := apptest.Lone(handler, tt.use...)
			r.MaxBody = 3 << 20
			flowtest.PanicOf(func() { apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.Multipart, tt.body)) })
			is.Equal(during, tt.want)
			is.Equal(count(), 0)
		})
	}
}

// TestBodiesThatOthersRead: middleware and handlers unpack a body, or take it away.
func TestBodiesThatOthersRead(t *testing.T) {
	unzip := apptest.Before(func(r *http.Request) {
		if z, err := gzip.NewReader(r.Body); err == nil {
			r.Body = z
		}
	})
	zipped := func(text string) string {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		io.WriteString(z, text)
		z.Close()
		return b.String()
	}
	length := func(req *flow.Request) string { return fmt.Sprint(len(req.Input("a"))) }
	readAll := func(r *http.Request) { io.ReadAll(r.Body) }
	denies := func(req *flow.Request) flow.Response {
		if req.Input("a") == "1" {
			return flow.Fail(403, "")
		}
		return flow.Next()
	}
	for _, tt := range []struct {
		name, contentType, body string
		handler                 any
		use                     []any
		want                    string
	}{
		{"unpacked", flowtest.JSON, zipped(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`), length, []any{unzip}, "200 1048576"},
		{"unpacked beyond the limit", flowtest.JSON, zipped(`{"a":"` + strings.Repeat("x", 2<<20) + `"}`), length, []any{unzip}, "413"},
		{"packed, and parsed by others", flowtest.Form, zipped("a=1&role=%zz"), length, []any{unzip, apptest.Before(func(r *http.Request) { r.FormValue("a") })}, "500"},
		{"read for a net/http handler, then asked for", flowtest.JSON, `{"a":"1"}`, apptest.Std(func(*http.Request) {}), []any{apptest.Before(readAll), denies}, "403"},
		{"read by a net/http handler, then asked for", flowtest.JSON, `{"a":"1"}`, apptest.Std(func(r *http.Request) { readAll(r); flow.From(r.Context()).Input("a") }), nil, "500"},
		{"multipart that a guard streams", flowtest.Multipart, flowtest.Parts("a=1"), length, []any{func(req *flow.Request) flow.Response {
			req.MultipartReader()
			return flow.Next()
		}}, "500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := apptest.Lone(tt.handler, tt.use...)
			r.MaxBody = 2 << 20
			req := flowtest.Sending("POST", "/x", tt.contentType, tt.body)
			if strings.HasPrefix(tt.body, "\x1f\x8b") {
				req.Header.Set("Content-Encoding", "gzip")
			}
			is.Equal(apptest.Says(apptest.Do(r, req)), tt.want)
			is.Equal(len(apptest.Records(t, log)), strings.Count(tt.want, "500")) // once, and what is the client's fault not at all
		})
	}
}

func TestRetriedHandlerReadsTheBodyAgain(t *testing.T) {
	is := is.New(t)
	r, _ := apptest.Lone(func(req *flow.Request) string {
		b, _ := io.ReadAll(req.Body)
		return string(b)
	}, apptest.Around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(httptest.NewRecorder(), r)
		next.ServeHTTP(w, r)
	}))
	is.Equal(apptest.Says(apptest.Do(r, flowtest.Sending("POST", "/x", flowtest.JSON, `{"a":1}`))), `200 {"a":1}`)
}

// TestBodiesThatBreak are no fault of the application that reads them by itself.
func TestBodiesThatBreak(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cut   bool
		fails func(read error) error
		level string // of the one record, "" if there is none
	}{
		{"cut off", true, func(read error) error { return fmt.Errorf("import: %w", read) }, "INFO"},
		{"cut off, panics", true, func(read error) error { panic(read) }, "INFO"},
		{"cut off, and something else", true, func(error) error { return errors.New("down") }, "ERROR"},
		{"cut off, and well", true, func(error) error { return nil }, ""},
		{"whole", false, func(error) error { return io.ErrUnexpectedEOF }, "ERROR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := apptest.Lone(func(req *flow.Request) (flow.Response, error) {
				_, err := io.ReadAll(req.Body)
				is.Equal(err != nil, tt.cut)
				return flow.Response{}, tt.fails(err)
			})
			var body io.Reader = strings.NewReader("abc")
			if tt.cut {
				body = io.MultiReader(body, iotest.ErrReader(io.ErrUnexpectedEOF))
			}
			apptest.Do(r, httptest.NewRequest("POST", "/x", body))
			all := apptest.Records(t, log)
			if tt.level == "" {
				is.Equal(len(all), 0)
				return
			}
			is.Equal(len(all), 1)
			is.Equal(all[0]["level"], tt.level)
		})
	}
}

// trailersOf reads a body to its end, and says what came after it.
func trailersOf(r *http.Request) string {
	_, err := io.Copy(io.Discard, r.Body)
	return fmt.Sprint(r.Trailer, " ", err)
}

func saysTrailers(w http.ResponseWriter, r *http.Request) { io.WriteString(w, trailersOf(r)) }

// copies is middleware that goes on with copies of the request, made before its body
// is read.
func copies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(r.Context()))
	})
}

// TestTrailers sends trailers that were announced, and some that were not, which
// net/http gives to its own request only.
func TestTrailers(t *testing.T) {
	flowForm := func(req *flow.Request) string { return trailersOf(req.Request) }
	std := http.HandlerFunc(saysTrailers)
	timeout := func(next http.Handler) http.Handler { return http.TimeoutHandler(next, servertest.Patience, "") }
	guarded := func(use ...any) *flow.Router {
		r, _ := apptest.Lone(flowForm, use...)
		return r
	}
	standard := func(use ...any) *flow.Router {
		r, _ := apptest.Lone(std, use...)
		return r
	}
	mounted := func(inner http.Handler) *flow.Router {
		r := flow.New(flowtest.Files("router/index.html"))
		r.Mount("/", inner)
		return r
	}
	params := flow.New(flowtest.Files("router/[p].http"))
	params.At("[p]").POST().Do(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PathValue("p")[1:]+trailersOf(r))
	})
	handler, _ := apptest.Lone(func(*flow.Request) flow.Response { return flow.Handler(std) })
	clone, _ := apptest.Lone(func(req *flow.Request) string {
		trailersOf(req.Request)
		c := req.Clone().Clone()
		req.Trailer.Set("T", "changed") // which a clone has for itself
		return trailersOf(c.Request)
	})
	for _, tt := range []struct {
		name    string
		handler http.Handler
	}{
		{"a handler", std},
		{"a handler of flow's forms", guarded()},
		{"and a guard", guarded(apptest.Pass)},
		{"and a guard that makes a copy", guarded(func(req *flow.Request) flow.Response {
			req.Request = req.WithContext(req.Context())
			return flow.Next()
		})},
		{"and standard middleware", guarded(apptest.Wrap)},
		{"a standard handler", standard()},
		{"and middleware that makes copies", standard(copies, copies)},
		{"and TimeoutHandler", standard(timeout)},
		{"a path value", params},
		{"the answer of a handler", handler},
		{"a mounted handler", mounted(std)},
		{"a mounted Router", mounted(guarded())},
		{"a mounted Router with middleware", mounted(mounted(standard(copies)))},
		{"a clone", clone},
	} {
		plain := httptest.NewServer(tt.handler)
		defer plain.Close()
		for server, addr := range map[string]string{"net/http": plain.Listener.Addr().String(), "Serve": servertest.OnLoopback(t, tt.handler, nil).Addr} {
			for media, body := range map[string]string{"text/plain": "11", flowtest.Form: "11", flowtest.JSON: "11", flowtest.Multipart: flowtest.Parts("a=1")} {
				for _, head := range []string{"", "Trailer: T\r\n", "Expect: 100-continue\r\n", "Expect: 100-continue\r\nTrailer: T\r\n"} {
					t.Run(tt.name+", "+server+", "+media+", "+head, func(t *testing.T) {
						is := is.New(t)
						c := apptest.Dial(t, addr)
						c.Send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Type: " + media + "\r\n" + head + "\r\n")
						if strings.Contains(head, "Expect") {
							is.Equal(c.Answer(), "100 ")
						}
						c.Send(fmt.Sprintf("%x\r\n%s\r\n0\r\nT: v\r\n\r\n", len(body), body))
						is.Equal(c.Answer(), "200 map[T:[v]] <nil>")
					})
				}
			}
		}
	}
}

// TestBrokenTrailers: nobody knows where a request with such a trailer ends, so that
// what follows it on the connection is no request. net/http tells by the type of the
// body that its own request has.
func TestBrokenTrailers(t *testing.T) {
	for _, h := range []struct {
		name    string
		handler any
	}{
		{"flow", func(req *flow.Request) string { return trailersOf(req.Request) }},
		{"std", http.HandlerFunc(saysTrailers)},
		{"unread", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})},
	} {
		r, _ := apptest.Lone(h.handler)
		plain := httptest.NewServer(r)
		defer plain.Close()
		for server, addr := range map[string]string{"net/http": plain.Listener.Addr().String(), "Serve": servertest.OnLoopback(t, r, nil).Addr} {
			for _, trailer := range []string{": v", "no colon", " T: v", "T: \x00"} {
				t.Run(h.name+", "+server+", "+trailer, func(t *testing.T) {
					is := is.New(t)
					c := apptest.Dial(t, addr)
					c.Send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n" + trailer + "\r\n" + servertest.GetX + servertest.GetX)
					is.True(strings.HasSuffix(c.Answer(), " close"))
					_, err := c.R.ReadByte()
					is.Equal(err, io.EOF) // there is no other answer
				})
			}
		}
	}
}

// TestTrailersOfHTTP2, where net/http passes on those that were announced.
func TestTrailersOfHTTP2(t *testing.T) {
	is := is.New(t)
	r, _ := apptest.Lone(saysTrailers, copies)
	site := servertest.OnLoopback(t, r, servertest.Secure)
	req := httptest.NewRequest("POST", "https://"+site.Addr+"/x", strings.NewReader("1"))
	req.Trailer = http.Header{"T": {"v"}}
	resp, err := site.Transport().RoundTrip(req)
	is.NoErr(err)
	is.Equal(resp.ProtoMajor, 2)
	is.Equal(servertest.SumUp(t, resp), "200 map[T:[v]] <nil>")
}

// TestCloneBeforeTrailers: a clone has those of a body that was read, and nothing that
// may still be written to.
func TestCloneBeforeTrailers(t *testing.T) {
	for _, head := range []string{"", "Trailer: T\r\n"} {
		t.Run(head, func(t *testing.T) {
			is := is.New(t)
			r, _ := apptest.Lone(func(req *flow.Request) string {
				c := req.Clone()
				trailersOf(req.Request)
				return trailersOf(c.Request) + ", " + trailersOf(req.Clone().Request)
			})
			c := servertest.OnLoopback(t, r, nil).Dial()
			c.Send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + head + "\r\n1\r\nx\r\n0\r\nT: v\r\n\r\n")
			is.Equal(c.Answer(), "200 map[] <nil>, map[T:[v]] <nil>")
		})
	}
}

// TestCloneWhileTrailersCome has a handler, which its middleware does not wait for,
// clone its request while net/http reads the rest of the body.
func TestCloneWhileTrailersCome(t *testing.T) {
	if !race.Enabled {
		t.Skip("found under the race detector only")
	}
	is := is.New(t)
	cloned := make(chan struct{})
	r, _ := apptest.Lone(func(req *flow.Request) string {
		defer close(cloned)
		for until := time.Now().Add(50 * time.Millisecond); time.Now().Before(until); {
			req.Clone()
		}
		return ""
	}, apptest.Around(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		go next.ServeHTTP(httptest.NewRecorder(), r)
		io.WriteString(w, "done")
	}))
	c := servertest.OnLoopback(t, r, nil).Dial()
	c.Send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n1\r\nx\r\n0\r\nT: v\r\n\r\n")
	is.Equal(c.Answer(), "200 done")
	servertest.Within(t, "the handler has cloned its request", cloned)
}
