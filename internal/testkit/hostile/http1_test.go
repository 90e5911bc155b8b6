package hostile_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/testkit/flowtest"
	"example.com/flow/internal/testkit/servertest"
)

// TestHostileClients attacks a server. During each attack a client that behaves well
// is answered rightly, and after it nothing is left: no connection, no goroutine, no
// memory.
func TestHostileClients(t *testing.T) {
	servertest.Slow(t)
	for _, tt := range []struct {
		name     string
		secure   bool // HTTP/2 with TLS
		inMemory bool // since it takes minutes, or as long as limits of the server
		attack   func(*siege)
	}{
		{"slow headers", false, true, slowHeaders},
		{"slow handshakes", true, true, slowHandshakes},
		{"slow headers of HTTP/2", true, true, slowHeadersHTTP2},
		{"slow bodies", false, true, slowBodies},
		{"bodies over MaxBody", false, false, largeBodies},
		{"large headers", false, false, largeHeaders},
		{"large headers of HTTP/2", true, false, largeHeadersHTTP2},
		{"malformed chunks", false, false, malformedChunks},
		{"smuggled requests", false, false, smuggledRequests},
		{"ever new requests", false, false, newRequests},
		{"long paths", false, false, longPaths},
		{"panics", false, false, panics},
		{"clients that break down", false, false, breakingDown},
		{"clients that vanish", false, true, vanishing},
		{"rapid resets of HTTP/2", true, true, rapidResets},
		{"many streams of HTTP/2", true, true, manyStreams},
		{"closed windows of HTTP/2", true, true, closedWindows},
		{"a flood of pings of HTTP/2", true, true, floodOfPings},
	} {
		besiege := func(t *testing.T) {
			s := besieged(t, tt.secure, tt.inMemory)
			s.round(0) // makes what is made once
			before := s.settle()
			answered := s.behave()
			tt.attack(s)
			answered()
			s.closeAll()
			if !t.Failed() {
				s.awaitSettled(before)
			}
		}
		t.Run(tt.name, func(t *testing.T) {
			if tt.inMemory {
				synctest.Test(t, besiege)
			} else {
				besiege(t)
			}
		})
	}
}

// slowHeaders has clients send a byte now and then, or none.
func slowHeaders(s *siege) {
	const first = "GET /about HTTP/1.1\r\nHost: a\r\n"
	together(200, func(i int) {
		c := s.dial()
		defer c.Close()
		// It would take longer than the test may.
		text, before := "", ""
		switch i % 4 {
		case 0:
			text = "GET /" + strings.Repeat("x", 2000)
		case 1:
			text = first + "X: " + strings.Repeat("x", 2000)
		case 2: // on a connection that was good for a request
			before, text = first+"\r\n", first+"X: "+strings.Repeat("x", 2000)
		case 3: // silent
		}
		if before != "" {
			io.WriteString(c, before)
			if resp, err := http.ReadResponse(c.R, nil); err != nil || resp.StatusCode != 200 {
				s.t.Error("the first request: ", resp, err)
				return
			}
		}
		if !drip(c, text, time.Second) {
			s.t.Errorf("the server keeps the connection of client %d", i)
		}
	})
}

// slowBodies sends bodies byte by byte, and some that stop, to handlers that read
// them and to some that do not.
func slowBodies(s *siege) {
	paths := []string{"/json", "/raw", "/unread"}
	framings := []string{"Content-Length: 5000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n1388\r\n"}
	together(120, func(i int) {
		c := s.dial()
		defer c.Close()
		io.WriteString(c, "POST "+paths[i%3]+" HTTP/1.1\r\nHost: a\r\nContent-Type: "+flowtest.Form+"\r\n"+framings[i/3%2])
		drips := i/6%2 == 0
		go func() {
			io.WriteString(c, "v=")
			for n := 0; drips && n < 4000; n++ {
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
				time.Sleep(time.Second) // below the rate that is asked for
			}
		}()
		resp, err := http.ReadResponse(c.R, nil)
		if err != nil {
			s.t.Errorf("%s %q: %v", paths[i%3], framings[i/3%2], err)
			return
		}
		want := []int{http.StatusRequestTimeout, http.StatusBadRequest, http.StatusOK}[i%3]
		if resp.StatusCode != want || !resp.Close {
			s.t.Errorf("%s %q: got %d, close=%v; want %d, close=true", paths[i%3], framings[i/3%2], resp.StatusCode, resp.Close, want)
		}
		io.Copy(io.Discard, c.R) // until the server closes
	})
	is.New(s.t).Equal(s.whole.Load(), int64(0))
}

