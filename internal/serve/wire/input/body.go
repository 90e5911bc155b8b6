// Package input reads the data of a request: its body, JSON or a form, and its query. [New]
// replaces the body of an http.Request by one with a limit, which notes what was read of it.
// [Body.Load] reads JSON and forms to the end and checks them, once, even if middleware has
// read the body before. Then [Body.Inputs], [Body.All] and [Body.Only] find values in the body
// and in the query. [Body.Bind] fills structs from the route, the body and the query, and
// calls their Validate methods. A malformed body is an [Error], and an invalid field has a
// message; the root package makes responses of both.
//
// A nil *Body belongs to a request without a body. Its methods use the query only.
package input

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"example.com/flow/internal/serve/wire/reply"
)

// FormMemory is how many bytes of a multipart form are kept in memory. Files beyond it are
// stored on disk.
const FormMemory = 1 << 20

// An Error is an error in a body, with the status of the response.
type Error struct {
	Status  int
	Message reply.Message // for the client
	Cause   error         // for the log; nil if Message says everything
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s", e.Status, e.Message.English) }

func bad(m reply.Message) error { return &Error{Status: http.StatusBadRequest, Message: m} }

// tooLarge returns the error for a body that exceeds its limit.
func tooLarge(limit int64) error {
	return &Error{Status: http.StatusRequestEntityTooLarge, Message: reply.BodyTooLarge(limit)}
}

// isTooLarge reports whether an error is one of tooLarge.
func isTooLarge(err error) bool {
	e, ok := err.(*Error)
	return ok && e.Message.Code == reply.BodyTooLarge(0).Code
}

// A Body is the body of a request. It is read and checked at most once.
type Body struct {
	limit   int64      // in bytes
	stream  stream     // the Body that New has put into the request
	first   *beginning // of a multipart form that may be too large; nil for other bodies
	rewound textReader // r.Body after Load, for the request that Load was first called with; copies of it, which are rare, get another one

	// Load sets these while it runs in once, and nothing changes them afterwards. After Load
	// they may be read without mu. Load does not hold mu while it waits for the client.
	once       sync.Once
	loadedFrom *http.Request // the request that Load was first called with
	err        error
	content

	mu      sync.Mutex                 // also held while Load sets the fields above
	ended   bool                       // the response was written
	members map[string]json.RawMessage // the members of a JSON object, set by index
	decoded map[string]any             // those members that were decoded
	whole   bool                       // decoded has all members
}

// content is a body after Load.
type content struct {
	unparsed bool            // it is neither JSON nor a form, and was not read
	raw      []byte          // of JSON and urlencoded bodies
	json     bool            // raw is JSON
	object   bool            // raw is a JSON object
	form     url.Values      // of urlencoded and multipart bodies
	files    *multipart.Form // a multipart form; End removes its temporary files
	tooLarge int64           // the limit that the form has passed, which has no files then: see Body.readBeyond; or 0

	posted, all url.Values // PostForm and Form of the request that a multipart body was read from
}

// New limits the body of r to limit bytes, without a limit if it is 0, and returns it. keep
// says that Load may be called after middleware has read some of the body: what was read is
// then kept in memory. lenient says that the handler runs with a multipart form that is too
// large, too: see Body.readBeyond. That of a body of another type is an error.
func New(w http.ResponseWriter, r *http.Request, limit int64, keep, lenient bool) *Body {
	b := &Body{limit: cmp.Or(limit, math.MaxInt64)}
	b.stream.ReadCloser = http.MaxBytesReader(w, r.Body, b.limit)
	b.stream.length = r.ContentLength
	mediaType := typeOf(r)
	if lenient && mediaType == multipartType {
		b.first = &beginning{ReadCloser: b.stream.ReadCloser, whole: r.Body}
		b.stream.ReadCloser = b.first
	}
	// A compressed body is not kept: middleware that reads it sets r.Body to the decompressed
	// text, and Load needs that one.
	b.stream.loadsWhole.Store(keep && (mediaType == jsonType || mediaType == formType) && headerOf(r, "Content-Encoding") == "")
	r.Body = &b.stream
	return b
}

// Stream is called before a net/http handler, which reads the body by itself. From then on a
// body that was not loaded is passed on as it arrives, and not kept in memory.
func (b *Body) Stream() {
	if b != nil {
		b.stream.loadsWhole.Store(false)
	}
}

const (
	jsonType      = "application/json"
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// maxContentType is the length in bytes of the longest Content-Type that is parsed, since
// parsing takes longer with the length.
const maxContentType = 1 << 10

// typeOf returns the media type of a body in lower case, without parameters. For types that
// end in +json it is application/json. For a Content-Type that is too long it is "".
func typeOf(r *http.Request) string {
	contentType := headerOf(r, "Content-Type")
	switch {
	case contentType == jsonType, contentType == formType: // the usual spellings
		return contentType
	case len(contentType) > maxContentType:
		return ""
	}
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	if strings.HasSuffix(mediaType, "+json") {
		return jsonType
	}
	return mediaType
}

// headerOf is r.Header.Get for a key in canonical form.
func headerOf(r *http.Request, key string) string {
	if values := r.Header[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Load reads and checks a body of JSON or a form, once, and returns its error. Afterwards the
// text can be read from r.Body again, and the form is in r for FormValue and FormFile. Other
// bodies are not read. rewind makes r.Body start at the first byte even if it was read since
// the first Load. If the body cannot be read, all calls return the same error.
func (b *Body) Load(r *http.Request, rewind bool) error {
	if b == nil {
		return nil
	}
	first := false
	b.once.Do(func() {
		c, err := content{}, errPanicked
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.content, b.loadedFrom, b.err = c, r, err
			if b.ended {
				b.removeFiles()
			}
		}()
		c, err = b.read(r)
		first = true
	})
	// r.Body is &b.stream in a copy of the request that was made before the first Load. The
	// stream was read to its end.
	if b.err == nil && (first || rewind || r.Body == &b.stream) {
		b.attach(r, first)
	}
	return b.err
}

func (b *Body) read(r *http.Request) (content, error) {
	mediaType := typeOf(r)
	c, err := b.readType(r, mediaType)
	if isTooLarge(err) && b.first != nil && mediaType == multipartType {
		return b.readBeyond(r, c)
	}
	return c, err
}

func (b *Body) readType(r *http.Request, mediaType string) (content, error) {
	switch {
	case r.Body == nil:
		return content{}, nil
	case mediaType != jsonType && mediaType != formType && mediaType != multipartType:
		return content{unparsed: true}, nil
	case b.stream.err != nil: // other code has read some of it, and got an error
		return content{}, readError(b.stream.err)
	case r.Body == &b.stream && r.ContentLength > b.limit:
		return content{}, tooLarge(b.limit)
	case mediaType == multipartType:
		return b.readMultipart(r)
	}
	raw, err := b.readRaw(r)
	switch {
	case err != nil:
		return content{}, err
	case mediaType == formType:
		return readForm(r, raw)
	case len(raw) == 0:
		return content{}, nil
	}
	err = checkJSON(raw, b.limit)
	return content{raw: raw, json: true, object: err == nil && isObject(raw)}, err
}

// readRaw returns the whole text of the body, including what other code has read.
func (b *Body) readRaw(r *http.Request) ([]byte, error) {
	s := &b.stream
	if r.Body == s {
		if s.consumed {
			return nil, errConsumed
		}
		s.load()
		return s.text, readError(s.err)
	}
	// Middleware has set r.Body to a reader of its own, which may decompress the body or only
	// observe the reads. The limit holds for this reader, too. If other code has read some of
	// it, that part is known only if the reader returns the text of the stream unchanged.
	raw, err := readAll(http.MaxBytesReader(nil, r.Body, b.limit), r.ContentLength)
	switch {
	case err != nil:
		return nil, readError(err)
	case s.loaded && bytes.HasSuffix(s.text, raw): // it returns the text unchanged
		return s.text, nil
	case len(raw) == 0 && s.consumed:
		return nil, errConsumed
	}
	return raw, nil
}

// These errors are mistakes of the program and not of the client. An empty body in their
// place would hide them.
var (
	errConsumed = errors.New("flow: middleware, a guard or a net/http handler has read the body, so there is nothing left for Input, All, Only and Bind")
	errPanicked = errors.New("flow: reading the body panicked")
)

func readForm(r *http.Request, raw []byte) (content, error) {
	c := content{raw: raw}
	form, err := url.ParseQuery(string(raw))
	switch {
	case err != nil:
		return content{}, bad(reply.BodyNotForm)
	case len(r.PostForm) > 0: // middleware has parsed the form, and may have changed it
		c.form = r.PostForm
	case len(raw) > 0:
		c.form = form
	}
	return c, nil
}

func (b *Body) readMultipart(r *http.Request) (content, error) {
	parsed := r.MultipartForm != nil
	if r.Body != &b.stream {
		r.Body = http.MaxBytesReader(nil, r.Body, b.limit)
		if b.first != nil {
			b.first = &beginning{ReadCloser: r.Body, whole: b.first.whole}
			r.Body = b.first
		}
	}
	err := r.ParseMultipartForm(FormMemory)
	switch {
	case err != nil && parsed: // MultipartReader was called, which sets an empty form
		return content{}, errConsumed
	case r.MultipartForm == nil: // else the error is about the query, and is ignored
		return content{}, readError(cmp.Or(b.stream.err, err)) // mime/multipart does not wrap all errors of the stream
	}
	_, err = io.Copy(io.Discard, r.Body) // the form may end before the body
	return content{form: r.MultipartForm.Value, files: r.MultipartForm, posted: r.PostForm, all: r.Form}, readError(err)
}

// attach sets r.Body to a reader of the text, and r.PostForm, r.Form and r.MultipartForm to the
// form. first says that r is the request from which the body was read.
func (b *Body) attach(r *http.Request, first bool) {
	switch {
	case b.unparsed:
		return
	case b.files != nil:
		if !first {
			r.MultipartForm, r.PostForm, r.Form = b.files, b.posted, b.all
		}
		r.Body = http.NoBody
		return
	case b.form != nil:
		if len(r.PostForm) == 0 { // ParseForm itself reads the body of POST, PUT and PATCH only
			r.PostForm, r.Form = b.form, nil
		}
		r.ParseForm() // an error is about the query, of which it keeps the valid part
	}
	if !first || b.raw == nil {
		r.Body = b.Reader()
		return
	}
	b.rewound.Reset(b.raw)
	r.Body = &b.rewound
}

// readError returns the error for a body that could not be read. A mistake of the client has
// no Cause, so that clients cannot fill the log.
func readError(err error) error {
	if err == nil {
		return nil
	}
	var beyond *http.MaxBytesError
	var disk *fs.PathError
	switch {
	case errors.As(err, &beyond):
		return tooLarge(beyond.Limit)
	case errors.Is(err, multipart.ErrMessageTooLarge):
		return &Error{Status: http.StatusRequestEntityTooLarge, Message: reply.BodyTooManyParts}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Error{Status: http.StatusRequestTimeout, Message: reply.BodyTooSlow}
	case errors.As(err, &disk):
		return fmt.Errorf("flow: an uploaded file cannot be kept: %w", err)
	}
	return bad(reply.BodyMalformed)
}

// End is called after the response, and removes temporary files. A goroutine of the handler
// may call Load after End: then Load removes them.
func (b *Body) End() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.removeFiles()
}

func (b *Body) removeFiles() {
	if b.files != nil {
		b.files.RemoveAll()
	}
}

// AwaitsTrailers reports whether the trailers of the request may still arrive. net/http stores
// them in r.Trailer when the body is read to its end, which it may do itself after the
// handler.
func (b *Body) AwaitsTrailers() bool {
	return b != nil && b.stream.ReadCloser != nil && !b.stream.ended.Load()
}

// Clone returns a copy for another goroutine, which may use it after End. It has no files.
func (b *Body) Clone() *Body {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &Body{err: b.err, loadedFrom: b.loadedFrom, content: b.content}
	if b.loadedFrom == nil || b.unparsed {
		c.err = errors.New("flow: the body was not read before Clone, so the clone cannot have it")
	}
	c.once.Do(func() {}) // so that Load does not read
	c.files = nil
	c.form = url.Values(http.Header(b.form).Clone()) // http.Header and url.Values are the same type of map
	return c
}

// Reader returns a reader of the text that was loaded. It is empty if there is none.
func (b *Body) Reader() io.ReadCloser {
	if b == nil || b.raw == nil {
		return http.NoBody
	}
	return newReader(b.raw)
}

// Broke reports whether err wraps the error that reading the body has ended with: the body
// was truncated or malformed, or the client is gone.
func (b *Body) Broke(err error) bool {
	if b == nil {
		return false
	}
	broken := b.stream.broken.Load()
	return broken != nil && errors.Is(err, *broken)
}
