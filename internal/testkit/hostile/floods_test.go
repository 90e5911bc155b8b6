package hostile_test

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/accept"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// floodSize is how much of a header a server lets in by default: see Serve.
const floodSize = 64 << 10

// floods are what a header that is a list can be filled with and say nothing.
var floods = []string{",", " \t,", "a,", "/,", `"a",`, `W/"a,b",`, "a;q=1,", "a;q=0;q=0,", "\xff,", "é,", strings.Repeat(";", 5000) + ",", strings.Repeat("\xff", 5000) + ",", strings.Repeat(" ", 5000) + ","}

// A flooded is a header that flow reads, and a value of it that changes an answer.
type flooded struct {
	method, path, header, value string
	with, without               string // the answer: status, and what the row is about
}

// headersRead returns all headers that flow reads as lists, for the Router of floodable.
func headersRead(r *flow.Router) []flooded {
	tag := apptest.Serve(r, "GET", "/app.css").Header().Get("ETag")
	return []flooded{
		{"GET", "/none", "Accept", "text/html", "404 text/html; charset=utf-8", "404 application/problem+json"},
		{"GET", "/app.css", "Accept-Encoding", "gzip", "200 text/css; charset=utf-8 gzip", "200 text/css; charset=utf-8"},
		{"GET", "/app.css", "If-None-Match", tag, "304", "200 text/css; charset=utf-8"},
		{"GET", "/app.css", "If-Match", tag, "200 text/css; charset=utf-8", "412 text/plain; charset=utf-8"},
		{"GET", "/page", "Accept-Encoding", "gzip", "200 text/html; charset=utf-8 gzip", "200 text/html; charset=utf-8"},
	}
}

// floodable returns a Router that reads all headers that flow reads.
func floodable(tb testing.TB) *flow.Router {
	tb.Helper()
	r := flow.New(fstest.MapFS{
		"router/x.http":    {},
		"router/page.html": {Data: []byte(strings.Repeat("page ", 1000))},
		"public/app.css":   {Data: flowtest.Stylesheet(1000)},
	})
	r.Use(flow.RequestID)
	r.At("x").POST().Do(func(req *flow.Request) (string, error) {
		var form struct{ A string }
		err := req.Bind(&form)
		return form.A, err
	})
	if err := r.Check(); err != nil {
		tb.Fatal(err)
	}
	return r
}

// ask returns the answer to a request with a header of some lines.
func (f flooded) ask(r *flow.Router, lines ...string) string {
	req := httptest.NewRequest(f.method, f.path, nil)
	req.Header[f.header] = lines
	w := apptest.Do(r, req)
	answer := fmt.Sprint(w.Code)
	for _, key := range []string{"Content-Type", "Content-Encoding"} {
		if value := w.Header().Get(key); value != "" {
			answer += " " + value
		}
	}
	return answer
}

// TestHeaderFloods: of a header that is a list, what comes after a flood is as if it
// were not there, and what comes before it counts.
func TestHeaderFloods(t *testing.T) {
	r := floodable(t)
	for _, f := range headersRead(r) {
		for _, flood := range floods {
			n := floodSize / len(flood)
			one := strings.Repeat(flood, n)
			many := slices.Repeat([]string{strings.TrimSuffix(flood, ",")}, max(n, accept.MaxItems))
			t.Run(fmt.Sprintf("%s of %s/%.20q", f.header, f.path, flood), func(t *testing.T) {
				is := is.New(t)
				is.Equal(f.ask(r, f.value), f.with)
				is.Equal(f.ask(r, f.value+","+one), f.with)
				is.Equal(f.ask(r, one+f.value), f.without)
				is.Equal(f.ask(r, one, f.value), f.without)
				is.Equal(f.ask(r, append([]string{f.value}, many...)...), f.with)
				is.Equal(f.ask(r, append(many, f.value)...), f.without)
			})
		}
		t.Run(f.header+" of "+f.path+"/bounds", func(t *testing.T) {
			is := is.New(t)
			is.Equal(f.ask(r, strings.Repeat(",", accept.MaxItems-1)+f.value), f.with)
			is.Equal(f.ask(r, strings.Repeat(",", accept.MaxItems)+f.value), f.without)
			most := strings.Repeat(" ", accept.MaxBytes-len(f.value)-1)
			is.Equal(f.ask(r, most+","+f.value), f.with)
			is.Equal(f.ask(r, most+",", f.value), f.without) // the line that ends after the comma has an empty item
			is.Equal(f.ask(r, most+" ,"+f.value), f.without)
			is.Equal(f.ask(r, most+","+f.value+" "), f.without) // it crosses the bound
		})
	}
}