// largeBodies sends more than a handler takes, some of it without end.
func largeBodies(s *siege) {
	const (
		endless = 64 << 20
		most    = 1 << 20 // that the server may read: the limit, the 256 KB of net/http, and buffers
	)
	file := "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.txt\"\r\n\r\n"
	field := "--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nx\r\n"
	uploads := []struct{ path, media, begin string }{
		{"/json", flowtest.Form, "v="},
		{"/json", flowtest.Form, strings.Repeat("a&", maxBody/2)},
		{"/json", flowtest.JSON, `{"v":"`},
		{"/json", flowtest.JSON, strings.Repeat("[", maxBody)},
		{"/json", flowtest.Multipart, file},
		{"/json", flowtest.Multipart, strings.Repeat(field, maxBody/len(field)+1)},
		{"/raw", "text/plain", ""},
		{"/raw", flowtest.Multipart, file},
	}
	framings := []struct {
		header  string
		endless bool
	}{
		{fmt.Sprint("Content-Length: ", maxBody+1), false},
		{fmt.Sprint("Content-Length: ", endless), true},
		{"Content-Length: 9223372036854775807", true},
		{"Transfer-Encoding: chunked", true},
	}
	together(len(uploads)*len(framings), func(i int) {
		u, f := uploads[i/len(framings)], framings[i%len(framings)]
		c := s.dial()
		defer c.Close()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			text := (u.begin + strings.Repeat("x", maxBody+1))[:maxBody+1]
			if f.header == "Transfer-Encoding: chunked" {
				text = fmt.Sprintf("%x\r\n%s\r\n", len(text), text)
			}
			_, err := fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\n%s\r\n\r\n%s", u.path, u.media, f.header, text)
			for n := 0; err == nil && f.endless; n += len(text) {
				if n > endless {
					s.t.Errorf("%s %s %s: the server reads on", u.path, u.media, f.header)
					return
				}
				_, err = io.WriteString(c, text)
			}
		}()
		resp, err := http.ReadResponse(c.R, nil)
		switch {
		case err != nil:
			s.t.Errorf("%s %s %s: %v", u.path, u.media, f.header, err)
		case resp.StatusCode != http.StatusRequestEntityTooLarge:
			s.t.Errorf("%s %s %s: got %d, want 413", u.path, u.media, f.header, resp.StatusCode)
		}
		<-sent // with an error: the server has closed the connection
		if n := s.readOf(c); n > most {
			s.t.Errorf("%s %s %s: the server read %d bytes", u.path, u.media, f.header, n)
		}
	})
	is.New(s.t).Equal(s.whole.Load(), int64(0))
}

