// Package input is the data of a request. [New] limits the body of a request and puts
// one in its place that knows what was read of it. [Body.Load] reads and checks it,
// once, if it is JSON or a form; all of it counts, also what others have read before.
// [Body.Inputs], [Body.All] and [Body.Only] then find values in it and in the query, and
// [Body.Bind] fills structs from all of that and from the route, and has them validate
// themselves. What is wrong with a body is an [Error], and what is wrong with a field a
// message: how they are answered is decided elsewhere.
//
// A nil *Body is that of a request without one: its methods know the query only.
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
)

// formMemory is how much of a multipart form is kept in memory, in bytes; files
// beyond it go to the disk.
const formMemory = 1 << 20

// An Error is what is wrong with a body, and the status that answers it.
type Error struct {
	Status  int
	Message string // for the client
	Cause   error  // for the log; nil if the client was told all
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s", e.Status, e.Message) }

func bad(message string) error { return &Error{Status: http.StatusBadRequest, Message: message} }

// TooLarge is the message about a body beyond its limit.
const TooLarge = "the body is too large"

var errTooLarge = &Error{Status: http.StatusRequestEntityTooLarge, Message: TooLarge}

// A Body is the body of a request, read and checked at most once.
type Body struct {
	limit  int64      // in bytes
	stream stream     // what New left in the request
	again  textReader // the text for the request that Load has read it from; others, which are rare, get a reader of their own

	// Load sets these in once, since reading waits for the client, and nothing changes
	// them afterwards. Who has called Load needs no lock to read them.
	once sync.Once
	by   *http.Request // the request that Load has read it from
	err  error
	content

	mu      sync.Mutex                 // also held while Load sets what is above
	ended   bool                       // the response was written
	members map[string]json.RawMessage // of a JSON object, once one is asked for
	decoded map[string]any             // the members that were decoded
	whole   bool                       // decoded has all
}

// content is what reading a body gives.
type content struct {
	other  bool            // neither JSON nor a form: it was not read
	raw    []byte          // of JSON and urlencoded bodies
	json   bool            // raw is JSON
	object bool            // raw is a JSON object
	form   url.Values      // of urlencoded and multipart bodies
	files  *multipart.Form // whose temporary files End removes

	posted, all url.Values // PostForm and Form of the request that a multipart body was read from
}

// New limits the body of r to so many bytes, or not at all if limit is 0, and returns
// it. keep says that a guard or a handler may ask for all of it, after others have read
// some of it.
func New(w http.ResponseWriter, r *http.Request, limit int64, keep bool) *Body {
	b := &Body{limit: cmp.Or(limit, math.MaxInt64)}
	b.stream.ReadCloser = http.MaxBytesReader(w, r.Body, b.limit)
	b.stream.length = r.ContentLength
	mediaType := typeOf(r)
	// A body with a Content-Encoding is not kept: whoever reads some of it decompresses it,
	// and its compressed text is of no use in the place of that.
	b.stream.loads.Store(keep && (mediaType == jsonType || mediaType == formType) && headerOf(r, "Content-Encoding") == "")
	r.Body = &b.stream
	return b
}

// Stream is called before a net/http handler runs, which reads the body by itself. What
// is not loaded yet is then passed on as the client sends it, however much it is, and
// not held in memory.
func (b *Body) Stream() {
	if b != nil {
		b.stream.loads.Store(false)
	}
}

const (
	jsonType      = "application/json"
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// maxContentType is the length, in bytes, of the longest Content-Type of a body that is
// looked at: what it costs to parse one grows with it.
const maxContentType = 1 << 10

// typeOf returns the media type of a body in lower case, without its parameters. All
// kinds of JSON are application/json. If the Content-Type is too long, it is "".
func typeOf(r *http.Request) string {
	contentType := headerOf(r, "Content-Type")
	switch {
	case contentType == jsonType, contentType == formType: // as most are
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

// headerOf is r.Header.Get for a key that is known to be canonical.
func headerOf(r *http.Request, key string) string {
	if values := r.Header[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Load reads and checks a body of JSON or a form, once. The raw text can then be read
// from r, and the form is there for FormValue and FormFile. Other bodies are left alone.
// again says that the text is to begin anew in any case, for a handler that middleware
// may have called before. If the body cannot be read, failed is called with the error,
// once, and what it returns is the error of the Body from then on.
func (b *Body) Load(r *http.Request, again bool, failed func(error) error) error {
	if b == nil {
		return nil
	}
	first := false
	b.once.Do(func() {
		c, err := content{}, errPanicked
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.content, b.by = c, r; err != nil {
				b.err = failed(err)
			}
			if b.ended {
				b.removeFiles()
			}
		}()
		c, err = b.read(r)
		first = true
	})
	// A copy of the request that was made before still has the body that is used up.
	if b.err == nil && (first || again || r.Body == &b.stream) {
		b.attach(r, first)
	}
	return b.err
}

func (b *Body) read(r *http.Request) (content, error) {
	mediaType := typeOf(r)
	switch {
	case r.Body == nil:
		return content{}, nil
	case mediaType != jsonType && mediaType != formType && mediaType != multipartType:
		return content{other: true}, nil
	case b.stream.err != nil: // somebody has read some of it, and met an error
		return content{}, readError(b.stream.err)
	case r.Body == &b.stream && r.ContentLength > b.limit:
		return content{}, errTooLarge
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

// readRaw returns the whole text of the body, whatever others have read of it.
func (b *Body) readRaw(r *http.Request) ([]byte, error) {
	s := &b.stream
	if r.Body == s {
		if s.taken {
			return nil, errTaken
		}
		s.load()
		return s.text, readError(s.err)
	}
	// Middleware has put a body of its own in its place, which decompresses it or only
	// watches what is read. The same limit holds for that. What others have read of it
	// before is only known if it is the text of the stream itself.
	raw, err := readAll(http.MaxBytesReader(nil, r.Body, b.limit), r.ContentLength)
	switch {
	case err != nil:
		return nil, readError(err)
	case s.loaded && bytes.HasSuffix(s.text, raw): // it only watches
		return s.text, nil
	case len(raw) == 0 && s.taken:
		return nil, errTaken
	}
	return raw, nil
}

// These are faults of the program, not of the client. An empty body in their place would
// be wrong and would hide them.
var (
	errTaken    = errors.New("flow: middleware, a guard or a net/http handler has read the body, so there is nothing left for Input, All, Only and Bind")
	errPanicked = errors.New("flow: reading the body panicked")
)

func readForm(r *http.Request, raw []byte) (content, error) {
	c := content{raw: raw}
	form, err := url.ParseQuery(string(raw))
	switch {
	case err != nil:
		return content{}, bad("the body is not a valid form")
	case len(r.PostForm) > 0: // by middleware, which may have changed it, or used up a body of its own
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
	}
	err := r.ParseMultipartForm(formMemory)
	switch {
	case err != nil && parsed: // MultipartReader was called, which leaves an empty form behind
		return content{}, errTaken
	case r.MultipartForm == nil: // if there is a form, the error is about the query, and does not count
		return content{}, readError(cmp.Or(b.stream.err, err)) // mime/multipart hides some errors of the stream
	}
	_, err = io.Copy(io.Discard, r.Body) // the form ends before the body does
	return content{form: r.MultipartForm.Value, files: r.MultipartForm, posted: r.PostForm, all: r.Form}, readError(err)
}

// attach makes r as if the body had been read from it: its body can be read again, and
// its form was parsed. first says that it is the request from which it was read.
func (b *Body) attach(r *http.Request, first bool) {
	switch {
	case b.other:
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
		r.ParseForm() // fails for a malformed query only, and keeps what is well formed
	}
	if !first || b.raw == nil {
		r.Body = b.Reader()
		return
	}
	b.again.Reset(b.raw)
	r.Body = &b.again
}

// readError returns what answers a body that could not be read. The client's own
// faults have no cause for the log: anyone could fill it.
func readError(err error) error {
	if err == nil {
		return nil
	}
	var tooLarge *http.MaxBytesError
	var disk *fs.PathError
	switch {
	case errors.As(err, &tooLarge):
		return errTooLarge
	case errors.Is(err, multipart.ErrMessageTooLarge):
		return &Error{Status: http.StatusRequestEntityTooLarge, Message: "the form has too many or too large parts"}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Error{Status: http.StatusRequestTimeout, Message: "the body took too long"}
	case errors.As(err, &disk):
		return fmt.Errorf("flow: an uploaded file cannot be kept: %w", err)
	}
	return bad("the body is incomplete or malformed")
}

// End removes temporary files, after the response. A handler that outlives it may load
// the body later still: Load then removes them.
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

// AwaitsTrailers reports whether the trailers of the request may still come. Reading the
// body to its end writes them to their map, and net/http may do that after the handler.
func (b *Body) AwaitsTrailers() bool {
	return b != nil && b.stream.ReadCloser != nil && !b.stream.ended.Load()
}

// Clone returns a copy that shares nothing that changes, without the files.
func (b *Body) Clone() *Body {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &Body{err: b.err, by: b.by, content: b.content}
	if b.by == nil || b.other {
		c.err = errors.New("flow: the body was not read before Clone, so the clone cannot have it")
	}
	c.once.Do(func() {}) // there is nothing left to read
	c.files = nil
	c.form = url.Values(http.Header(b.form).Clone()) // http.Header and url.Values are the same type of map
	return c
}

// Reader returns a reader of the raw text, if it is kept.
func (b *Body) Reader() io.ReadCloser {
	if b == nil || b.raw == nil {
		return http.NoBody
	}
	return newReader(b.raw)
}

// Broke reports whether err is the error that reading the body has ended with, because
// it ended too early or was malformed.
func (b *Body) Broke(err error) bool {
	if b == nil {
		return false
	}
	broken := b.stream.broken.Load()
	return broken != nil && errors.Is(err, *broken)
}
