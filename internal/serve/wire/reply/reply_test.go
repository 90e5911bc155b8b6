package reply

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// A plain writer can neither flush nor be hijacked.
type plain struct{ http.ResponseWriter }

func TestTrackOffersNoMoreThanTheWriter(t *testing.T) {
	is := is.New(t)
	w, tracked := Track(plain{})
	_, flusher := w.(http.Flusher)
	_, hijacker := w.(http.Hijacker)
	is.True(!flusher && !hijacker)
	is.True(errors.Is(http.NewResponseController(w).Flush(), http.ErrNotSupported))
	is.True(!tracked.Sent)
	w, tracked = Track(httptest.NewRecorder())
	_, flusher = w.(http.Flusher)
	_, hijacker = w.(http.Hijacker)
	is.True(flusher && !hijacker)
	again, same := Track(w)
	is.True(again == w && same == tracked)
	is.True(tracked.Unwrap() == tracked.ResponseWriter)
}

func TestDescription(t *testing.T) {
	is := is.New(t)
	h := http.Header{"Etag": {"a"}, "Content-Encoding": {"gzip"}, "Set-Cookie": {"c=1"}}
	before := Describe(h)
	h.Set("Etag", "b")
	h.Set("Cache-Control", "max-age=9")
	h.Set("X-Kept", "yes")
	before.Restore(h)
	is.Equal(h, http.Header{"Etag": {"a"}, "Content-Encoding": {"gzip"}, "Set-Cookie": {"c=1"}, "X-Kept": {"yes"}})
	DropDescription(h)
	is.Equal(h, http.Header{"Content-Encoding": {"gzip"}, "Set-Cookie": {"c=1"}, "X-Kept": {"yes"}})
}

func TestProblem(t *testing.T) {
	p := Problem{Status: 422, Detail: Message{English: "<no>"}, Fields: map[string]string{"b": "is long", "a": "is short"}}
	for _, tt := range []struct{ mediaType, contentType, holds string }{
		{"text/html", "text/html; charset=utf-8", "<h1>422 Unprocessable Entity</h1>\n<p>&lt;no&gt;</p>\n<dl>\n<dt>a</dt><dd>is short</dd>"},
		{"text/plain", "text/plain; charset=utf-8", "Unprocessable Entity: <no>\na: is short\nb: is long\n"},
		{"application/problem+json", "application/problem+json", `"title":"Unprocessable Entity","status":422`},
	} {
		t.Run(tt.mediaType, func(t *testing.T) {
			is := is.New(t)
			contentType, body := p.Render(tt.mediaType)
			is.Equal(contentType, tt.contentType)
			is.True(strings.Contains(body, tt.holds))
			is.Equal(contentType == "application/problem+json", json.Valid([]byte(body)))
		})
	}
	is := is.New(t)
	is.Equal(TitleOf(499).English, "Error 499")
}

func TestCheckRedirect(t *testing.T) {
	for _, tt := range []struct {
		target string
		good   bool
	}{
		{"/a", true}, {"/", true}, {"https://example.com/x", true}, {"http://example.com", true},
		{"//evil.example", false}, {`/\evil.example`, false}, {"/\tx", false}, {"javascript:alert(1)", false},
		{"https:evil", false}, {"", false}, {"a/b", false}, {`https://good\@evil`, false},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			is.Equal(checkRedirect(tt.target) == nil, tt.good)
		})
	}
	is := is.New(t)
	is.Equal(escapeURL("/a b/é"), "/a%20b/%C3%A9")
}

func TestSetFields(t *testing.T) {
	shared := append(make([]string, 0, 4), "Origin")
	for _, tt := range []struct {
		name   string
		before http.Header
		fields []Field
		want   http.Header
	}{
		{"set", http.Header{"A": {"1", "2"}}, []Field{{Key: "a", Value: "3"}}, http.Header{"A": {"3"}}},
		{"add", http.Header{"A": {"1"}}, []Field{{Key: "a", Value: "2", Add: true}, {Key: "A", Value: "2", Add: true}}, http.Header{"A": {"1", "2", "2"}}},
		{"add to none", http.Header{}, []Field{{Key: "link", Value: "x", Add: true}}, http.Header{"Link": {"x"}}},
		{"add to what is shared", http.Header{"A": shared}, []Field{{Key: "A", Value: "2", Add: true}}, http.Header{"A": {"Origin", "2"}}},
		{"Vary", http.Header{}, []Field{{Key: "vary", Value: "HX-Request"}}, http.Header{"Vary": {"HX-Request"}}},
		{"Vary is not replaced", http.Header{"Vary": shared}, []Field{{Key: "VARY", Value: "Cookie"}}, http.Header{"Vary": {"Origin", "Cookie"}}},
		{"Vary, added", http.Header{"Vary": {"Origin"}}, []Field{{Key: "Vary", Value: "Cookie", Add: true}}, http.Header{"Vary": {"Origin", "Cookie"}}},
		{"Vary names nothing twice", http.Header{"Vary": {"Origin, cookie", "Accept"}}, []Field{{Key: "Vary", Value: "Cookie,X , accept, x"}, {Key: "Vary", Value: "X"}}, http.Header{"Vary": {"Origin, cookie", "Accept", "X"}}},
		{"Vary star stays", http.Header{"Vary": {"*"}}, []Field{{Key: "Vary", Value: "Cookie"}}, http.Header{"Vary": {"*"}}},
		{"Vary star in a list", http.Header{"Vary": {"Origin ,*"}}, []Field{{Key: "Vary", Value: "Cookie"}, {Key: "Vary", Value: "*"}}, http.Header{"Vary": {"Origin ,*"}}},
		{"Vary star is added", http.Header{"Vary": {"Origin"}}, []Field{{Key: "Vary", Value: "*"}, {Key: "Vary", Value: "Cookie"}}, http.Header{"Vary": {"Origin", "*"}}},
		{"Vary without a name", http.Header{}, []Field{{Key: "Vary", Value: " , "}}, http.Header{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			SetFields(tt.before, tt.fields)
			is.Equal(tt.before, tt.want)
			is.Equal(shared[:2][1], "") // nobody else sees what was added
		})
	}
}