// largeHeaders sends headers above the limit.
func largeHeaders(s *siege) {
	const most = 64<<10 + 16<<10 // that the server may read: the limit, the slack of net/http, and a buffer
	for _, tt := range []struct {
		name, text string
	}{
		{"one header", "X: " + strings.Repeat("x", 1<<20)},
		{"one name", strings.Repeat("x", 1<<20)},
		{"many headers", strings.Repeat("X-"+strings.Repeat("x", 100)+": "+strings.Repeat("y", 900)+"\r\n", 1<<10)},
		{"100000 small headers", strings.Repeat("X: y\r\n", 100_000)},
		{"continued lines", "X: y\r\n" + strings.Repeat(" z\r\n", 250_000)},
	} {
		c := s.dial()
		go io.WriteString(c, "GET /about HTTP/1.1\r\nHost: a\r\n"+tt.text+"\r\n\r\n")
		resp, err := http.ReadResponse(c.R, nil)
		if err != nil {
			s.t.Errorf("%s: %v", tt.name, err)
		} else if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge || !resp.Close {
			s.t.Errorf("%s: got %d, close=%v; want 431", tt.name, resp.StatusCode, resp.Close)
		}
		if n := s.readOf(c); n > most {
			s.t.Errorf("%s: the server read %d bytes", tt.name, n)
		}
		c.Close()
	}
}

// malformedChunks sends bodies whose chunks are wrong: no handler must take such a
// body for a whole one.
func malformedChunks(s *siege) {
	const head = " HTTP/1.1\r\nHost: a\r\nContent-Type: " + flowtest.Form + "\r\nTransfer-Encoding: chunked\r\n\r\n"
	long := strings.Repeat("x", 8<<10)
	for _, tt := range []struct {
		name, chunks string
		whole        bool
	}{
		{"well formed", "5\r\nv=abc\r\n0\r\n\r\n", true},
		{"zeros before the size", "0005\r\nv=abc\r\n0\r\n\r\n", true},
		{"an extension", "5;a=b\r\nv=abc\r\n0\r\n\r\n", true},
		{"no hexadecimal", "g\r\nv=abc\r\n0\r\n\r\n", false},
		{"no size", "\r\nv=abc\r\n0\r\n\r\n", false},
		{"a negative size", "-5\r\nv=abc\r\n0\r\n\r\n", false},
		{"a sign", "+5\r\nv=abc\r\n0\r\n\r\n", false},
		{"a prefix", "0x5\r\nv=abc\r\n0\r\n\r\n", false},
		{"two sizes", "5 5\r\nv=abc\r\n0\r\n\r\n", false},
		{"5 if it wraps around", "10000000000000005\r\nv=abc\r\n0\r\n\r\n", false},
		{"-1 if it has a sign", "ffffffffffffffff\r\nv=abc\r\n0\r\n\r\n", false},
		{"more than will ever come", "7fffffffffffffff\r\nv=abc\r\n0\r\n\r\n", false},
		{"longer than its size", "4\r\nv=abc\r\n0\r\n\r\n", false},
		{"shorter than its size", "6\r\nv=abc\r\n0\r\n\r\n", false},
		{"no CRLF after the data", "5\r\nv=abc0\r\n\r\n", false},
		{"LF after the data", "5\r\nv=abc\n0\r\n\r\n", false},
		{"CR after the data", "5\r\nv=abc\r0\r\n\r\n", false},
		{"LF after the size", "5\nv=abc\r\n0\r\n\r\n", false},
		{"CR after the size", "5\rv=abc\r\n0\r\n\r\n", false},
		{"LF in an extension", "5;a\nv=abc\r\n0\r\n\r\n", false},
		{"no last chunk", "5\r\nv=abc\r\n", false},
		{"no end of the last chunk", "5\r\nv=abc\r\n0\r\n", false},
		{"no end of the trailer", "5\r\nv=abc\r\n0\r\nX: y\r\n", false},
		{"a trailer without a colon", "5\r\nv=abc\r\n0\r\ngarbage\r\n\r\n", false},
		{"a trailer without a name", "5\r\nv=abc\r\n0\r\n: y\r\n\r\n", false},
		{"a trailer with a space in its name", "5\r\nv=abc\r\n0\r\nContent Length: 5\r\n\r\n", true}, // which nobody reads
		{"a trailer that nobody announced", "5\r\nv=abc\r\n0\r\nContent-Length: 9\r\n\r\n", true},
		{"a long extension", "5;" + long + "\r\nv=abc\r\n0\r\n\r\n", false},
		{"a long trailer", "5\r\nv=abc\r\n0\r\nX: " + long + "\r\n\r\n", false},
		{"mostly extensions", strings.Repeat("1;"+long[:2000]+"\r\nx\r\n", 100) + "0\r\n\r\n", false},
	} {
		for path, answer := range map[string]string{"/json": "200 whole abc", "/raw": `200 whole "v=abc"`} {
			before := s.whole.Load()
			got := s.converse("POST " + path + head + tt.chunks)
			whole := s.whole.Load() - before
			switch {
			case tt.whole && (got != answer || whole != 1):
				s.t.Errorf("%s %s: got %q; want %q", path, tt.name, got, answer)
			case !tt.whole && (got != "" && got != "400" && got != "400 close" || whole != 0):
				s.t.Errorf("%s %s: got %q, and %d bodies for whole; want 400", path, tt.name, got, whole)
			}
		}
	}
}

