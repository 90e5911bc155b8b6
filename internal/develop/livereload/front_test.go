package livereload_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/develop/livereload"
)

func TestIsLocal(t *testing.T) {
	for _, tt := range []struct {
		from, host, header string
		want               bool
	}{
		{"127.0.0.1:5", "localhost:8080", "", true},
		{"127.0.0.1:5", "localhost", "", true},
		{"127.0.0.1:5", "LOCALHOST.:80", "", true},
		{"[::1]:5", "app.localhost:8080", "", true},
		{"127.0.0.9:5", "127.0.0.1:8080", "", true},
		{"[::1]:5", "[::1]:8080", "", true},
		{"[::1]:5", "[::1]", "", true},
		{"[::ffff:127.0.0.1]:5", "localhost", "", true},
		{"192.0.2.1:5", "localhost", "", false},
		{"[2001:db8::1]:5", "localhost", "", false},
		{"@", "localhost", "", false}, // a Unix socket: a proxy
		{"", "localhost", "", false},
		{"127.0.0.1:5", "example.com", "", false}, // DNS rebinding
		{"127.0.0.1:5", "localhost.example.com", "", false},
		{"127.0.0.1:5", "notlocalhost", "", false},
		{"127.0.0.1:5", "127.0.0.1.example.com", "", false},
		{"127.0.0.1:5", "192.0.2.1:80", "", false},
		{"127.0.0.1:5", "0.0.0.0", "", false},
		{"127.0.0.1:5", "", "", false},
		{"127.0.0.1:5", "localhost", "Forwarded:", false},
		{"127.0.0.1:5", "localhost", "X-Forwarded-For:", false},
		{"127.0.0.1:5", "localhost", "X-Forwarded-Proto: https", false},
		{"127.0.0.1:5", "localhost", "Via:", false},
		{"127.0.0.1:5", "localhost", "Origin: https://example.com", false}, // its script
		{"127.0.0.1:5", "localhost", "Origin: https://example.com\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: cors", false},
		{"127.0.0.1:5", "localhost", "Origin: https://localhost.example.com", false},
		{"127.0.0.1:5", "localhost", "Origin: null", false},
		{"127.0.0.1:5", "localhost", "Origin: null\nSec-Fetch-Site: same-origin", true},                                         // a page without referrers
		{"127.0.0.1:5", "localhost", "Origin: https://example.com\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate", true}, // its form
		{"127.0.0.1:5", "localhost", "Origin: http://localhost:5173\nSec-Fetch-Site: same-site", true},
	} {
		t.Run(tt.from+" "+tt.host+" "+tt.header, func(t *testing.T) {
			is := is.New(t)
			r := &http.Request{RemoteAddr: tt.from, Host: tt.host, Header: http.Header{}, ProtoMajor: 1, ProtoMinor: 1}
			for line := range strings.Lines(tt.header) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
				r.Header.Set(name, strings.TrimSpace(value))
			}
			is.Equal(livereload.IsLocal(r), tt.want)
			r.ProtoMinor = 0 // as nginx asks
			is.True(!livereload.IsLocal(r))
		})
	}
}

// front serves next with a Front before it.
func front(t *testing.T, f *livereload.Front, next http.HandlerFunc) *httptest.Server {
	t.Helper()
	if f.Hub == nil {
		f.Hub = livereload.NewHub()
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.ServeHTTP(w, r, next) }))
	t.Cleanup(s.Close)
	return s
}

// fetch asks with header fields, "Name: value", one per line, and returns the answer with its body.
func fetch(t *testing.T, s *httptest.Server, method, path, header string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		r.Header.Add(name, value)
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		b = append(b, "!"+err.Error()...)
	}
	return resp, string(b)
}

var tag = regexp.MustCompile(`^(.*)<script src="/_flow/reload\.js" data-state="\w+\.\d+\.\d+\.\d+"( data-post)?(?: nonce="([^"]*)")? defer></script>\n(!.*)?$`)

const navigation = "Sec-Fetch-Dest: document"