// TestOtherHeaderFloods: headers that are no lists for flow, or are ignored as a whole.
func TestOtherHeaderFloods(t *testing.T) {
	r := floodable(t)
	flood := func(text string) string { return strings.Repeat(text, floodSize/len(text)) }
	const mostContentType = 1 << 10
	for _, tt := range []struct {
		name, method, path string
		header             http.Header
		want               int
	}{
		{"a range before commas", "GET", "/app.css", http.Header{"Range": {"bytes=0-1" + flood(",")}}, 200},
		{"ranges", "GET", "/app.css", http.Header{"Range": {"bytes=" + flood("0-0,")}}, 200},
		{"a long number", "GET", "/app.css", http.Header{"Range": {"bytes=0-" + flood("1")}}, 200},
		{"a range, as long as it may be", "GET", "/app.css", http.Header{"Range": {"bytes=0-1" + strings.Repeat(" ", accept.MaxBytes-9)}}, 206},
		{"a range, too long", "GET", "/app.css", http.Header{"Range": {"bytes=0-1" + strings.Repeat(" ", accept.MaxBytes-8)}}, 200},
		{"If-Range", "GET", "/app.css", http.Header{"Range": {"bytes=0-1"}, "If-Range": {flood(`"a",`)}}, 200},
		{"a media type, as long as it may be", "POST", "/x", http.Header{"Content-Type": {flowtest.Form + ";" + strings.Repeat(" ", mostContentType-len(flowtest.Form)-1)}}, 200},
		{"a media type, too long", "POST", "/x", http.Header{"Content-Type": {flowtest.Form + ";" + strings.Repeat(" ", mostContentType-len(flowtest.Form))}}, 415},
		{"a media type that is none", "POST", "/x", http.Header{"Content-Type": {flood("\xff")}}, 415},
		{"parameters of multipart", "POST", "/x", http.Header{"Content-Type": {flowtest.Multipart + flood(";x-a=1")}}, 415},
		{"Content-Encoding", "POST", "/x", http.Header{"Content-Type": {flowtest.Form}, "Content-Encoding": {flood("gzip,")}}, 200},
		{"an origin", "POST", "/x", http.Header{"Content-Type": {flowtest.Form}, "Origin": {flood("*")}}, 403},
		{"Sec-Fetch-Site", "POST", "/x", http.Header{"Content-Type": {flowtest.Form}, "Sec-Fetch-Site": {flood("none,")}}, 403},
		{"a method", "OPTIONS", "/x", http.Header{"Access-Control-Request-Method": {flood("POST,")}}, 204},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			req := flowtest.Sending(tt.method, tt.path, "", "a=1")
			req.Header = tt.header
			req.Header.Set("X-Request-Id", flood("a"))
			w := apptest.Do(r, req)
			is.Equal(w.Code, tt.want)
			is.True(len(w.Header().Get("X-Request-Id")) <= 128)
		})
	}
}

