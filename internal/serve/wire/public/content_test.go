package public

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/wire/accept"
	"example.com/flow/internal/testkit/flowtest"
)

// watched notices how the one file of a tree is used.
type watched struct {
	text           []byte
	opened, closed int
	err            error
}

type watchedFile struct {
	fs.File
	io.ReaderAt
	closed *int
}

func (f watchedFile) Close() error { *f.closed++; return f.File.Close() }

func (w *watched) Open(name string) (fs.File, error) {
	if w.err != nil {
		return nil, w.err
	}
	w.opened++
	f, err := fstest.MapFS{name: {Data: w.text}}.Open(name)
	return watchedFile{f, f.(io.ReaderAt), &w.closed}, err
}

// streamed returns the content of a file that is not held in memory.
func streamed(tb testing.TB, contentType string, body []byte) (*Content, *watched) {
	tb.Helper()
	files := &watched{text: body}
	f, err := newFileRepresentation(accept.Identity, files, "app.css")
	if err != nil {
		tb.Fatal(err)
	}
	return newContent(contentType, f), files
}

// inMemory returns a content whose compressed representations are given by extension.
func inMemory(contentType string, body []byte, smaller map[string][]byte) *Content {
	var others []*representation
	for _, ext := range slices.Sorted(maps.Keys(smaller)) {
		others = append(others, newRepresentation(accept.Coding(slices.Index(extensions[:], ext)), smaller[ext]))
	}
	return newContent(contentType, newRepresentation(accept.Identity, body), others...)
}

// tagOf returns the ETag of bytes.
func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10])) + `"`
}

var forever = []string{"max-age=31536000"}

// fetch requests a content with header lines "Name: value".
func fetch(c *Content, method string, lines ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/app.css", nil)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	before := r.Header.Clone()
	w := httptest.NewRecorder()
	if refused := c.Serve(w, r, forever); refused != 0 {
		w.WriteHeader(refused)
	}
	if !maps.EqualFunc(before, r.Header, slices.Equal) {
		panic("serve changed the request")
	}
	return w
}

// told returns status and coding, and the headers that tell how much was sent.
func told(w *httptest.ResponseRecorder) string {
	h := w.Header()
	s := strconv.Itoa(w.Code)
	for _, name := range []string{"Content-Encoding", "Content-Range"} {
		if v := h.Get(name); v != "" {
			s += " " + v
		}
	}
	return s
}

// checkAnswer checks what holds for every answer with its status.
func checkAnswer(t *testing.T, c *Content, method string, w *httptest.ResponseRecorder) {
	t.Helper()
	is := is.New(t)
	h, body := w.Header(), w.Body.Bytes()
	is.Equal(h.Get("Vary") == "Accept-Encoding", c.varies || w.Code == 406)
	describes := []string{"Etag", "Cache-Control"} // the content
	switch w.Code {
	case 200, 206:
		is.Equal(h.Get("Accept-Ranges"), "bytes")
		is.True(strings.HasPrefix(h.Get("Content-Type"), c.contentType[0]) || strings.HasPrefix(h.Get("Content-Type"), "multipart/byteranges"))
		describes = append(describes, "Content-Length")
	case 304:
		for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding"} {
			is.Equal(h[name], nil)
		}
	default:
		for _, name := range append(describes, "Content-Encoding", "Content-Length") {
			is.Equal(h[name], nil) // an error is not the content
		}
		is.Equal(len(body), 0) // it is the caller's
		describes = nil
	}
	for _, name := range describes {
		is.True(h.Get(name) != "")
		is.Equal(cap(h[name]), 1) // nobody can append to what is shared
	}
	switch {
	case method == "HEAD" || w.Code == 304:
		is.Equal(len(body), 0)
	case w.Code == 200:
		is.Equal(h.Get("Content-Length"), strconv.Itoa(len(body)))
		is.Equal(h.Get("Etag"), tagOf(append([]byte(h.Get("Content-Encoding")), body...)))
	case w.Code == 206:
		is.Equal(h.Get("Content-Length"), strconv.Itoa(len(body)))
	}
}