// smuggledRequests sends what two readers may read as different requests: a proxy
// that takes for a part of the first what the server answers as a second one.
func smuggledRequests(s *siege) {
	const (
		post    = "POST /raw HTTP/1.1\r\nHost: a\r\n"
		second  = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
		chunked = "Transfer-Encoding: chunked\r\n"
		empty   = "0\r\n\r\n"
		refused = "400 close"
		unknown = "501 close" // of encodings that net/http does not know
	)
	length := fmt.Sprint("Content-Length: ", len(second), "\r\n")
	all := fmt.Sprint("Content-Length: ", len(empty+second), "\r\n")
	whole := fmt.Sprintf("200 whole %q", second)
	for _, tt := range []struct {
		name, text, want string
	}{
		// One length, and what is no length.
		{"a length", post + length + "\r\n" + second, whole},
		{"a length with a sign", post + "Content-Length: +35\r\n\r\n" + second, refused},
		{"a negative length", post + "Content-Length: -1\r\n\r\n" + second, refused},
		{"a length in hexadecimal", post + "Content-Length: 0x23\r\n\r\n" + second, refused},
		{"an empty length", post + "Content-Length:\r\n\r\n" + second, refused},
		{"a length of more than 64 bits", post + "Content-Length: 18446744073709551616\r\n\r\n" + second, refused},
		{"a length with a space", post + "Content-Length: 3 5\r\n\r\n" + second, refused},
		{"a length with letters", post + "Content-Length: 35a\r\n\r\n" + second, refused},

		// Two lengths are refused, unless they are equal fields (RFC 9112, section 6.3).
		{"two lengths", post + length + "Content-Length: 0\r\n\r\n" + second, refused},
		{"two lengths, the smaller first", post + "Content-Length: 0\r\n" + length + "\r\n" + second, refused},
		{"two equal lengths", post + length + length + "\r\n" + second, whole},
		{"a list of lengths", post + "Content-Length: 0, 35\r\n\r\n" + second, refused},
		{"a list of equal lengths", post + "Content-Length: 35, 35\r\n\r\n" + second, refused},
		{"lengths of other case", post + length + "content-length: 0\r\n\r\n" + second, refused},

		// Transfer-Encoding counts, and not a length beside it (RFC 9112, section 6.3):
		// a proxy must read it so too, or refuse it, and pass on no length. The server
		// should close the connection then (section 6.1), which net/http does not, and
		// it does not tell a handler that there was a length. So there is a second answer
		// to those who forward a length that they must not.
		{"chunks and a length", post + all + chunked + "\r\n" + empty + second, `200 whole "", 200 smuggled`},
		{"a length after chunks", post + chunked + all + "\r\n" + empty + second, `200 whole "", 200 smuggled`},
		{"chunks and a length that is none", post + "Content-Length: x\r\n" + chunked + "\r\n" + empty + second, refused},
		{"chunks and two lengths", post + all + "Content-Length: 0\r\n" + chunked + "\r\n" + empty + second, refused},
		// The other way, a proxy that goes by a length of 4 leaves the rest of a chunk.
		{"a chunk and a length within it", post + "Content-Length: 4\r\n" + chunked + "\r\n23\r\n" + second + "\r\n" + empty, whole},

		// One that is not just "chunked" is refused.
		{"chunked, identity", post + all + "Transfer-Encoding: chunked, identity\r\n\r\n" + empty + second, unknown},
		{"identity, chunked", post + all + "Transfer-Encoding: identity, chunked\r\n\r\n" + empty + second, unknown},
		{"identity", post + all + "Transfer-Encoding: identity\r\n\r\n" + empty + second, unknown},
		{"chunked twice", post + all + chunked + chunked + "\r\n" + empty + second, unknown},
		{"chunked, then another", post + all + chunked + "Transfer-Encoding: x\r\n\r\n" + empty + second, unknown},
		{"chunked in quotes", post + all + "Transfer-Encoding: \"chunked\"\r\n\r\n" + empty + second, unknown},
		{"chunked with a parameter", post + all + "Transfer-Encoding: chunked;q=1\r\n\r\n" + empty + second, unknown},
		{"chunked with a comma", post + all + "Transfer-Encoding: chunked,\r\n\r\n" + empty + second, unknown},
		{"xchunked", post + all + "Transfer-Encoding: xchunked\r\n\r\n" + empty + second, unknown},
		{"an empty encoding", post + all + "Transfer-Encoding:\r\n\r\n" + empty + second, unknown},
		{"chunked after a vertical tab", post + all + "Transfer-Encoding: \vchunked\r\n\r\n" + empty + second, refused},
		{"chunked before NUL", post + all + "Transfer-Encoding: chunked\x00\r\n\r\n" + empty + second, refused},
		// These are "chunked" (RFC 9110, sections 5.5 and 10.1.4), for proxies too.
		{"capitals", post + "Transfer-Encoding: CHUNKED\r\n\r\n" + empty, `200 whole ""`},
		{"spaces and tabs around it", post + "Transfer-Encoding: \t chunked \t\r\n\r\n" + empty, `200 whole ""`},
		{"no space before it", post + "Transfer-Encoding:chunked\r\n\r\n" + empty, `200 whole ""`},
		{"a name in capitals", post + "TRANSFER-ENCODING: chunked\r\n\r\n" + empty, `200 whole ""`},
		// A line that goes on is joined with a space (RFC 9112, section 5.2).
		{"a folded line", post + "Transfer-Encoding:\r\n chunked\r\n\r\n" + empty, `200 whole ""`},
		{"a folded line of two", post + all + "Transfer-Encoding: chunked\r\n x\r\n\r\n" + empty + second, unknown},
		// HTTP/1.0 has none: the length counts, or there is no body, and what follows is
		// no request. RFC 9112, section 6.1, calls the framing faulty.
		{"HTTP/1.0 with chunks and a length", "POST /raw HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n" + all + chunked + "\r\n" + empty + second, fmt.Sprintf("200 whole %q", empty+second)},
		{"HTTP/1.0 with chunks", "POST /raw HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n" + chunked + "\r\n23\r\n" + second + "\r\n" + empty, `200 whole "", ` + refused},

		// Names that are none, and would be if something were taken away, are refused
		// (RFC 9112, section 5.1).
		{"a space before the colon", post + "Content-Length : 35\r\n\r\n" + second, refused},
		{"a tab before the colon", post + "Content-Length\t: 35\r\n\r\n" + second, refused},
		{"a space before the colon of an encoding", post + all + "Transfer-Encoding : chunked\r\n\r\n" + empty + second, refused},
		{"a space before the first name", "POST /raw HTTP/1.1\r\n Transfer-Encoding: chunked\r\nHost: a\r\n" + all + "\r\n" + empty + second, refused},
		{"a space in a name", post + all + "Transfer Encoding: chunked\r\n\r\n" + empty + second, refused},
		{"NUL in a name", post + all + "Transfer-Encoding\x00: chunked\r\n\r\n" + empty + second, refused},
		{"a name without a colon", post + all + "Transfer-Encoding\r\n\r\n" + empty + second, refused},
		{"no name", post + all + ": chunked\r\n\r\n" + empty + second, refused},
		{"an underscore", post + all + "Transfer_Encoding: chunked\r\n\r\n" + empty + second, fmt.Sprintf("200 whole %q", empty+second)},

		// LF alone ends a line, as RFC 9112, section 2.2, allows. A proxy that does not
		// see a line there sees a value with LF in it, which it must refuse or replace
		// (RFC 9110, section 5.5). CR alone ends none, and is refused in values.
		{"LF for CRLF", strings.ReplaceAll(post+length+"\r\n", "\r\n", "\n") + second, whole},
		{"a length after LF", post + "X: y\n" + length + "\r\n" + second, whole},
		{"a length after CR", post + "X: y\r" + length + "\r\n" + second, refused},
		{"the end of the header as LF", post + length + "\n" + second, whole},
		{"the end of the header as CR", post + length + "\r" + second, refused},
		{"CR in a length", post + "Content-Length: 3\r5\r\n\r\n" + second, refused},
		{"NUL in a value", post + "X: \x00\r\n" + length + "\r\n" + second, refused},

		// The request line.
		{"two spaces", "POST  /raw HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, refused},
		{"a tab", "POST\t/raw HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, refused},
		{"CR in the target", "POST /raw\rx HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, refused},
		{"a version that is none", "POST /raw HTTP/1.1x\r\nHost: a\r\n" + length + "\r\n" + second, refused},
		{"no Host", "POST /raw HTTP/1.1\r\n" + length + "\r\n" + second, refused},
		{"two Hosts", post + "Host: b\r\n" + length + "\r\n" + second, refused},
		{"a Host with a space", "POST /raw HTTP/1.1\r\nHost: a b\r\n" + length + "\r\n" + second, refused},
		// A body of GET is one as well.
		{"GET with a body", "GET /raw HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, whole},
		{"a body that nobody reads", "GET /unread HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, "200 unread"},
		{"chunks that nobody reads", "GET /unread HTTP/1.1\r\nHost: a\r\n" + chunked + "\r\n23\r\n" + second + "\r\n" + empty, "200 unread"},
		{"a body that nobody answers", "GET /nothing HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, "404"},
		{"a body of OPTIONS", "OPTIONS /page/x HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + second, "204"},
	} {
		before := s.smuggled.Load()
		if got := s.converse(tt.text); got != tt.want {
			s.t.Errorf("%s: got %q; want %q", tt.name, got, tt.want)
		}
		if n := s.smuggled.Load() - before; n != int64(strings.Count(tt.want, "smuggled")-strings.Count(tt.want, "GET /smuggled")) {
			s.t.Errorf("%s: the second request was answered", tt.name)
		}
	}
}

// newRequests asks for what nobody asked for before.
func newRequests(s *siege) {
	const n, at, batch = 10_000, 4, 50
	long := strings.Repeat("x", 200) // so that what is kept of each shows
	together(at, func(worker int) {
		c := s.dial()
		defer c.Close()
		for first := worker; first < n; first += at * batch {
			var text strings.Builder
			for i := first; i < min(first+at*batch, n); i += at {
				fmt.Fprintf(&text, "GET /no/%d-%s HTTP/1.1\r\nHost: a\r\n\r\n", i, long)
				fmt.Fprintf(&text, "GET /page/%d-%s?k%d-%[2]s=%[3]d HTTP/1.1\r\nHost: h%[3]d\r\nX-%[3]d-%[2]s: %[3]d\r\nAccept-Encoding: c%[3]d\r\nCookie: c%[3]d=%[2]s\r\n\r\n", i, long, i)
			}
			go io.WriteString(c, text.String())
			for i := first; i < min(first+at*batch, n); i += at {
				for _, want := range []string{"404", fmt.Sprintf("200 <p>%d-%s</p>", i, long)} {
					resp, err := http.ReadResponse(c.R, nil)
					if err != nil {
						s.t.Error(err)
						return
					}
					body, err := io.ReadAll(resp.Body)
					if got := fmt.Sprint(resp.StatusCode, " ", string(body)); err != nil || !strings.HasPrefix(got, want) {
						s.t.Errorf("request %d: got %.100q, %v; want %.100q", i, got, err, want)
						return
					}
				}
			}
		}
	})
}

// longPaths asks for URLs that are almost as long as a header may be, and longer.
func longPaths(s *siege) {
	const size = 60 << 10
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	for _, tt := range []struct {
		name, path, want string
	}{
		{"a long segment", "/docs/" + fill("x"), "200 1"},
		{"a long parameter", "/page/" + fill("x"), "200 <p>" + fill("x") + "</p>"},
		{"a long escaped one", "/page/" + fill("%41"), "200 <p>" + strings.Repeat("A", size/3) + "</p>"},
		{"escaped slashes", "/docs/" + fill("%2F"), "200 1"},
		{"escaped dots", "/docs" + fill("/%2e%2e"), fmt.Sprint("200 ", size/7)},
		{"many segments", "/docs" + fill("/x"), fmt.Sprint("200 ", size/2)},
		{"many segments that nobody has", fill("/x"), "404"},
		{"many slashes", fill("/") + "about", "308 /about"},
		{"many slashes at the end", "/about" + fill("/"), "308 /about"},
		{"only slashes", fill("/"), "404"},
		{"dots", fill("/.") + "/about", "308 /about"},
		{"two dots", fill("/x/..") + "/about", "308 /about"},
		{"two dots at the root", fill("/..") + "/about", "308 /about"},
		{"three dots", fill("/...") + "/about", "404"},
		{"a bad escape", "/docs/" + fill("%zz"), "400"},
		{"a long query", "/about?" + fill("a=b&"), "200 <h1>about</h1>"},
		{"above the limit", "/docs/" + strings.Repeat("x", 80<<10), "431"},
		{"far above the limit", "/docs/" + strings.Repeat("/x", 512<<10), "431"},
	} {
		for range 3 {
			c := s.dial()
			go fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", tt.path)
			resp, err := http.ReadResponse(c.R, nil)
			if err != nil {
				s.t.Errorf("%s: %v", tt.name, err)
				return
			}
			got := strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Location")))
			if resp.StatusCode == http.StatusOK {
				body, _ := io.ReadAll(resp.Body)
				got += " " + string(body)
			}
			if got != tt.want {
				s.t.Errorf("%s: got %.100q; want %.100q", tt.name, got, tt.want)
			}
			c.Close()
		}
	}
}

// unencodable panics when it is encoded.
type unencodable struct{}

func (unencodable) MarshalText() ([]byte, error) { panic("encoding") }

// registerPanics registers handlers that panic, before the first byte of an answer,
// or, under names with "cut", after it.
func (s *siege) registerPanics(r *flow.Router) {
	boom := func(*flow.Request) flow.Response { panic("boom") }
	cut := func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "cut")
		w.(http.Flusher).Flush()
		panic("boom")
	}
	kinds := map[string]func(*flow.Request) flow.Response{
		"form":     boom,
		"nil":      func(*flow.Request) flow.Response { panic((error)(nil)) },
		"runtime":  func(req *flow.Request) flow.Response { return flow.Text(strings.Split(req.Method, ",")[1]) },
		"encoding": func(*flow.Request) flow.Response { return flow.JSON(unencodable{}) },
		"std": func(*flow.Request) flow.Response {
			return flow.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }))
		},
		"cut": func(*flow.Request) flow.Response { return flow.Handler(http.HandlerFunc(cut)) },
		"cut-unflushed": func(*flow.Request) flow.Response {
			return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "cut")
				panic("boom")
			}))
		},
		"cut-stream": func(*flow.Request) flow.Response {
			return flow.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				cut(w, r)
			}))
		},
		"cut-abort": func(*flow.Request) flow.Response { panic(http.ErrAbortHandler) },
	}
	r.At("panic/[kind]").GET().Do(func(req *flow.Request) flow.Response { return kinds[req.Param("kind")](req) })
	r.At("panic/guard/index").Use(boom)
	r.At("panic/guard/index").GET().Do(func(*flow.Request) string { return "hello" })
	r.At("panic/around/[when]").Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.PathValue("when"), "cut") {
				next.ServeHTTP(w, r)
			}
			panic("boom")
		})
	})
	r.At("panic/around/[when]").GET().Do(func(*flow.Request) string { return "hello" })
}