// careful returns a Router whose handlers use what clients send as programs do, and
// return the errors that they get.
func careful(tb testing.TB) *flow.Router {
	tb.Helper()
	r := flow.New(fstest.MapFS{
		"router/bind.http":        {},
		"router/data.http":        {},
		"router/file.http":        {},
		"router/raw.http":         {},
		"router/std.http":         {},
		"router/get.http":         {},
		"router/u/[a].html":       {Data: []byte(`{{request.URL}}{{request.Input "a"}}{{user}}{{request.Param "a"}}`)},
		"router/docs/[...p].http": {},
		"router/static.html":      {Data: []byte("page")},
		"router/+error.html":      {Data: []byte("{{.Status}} {{.Detail}} {{.Path}} {{request.URL}} {{user}}")},
		"public/app.css":          {Data: flowtest.Stylesheet(100)},
	})
	r.MaxBody = 64 << 10
	r.Authenticate = func(req *flow.Request) (any, error) {
		cookie, err := req.Cookie("session")
		if err != nil {
			return nil, nil
		}
		return cookie.Value, nil
	}
	r.Use(flow.RequestID, flow.Logger(slog.New(slog.DiscardHandler)), func(req *flow.Request) flow.Response {
		return flow.Next().Header("X-User", fmt.Sprint(req.User()))
	})
	r.At("bind").ANY().Do(func(req *flow.Request) (flow.Response, error) {
		var dst struct{ A, B string }
		if err := req.Bind(&dst); err != nil {
			return flow.Response{}, err
		}
		return flow.JSON(dst), nil
	})
	r.At("data").ANY().Do(func(req *flow.Request) flow.Response { return flow.Success(req.All(), req.Input("a")) })
	r.At("file").ANY().Do(func(req *flow.Request) (flow.Response, error) {
		file, _, err := req.FormFile("f")
		if err != nil {
			return flow.Response{}, flow.Error(400, "no file", nil)
		}
		defer file.Close()
		text, err := io.ReadAll(file)
		return flow.Bytes("", text), err
	})
	r.At("raw").ANY().Do(func(req *flow.Request) (flow.Response, error) {
		text, err := io.ReadAll(req.Body)
		if err != nil {
			return flow.Response{}, fmt.Errorf("import: %w", err)
		}
		return flow.Bytes("", text), nil
	})
	r.At("std").ANY().Do(func(w http.ResponseWriter, r *http.Request) {
		r.ParseMultipartForm(1)
		text, err := io.ReadAll(r.Body)
		fmt.Fprintln(w, r.FormValue("a"), len(text), err)
	})
	r.At("get").GET().Do(func(req *flow.Request) flow.Response { return flow.Text(req.Input("a")).Header("X-A", req.Input("a")) })
	r.At("docs/[...p]").GET().Do(func(req *flow.Request) string { return req.Param("p") })
	inner, _ := apptest.Lone(func(req *flow.Request) flow.Response { return flow.JSON(req.All()) })
	r.Mount("/in/[org]", inner)
	r.Mount("/files/", http.NotFoundHandler())
	return r
}