func TestContentAnswers(t *testing.T) {
	const cssType = "text/css; charset=utf-8"
	css := flowtest.Stylesheet(1000)
	var (
		text  = inMemory(cssType, css, nil)
		small = inMemory(cssType, []byte("body{}"), nil)
		noise = inMemory(cssType, []byte("kQ8vXz0c5TgYb1nWmR3dLs7hJf9pEa2uVi6oKx4tNyZrGwBqCjDlFMHOPSUAeI+/"), nil) // nothing to gain
		image = inMemory("image/png", css, nil)
		empty = inMemory(cssType, nil, nil)
		both  = inMemory(cssType, css, map[string][]byte{".br": []byte("br br br"), ".zst": []byte("zstd zstd")})
		ready = inMemory("image/png", []byte("ten bytes."), map[string][]byte{".gz": []byte("gz")})
		large = func() *Content { c, _ := streamed(t, cssType, css); return c }()
	)
	tag, gzipTag := text.representations[accept.Identity].etag[0], text.gzip(true).etag[0]
	many := func(item string, n int) string {
		return "Range: bytes=" + strings.TrimSuffix(strings.Repeat(item+",", n), ",")
	}
	last := len(css) - 1
	upTo := func(first, last int) string { return fmt.Sprintf("bytes %d-%d/%d", first, last, len(css)) }
	for _, tt := range []struct {
		name string
		c    *Content
		in   string // header lines
		want string // told
	}{
		{"nothing asked", text, "", "200"},
		{"empty", text, "Accept-Encoding: ", "200"},
		{"commas", text, "Accept-Encoding: ,, ,", "200"},
		{"unknown", text, "Accept-Encoding: deflate, sdch", "200"},
		{"gzip", text, "Accept-Encoding: gzip", "200 gzip"},
		{"a browser", text, "Accept-Encoding: gzip, deflate, br, zstd", "200 gzip"},
		{"case", text, "Accept-Encoding: GZip", "200 gzip"},
		{"old name", text, "Accept-Encoding: x-gzip", "200 gzip"},
		{"second line", text, "Accept-Encoding: br|Accept-Encoding: gzip", "200 gzip"},
		{"anything", text, "Accept-Encoding: *", "200 gzip"},
		{"anything but gzip", text, "Accept-Encoding: *, gzip;q=0", "200"},
		{"anything but x-gzip", text, "Accept-Encoding: *, X-GZIP;q=0", "200"},
		{"a little", text, "Accept-Encoding: gzip;q=0.001", "200 gzip"},
		{"identity rather", text, "Accept-Encoding: gzip;q=0.5, identity", "200"},
		{"identity less", text, "Accept-Encoding: identity;q=0.5, gzip;q=0.8", "200 gzip"},
		{"identity as much", text, "Accept-Encoding: identity, gzip", "200 gzip"},
		{"only gzip", text, "Accept-Encoding: gzip, identity;q=0", "200 gzip"},
		{"only gzip by star", text, "Accept-Encoding: gzip, *;q=0", "200 gzip"},
		{"only identity", text, "Accept-Encoding: identity, *;q=0", "200"},
		{"no identity", text, "Accept-Encoding: identity;q=0", "406"},
		{"nothing at all", text, "Accept-Encoding: *;q=0", "406"},
		{"unknown only", text, "Accept-Encoding: br, identity;q=0.000", "406"},
		{"spaces", text, "Accept-Encoding:   gzip ; q = 0.5 ,\tidentity ; Q=0.4", "200 gzip"},
		{"q after another parameter", text, "Accept-Encoding: gzip;level=1;q=0", "200"},
		{"first mention counts", text, "Accept-Encoding: gzip;q=0, gzip", "200"},
		{"malformed q", text, "Accept-Encoding: gzip;q=x", "200"},
		{"q above 1", text, "Accept-Encoding: gzip;q=1.5", "200"},
		{"q of 10", text, "Accept-Encoding: gzip;q=10", "200"},
		{"negative q", text, "Accept-Encoding: gzip;q=-1", "200"},
		{"q that is no number", text, "Accept-Encoding: gzip;q=NaN", "200"},
		{"q without a value", text, "Accept-Encoding: gzip;q", "200"},
		{"q with many decimals", text, "Accept-Encoding: gzip;q=0.33333333, identity;q=0.3", "200 gzip"},
		{"q that ends in its point", text, "Accept-Encoding: gzip;q=1.", "200 gzip"},
		{"too small to compress", small, "Accept-Encoding: gzip", "200"},
		{"gzip gains nothing", noise, "Accept-Encoding: gzip", "200"},
		{"gzip gains nothing but is wanted", noise, "Accept-Encoding: gzip, identity;q=0", "406"},
		{"an image", image, "Accept-Encoding: gzip", "200"},
		{"an image of a strict client", image, "Accept-Encoding: identity;q=0", "406"},
		{"empty file", empty, "Accept-Encoding: gzip", "200"},
		{"smallest of three", both, "Accept-Encoding: zstd, gzip, br", "200 br"},
		{"best of three", both, "Accept-Encoding: zstd, gzip;q=0.9, br;q=0.9", "200 zstd"},
		{"gzip beside siblings", both, "Accept-Encoding: gzip", "200 gzip"},
		{"siblings by star", both, "Accept-Encoding: gzip;q=0.5, *", "200 br"},
		{"sibling of an image", ready, "Accept-Encoding: gzip", "200 gzip"},
		{"a coding that is not served", ready, "Accept-Encoding: compress", "200"},
		{"large", large, "Accept-Encoding: gzip", "200"},

		{"If-None-Match", text, "If-None-Match: " + tag, "304"},
		{"weak tag", text, "If-None-Match: W/" + tag, "304"},
		{"list", text, `If-None-Match: "a,b", W/"c" ,` + tag + `, "d"`, "304"},
		{"second list", text, `If-None-Match: "a"|If-None-Match: ` + tag, "304"},
		{"star", text, "If-None-Match:  * ", "304"},
		{"other tag", text, `If-None-Match: "a"`, "200"},
		{"star inside a tag", text, `If-None-Match: "a,*,b"`, "200"},
		{"tag of another representation", text, "If-None-Match: " + gzipTag, "200"},
		{"tag of identity", text, "Accept-Encoding: gzip|If-None-Match: " + tag, "200 gzip"},
		{"tag of gzip", text, "Accept-Encoding: gzip|If-None-Match: " + gzipTag, "304"},
		{"tags of both", text, "Accept-Encoding: gzip|If-None-Match: " + tag + ", " + gzipTag, "304"},
		{"without quotes", text, "If-None-Match: " + strings.Trim(tag, `"`), "200"},
		{"empty list", text, "If-None-Match: ", "200"},
		{"dates are not known", text, "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT|If-Unmodified-Since: Sat, 01 Jan 2000 00:00:00 GMT", "200"},
		{"large, not changed", large, "If-None-Match: " + tag, "304"},
		{"304 before a range", text, "Range: bytes=0-1|If-None-Match: " + tag, "304"},

		{"If-Match", text, "If-Match: " + tag, "200"},
		{"If-Match star", text, "If-Match: *", "200"},
		{"If-Match list", text, `If-Match: "a"|If-Match: "b", ` + tag, "200"},
		{"If-Match is strong", text, "If-Match: W/" + tag, "412"},
		{"If-Match of another", text, `If-Match: "a"`, "412"},
		{"If-Match comes first", text, `If-Match: "a"|If-None-Match: ` + tag, "412"},
		{"If-Match and If-None-Match", text, "If-Match: " + tag + "|If-None-Match: " + tag, "304"},
		{"If-Match and a range", text, "Range: bytes=0-1|If-Match: " + tag, "206 " + upTo(0, 1)},

		{"range", text, "Range: bytes=2-4", "206 " + upTo(2, 4)},
		{"range to the end", text, "Range: bytes=5-", "206 " + upTo(5, last)},
		{"range beyond the end", text, "Range: bytes=5-99999999", "206 " + upTo(5, last)},
		{"last bytes", text, "Range: bytes=-3", "206 " + upTo(last-2, last)},
		{"more than all", text, "Range: bytes=-99999999", "206 " + upTo(0, last)},
		{"range in a list", text, "Range: bytes= ,2-4 ,", "206 " + upTo(2, 4)},
		{"range of a large file", large, "Range: bytes=2-4", "206 " + upTo(2, 4)},
		{"range of gzip", text, "Accept-Encoding: gzip|Range: bytes=2-4", fmt.Sprintf("206 gzip bytes 2-4/%d", text.gzip(true).size)},
		{"behind the end", text, fmt.Sprintf("Range: bytes=%d-", last+1), fmt.Sprintf("416 bytes */%d", last+1)},
		{"behind the end of gzip", text, "Accept-Encoding: gzip|Range: bytes=99999999-", fmt.Sprintf("416 bytes */%d", text.gzip(true).size)},
		{"behind the end of a large file", large, "Range: bytes=99999999-", fmt.Sprintf("416 bytes */%d", last+1)},
		{"range of nothing", empty, "Range: bytes=0-", "200"},
		{"last nothing", text, "Range: bytes=-0", fmt.Sprintf("206 bytes %d-%d/%[1]d", last+1, last)},
		{"other unit", text, "Range: pages=1-2", "200"},
		{"no unit", text, "Range: 1-2", "200"},
		{"no range", text, "Range: bytes=", "200"},
		{"backwards", text, "Range: bytes=4-2", "416"},
		{"malformed", text, "Range: bytes=a-b", "416"},
		{"one malformed of two", text, "Range: bytes=0-1,x", "416"},
		{"signs", text, "Range: bytes=+1-+2", "206 " + upTo(1, 2)},
		{"dash", text, "Range: bytes=-", "416"},
		{"too large a number", text, "Range: bytes=0-99999999999999999999", "416"},
		{"two headers", text, "Range: bytes=0-1|Range: bytes=2-3", "206 " + upTo(0, 1)},
		{"two ranges of gzip", text, "Accept-Encoding: gzip|Range: bytes=0-1,3-4", "200 gzip"},
		{"two ranges of little", small, "Range: bytes=0-1,3-4", "200"},
		{"two ranges behind the end", text, "Range: bytes=99999-,999999-", fmt.Sprintf("416 bytes */%d", last+1)},
		{"everything a thousand times", text, many("0-", 1000), "200"},
		{"everything twice", text, many("0-", 2), "200"},
		{"the first byte a thousand times", text, many("0-0", 1000), "200"},
		{"If-Range", text, "Range: bytes=2-4|If-Range: " + tag, "206 " + upTo(2, 4)},
		{"If-Range of another", text, `Range: bytes=2-4|If-Range: "a"`, "200"},
		{"If-Range is strong", text, "Range: bytes=2-4|If-Range: W/" + tag, "200"},
		{"If-Range with a date", text, "Range: bytes=2-4|If-Range: Fri, 01 Jan 2100 00:00:00 GMT", "200"},
		{"If-Range of another representation", text, "Accept-Encoding: gzip|Range: bytes=2-4|If-Range: " + tag, "200 gzip"},
		{"If-Range before the end is looked at", text, `Range: bytes=99999999-|If-Range: "a"`, "200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			lines := strings.Split(tt.in, "|")
			if tt.in == "" {
				lines = nil
			}
			w := fetch(tt.c, "GET", lines...)
			is.Equal(told(w), tt.want)
			checkAnswer(t, tt.c, "GET", w)

			head := fetch(tt.c, "HEAD", lines...)
			checkAnswer(t, tt.c, "HEAD", head)
			if w.Code == 206 || w.Code == 416 {
				is.Equal(head.Code, 200) // ranges are for GET
				return
			}
			is.Equal(head.Code, w.Code)
			is.Equal(head.Header(), w.Header())
		})
	}
}

