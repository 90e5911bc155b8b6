package flow

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestHandlerStatus(t *testing.T) {
	for _, tt := range []struct {
		name string
		h    http.HandlerFunc
		want string
	}{
		{"Write", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("x")) }, "404 x"},
		{"WriteString", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") }, "404 x"},
		{"ReadFrom", func(w http.ResponseWriter, _ *http.Request) { io.Copy(w, onlyReader{strings.NewReader("x")}) }, "404 x"},
		{"Flush", func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush() }, "404 "},
		{"ResponseController", func(w http.ResponseWriter, _ *http.Request) { http.NewResponseController(w).Flush() }, "404 "},
		{"WriteHeader 200", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) }, "404 "},
		{"WriteHeader 500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "500 "},
		{"early hints", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); io.WriteString(w, "x") }, "404 x"},
		{"a header of its own", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("A", "handler")
			io.WriteString(w, w.Header().Get("B"))
		}, "404 response"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r, log := lone(func(*Request) Response {
				return Handler(tt.h).Status(404).Header("A", "response").Header("B", "response")
			})
			server := httptest.NewServer(r)
			defer server.Close()
			resp, err := http.Get(server.URL + "/x")
			is.NoErr(err)
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			is.NoErr(err)
			is.Equal(fmt.Sprint(resp.StatusCode, " ", string(b)), tt.want)
			is.Equal(resp.Header.Get("B"), "response")
			is.Equal(log.String(), "")
		})
	}
}

// onlyReader hides WriterTo, which io.Copy would ask first.
type onlyReader struct{ io.Reader }

// ways are the ways to a net/http handler, other than none at all.
func ways(h http.HandlerFunc) map[string]*Router {
	std, _ := lone(h)
	answered, _ := lone(func(*Request) Response { return Handler(h) })
	wrapped, _ := lone(h, before(func(*http.Request) {}), pass, before(func(*http.Request) {}))
	guard, _ := lone(hello, func(*Request) Response { return Handler(h) })
	return map[string]*Router{"handler": std, "Handler": answered, "wrapped": wrapped, "guard": guard}
}

func TestStreams(t *testing.T) {
	gate := make(chan bool)
	for name, r := range ways(func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			if err := http.NewResponseController(w).Flush(); err != nil {
				panic(err)
			}
			<-gate // until the client has it
		}
	}) {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			server := httptest.NewServer(r)
			defer server.Close()
			resp, err := http.Get(server.URL + "/x")
			is.NoErr(err)
			defer resp.Body.Close()
			lines := bufio.NewScanner(resp.Body)
			for i := range 3 {
				is.True(lines.Scan())
				is.Equal(lines.Text(), fmt.Sprintf("data: %d", i))
				is.True(lines.Scan())
				gate <- true
			}
			is.True(!lines.Scan())
			is.NoErr(lines.Err())
		})
	}
}

func TestWriterOffersWhatTheServersDoes(t *testing.T) {
	for name, r := range ways(func(w http.ResponseWriter, r *http.Request) {
		_, flusher := w.(http.Flusher)
		_, hijacker := w.(http.Hijacker)
		_, readerFrom := w.(io.ReaderFrom)
		c := http.NewResponseController(w)
		fmt.Fprint(w, flusher, hijacker, readerFrom, c.EnableFullDuplex(), c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}))
	}) {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", http2), func(t *testing.T) {
				is := is.New(t)
				server := httptest.NewUnstartedServer(r)
				server.EnableHTTP2 = http2
				server.StartTLS()
				defer server.Close()
				resp, err := server.Client().Get(server.URL + "/x")
				is.NoErr(err)
				defer resp.Body.Close()
				b, err := io.ReadAll(resp.Body)
				is.NoErr(err)
				is.Equal(string(b), fmt.Sprint(true, !http2, true, nil, nil, nil))
			})
		}
	}
}

func TestHijack(t *testing.T) {
	takes := map[string]func(w http.ResponseWriter) (io.ReadWriteCloser, error){
		"Hijacker": func(w http.ResponseWriter) (io.ReadWriteCloser, error) {
			conn, _, err := w.(http.Hijacker).Hijack()
			return conn, err
		},
		"ResponseController": func(w http.ResponseWriter) (io.ReadWriteCloser, error) {
			conn, _, err := http.NewResponseController(w).Hijack()
			return conn, err
		},
	}
	for how, take := range takes {
		for name, r := range ways(func(w http.ResponseWriter, r *http.Request) {
			conn, err := take(w)
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 299 Mine\r\nContent-Length: 0\r\n\r\n")
			From(r.Context()).Input("a") // which fails, and comes too late
		}) {
			t.Run(how+"/"+name, func(t *testing.T) {
				is := is.New(t)
				server := httptest.NewServer(r)
				var serverLog bytes.Buffer
				server.Config.ErrorLog = log.New(&serverLog, "", 0)
				resp, err := http.Get(server.URL + "/x")
				is.NoErr(err)
				resp.Body.Close()
				is.Equal(resp.StatusCode, 299)
				server.Close()
				is.Equal(serverLog.String(), "") // nothing was written to the hijacked connection
			})
		}
	}
}

func TestPanicAfterTheFirstByteAborts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		begin  func(w http.ResponseWriter)
		status int // 0 if nothing arrives
	}{
		{"Write", func(w http.ResponseWriter) { w.Write([]byte("x")) }, 0},
		{"flushed", func(w http.ResponseWriter) { w.Write([]byte("x")); w.(http.Flusher).Flush() }, 200},
		{"WriteHeader", func(w http.ResponseWriter) { w.WriteHeader(201) }, 0},
		{"Flush alone", func(w http.ResponseWriter) { w.(http.Flusher).Flush() }, 200},
		{"ReadFrom", func(w http.ResponseWriter) { w.(io.ReaderFrom).ReadFrom(strings.NewReader("x")) }, 0},
		{"early hints only", func(w http.ResponseWriter) { w.WriteHeader(103) }, 500},
		{"headers only", func(w http.ResponseWriter) { w.Header().Set("Content-Length", "5") }, 500},
	} {
		for name, r := range ways(func(w http.ResponseWriter, _ *http.Request) {
			tt.begin(w)
			panic("secret")
		}) {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				is := is.New(t)
				log := logged(r)
				server := httptest.NewServer(r)
				resp, err := http.Get(server.URL + "/x")
				if tt.status == 0 {
					is.True(err != nil) // an answer that was cut off looked whole
				} else {
					is.NoErr(err)
					is.Equal(resp.StatusCode, tt.status)
					b, err := io.ReadAll(resp.Body)
					is.Equal(err == nil, tt.status == 500) // as above
					is.True(!strings.Contains(string(b), "secret"))
					resp.Body.Close()
				}
				server.Close()
				is.Equal(strings.Count(log.String(), "\n"), 1)
				is.True(strings.Contains(log.String(), "secret"))
			})
		}
	}
}