// TestPages gets the script at the end of pages, and of nothing else.
func TestPages(t *testing.T) {
	const html = "text/html; charset=utf-8"
	answer := func(status int, contentType, body string, more ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for i := 0; i < len(more); i += 2 {
				w.Header().Set(more[i], more[i+1])
			}
			if contentType != "" {
				w.Header().Set("Content-Type", contentType)
			}
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	page := answer(200, html, "<p>page")
	pieces := func(status int, all ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if status != 0 {
				w.WriteHeader(status)
			}
			for _, piece := range all {
				io.WriteString(w, piece)
			}
		}
	}
	long := strings.Repeat("long ", 500)
	for _, tt := range []struct {
		name, method, header string
		handler              http.HandlerFunc
		status               int
		isPage               bool
		body                 string
	}{
		{"a navigation", "GET", navigation, page, 200, true, "<p>page"},
		{"into a frame", "GET", "Sec-Fetch-Dest: iframe", page, 200, true, "<p>page"},
		{"an error page", "GET", navigation, answer(404, html, "none"), 404, true, "none"},
		{"a fault", "GET", navigation, answer(500, html, "fault"), 500, true, "fault"},
		{"of an old browser", "GET", "Accept: text/html,*/*;q=0.8", page, 200, true, "<p>page"},
		{"HTML in capitals", "GET", navigation, answer(200, "Text/HTML", "x"), 200, true, "x"},
		{"with a length", "GET", navigation, answer(200, html, "four", "Content-Length", "4"), 200, true, "four"},
		{"without a type", "GET", navigation, answer(200, "", "<!doctype html>"), 200, true, "<!doctype html>"},
		{"an empty page", "GET", navigation, answer(200, html, ""), 200, true, ""},
		{"without a header", "GET", navigation, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>") }, 200, true, "<html>"},
		{"without a type, in pieces", "GET", navigation, pieces(0, " ", "<", "!doctype html>"), 200, true, " <!doctype html>"},
		{"in many pieces", "GET", navigation, pieces(404, " ", "<html>", long, long), 404, true, " <html>" + long + long},
		{"a type that comes late", "GET", navigation, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "<html>")
		}, 200, true, "<html>"},
		{"a file", "GET", navigation, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, fstest.MapFS{"a.html": {Data: []byte("file")}}, "a.html")
		}, 200, true, "file"},
		{"a part of a file", "GET", navigation + "\nRange: bytes=0-1", func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, fstest.MapFS{"a.html": {Data: []byte("file")}}, "a.html")
		}, 206, false, "fi"},
		{"if it has changed", "GET", navigation + "\nIf-None-Match: \"1\"", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"1"`)
			http.ServeFileFS(w, r, fstest.MapFS{"a.html": {Data: []byte("file")}}, "a.html")
		}, 200, true, "file"},

		{"text in pieces", "GET", navigation, pieces(0, "a", "<html>"), 200, false, "a<html>"},
		{"bytes in pieces", "GET", navigation, pieces(200, "GIF", "89a", long), 200, false, "GIF89a" + long},
		{"a piece with a length", "GET", navigation, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "4")
			pieces(0, "a", "bcd", "e")(w, r)
		}, 200, false, "abcd"},
		{"a header that comes late", "GET", navigation, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(404)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Late", "1")
			io.WriteString(w, "{}")
			w.WriteHeader(500)
		}, 404, false, "{}"},
		{"a body that is not allowed", "GET", navigation, pieces(204, "x"), 204, false, ""},
		{"a trailer", "GET", navigation, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			io.WriteString(w, "text")
			w.Header().Set("X-Sum", "1")
		}, 200, false, "text"},
		{"cut off early", "GET", navigation, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "little")
			w.(http.Flusher).Flush()
			io.WriteString(w, "more")
			panic(http.ErrAbortHandler)
		}, 200, false, "little!unexpected EOF"},

		{"a fetch", "GET", "Sec-Fetch-Dest: empty\nAccept: text/html", page, 200, false, "<p>page"},
		{"htmx", "GET", "HX-Request: true\nAccept: text/html", page, 200, false, "<p>page"},
		{"jQuery", "GET", "X-Requested-With: XMLHttpRequest\nAccept: text/html", page, 200, false, "<p>page"},
		{"curl", "GET", "Accept: */*", page, 200, false, "<p>page"},
		{"HEAD", "HEAD", navigation, answer(200, html, "", "Content-Length", "4"), 200, false, ""},
		{"PUT", "PUT", navigation, page, 200, false, "<p>page"},
		{"JSON", "GET", navigation, answer(200, "application/json", "{}"), 200, false, "{}"},
		{"text", "GET", navigation, answer(200, "", "plain"), 200, false, "plain"},
		{"XML", "GET", navigation, answer(200, "application/xhtml+xml", "<p/>"), 200, false, "<p/>"},
		{"compressed", "GET", navigation, answer(200, html, "\x1f\x8b", "Content-Encoding", "gzip"), 200, false, "\x1f\x8b"},
		{"a download", "GET", navigation, answer(200, html, "x", "Content-Disposition", "attachment; filename=a.html"), 200, false, "x"},
		{"nothing", "GET", navigation, answer(204, "", ""), 204, false, ""},
		{"not changed", "GET", navigation, answer(304, html, ""), 304, false, ""},
		{"a status alone", "GET", navigation, answer(200, "", ""), 200, false, ""},
		{"no answer", "GET", navigation, func(http.ResponseWriter, *http.Request) {}, 200, false, ""},
		{"a part", "GET", navigation, answer(206, html, "pa", "Content-Range", "bytes 0-1/4"), 206, false, "pa"},
		{"shorter than it says", "GET", navigation, answer(200, html, "four", "Content-Length", "9"), 200, false, "four!unexpected EOF"},
		{"longer than it says", "GET", navigation, answer(200, html, "four", "Content-Length", "3"), 200, false, "!unexpected EOF"},
		{"cut off", "GET", navigation, func(w http.ResponseWriter, r *http.Request) {
			answer(200, html, "half")(w, r)
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, 200, false, "half!unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			s := front(t, &livereload.Front{}, tt.handler)
			resp, body := fetch(t, s, tt.method, "/", tt.header)
			is.Equal(resp.StatusCode, tt.status)
			m := tag.FindStringSubmatch(body)
			is.Equal(m != nil, tt.isPage)
			if m != nil {
				body = m[1]
				is.Equal(resp.Header.Get("Etag"), "")
			}
			is.Equal(body, tt.body)
			if !tt.isPage && !strings.Contains(body, "!") { // the same without the front
				plain := httptest.NewServer(tt.handler)
				defer plain.Close()
				want, wantBody := fetch(t, plain, tt.method, "/", tt.header)
				want.Header.Del("Date")
				resp.Header.Del("Date")
				is.Equal(resp.Header, want.Header)
				is.Equal(resp.Trailer, want.Trailer)
				is.Equal(body, wantBody)
			}
		})
	}
}

func TestPageThatAnswersAForm(t *testing.T) {
	is := is.New(t)
	s := front(t, &livereload.Front{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "ok")
	})
	_, body := fetch(t, s, "POST", "/", navigation)
	is.Equal(tag.FindStringSubmatch(body)[2], " data-post")
}

// TestPagesAreNotCompressed hides what a client accepts from middleware, and nothing else
// of the request; requests of scripts keep it.
func TestPagesAreNotCompressed(t *testing.T) {
	is := is.New(t)
	s := front(t, &livereload.Front{}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Accept-Encoding"), "|", r.Header.Get("Accept-Language"))
	})
	_, body := fetch(t, s, "GET", "/", navigation+"\nAccept-Encoding: gzip\nAccept-Language: de")
	is.Equal(body, "|de")
	_, body = fetch(t, s, "GET", "/", "Accept-Encoding: gzip")
	is.Equal(body, "gzip|")
}

// TestStreamedPages come piece by piece, as they do without the script.
func TestStreamedPages(t *testing.T) {
	is := is.New(t)
	next := make(chan bool)
	s := front(t, &livereload.Front{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "one")
		w.(http.Flusher).Flush()
		<-next
		io.Copy(w, strings.NewReader("two"))
		is.NoErr(http.NewResponseController(w).Flush())
		<-next
	})
	r, err := http.NewRequest("GET", s.URL, nil)
	is.NoErr(err)
	r.Header.Set("Sec-Fetch-Dest", "document")
	resp, err := http.DefaultClient.Do(r)
	is.NoErr(err)
	defer resp.Body.Close()
	piece := make([]byte, 3)
	_, err = io.ReadFull(resp.Body, piece)
	is.NoErr(err)
	is.Equal(string(piece), "one") // while the handler waits
	next <- true
	_, err = io.ReadFull(resp.Body, piece)
	is.NoErr(err)
	is.Equal(string(piece), "two")
	next <- true
	rest, err := io.ReadAll(resp.Body)
	is.NoErr(err)
	is.True(tag.Match(rest))
}

func TestHijacking(t *testing.T) {
	is := is.New(t)
	s := front(t, &livereload.Front{}, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		is.NoErr(err)
		defer conn.Close()
		rw.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\nmine")
		rw.Flush()
	})
	for _, header := range []string{navigation, ""} {
		_, body := fetch(t, s, "GET", "/", header)
		is.Equal(body, "mine")
	}
	direct := front(t, &livereload.Front{}, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack() // as libraries for web sockets do
		is.NoErr(err)
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nmine")
	})
	for _, header := range []string{"Sec-Fetch-Dest: websocket", navigation} {
		_, body := fetch(t, direct, "GET", "/", header)
		is.Equal(body, "mine")
	}
}

// TestLateHandlers: a handler may still run when middleware has answered for it.
func TestLateHandlers(t *testing.T) {
	is := is.New(t)
	f, note := &livereload.Front{}, make(chan *livereload.Note, 1)
	late := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		n := livereload.NoteOf(r.Context())
		n.SetFaults([]devpage.Fault{{Text: "too late"}})
		note <- n
	}), time.Millisecond, "<html>slow")
	s := front(t, f, late.ServeHTTP)
	resp, body := fetch(t, s, "GET", "/", "")
	is.Equal(resp.StatusCode, 503)
	is.Equal(body, "<html>slow")
	is.Equal((<-note).Faults()[0].Text, "too late")
}

// TestPatternReachesOutside: middleware around the application reads it from its request.
func TestPatternReachesOutside(t *testing.T) {
	is := is.New(t)
	f := &livereload.Front{Hub: livereload.NewHub()}
	r := httptest.NewRequest("GET", "/a", nil)
	f.ServeHTTP(httptest.NewRecorder(), r, func(w http.ResponseWriter, r *http.Request) { r.Pattern = "GET /{x}" })
	is.Equal(r.Pattern, "GET /{x}")
}

func TestPolicies(t *testing.T) {
	const script, events = "ORIGIN/_flow/reload.js", "ORIGIN/_flow/events"
	for _, tt := range []struct{ name, before, after, nonce string }{
		{"none", "", "", ""},
		{"of others", "img-src 'none'", "img-src 'none'", ""},
		{"self", "default-src 'self'", "default-src 'self'", ""},
		{"a nonce", "script-src 'nonce-abc'", "script-src 'nonce-abc'", "abc"},
		{"in default-src", "default-src 'self' 'nonce-a+/b=='", "default-src 'self' 'nonce-a+/b=='", "a+/b=="},
		{"the most specific", "default-src 'nonce-a'; script-src 'nonce-b'; script-src-elem 'nonce-c'; connect-src *",
			"default-src 'nonce-a'; script-src 'nonce-b'; script-src-elem 'nonce-c'; connect-src *", "c"},
		{"strict", "default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'",
			"default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; connect-src " + events, "abc"},
		{"nothing is allowed", "default-src 'none'", "default-src 'none'; script-src " + script + "; connect-src " + events, ""},
		{"only others", "script-src https://cdn.example; connect-src 'none'", "script-src https://cdn.example " + script + "; connect-src " + events, ""},
		{"inline scripts stay allowed", "script-src 'unsafe-inline'", "script-src 'unsafe-inline' " + script, ""},
		{"the first of two counts", "script-src 'self'; script-src 'none'", "script-src 'self'; script-src 'none'", ""},
		{"several", "script-src 'nonce-a'\nscript-src 'nonce-b'", "script-src 'nonce-a'\nscript-src 'nonce-b' " + script, "a"},
		{"several in one", "script-src 'nonce-a', connect-src 'none',", "script-src 'nonce-a'\nconnect-src " + events, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, key := range []string{"Content-Security-Policy", "Content-Security-Policy-Report-Only"} {
				is := is.New(t)
				s := front(t, &livereload.Front{}, func(w http.ResponseWriter, r *http.Request) {
					for line := range strings.Lines(tt.before) {
						w.Header().Add(key, strings.TrimSpace(line))
					}
					w.Header().Set("Content-Type", "text/html")
				})
				resp, body := fetch(t, s, "GET", "/", navigation)
				is.Equal(strings.ReplaceAll(strings.Join(resp.Header[key], "\n"), s.URL, "ORIGIN"), tt.after)
				m := tag.FindStringSubmatch(body)
				is.True(m != nil)
				is.Equal(m[3], tt.nonce)
			}
		})
	}
}

// TestPolicyWithoutANonce that lets scripts load others gets a nonce of its own.
func TestPolicyWithoutANonce(t *testing.T) {
	is := is.New(t)
	s := front(t, &livereload.Front{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "script-src 'sha256-x' 'strict-dynamic'")
		w.Header().Set("Content-Type", "text/html")
	})
	resp, body := fetch(t, s, "GET", "/", navigation)
	nonce := tag.FindStringSubmatch(body)[3]
	is.True(len(nonce) > 20)
	is.Equal(resp.Header.Get("Content-Security-Policy"), "script-src 'sha256-x' 'strict-dynamic' 'nonce-"+nonce+"'")
}

func TestOwnURLs(t *testing.T) {
	f := &livereload.Front{Map: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "map "+r.URL.RawQuery) })}
	s := front(t, f, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "the application") })
	for _, tt := range []struct {
		method, path string
		status       int
		contentType  string
		want         string
	}{
		{"GET", "/_flow", 200, "text/plain; charset=utf-8", "map "},
		{"GET", "/_flow?path=/a", 200, "text/plain; charset=utf-8", "map path=/a"},
		{"GET", "/_flow/reload.js", 200, "text/javascript; charset=utf-8", "EventSource"},
		{"HEAD", "/_flow/reload.js", 200, "text/javascript; charset=utf-8", ""},
		{"HEAD", "/_flow/events", 200, "text/event-stream", ""},
		{"GET", "/_flow/other", 404, "text/plain; charset=utf-8", "404 page not found"},
		{"POST", "/_flow", 405, "text/plain; charset=utf-8", "Method Not Allowed"},
		{"GET", "/_flows", 200, "text/plain; charset=utf-8", "the application"},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			is := is.New(t)
			resp, body := fetch(t, s, tt.method, tt.path, "")
			is.Equal(resp.StatusCode, tt.status)
			is.Equal(resp.Header.Get("Content-Type"), tt.contentType)
			is.Equal(resp.Header.Get("Cross-Origin-Resource-Policy") == "same-origin", tt.path != "/_flows")
			is.True(strings.Contains(body, tt.want))
		})
	}
	is := is.New(t)
	is.Equal(len(f.Requests.Last()), 1) // those of flow itself are not among them
	f.Map = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<!doctype html>map") })
	_, page := fetch(t, s, "GET", "/_flow", navigation)
	is.True(tag.MatchString(page)) // the map is loaded again, too
	_, text := fetch(t, s, "GET", "/_flow/reload.js", "")
	is.True(!strings.Contains(text, `"STYLE"`)) // the style sheet is in its place
}

// A stream is an event stream that is read line by line.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
}

// state is what an event says.
type state struct {
	Process       string
	Pages, Styles int
	Headline      string
	Excerpts      []devpage.Excerpt
	Notes         []devpage.Excerpt
}

func (s state) String() string {
	text := fmt.Sprint(s.Pages, " ", s.Styles)
	for _, e := range s.Excerpts {
		for _, f := range e.Faults {
			text += " " + f.Text
		}
	}
	for _, e := range s.Notes {
		for _, f := range e.Faults {
			text += " (" + f.Text + ")"
		}
	}
	return text
}

func listen(t *testing.T, s *httptest.Server) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/_flow/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return &stream{t, bufio.NewScanner(resp.Body)}
}

// next returns the next event.
func (s *stream) next() (e state) {
	s.t.Helper()
	for s.lines.Scan() {
		if data, ok := bytes.CutPrefix(s.lines.Bytes(), []byte("data: ")); ok {
			if err := json.Unmarshal(data, &e); err != nil {
				s.t.Fatal(err)
			}
			return e
		}
	}
	s.t.Fatal("the stream has ended", s.lines.Err())
	return e
}

func save(t *testing.T, dir, file, text string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestEvents changes files and tells of faults, with the Hub looking by itself or told.
func TestEvents(t *testing.T) {
	for _, told := range []bool{false, true} {
		t.Run(fmt.Sprint("told ", told), func(t *testing.T) {
			is := is.New(t)
			dir := t.TempDir()
			save(t, dir, "router/a.html", "a")
			save(t, dir, "public/a.css", "a")
			hub := livereload.NewHub(disk.NewWatcher(disk.Dir(dir), "router", "public"))
			hub.SetPolling(!told)
			s := front(t, &livereload.Front{Hub: hub}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
			})
			events := listen(t, s)
			first := events.next()
			is.Equal(first.String(), "0 0")
			for _, step := range []struct {
				change func()
				want   string
			}{
				{func() { save(t, dir, "router/a.html", "changed") }, "1 0"},
				{func() { save(t, dir, "public/a.css", "changed") }, "1 1"},
				{func() { save(t, dir, "public/new.css", "new") }, "1 2"},
				{func() { save(t, dir, "public/a.js", "new") }, "2 2"},
				{func() { os.Rename(filepath.Join(dir, "router/a.html"), filepath.Join(dir, "router/b.html")) }, "3 2"},
				{func() { os.Remove(filepath.Join(dir, "router/b.html")) }, "4 2"},
				{func() { hub.SetFaults(devpage.Parse("x.go:1: no")) }, "4 2 no"},
				{func() { save(t, dir, "router/new/c.html", "c") }, "5 2 no"},
				{func() { hub.SetTemplateFaults(devpage.Parse("a.html:1: bad\nx.go:1: no"), nil) }, "5 2 no bad"}, // each once
				{func() { hub.SetFaults(nil) }, "5 2 bad no"},
				{func() { hub.SetTemplateFaults(nil, devpage.Parse("a.html:1: warning: perhaps")) }, "5 2 (warning: perhaps)"},
				{func() { hub.SetTemplateFaults(nil, nil) }, "5 2"},
			} {
				step.change()
				if told {
					hub.Changed()
				}
				is.Equal(events.next().String(), step.want)
			}
			second := listen(t, s).next() // who comes later learns all at once
			is.Equal(second.String(), "5 2")
			is.Equal(second.Process, first.Process)

			// A page says the state that it was rendered with.
			says := func(state string) {
				t.Helper()
				_, body := fetch(t, s, "GET", "/", navigation)
				is.True(strings.Contains(body, fmt.Sprintf("data-state=%q", first.Process+state)))
			}
			says(".5.2.0")

			// Warnings are no faults. An event says that they have changed, for the route map.
			warnings := devpage.Parse("x.go:1: perhaps")
			for _, given := range [][]devpage.Fault{nil, warnings, warnings, nil} {
				hub.SetWarnings(given)
				is.Equal(len(hub.Warnings()), len(given))
			}
			says(".5.2.2")
			is.Equal(listen(t, s).next().String(), "5 2")
		})
	}
}

// TestFileInPlaceOfAnother moves a file into the place of one of the same size and time.
func TestFileInPlaceOfAnother(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system has no inodes")
	}
	is := is.New(t)
	dir, long := t.TempDir(), time.Now().Add(-time.Hour)
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"router/a.html", "next"} {
		save(t, dir, name, name[:1])
		is.NoErr(os.Chtimes(path(name), long, long))
	}
	hub := livereload.NewHub(disk.NewWatcher(disk.Dir(dir), "router"))
	events := listen(t, front(t, &livereload.Front{Hub: hub}, http.NotFound))
	is.Equal(events.next().String(), "0 0")
	is.NoErr(os.Rename(path("next"), path("router/a.html")))
	is.Equal(events.next().String(), "1 0")
}

// TestRequestsThatFail are shown on open pages, if their answers are no pages.
func TestRequestsThatFail(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	save(t, dir, "router/a.html", "a")
	hub := livereload.NewHub(disk.NewWatcher(disk.Dir(dir), "router", "public"))
	broken := true
	s := front(t, &livereload.Front{Hub: hub}, func(w http.ResponseWriter, r *http.Request) {
		if broken {
			livereload.NoteOf(r.Context()).SetFaults([]devpage.Fault{{Text: "fails at " + r.URL.Path}})
			w.WriteHeader(500)
		}
	})
	events := listen(t, s)
	is.Equal(events.next().String(), "0 0")
	fetch(t, s, "GET", "/a", "Sec-Fetch-Dest: empty")
	is.Equal(events.next().String(), "0 0 fails at /a")
	fetch(t, s, "GET", "/b", "Sec-Fetch-Dest: empty")
	is.Equal(events.next().String(), "0 0 fails at /a fails at /b")
	broken = false
	fetch(t, s, "GET", "/c", "Sec-Fetch-Dest: empty") // another one, which says nothing of these
	fetch(t, s, "GET", "/a", "Sec-Fetch-Dest: empty")
	is.Equal(events.next().String(), "0 0 fails at /b")
	save(t, dir, "router/a.html", "mended")
	is.Equal(events.next().String(), "1 0")
	broken = true
	fetch(t, s, "GET", "/a", "Sec-Fetch-Dest: empty")
	is.Equal(events.next().String(), "1 0 fails at /a")
	fetch(t, s, "GET", "/page", navigation) // which shows its own faults
	is.Equal(events.next().String(), "1 0")
}

func TestStreamEndsWithItsContext(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithCancel(context.Background())
	w := httptest.NewRecorder()
	hub := livereload.NewHub()
	done := make(chan bool)
	go func() {
		hub.ServeHTTP(w, httptest.NewRequest("GET", "/_flow/events", nil).WithContext(ctx))
		close(done)
	}()
	cancel()
	<-done
	is.True(strings.HasPrefix(w.Body.String(), "retry: 250\n\ndata: {"))
}

// TestStreamsEndWithTheServer, whichever it is.
func TestStreamsEndWithTheServer(t *testing.T) {
	is := is.New(t)
	s := front(t, &livereload.Front{}, http.NotFound)
	for range 2 {
		resp, err := http.Get(s.URL + "/_flow/events")
		is.NoErr(err)
		defer resp.Body.Close()
		_, err = bufio.NewReader(resp.Body).ReadString('\n')
		is.NoErr(err)
	}
	is.NoErr(s.Config.Shutdown(t.Context()))
}

func TestRecorder(t *testing.T) {
	is := is.New(t)
	f := &livereload.Front{}
	s := front(t, f, func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "GET /pattern"
		switch r.URL.Path {
		case "/aborts":
			panic(http.ErrAbortHandler)
		case "/fails":
			w.WriteHeader(500)
		}
	})
	is.Equal(len(f.Requests.Last()), 0)
	fetch(t, s, "POST", "/a%2Fb?token=secret", "")
	fetch(t, s, "GET", "/fails", navigation)
	http.Get(s.URL + "/aborts")
	last := f.Requests.Last()
	is.Equal(len(last), 3)
	var got []string
	for _, q := range last {
		is.True(q.Took >= 0 && !q.Time.IsZero())
		got = append(got, fmt.Sprint(q.Method, " ", q.Path, " ", q.Pattern, " ", q.Status, " ", q.Aborted))
	}
	is.Equal(got, []string{"GET /aborts GET /pattern 0 true", "GET /fails GET /pattern 500 false", "POST /a%2Fb GET /pattern 200 false"})
	for i := range 550 {
		fetch(t, s, "GET", fmt.Sprint("/", i), "")
	}
	last = f.Requests.Last()
	is.Equal(len(last), 500)
	is.Equal(last[0].Path, "/549")
	is.Equal(last[499].Path, "/50")
	fetch(t, s, strings.Repeat("M", 5000), "/"+strings.Repeat("ä", 5000), "")
	is.Equal(len(f.Requests.Last()[0].Path), 1003)
	is.Equal(len(f.Requests.Last()[0].Method), 1003)
}

// TestPollingBeginsAgain after a time without a page, in which nobody has looked.
func TestPollingBeginsAgain(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	save(t, dir, "router/a.html", "a")
	hub := livereload.NewHub(disk.NewWatcher(disk.Dir(dir), "router", "public"))
	for i := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		body, w := io.Pipe()
		done := make(chan bool)
		go func() {
			hub.ServeHTTP(pipeWriter{httptest.NewRecorder(), w}, httptest.NewRequest("GET", "/_flow/events", nil).WithContext(ctx))
			close(done)
		}()
		events := &stream{t, bufio.NewScanner(body)}
		is.Equal(events.next().Pages, 2*i) // what has changed meanwhile is known at once
		save(t, dir, "router/a.html", strings.Repeat("b", 2*i+2))
		is.Equal(events.next().Pages, 2*i+1)
		cancel()
		body.Close()
		<-done
		save(t, dir, "router/a.html", strings.Repeat("c", 2*i+3))
	}
}

// A pipeWriter is a ResponseWriter whose body is read while it is written.
type pipeWriter struct {
	http.ResponseWriter
	body io.Writer
}

func (p pipeWriter) Write(b []byte) (int, error) { return p.body.Write(b) }
func (p pipeWriter) Flush()                      {}