func TestContentFormsAreTheSameContent(t *testing.T) {
	css := flowtest.Stylesheet(500)
	c := inMemory("text/css", css, map[string][]byte{".br": []byte("as it is")})
	is := is.New(t)
	is.Equal(fetch(c, "GET").Body.Bytes(), css)
	is.Equal(fetch(c, "GET", "Accept-Encoding: br").Body.String(), "as it is")
	w := fetch(c, "GET", "Accept-Encoding: gzip")
	z, err := gzip.NewReader(w.Body)
	is.NoErr(err)
	is.True(z.ModTime.IsZero()) // the same bytes each time
	b, err := io.ReadAll(z)
	is.NoErr(err)
	is.Equal(b, css)
	large, _ := streamed(t, "text/css", css)
	is.Equal(fetch(large, "GET").Body.Bytes(), css)
	other := inMemory("text/css", css, map[string][]byte{".br": []byte("made anew")})
	is.True(other.Hash() != c.Hash())                                            // so that a client with the old one asks again
	is.True(large.Hash() != c.Hash())                                            // which has a sibling
	is.True(large.Hash() == inMemory("text/css", css, nil).Hash())               // where it lies does not matter
	is.True(large.Hash() != inMemory("text/plain", css, nil).Hash())             // what it is does
	same := inMemory("text/css", css, map[string][]byte{".br": css, ".gz": css}) // tags differ all the same
	is.True(same.representations[accept.Brotli].etag[0] != same.representations[accept.Gzip].etag[0])
	is.True(same.representations[accept.Brotli].etag[0] != same.representations[accept.Identity].etag[0])
	is.True(regexp.MustCompile(`^[a-z2-7]{16}$`).MatchString(c.Hash()))
}

