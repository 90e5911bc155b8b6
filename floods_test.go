package flow

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
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
func headersRead(r *Router) []flooded {
	css := r.table.Load().assets["app.css"].content
	tag := css.forms[codingIdentity].etag[0]
	return []flooded{
		{"GET", "/none", "Accept", "text/html", "404 text/html; charset=utf-8", "404 application/problem+json"},
		{"GET", "/app.css", "Accept-Encoding", "gzip", "200 text/css; charset=utf-8 gzip", "200 text/css; charset=utf-8"},
		{"GET", "/app.css", "If-None-Match", tag, "304", "200 text/css; charset=utf-8"},
		{"GET", "/app.css", "If-Match", tag, "200 text/css; charset=utf-8", "412 text/plain; charset=utf-8"},
		{"GET", "/page", "Accept-Encoding", "gzip", "200 text/html; charset=utf-8 gzip", "200 text/html; charset=utf-8"},
	}
}

// floodable returns a Router that reads all headers that flow reads.
func floodable(tb testing.TB) *Router {
	tb.Helper()
	r := New(fstest.MapFS{
		"router/x.http":    {},
		"router/page.html": {Data: []byte(strings.Repeat("page ", 1000))},
		"public/app.css":   {Data: stylesheet(1000)},
	})
	r.Use(RequestID)
	r.At("x").POST().Do(func(req *Request) (string, error) {
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
func (f flooded) ask(r *Router, lines ...string) string {
	req := httptest.NewRequest(f.method, f.path, nil)
	req.Header[f.header] = lines
	w := do(r, req)
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
			many := slices.Repeat([]string{strings.TrimSuffix(flood, ",")}, max(n, maxItems))
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
			is.Equal(f.ask(r, strings.Repeat(",", maxItems-1)+f.value), f.with)
			is.Equal(f.ask(r, strings.Repeat(",", maxItems)+f.value), f.without)
			most := strings.Repeat(" ", maxListBytes-len(f.value)-1)
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
		{"a range, as long as it may be", "GET", "/app.css", http.Header{"Range": {"bytes=0-1" + strings.Repeat(" ", maxListBytes-9)}}, 206},
		{"a range, too long", "GET", "/app.css", http.Header{"Range": {"bytes=0-1" + strings.Repeat(" ", maxListBytes-8)}}, 200},
		{"If-Range", "GET", "/app.css", http.Header{"Range": {"bytes=0-1"}, "If-Range": {flood(`"a",`)}}, 200},
		{"a media type, as long as it may be", "POST", "/x", http.Header{"Content-Type": {formType + ";" + strings.Repeat(" ", mostContentType-len(formType)-1)}}, 200},
		{"a media type, too long", "POST", "/x", http.Header{"Content-Type": {formType + ";" + strings.Repeat(" ", mostContentType-len(formType))}}, 415},
		{"a media type that is none", "POST", "/x", http.Header{"Content-Type": {flood("\xff")}}, 415},
		{"parameters of multipart", "POST", "/x", http.Header{"Content-Type": {multiMedia + flood(";x-a=1")}}, 415},
		{"Content-Encoding", "POST", "/x", http.Header{"Content-Type": {formType}, "Content-Encoding": {flood("gzip,")}}, 200},
		{"an origin", "POST", "/x", http.Header{"Content-Type": {formType}, "Origin": {flood("*")}}, 403},
		{"Sec-Fetch-Site", "POST", "/x", http.Header{"Content-Type": {formType}, "Sec-Fetch-Site": {flood("none,")}}, 403},
		{"a method", "OPTIONS", "/x", http.Header{"Access-Control-Request-Method": {flood("POST,")}}, 204},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			req := sending(tt.method, tt.path, "", "a=1")
			req.Header = tt.header
			req.Header.Set(requestIDHeader, flood("a"))
			w := do(r, req)
			is.Equal(w.Code, tt.want)
			is.True(len(w.Header().Get(requestIDHeader)) <= maxRequestID)
		})
	}
}

// BenchmarkHeaderFloods shows what 64 KB of a header cost.
func BenchmarkHeaderFloods(b *testing.B) {
	r := floodable(b)
	rows := append(headersRead(r),
		flooded{method: "GET", path: "/app.css", header: "Range", value: "bytes=0-0"},
		flooded{method: "POST", path: "/x", header: "Content-Type", value: multiMedia + ";x-a=1"},
	)
	for _, f := range rows {
		for _, flood := range []string{",", ";", "*/*,", "0-0,", ";x-a=1", "\xff"} {
			b.Run(fmt.Sprintf("%s of %s/%q", f.header, f.path, flood), func(b *testing.B) {
				req := httptest.NewRequest(f.method, f.path, strings.NewReader("x"))
				req.Header[f.header] = []string{f.value + strings.Repeat(flood, floodSize/len(flood))}
				body := req.Body
				for b.Loop() {
					req.Body = body // which is not read again: the header says what it is
					do(r, req)
				}
			})
		}
	}
}