// TestClientsCannotFillTheLog: whatever a client sends, an application whose handlers
// have no faults has nothing to warn of.
func TestClientsCannotFillTheLog(t *testing.T) {
	var log apptest.Journal
	records := slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})
	r := careful(t)
	r.Logger = slog.New(records)
	is.New(t).NoErr(r.Check())
	server := httptest.NewUnstartedServer(r)
	server.Config.ErrorLog = slog.NewLogLogger(records, slog.LevelWarn)
	server.Start()
	defer server.Close()

	methods := []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PRI", "get", "M-SEARCH", "!", strings.Repeat("X", 3000)}
	targets := []string{"/bind", "/data", "/file", "/raw", "/std", "/get?a=%0d%0aX:%20y", "/u/x", "/u/%00", "/u/%ff%2F..", "/u/%2e%2e", "/docs/a//b/../c", "/static", "/app.css", "/none",
		"/in/acme/x", "/in//x", "/in/%2e/x", "/files", "/files/", "*", "//evil", "/\\evil", "/%", "/%zz", "/a\x80b", "http://other/get?a=%zz", "http://[::1", "evil:443", "/get?;;a=%&&=&a;b", "/get?" + strings.Repeat("a=1&", 2000), "/" + strings.Repeat("a/", 3000), "/get#x?y", "?", ""}
	headers := []string{"", "Cookie: session=\x01; ;=;a=\"; session", "Cookie: " + strings.Repeat("session=a;", 3000), "Accept: text/html;q=x,,", "Accept: text/html", "Accept-Encoding: *;q=0", "Range: bytes=-", "Range: bytes=5-2,9999999-",
		"If-Match: \"", "If-None-Match: W/", "If-Range: x\r\nRange: bytes=0-1,0-2", "Origin: null", "Origin: http://%zz", "Sec-Fetch-Site: cross-site", "Expect: x", "Expect: 100-continue", "Upgrade: websocket\r\nConnection: upgrade",
		"X-Request-Id: a\"b\\", "Trailer: Content-Length, X", "Te: trailers", "Content-Type: " + strings.Repeat("\xff", 2000), "Content-Encoding: gzip", "X-Forwarded-For: \x7f", "Host: b", "Access-Control-Request-Method: \x7f\r\nOrigin: x", "a b: c", ": c", "X\xff: c"}
	bodies := []string{"",
		"Content-Length: 5\r\n\r\nx", "Content-Length: 1\r\n\r\nxyz", "Content-Length: 99999999\r\n\r\nx", "Content-Length: -1\r\n\r\n", "Content-Length: 3\r\n\r\n\xff\x00=",
		"Transfer-Encoding: chunked\r\n\r\n5\r\nx", "Transfer-Encoding: chunked\r\n\r\ng\r\n", "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\nContent-Length: 9\r\n\r\n",
		"Transfer-Encoding: gzip\r\n\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 7\r\n\r\n0\r\n\r\n"}
	texts := map[string][]string{
		flowtest.JSON:                      {`{`, `{"a":`, `[]`, `null`, `{"N":"x","T":1e999}`, `{"a":"` + "\xff" + `"}`, strings.Repeat("[", 20_000), `{"a":1,"a":{"b":[1e400]}}`, "\xef\xbb\xbf{}", strings.Repeat(" ", 70_000)},
		flowtest.Form:                      {"a=%zz", "a;b", "=&=&", strings.Repeat("a&", 2000), "N=x&N=y&T=z&F=NaN", "a=\x00\xff", strings.Repeat("a", 70_000)},
		flowtest.Multipart:                 {"", "--b", "--b--", "--b\r\n\r\n", flowtest.Parts("a=1")[:40], flowtest.Parts("a=1", "f@x"), strings.Repeat("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n", 1001) + "--b--", "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"../../x\x00\"\r\n\r\nx\r\n--b--", "--b\r\n" + strings.Repeat("X: y\r\n", 8000) + "\r\n\r\n--b--"},
		"multipart/form-data; boundary=":   {"x"},
		"multipart/form-data; boundary=\"": {"x"},
		"multipart/mixed; boundary=b":      {flowtest.Parts("a=1")},
		"text/plain":                       {"x", strings.Repeat("x", 70_000)},
	}
	for _, mediaType := range slices.Sorted(maps.Keys(texts)) {
		for _, text := range texts[mediaType] {
			head := "Content-Type: " + mediaType + "\r\n"
			bodies = append(bodies, fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(text), text), fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(text)+10, text),
				fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", head, len(text), text), fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", head, len(text), text))
		}
	}
	var requests [][2]string // target and text
	add := func(method, target, header, body string) {
		if header != "" {
			header += "\r\n"
		}
		if body == "" {
			body = "\r\n"
		}
		requests = append(requests, [2]string{target, method + " " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + header + body})
	}
	for _, target := range targets {
		for _, method := range methods {
			add(method, target, "", "")
		}
		for _, header := range headers {
			add("GET", target, header, "")
			add("POST", target, header, "Content-Type: "+flowtest.Form+"\r\nContent-Length: 3\r\n\r\na=1")
		}
	}
	for _, target := range []string{"/bind", "/data", "/file", "/raw", "/std", "/get", "/in/acme/x", "/files/x", "/none", "/app.css"} {
		for _, body := range bodies {
			add("POST", target, "", body)
			add("GET", target, "", body)
		}
	}
	const clients = 32 // which wait for the server to close most of the time
	together(clients, func(client int) {
		for i := client; i < len(requests); i += clients {
			target, text := requests[i][0], requests[i][1]
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			conn.SetDeadline(time.Now().Add(servertest.Patience))
			io.WriteString(conn, text) // a server may answer and close before it has read all
			conn.(*net.TCPConn).CloseWrite()
			answer, _ := io.ReadAll(conn)
			conn.Close()
			if status, _, _ := strings.Cut(string(answer), "\r\n"); strings.Contains(status, " 500 ") && target != "/raw" {
				t.Errorf("%.300q: %s", text, status)
			}
		}
	})
	if text := log.String(); text != "" {
		t.Errorf("%d records: %.2000s", strings.Count(text, "\n"), text)
	}
}