func TestContentIsCompressedOnceAndOnlyIfWanted(t *testing.T) {
	is := is.New(t)
	c := inMemory("text/css", flowtest.Stylesheet(500), nil)
	for _, accept := range []string{"", "br", "gzip;q=0", "*;q=0", "identity", "identity, gzip;q=0"} {
		fetch(c, "GET", "Accept-Encoding: "+accept)
	}
	is.True(c.gzipped.Load() == nil)
	ready := inMemory("text/css", flowtest.Stylesheet(500), map[string][]byte{".br": []byte("br")})
	fetch(ready, "GET", "Accept-Encoding: gzip, br")
	is.True(ready.gzipped.Load() == nil) // there is one that is as good
	fetch(ready, "GET", "Accept-Encoding: gzip, br;q=0.9")
	is.True(ready.gzipped.Load() != nil)

	bodies := make([][]byte, 16)
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() { bodies[i] = c.choose([]string{"gzip, *;q=0"}).body })
	}
	wg.Wait()
	for _, b := range bodies {
		is.True(&b[0] == &bodies[0][0])
	}
}

// TestContentIsNotWaitedFor asks while another request makes the gzip representation.
func TestContentIsNotWaitedFor(t *testing.T) {
	is := is.New(t)
	c := inMemory("text/css", flowtest.Stylesheet(500), nil)
	c.compressing.Lock()
	is.Equal(told(fetch(c, "GET", "Accept-Encoding: gzip")), "200") // as it is
	var waits sync.WaitGroup
	waits.Go(func() { is.Equal(told(fetch(c, "GET", "Accept-Encoding: gzip, identity;q=0")), "200 gzip") })
	c.compressing.Unlock()
	waits.Wait()
	is.Equal(told(fetch(c, "GET", "Accept-Encoding: gzip")), "200 gzip")
}

