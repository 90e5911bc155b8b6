package httpfile

import (
	"net/http"
	"slices"
	"strings"
)

// This file has what a document says of examples. Its functions are no methods: those of types
// that every program uses are kept by the linker whether they are called or not.

// An About is what a file says of something in words.
type About struct {
	Title      string
	Prose      string // paragraphs, with a blank line between them
	Deprecated string // what follows "Deprecated: " in a paragraph that begins so; "" if none does
}

// AboutFile returns what a file says of itself: in a part without a request, or else above its
// first request.
func AboutFile(f *File) About {
	if f.Title == "" && f.Prose == "" && len(f.Requests) > 0 {
		return aboutRequest(f.Requests[0])
	}
	return about(f.Title, f.Prose)
}

// AboutRequests returns what is said of the first request that expects success. The first of
// all may show what is refused.
func AboutRequests(requests []*Request) About {
	if i := slices.IndexFunc(requests, ExpectsSuccess); i >= 0 {
		return aboutRequest(requests[i])
	}
	return About{}
}

// ExpectsSuccess reports whether a request expects a status below 400, or none, which means the
// same.
func ExpectsSuccess(r *Request) bool { return r.Status() < http.StatusBadRequest }

// Expects2XX reports whether a request expects a status from 200 to 299, or none.
func Expects2XX(r *Request) bool {
	status := r.Status()
	return status == 0 || status/100 == 2
}

func aboutRequest(r *Request) About { return about(r.Title, r.Prose) }

func about(title, prose string) About {
	a := About{Title: title, Prose: prose}
	for paragraph := range strings.SplitSeq(prose, "\n\n") {
		if text, ok := strings.CutPrefix(paragraph, "Deprecated: "); ok {
			a.Deprecated = text
		}
	}
	return a
}

// maxSample is how many bytes the body of a Sample may have: it is to be read.
const maxSample = 16 << 10

// A Sample is a request as a document shows it. It is the same each time: random numbers are
// 42 and the like. What only the answer to another request or a test knows is missing.
type Sample struct {
	Method    string
	Target    string      // path and query, escaped; "" if a part of it is missing
	Header    [][2]string // names and values; a missing reference stands as it is written: {{token}}
	MediaType string      // that the Header has: see MediaType
	Body      []byte      // nil if a part of it is missing, if it is too long to read, and if there is none
	Lacks     bool        // the Body is missing
}

// SampleOf returns a request of a file as a document shows it. open returns the content of a
// file of the body.
func SampleOf(f *File, r *Request, open func(name string) ([]byte, error)) Sample {
	v := sampleValues(f, r)
	s := Sample{Method: r.Method}
	if target, err := v.expand(r.Target, maxText); err == nil && !r.Absolute {
		s.Target = encodeURL(target)
	}
	for _, f := range r.Header {
		value, err := v.expand(f.Value, maxText)
		if err != nil {
			value = f.Value.String()
		}
		s.Header = append(s.Header, [2]string{f.Name, value})
		if s.MediaType == "" && strings.EqualFold(f.Name, "Content-Type") {
			s.MediaType = MediaType(value)
		}
	}
	left := maxSample
	body, err := r.body(func(t Text) (string, error) {
		text, err := v.expand(t, left)
		left -= len(text)
		return text, err
	}, s.MediaType, open)
	if err != nil || len(body) > maxSample {
		s.Lacks = true
		return s
	}
	s.Body = body
	return s
}

// MediaType returns the media type of a Content-Type in lower case, without parameters, as Bind and
// the clients have it.
func MediaType(contentType string) string {
	mediaType, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(mediaType))
}

// IsJSON reports whether Bind takes a body of a MediaType for JSON.
func IsJSON(mediaType string) bool {
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

// sampleValues returns the values that references of a request have in a document.
func sampleValues(f *File, r *Request) *Values {
	v := NewValues(nil)
	v.fixed = true
	v.Set(f.Variables) // those that a test gives stay unknown
	for _, before := range f.Requests {
		v.Set(before.Variables)
		if before == r {
			break
		}
	}
	return v
}

// A Condition is what an example expects of its answer.
//
//	# ?? header location startsWith /users/
//	# ?? body errors[0].name == "x"
type Condition struct {
	Line    int
	Subject string   // "status", "header" or "body"
	Header  string   // of "header"
	Place   []string // of "body", its keys and indexes: "errors", "[0]", "name"; nil for the whole body
	Word    string   // "==", "isString"
	Text    string   // what is compared with
	Lacks   bool     // a part of the text is missing: only a test knows it
}

// MayLack reports whether the answer may lack what a condition is about: the condition may be there to
// say just that.
func MayLack(c Condition) bool {
	return c.Word == "isFalse" || c.Word == "!=" || c.Text == "undefined"
}

// PlaceText returns a Place as it is written: "errors[0].name".
func PlaceText(place []string) string {
	return strings.ReplaceAll(strings.Join(place, "."), ".[", "[")
}

// ConditionsOf returns what a request of a file expects, with the values of a document.
func ConditionsOf(f *File, r *Request) (all []Condition) {
	var v *Values
	for _, e := range r.Expects {
		c := Condition{Line: e.Line, Subject: e.subject, Header: e.header, Place: e.place, Word: e.condition}
		if v == nil && !e.text.isLiteral() {
			v = sampleValues(f, r)
		}
		text, err := v.expand(e.text, maxSample)
		if c.Text = text; err != nil {
			c.Text, c.Lacks = e.text.String(), true
		}
		all = append(all, c)
	}
	return all
}
