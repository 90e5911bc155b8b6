package input

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/testkit/flowtest"
)

const (
	jsonMedia  = "application/json"
	multiMedia = multipartType + "; boundary=b"
)

var (
	sending = flowtest.Sending
	parts   = flowtest.Parts
)

// load returns the body of a request, loaded.
func load(r *http.Request) (*Body, error) {
	b := New(nil, r, 0, true, false)
	return b, b.Load(r, false)
}

// bind fills dst from a request, and returns what does not convert.
func bind(r *http.Request, dst any) (invalid map[string]reply.Message, err error) {
	b, err := load(r)
	if err != nil {
		return nil, err
	}
	invalid, _, err = b.Bind(r, noParams{}, dst, false, noMessages)
	return invalid, err
}

// said returns messages in order.
func said(invalid map[string]reply.Message) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(invalid)) {
		all = append(all, key+": "+invalid[key].English)
	}
	return strings.Join(all, "; ")
}

// text returns what is still to be read of a body.
func text(r *http.Request) string {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestValues(t *testing.T) {
	for _, tt := range []struct {
		name, method, query, contentType, body string
		want                                   string // Inputs and All
	}{
		{"nothing", "GET", "", "", "", `[] map[]`},
		{"query", "GET", "a=1&a=2&b=3", "", "", `["1" "2"] map[a:["1" "2"] b:"3"]`},
		{"malformed query", "GET", "a=1&b=%zz&c;d", "", "", `["1"] map[a:"1"]`},
		{"form", "POST", "a=q&c=q", formType, "a=1&a=2&b=+%2B", `["1" "2"] map[a:["1" "2"] b:" +" c:"q"]`},
		{"form of DELETE", "DELETE", "", formType, "a=1", `["1"] map[a:"1"]`},
		{"form of PATCH", "PATCH", "", formType, "a=1", `["1"] map[a:"1"]`},
		{"form of PROPFIND", "PROPFIND", "", formType, "a=1", `["1"] map[a:"1"]`},
		{"form of GET", "GET", "a=q", formType, "a=1", `["1"] map[a:"1"]`},
		{"empty value before query", "POST", "a=q", formType, "a=", `[""] map[a:""]`},
		{"empty form", "POST", "a=q", formType, "", `["q"] map[a:"q"]`},
		{"type in capitals", "POST", "", "Application/X-WWW-Form-Urlencoded ; charset=utf-8", "a=1", `["1"] map[a:"1"]`},
		{"odd parameters", "POST", "", jsonMedia + "; charset=utf-8; charset=utf-8; x", `{"a":"1"}`, `["1"] map[a:"1"]`},
		{"multipart", "POST", "a=q&c=q", multiMedia, parts("a=1", "a=2", "b=3", "f@file"), `["1" "2"] map[a:["1" "2"] b:"3" c:"q"]`},
		{"multipart of DELETE", "DELETE", "", multiMedia, parts("a=1"), `["1"] map[a:"1"]`},
		{"JSON text", "POST", "a=q&c=q", jsonMedia, `{"a":"1","b":"3"}`, `["1"] map[a:"1" b:"3" c:"q"]`},
		{"JSON of a vendor", "PUT", "", "application/vnd.x+json; v=1", `{"a":"1"}`, `["1"] map[a:"1"]`},
		{"JSON digits", "POST", "", jsonMedia, `{"a":12345678901234567890.10}`, `["12345678901234567890.10"] map[a:"12345678901234567890.10"]`},
		{"JSON true", "POST", "", jsonMedia, `{"a":true}`, `["true"] map[a:%!q(bool=true)]`},
		{"JSON null is there", "POST", "a=q", jsonMedia, `{"a":null}`, `[""] map[a:<nil>]`},
		{"JSON list", "POST", "", jsonMedia, `{"a":["x",2,null,{"b":1}]}`, `["x" "2" "" "{\"b\":1}"] map[a:["x" "2" <nil> map["b":"1"]]]`},
		{"JSON empty list", "POST", "a=q", jsonMedia, `{"a":[]}`, `[] map[a:[]]`},
		{"JSON object", "POST", "", jsonMedia, `{"a":{"b":1}}`, `["{\"b\":1}"] map[a:map["b":"1"]]`},
		{"JSON key twice", "POST", "", jsonMedia, `{"a":1,"a":2}`, `["2"] map[a:"2"]`},
		{"JSON array", "POST", "a=q", jsonMedia, `[{"a":1}]`, `["q"] map[a:"q"]`},
		{"JSON scalar", "POST", "a=q", jsonMedia, `5`, `["q"] map[a:"q"]`},
		{"JSON null", "POST", "a=q", jsonMedia, `null`, `["q"] map[a:"q"]`},
		{"other type", "POST", "a=q", "text/plain", `{"a":1}`, `["q"] map[a:"q"]`},
		{"no type", "POST", "a=q", "", `a=1`, `["q"] map[a:"q"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := sending(tt.method, "/?"+tt.query, tt.contentType, tt.body)
			b, err := load(r)
			is.NoErr(err)
			all := b.All(r)
			is.Equal(b.Only(r, "a", "b", "c", "none"), all)
			got := fmt.Sprintf("%q map[", b.Inputs(r, "a"))
			for i, key := range slices.Sorted(maps.Keys(all)) {
				got += []string{"", " "}[min(i, 1)] + key + ":"
				if all[key] == nil {
					got += "<nil>"
				} else {
					got += strings.ReplaceAll(fmt.Sprintf("%q", all[key]), "%!q(<nil>)", "<nil>")
				}
			}
			is.Equal(got+"]", tt.want)
		})
	}
}

// A reader is what others do with a request before its body is loaded.
type reader struct {
	name string
	read func(r *http.Request)
}

// readers leave any body whole.
var readers = []reader{
	{"nobody", func(*http.Request) {}},
	{"ParseForm", func(r *http.Request) { r.ParseForm() }},
	{"FormValue", func(r *http.Request) { r.FormValue("a") }},
}

// consumers read what only JSON and urlencoded forms can give back.
var consumers = []reader{
	{"raw", func(r *http.Request) { io.ReadAll(r.Body) }},
	{"raw, and closed", func(r *http.Request) { io.ReadAll(r.Body); r.Body.Close() }},
	{"some of it", func(r *http.Request) { io.ReadFull(r.Body, make([]byte, 3)) }},
	{"FormValue of a copy", func(r *http.Request) { r.Clone(r.Context()).FormValue("a") }},
	{"put back", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(text(r))) }},
	{"watched", func(r *http.Request) { r.Body = watched{r.Body} }},
	{"watched, and some of it", func(r *http.Request) {
		r.Body = watched{r.Body}
		io.ReadFull(r.Body, make([]byte, 3))
	}},
	{"watched, and all of it", func(r *http.Request) {
		r.Body = watched{r.Body}
		r.FormValue("a")
		io.ReadAll(r.Body)
	}},
}

// watched is a body that middleware put around another, as tracing does.
type watched struct{ io.ReadCloser }

// TestReadBefore: whatever others have read, all of the body is there for everyone
// afterwards.
func TestReadBefore(t *testing.T) {
	for _, reader := range slices.Concat(readers, consumers) {
		for _, method := range []string{"POST", "DELETE"} {
			for media, body := range map[string]string{jsonMedia: `{"a":"1"}`, formType: "a=1&b=2"} {
				t.Run(strings.Join([]string{reader.name, method, media}, " "), func(t *testing.T) {
					is := is.New(t)
					r := sending(method, "/?q=q", media, body)
					b := New(nil, r, 100, true, false)
					early := r.WithContext(context.Background()) // has the body that is used up
					reader.read(r)
					is.NoErr(b.Load(r, false))
					is.Equal(b.Inputs(r, "a"), []string{"1"})
					is.Equal(text(r), body)
					is.NoErr(b.Load(r, false))
					is.Equal(text(r), "") // who asks for data goes on reading where he was
					is.NoErr(b.Load(r, true))
					is.Equal(text(r), body)
					if _, ok := early.Body.(*stream); ok {
						is.NoErr(b.Load(early, false))
						is.Equal(text(early), body)
					}
					want := ""
					if media == formType {
						want = "1"
					}
					is.Equal(r.FormValue("a")+r.FormValue("q"), want+"q")
				})
			}
		}
	}
}

// TestBodiesTakenByOthers: what others have read without leaving it to anybody is missing, which is
// an error and no empty body.
func TestBodiesTakenByOthers(t *testing.T) {
	for _, tt := range []struct {
		name, media, body string
		keep              bool
		read              func(b *Body, r *http.Request)
	}{
		{"nobody may want it", jsonMedia, `{"a":1}`, false, func(_ *Body, r *http.Request) { text(r) }},
		{"a stream", jsonMedia, `{"a":1}`, true, func(b *Body, r *http.Request) { b.Stream(); text(r) }},
		{"parts", multiMedia, parts("a=1"), true, func(_ *Body, r *http.Request) { r.MultipartReader() }},
		{"packed", formType, "a=1", true, func(_ *Body, r *http.Request) { text(r) }},
		{"packed, and another is used up", formType, "a=1", true, func(_ *Body, r *http.Request) {
			text(r)
			r.Body = http.NoBody
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := sending("POST", "/", tt.media, tt.body)
			if strings.HasPrefix(tt.name, "packed") {
				r.Header.Set("Content-Encoding", "gzip")
			}
			b := New(nil, r, 100, tt.keep, false)
			tt.read(b, r)
			is.Equal(b.Load(r, false), errConsumed)
			is.Equal(b.Load(r, false), errConsumed) // and so it does from then on
		})
	}
}

// eachRead calls f for requests whose body somebody has read, or nobody. body has the
// bodies by media type.
func eachRead(t *testing.T, body func(media string) io.Reader, limit int64, f func(is *is.I, b *Body, r *http.Request)) {
	for _, media := range []string{jsonMedia, formType, multiMedia} {
		all := readers
		if media != multiMedia {
			all = slices.Concat(readers, consumers)
		}
		for _, reader := range all {
			t.Run(media+" "+reader.name, func(t *testing.T) {
				r := httptest.NewRequest("POST", "/", body(media))
				r.Header.Set("Content-Type", media)
				b := New(nil, r, limit, true, false)
				reader.read(r)
				f(is.New(t), b, r)
			})
		}
	}
}

// TestLimit: a body beyond its limit is too large, whoever has read of it.
func TestLimit(t *testing.T) {
	text := strings.Repeat("x", 500)
	bodies := map[string]string{jsonMedia: `{"a":"` + text + `"}`, formType: "a=" + text, multiMedia: parts("a=" + text)}
	body := func(media string) io.Reader { return io.MultiReader(strings.NewReader(bodies[media])) } // of unknown length
	eachRead(t, body, 400, func(is *is.I, b *Body, r *http.Request) {
		err := b.Load(r, false)
		is.Equal(err, tooLarge(400))
		is.True(b.Load(r, true) == err) // and not another one that says the same
	})
	eachRead(t, body, 1000, func(is *is.I, b *Body, r *http.Request) { is.NoErr(b.Load(r, false)) })
}

func TestLimitOfWhatIsUnpacked(t *testing.T) {
	for limit, want := range map[int64]error{500: tooLarge(500), 502: nil} {
		is := is.New(t)
		r := sending("POST", "/", formType, "packed")
		r.Header.Set("Content-Encoding", "x")
		b := New(nil, r, limit, true, false)
		is.Equal(text(r), "packed")
		r.Body = io.NopCloser(strings.NewReader("a=" + strings.Repeat("x", 500)))
		is.Equal(b.Load(r, false), want)
	}
}

// cutOff is a body that ends too early, of which net/http says so at the first Read, and
// that it is at its end at those that follow.
type cutOff struct {
	io.Reader
	err error
}

func (c *cutOff) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err == io.EOF {
		err, c.err = c.err, io.EOF
	}
	return n, err
}

// TestNoPrefixIsABody has a body cut off at every byte, by the transport or by time.
func TestNoPrefixIsABody(t *testing.T) {
	bodies := map[string]string{jsonMedia: `{"a":1}`, formType: "a=1", multiMedia: parts("a=1", "b=2", "f@file")}
	for status, cause := range map[int]error{400: io.ErrUnexpectedEOF, 408: fmt.Errorf("read: %w", os.ErrDeadlineExceeded)} {
		for n := range len(bodies[multiMedia]) + 1 {
			body := func(media string) io.Reader {
				return &cutOff{strings.NewReader(bodies[media][:min(n, len(bodies[media]))]), cause}
			}
			eachRead(t, body, 1000, func(is *is.I, b *Body, r *http.Request) {
				var bad *Error
				is.True(errors.As(b.Load(r, false), &bad))
				is.Equal(bad.Status, status)
				is.NoErr(bad.Cause)
				is.True(b.AwaitsTrailers())
			})
		}
	}
}

func TestClone(t *testing.T) {
	is := is.New(t)
	r := sending("POST", "/", formType, "a=1")
	b := New(nil, r, 100, true, false)
	is.True(b.Clone().Load(r, false) != nil) // there is nothing of it yet
	is.NoErr(b.Load(r, false))
	c := b.Clone()
	is.True(!c.AwaitsTrailers())
	r.PostForm.Set("a", "changed")
	is.Equal(c.All(r), map[string]any{"a": "1"})
	again, err := io.ReadAll(c.Reader())
	is.NoErr(err)
	is.Equal(string(again), "a=1")
}

func TestTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	flowtest.SetTempDir(t, dir)
	count := func() int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	for _, endsBefore := range []bool{false, true} {
		is := is.New(t)
		r := sending("POST", "/", multiMedia, parts("a=1", "f@"+strings.Repeat("x", 2*FormMemory)))
		b := New(nil, r, 0, true, false)
		if endsBefore {
			b.End()
		}
		is.NoErr(b.Load(r, false))
		b.Clone().End() // has no files
		is.Equal(count() == 0, endsBefore)
		b.End()
		is.Equal(count(), 0)
		is.Equal(b.Inputs(r, "a"), []string{"1"})
	}
	is := is.New(t)
	os.Remove(dir)
	_, err := load(sending("POST", "/", multiMedia, parts("f@"+strings.Repeat("x", 2*FormMemory))))
	is.True(err != nil)
	is.True(strings.HasPrefix(err.Error(), "flow: an uploaded file cannot be kept: "))
}

// wellFormed reports whether the standard library's own parsers take a body.
func wellFormed(mediaType string, body []byte) bool {
	switch mediaType {
	case jsonMedia:
		return len(body) == 0 || json.Valid(body) && depthOf(body) <= maxDepth
	case formType:
		_, err := url.ParseQuery(string(body))
		return err == nil
	case multiMedia:
		form, err := multipart.NewReader(strings.NewReader(string(body)), "b").ReadForm(1 << 20)
		if err == nil {
			form.RemoveAll()
		}
		return err == nil
	}
	return true
}

// depthOf returns how deep valid JSON is nested.
func depthOf(text []byte) int {
	depth, deepest := 0, 0
	for d := json.NewDecoder(bytes.NewReader(text)); ; deepest = max(deepest, depth) {
		switch token, err := d.Token(); token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		default:
			if err != nil {
				return deepest
			}
		}
	}
}

// FuzzBody: a body is loaded if and only if it is well formed, and Bind and its like take
// whatever comes.
func FuzzBody(f *testing.F) {
	medias := []string{jsonMedia, formType, multiMedia, "text/plain"}
	f.Add(byte(0), []byte(strings.Repeat("[", maxDepth+1)+strings.Repeat("]", maxDepth+1)))
	for i, body := range []string{`{"I":1,"Deep":{"N":"x"},"L":["a",null],"Quoted":"5","T":0}`, "I=1&L=a&L=b&LL=1&PL=&Raw=%00", parts("I=1", "L=", "f@x"), "x"} {
		f.Add(byte(i), []byte(body))
	}
	f.Fuzz(func(t *testing.T, media byte, body []byte) {
		mediaType := medias[int(media)%len(medias)]
		all := readers
		if mediaType == jsonMedia || mediaType == formType {
			all = slices.Concat(readers, consumers)
		}
		for _, reader := range all {
			r := sending("POST", "/", mediaType, string(body))
			b := New(nil, r, 10<<20, true, false)
			reader.read(r)
			err := b.Load(r, false)
			var bad *Error
			if want := wellFormed(mediaType, body); (err == nil) != want || err != nil && !errors.As(err, &bad) {
				t.Errorf("%s, %s %q: got %v, want %v", reader.name, mediaType, body, err, want)
			}
			if err != nil {
				continue
			}
			e, list := every{}, []any{}
			b.Bind(r, noParams{}, &e, false, noMessages)
			b.Bind(r, noParams{}, &list, false, noMessages)
			for key := range b.All(r) {
				b.Inputs(r, key)
			}
			c := b.Clone()
			if mediaType != "text/plain" && asJSON(c.All(r)) != asJSON(b.All(r)) {
				t.Errorf("%s, %s %q: the clone has %v", reader.name, mediaType, body, c.All(r))
			}
			if mediaType != multiMedia && text(r) != string(body) {
				t.Errorf("%s, %s %q: the body is not there any more", reader.name, mediaType, body)
			}
			b.End()
		}
	})
}

// noParams are the parameters of a route without any.
type noParams struct{}

func (noParams) Param(string) string      { return "" }
func (noParams) Segments(string) []string { return nil }

// noMessages takes no error of Validate for one about fields.
func noMessages(error) (map[string]string, bool) { return nil, false }

// TestCopiesLoadAtOnce loads one form for two copies of a request, as middleware does
// that goes on while http.TimeoutHandler has given up: the race detector looks on.
func TestCopiesLoadAtOnce(t *testing.T) {
	for range 50 {
		is := is.New(t)
		var text bytes.Buffer
		m := multipart.NewWriter(&text)
		is.NoErr(m.WriteField("a", "b"))
		is.NoErr(m.Close())
		r := httptest.NewRequest("POST", "/", &text)
		r.Header.Set("Content-Type", m.FormDataContentType())
		body := New(httptest.NewRecorder(), r, 0, true, false)
		var readers sync.WaitGroup
		for range 2 {
			one := r.WithContext(r.Context())
			readers.Go(func() {
				if err := body.Load(one, true); err != nil || one.PostForm.Get("a") != "b" {
					t.Error(err, one.PostForm)
				}
			})
		}
		readers.Wait()
	}
}