func TestContentUnderMiddleware(t *testing.T) {
	css := flowtest.Stylesheet(500)
	c := inMemory("text/css", css, nil)
	shared := append(make([]string, 0, 4), "Origin")
	for _, tt := range []struct {
		name, key string
		set, want []string
	}{
		{"Cache-Control", "Cache-Control", []string{"private"}, []string{"private"}},
		{"Vary", "Vary", shared, []string{"Origin", "Accept-Encoding"}},
		{"Vary in a list", "Vary", []string{"Origin", "Cookie,accept-encoding"}, []string{"Origin", "Cookie,accept-encoding"}},
		{"Vary star", "Vary", []string{"*"}, []string{"*"}},
		{"a type", "Content-Type", []string{"text/plain"}, []string{"text/plain"}},
		{"no type", "Content-Type", nil, nil},
		{"a stale length", "Content-Length", []string{"7"}, []string{strconv.Itoa(len(css))}},
		{"a stale tag", "Etag", []string{`"a"`}, []string{tagOf(css)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			w := httptest.NewRecorder()
			w.Header()[tt.key] = tt.set
			c.Serve(w, httptest.NewRequest("GET", "/", nil), forever)
			is.Equal(w.Header()[tt.key], tt.want)
		})
	}
	t.Run("a type for a page", func(t *testing.T) {
		is := is.New(t)
		w := httptest.NewRecorder()
		w.Header().Set("Content-Type", "application/json")
		NewPage("text/html; charset=utf-8", []byte("<p>"), "").Serve(w, httptest.NewRequest("GET", "/", nil), forever)
		is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
	})
	is := is.New(t)
	is.Equal(shared[:2][1], "") // nothing was appended to the middleware's own
	is.Equal(varyEncoding, []string{"Accept-Encoding"})
}