// panics asks for answers that panic, as fast as it can.
func panics(s *siege) {
	const each = 125
	paths := []string{"form", "nil", "runtime", "encoding", "std", "template", "guard", "around/early", "cut", "cut-unflushed", "cut-stream", "cut-abort", "around/cut"}
	s.log.mu.Lock()
	records := s.log.records
	s.log.mu.Unlock()
	together(4, func(worker int) {
		client := &http.Transport{TLSClientConfig: s.client.TLSClientConfig.Clone(), ForceAttemptHTTP2: true}
		defer client.CloseIdleConnections()
		for i := range each * len(paths) / 4 {
			path := paths[(i+worker)%len(paths)]
			resp, err := client.RoundTrip(httptest.NewRequest("GET", s.origin+"/panic/"+path, nil))
			got := ""
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				got = fmt.Sprint(resp.StatusCode)
			}
			if cut := strings.Contains(path, "cut"); cut && err == nil || !cut && (err != nil || got != "500") {
				s.t.Errorf("%s: got %s, %v", path, got, err)
				return
			}
		}
	})
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if n := s.log.records - records; n > each*len(paths) || s.log.largest > 16<<10 {
		s.t.Errorf("%d panics: %d records, %d bytes in one of them: %s", each*len(paths), n, s.log.largest, s.log.last)
	}
}

