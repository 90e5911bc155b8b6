package input

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
)

// firstSize is how many bytes of a multipart form are kept while it is read, if its handler also runs
// with a form that is too large.
const firstSize = 64 << 10

// A beginning is a multipart body with its limit. It keeps the first bytes that are read: once the
// limit is passed, package multipart returns no form, not even the values that it has read.
type beginning struct {
	io.ReadCloser
	whole io.Reader // the body of net/http, without the limit
	text  []byte    // the first bytes: firstSize at most
}

func (b *beginning) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.text = append(b.text, p[:min(n, firstSize-len(b.text))]...)
	return n, err
}

// readBeyond returns what is kept of a multipart form that exceeds its limit: the values that have
// arrived whole within the first bytes, and no file. c has the form if that has ended within the
// limit, and the body has not.
//
// Browsers read a response only when they have sent the whole body, so as many bytes as the limit allows
// are read once more, and thrown away. A client that sends even more may lose the response.
func (b *Body) readBeyond(r *http.Request, c content) (content, error) {
	io.Copy(io.Discard, &b.stream) // up to the limit
	if err := readError(b.stream.err); err != nil && !isTooLarge(err) {
		return c, err // it was to be too large by its Content-Length, and is incomplete
	}
	io.CopyN(io.Discard, b.first.whole, b.limit)
	if c.files != nil {
		c.files.RemoveAll()
		c.files.File, c.tooLarge = nil, b.limit
		return c, nil
	}
	values, err := b.first.values(r.Header)
	if err != nil {
		return c, readError(err)
	}
	r.ParseForm() // the query; an error is about that, and is ignored
	for key, texts := range values {
		r.Form[key] = append(r.Form[key], texts...)
		r.PostForm[key] = append(r.PostForm[key], texts...)
	}
	r.MultipartForm = &multipart.Form{Value: values}
	return content{form: values, files: r.MultipartForm, posted: r.PostForm, all: r.Form, tooLarge: b.limit}, nil
}

// values returns the values that have arrived whole. err is not nil if the header has no boundary.
func (b *beginning) values(h http.Header) (url.Values, error) {
	text := append(b.text, 'x') // so that a boundary at the very end does not count: it may go on
	form, err := (&http.Request{Header: h, Body: io.NopCloser(bytes.NewReader(text))}).MultipartReader()
	if err != nil {
		return nil, err
	}
	values := url.Values{}
	for {
		part, err := form.NextPart() // which skips the rest of a file
		if err != nil {
			return values, nil
		}
		name := part.FormName()
		if name == "" || part.FileName() != "" {
			continue
		}
		text, err := io.ReadAll(part)
		if err != nil { // only a part of it has arrived
			return values, nil
		}
		values[name] = append(values[name], string(text))
	}
}