func TestContentUnderMiddlewareThatCompresses(t *testing.T) {
	css := flowtest.Stylesheet(500)
	c := inMemory("text/css", css, nil)
	large, _ := streamed(t, "text/css", css)
	for name, c := range map[string]*Content{"memory": c, "large": large} {
		for _, line := range []string{"", "Range: bytes=0-1", "If-None-Match: " + tagOf(css), "If-None-Match: *", `If-Match: "a"`} {
			t.Run(name+" "+line, func(t *testing.T) {
				is := is.New(t)
				r := httptest.NewRequest("GET", "/", nil)
				r.Header.Set("Accept-Encoding", "gzip")
				if key, value, ok := strings.Cut(line, ": "); ok {
					r.Header.Set(key, value)
				}
				w := httptest.NewRecorder()
				w.Header().Set("Content-Encoding", "gzip")
				w.Header().Set("Content-Length", "7")
				c.Serve(w, r, forever)
				is.Equal(told(w), "200 gzip")
				is.Equal(w.Body.Bytes(), css)
				is.Equal(w.Header().Get("Content-Type"), "text/css")
				is.Equal(w.Header()["Cache-Control"], forever)
				for _, name := range []string{"Content-Length", "Etag", "Accept-Ranges"} {
					is.Equal(w.Header()[name], nil)
				}
			})
		}
	}
}

func TestContentOfAFile(t *testing.T) {
	is := is.New(t)
	css := flowtest.Stylesheet(500)
	c, f := streamed(t, "text/css", css)
	is.Equal(f.opened, 1) // for the hash
	fetch(c, "HEAD")
	fetch(c, "GET", "If-None-Match: "+tagOf(css))
	is.Equal(f.opened, 1) // nothing to read
	fetch(c, "GET")
	fetch(c, "GET", "Range: bytes=0-1")
	is.Equal(f.opened, 3)
	is.Equal(f.closed, 3)

	f.text = css[:100] // it has become shorter
	for _, line := range []string{"Accept: */*", "Range: bytes=0-1", "Range: bytes=0-1,200-300"} {
		short, _ := flowtest.PanicOf(func() { fetch(c, "GET", line) }).(error)
		is.True(short != nil)
		is.Equal(short.Error(), fmt.Sprintf("flow: app.css cannot be read to the end of the %d bytes that it had: EOF", len(css)))
	}
	is.Equal(f.closed, 6)

	f.err = errors.New("gone")
	w := httptest.NewRecorder()
	err, _ := flowtest.PanicOf(func() { c.Serve(w, httptest.NewRequest("GET", "/", nil), forever) }).(error)
	is.True(errors.Is(err, f.err))
	is.Equal(err.Error(), "flow: gone")
	is.Equal(len(w.Header()), 0) // a 500 is not immutable
	_, err = newFileRepresentation(accept.Identity, f, "app.css")
	is.Equal(err, f.err)
}

// TestContentThatIsCutOff asks a server for a file that has become shorter: the client
// does not take it for whole.
func TestContentThatIsCutOff(t *testing.T) {
	is := is.New(t)
	c, f := streamed(t, "text/css", flowtest.Stylesheet(500))
	f.text = f.text[:1000]
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.Serve(w, r, forever) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	defer server.Close()
	resp, err := http.Get(server.URL)
	is.NoErr(err)
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	is.Equal(err, io.ErrUnexpectedEOF)
}