// endings are requests of each kind, and what of the answer a client sees before it
// goes away.
var endings = []struct{ name, text, until string }{
	{"an upload", "POST /raw" + cutUpload, ""},
	{"an upload of a form", "POST /json" + cutUpload, ""},
	{"an upload that nobody reads", "POST /unread" + cutUpload, ""},
	{"a download", "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", "\x00"},
	{"an event stream", "GET /events HTTP/1.1\r\nHost: a\r\n\r\n", "open"},
	{"a hijacked connection", "GET /hijack HTTP/1.1\r\nHost: a\r\n\r\n", "hello"},
	{"requests one after the other", strings.Repeat("GET /large HTTP/1.1\r\nHost: a\r\n\r\n", 20), "\x00"},
}

const cutUpload = " HTTP/1.1\r\nHost: a\r\nContent-Type: " + flowtest.Form + "\r\nContent-Length: 60000\r\n\r\nv=abc"

// breakingDown has clients that go away in the middle of each kind of request, with RST.
func breakingDown(s *siege) {
	s.end(func(c net.Conn) {
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	})
}

// vanishing has clients that send no more in the middle of each kind of request, and
// stay, but do not read.
func vanishing(s *siege) { s.end(func(c net.Conn) { c.(wire).CloseWrite() }) }

func (s *siege) end(leave func(net.Conn)) {
	for _, tt := range endings {
		together(20, func(i int) {
			c := s.dial()
			io.WriteString(c, tt.text)
			if tt.until != "" {
				if _, err := c.R.ReadString(tt.until[len(tt.until)-1]); err != nil {
					s.t.Errorf("%s: %v", tt.name, err)
				}
			}
			leave(c.Conn)
		})
		s.await(tt.name+": the handlers end", func() bool { return s.long.Load() == 0 })
		s.closeAll()
	}
	is.New(s.t).Equal(s.whole.Load(), int64(0))
}
