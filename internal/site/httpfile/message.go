package httpfile

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A Message is a request as it is sent.
type Message struct {
	Method string
	Host   string
	Target string // path and query, escaped
	Header http.Header
	Body   []byte
}

// Message returns the request with the values of its references. open returns the content of
// a file of the body.
func (r *Request) Message(v *Values, open func(name string) ([]byte, error)) (*Message, error) {
	m := &Message{Method: r.Method, Host: r.Host, Header: http.Header{}}
	if m.Host == "" {
		m.Host = "localhost:8080"
	}
	left := maxText
	expand := func(t Text) (string, error) {
		if left < 0 {
			return "", nil // it was said that the request is too long
		}
		text, err := v.expand(t, left)
		left -= len(text)
		if errors.Is(err, errTooLong) {
			left = -1
		}
		return text, err
	}
	target, err := expand(r.Target)
	errs := []error{err}
	if r.Absolute && err == nil {
		u, err := url.Parse(target)
		if err != nil || !strings.HasPrefix(u.EscapedPath(), "/") {
			return nil, fmt.Errorf("%s is %q, which is no URL", r.Target, target)
		}
		target = u.RequestURI()
	}
	m.Target = encodeURL(target)
	for _, f := range r.Header {
		value, err := expand(f.Value)
		errs = append(errs, err)
		m.Header.Add(f.Name, value)
	}
	m.Body, err = r.body(expand, MediaType(m.Header.Get("Content-Type")), open)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	return m, nil
}

// body returns the body as the clients make it of its lines. expand returns a text with the
// values of its references.
func (r *Request) body(expand func(Text) (string, error), mediaType string, open func(name string) ([]byte, error)) ([]byte, error) {
	isForm := mediaType == "application/x-www-form-urlencoded"
	end := "\n"
	switch {
	case mediaType == "multipart/form-data":
		end = "\r\n"
	case isForm:
		end = ""
	}
	var body []byte
	var errs []error
	for i, l := range r.Body {
		if i > 0 {
			body = append(body, end...)
		}
		if l.File != "" {
			content, err := open(l.File)
			errs = append(errs, err)
			body = append(body, content...)
			continue
		}
		text, err := expand(l.Text)
		errs = append(errs, err)
		if isForm {
			text = encodeURL(text)
		}
		body = append(body, text...)
	}
	if mediaType == "application/x-ndjson" && len(body) > 0 {
		body = append(body, end...)
	}
	return body, errors.Join(errs...)
}

// encodeURL escapes what clients escape in URLs and forms: blanks, quotation marks, and
// everything else that no URL has. It leaves escapes as they are.
func encodeURL(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