// TestContentRanges asks a server, as a client would.
func TestContentRanges(t *testing.T) {
	css := flowtest.Stylesheet(500)
	memory := inMemory("text/css", css, nil)
	large, _ := streamed(t, "text/css", css)
	for name, c := range map[string]*Content{"memory": memory, "large": large} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.Serve(w, r, forever) }))
		defer server.Close()
		for _, tt := range []struct {
			ranges string
			want   [][2]int // from, to (exclusive)
		}{
			{"0-0", [][2]int{{0, 1}}},
			{"7-99", [][2]int{{7, 100}}},
			{"0-9,20-29,-5", [][2]int{{0, 10}, {20, 30}, {len(css) - 5, len(css)}}},
			{"20-29,0-9", [][2]int{{20, 30}, {0, 10}}},
			{"0-9,5-14", [][2]int{{0, 10}, {5, 15}}},
			{"0-9,99999999-", [][2]int{{0, 10}}}, // only what there is
		} {
			t.Run(name+" "+tt.ranges, func(t *testing.T) {
				is := is.New(t)
				r, err := http.NewRequest("GET", server.URL, nil)
				is.NoErr(err)
				r.Header.Set("Range", "bytes="+tt.ranges)
				r.Header.Set("Accept-Encoding", "identity")
				resp, err := http.DefaultClient.Do(r)
				is.NoErr(err)
				defer resp.Body.Close()
				is.Equal(resp.StatusCode, 206)
				is.Equal(resp.Header.Get("Etag"), tagOf(css))
				rangeOf := func(i int) string {
					return fmt.Sprintf("bytes %d-%d/%d", tt.want[i][0], tt.want[i][1]-1, len(css))
				}
				mediaType, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
				is.NoErr(err)
				if len(tt.want) == 1 {
					is.Equal(mediaType, "text/css")
					is.Equal(resp.Header.Get("Content-Range"), rangeOf(0))
					b, err := io.ReadAll(resp.Body)
					is.NoErr(err)
					is.Equal(b, css[tt.want[0][0]:tt.want[0][1]])
					return
				}
				is.Equal(mediaType, "multipart/byteranges")
				parts := multipart.NewReader(resp.Body, params["boundary"])
				for i, want := range tt.want {
					part, err := parts.NextPart()
					is.NoErr(err)
					is.Equal(part.Header.Get("Content-Type"), "text/css")
					is.Equal(part.Header.Get("Content-Range"), rangeOf(i))
					b, err := io.ReadAll(part)
					is.NoErr(err)
					is.Equal(b, css[want[0]:want[1]])
				}
				_, err = parts.NextPart()
				is.Equal(err, io.EOF)
			})
		}
	}
}

// A set of ranges must not make the answer much larger than the content.
func TestContentRangesDoNotExplode(t *testing.T) {
	is := is.New(t)
	c := inMemory("text/css; charset=utf-8", flowtest.Stylesheet(500), nil)
	size := int(c.representations[accept.Identity].size)
	partial := 0
	for n := 2; n < 2000; n++ {
		w := fetch(c, "GET", "Range: bytes="+strings.Repeat("9000-9001,", n))
		is.True(w.Body.Len() <= 2*size)
		if w.Code == 206 {
			partial++
		}
	}
	is.True(partial > 10) // some are heeded
}

// A sink takes an answer and keeps its header only.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }

func TestContentAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	css := flowtest.Stylesheet(1000)
	c := inMemory("text/css", css, nil)
	junk := func(item string) string { return strings.Repeat(item, 3<<10/len(item)) }
	for _, tt := range []struct{ name, key, value, want string }{
		{"plain", "Accept-Encoding", "", "200"},
		{"gzip", "Accept-Encoding", "gzip, deflate, br, zstd", "200 gzip"},
		{"304", "If-None-Match", `"a", W/` + tagOf(css), "304"},
		{"304 by star", "If-None-Match", "*", "304"},
		{"3 KB of codings", "Accept-Encoding", junk("gzip;q=x,") + ",*", "200"},
		{"3 KB of parameters", "Accept-Encoding", "gzip" + junk(";a=1"), "200 gzip"},
		{"3 KB of a weight", "Accept-Encoding", "gzip;q=0." + junk("1"), "200 gzip"},
		{"3 KB of a wrong weight", "Accept-Encoding", "gzip;q=0." + junk("1") + "e", "200"},
		{"3 KB of commas", "Accept-Encoding", "gzip" + junk(","), "200 gzip"},
		{"3 KB of tags", "If-None-Match", tagOf(css) + junk(`,"a"`), "304"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(told(fetch(c, "GET", tt.key+": "+tt.value)), tt.want)
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set(tt.key, tt.value)
			w := &sink{header: http.Header{}}
			is.Equal(testing.AllocsPerRun(200, func() {
				clear(w.header)
				c.Serve(w, r, forever)
			}), 0.0)
		})
	}
}

// slowChoice is choose, plainly: it returns the name of the coding, "" for none.
func slowChoice(c *Content, header []string) string {
	weights := map[string]int{}
	for item := range accept.Items(header) {
		fields := strings.Split(item, ";")
		name := strings.TrimSpace(fields[0])
		for _, known := range []string{"identity", "gzip", "br", "zstd"} {
			if strings.EqualFold(name, known) || strings.EqualFold(name, "x-"+known) && known == "gzip" {
				name = known
			}
		}
		if _, ok := weights[name]; ok {
			continue
		}
		weights[name] = 1000
		for _, field := range fields[1:] {
			key, value, _ := strings.Cut(field, "=")
			if strings.EqualFold(strings.TrimSpace(key), "q") {
				m := regexp.MustCompile(`^([0-9]?)(?:\.([0-9]*))?$`).FindStringSubmatch(strings.TrimSpace(value))
				weights[name] = 0
				if m != nil {
					if n, _ := strconv.Atoi(m[1] + (m[2] + "000")[:3]); n <= 1000 {
						weights[name] = n
					}
				}
				break
			}
		}
	}
	type candidate struct {
		name         string
		weight, size int
	}
	var candidates []candidate
	for coding, f := range c.representations {
		name := accept.Coding(coding).String()
		size := 0
		switch {
		case f != nil:
			size = len(f.body)
		case name == "gzip" && c.compresses && c.gzip(true) != nil:
			size = len(c.representations[accept.Identity].body) - 1 // better than that, no more is known before
		default:
			continue
		}
		weight, named := weights[name]
		others, star := weights["*"]
		switch {
		case named:
		case name == "identity" && star && others == 0:
			weight = 0
		case name == "identity":
			weight = -1 // acceptable, after everything that was asked for
		default:
			weight = others
		}
		if weight != 0 {
			candidates = append(candidates, candidate{name, weight, size})
		}
	}
	if len(candidates) == 0 {
		return ""
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		if a.weight != b.weight {
			return b.weight - a.weight
		}
		return a.size - b.size
	})
	return candidates[0].name
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, header := range []string{
		"", "gzip", "gzip, deflate, br, zstd", "*", "*;q=0", "identity;q=0", "gzip;q=0.5, *;q=0.4, identity;q=0.3",
		"x-gzip;q=1.000\nbr;q=.5", "GZIP ; Q=0.12345, zstd;q=1.0001,br;q", "identity;q=0.001, *;q=0.002", "br;q=0,br,*",
	} {
		f.Add(header)
	}
	css := flowtest.Stylesheet(50)
	contents := []*Content{
		inMemory("text/css", css, nil),
		inMemory("image/png", css, nil),
		inMemory("text/css", css, map[string][]byte{".br": css[:90]}),
		inMemory("text/css", css, map[string][]byte{".br": css[:50], ".zst": css[:40], ".gz": css[:60]}),
		inMemory("text/css", css[:40], map[string][]byte{".br": css[:50], ".zst": css[:60]}), // larger than what they stand for
	}
	f.Fuzz(func(t *testing.T, header string) {
		lines := strings.Split(header, "\n")
		for i, c := range contents {
			got := ""
			if f := c.choose(lines); f != nil {
				got = "identity"
				if f.coding != nil {
					got = f.coding[0]
				}
			}
			if want := slowChoice(c, lines); got != want {
				t.Errorf("content %d: %q: got %q, want %q", i, lines, got, want)
			}
		}
	})
}
