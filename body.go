package flow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// defaultMaxBody is the largest body, in bytes, where nothing else is said.
const defaultMaxBody = 10 << 20

// formMemory is how much of a multipart form is kept in memory, in bytes; files
// beyond it go to the disk.
const formMemory = 1 << 20

// Data is the data of a request, as Request.All returns it.
type Data map[string]any

// A body is the body of a request, read and checked at most once.
type body struct {
	limit  int64  // in bytes
	stream stream // what newBody left in the request

	once sync.Once // for reading, which waits for the client and so does not hold mu

	mu    sync.Mutex
	by    *http.Request // it was read from
	ended bool          // the response was written
	err   error
	bodyData
	members map[string]json.RawMessage // of a JSON object, once one is asked for
	decoded map[string]any             // those that were decoded
	whole   bool                       // decoded has all
}

// bodyData is what reading a body gives.
type bodyData struct {
	other  bool            // neither JSON nor a form: it was not read
	raw    []byte          // of JSON and urlencoded bodies
	json   bool            // raw is JSON
	object bool            // raw is a JSON object
	form   url.Values      // of urlencoded and multipart bodies
	files  *multipart.Form // whose temporary files are ours to remove
}

// A stream is the body in a request, for everyone who reads it: guards, middleware that
// calls FormValue, net/http handlers, and a body itself. JSON and urlencoded forms are
// loaded whole at the first Read, so that what others have read is not lost, and neither
// is the error of a body that is cut off.
type stream struct {
	io.ReadCloser              // from the client, within the limit
	length        int64        // as the client says
	loads         atomic.Bool  // the first Read loads the body
	loaded        bool         // into text
	text          []byte       // all of it, or what came before err
	rest          bytes.Reader // what is still to be read of text
	taken         bool         // somebody has read of it, and it is not in text
	err           error        // that it ended with, other than io.EOF
	ended         atomic.Bool  // it ended without, and the trailers of the request have come
}

func (s *stream) Read(p []byte) (n int, err error) {
	if s.loads.Load() {
		s.load()
	}
	if !s.loaded {
		n, err = s.ReadCloser.Read(p)
		s.taken = s.taken || n > 0
		if err == io.EOF {
			s.ended.Store(true)
		} else {
			s.err = err
		}
		return n, err
	}
	if n, err = s.rest.Read(p); err == io.EOF && s.err != nil {
		err = s.err
	}
	return n, err
}

// load reads all that is left, once.
func (s *stream) load() {
	if s.loaded {
		return
	}
	s.loaded, s.err = true, io.ErrUnexpectedEOF // which stays if reading panics
	s.text, s.err = readAll(s.ReadCloser, s.length)
	s.rest.Reset(s.text)
	s.ended.Store(s.err == nil)
}

// readAll reads a body of a length that the client has announced, or has not.
func readAll(body io.Reader, length int64) ([]byte, error) {
	var buf bytes.Buffer
	buf.Grow(int(min(max(length, 0), 64<<10)) + bytes.MinRead) // a client's word is no reason to reserve more
	_, err := buf.ReadFrom(body)
	return buf.Bytes(), err
}

// shareTrailer is called before r is copied, if its body is not read yet. net/http
// gives trailers that were not announced to its own request: into the map that all
// copies share, or into one that it makes then, which no copy has. In HTTP/2 there are
// only those that were announced, and a map for them.
func shareTrailer(r *http.Request) {
	if r.Trailer == nil && len(r.TransferEncoding) > 0 {
		r.Trailer = http.Header{}
	}
}

// hasBody reports whether r has a body.
func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// newBody limits the body of r, to so many bytes or, with 0, not at all, and returns
// it. keep says that there is a handler of flow's own forms or a guard, which may want
// all of it.
func newBody(w http.ResponseWriter, r *http.Request, limit int64, keep bool) *body {
	b := &body{limit: cmp.Or(limit, math.MaxInt64)}
	b.stream.ReadCloser = http.MaxBytesReader(w, r.Body, b.limit)
	b.stream.length = r.ContentLength
	mediaType := mediaTypeOf(r)
	// The text of what is packed cannot stand for what others unpack from it.
	b.stream.loads.Store(keep && (isJSON(mediaType) || mediaType == formType) && r.Header.Get("Content-Encoding") == "")
	r.Body = &b.stream
	return b
}

// leave is called before a net/http handler, which reads the body by itself: what is
// not loaded yet comes as the client sends it, however much it is.
func (b *body) leave() {
	if b != nil {
		b.stream.loads.Store(false)
	}
}

const (
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// maxContentType is the length, in bytes, of the longest Content-Type of a body that is
// looked at: what it costs to parse one grows with it.
const maxContentType = 1 << 10

// mediaTypeOf returns the media type of a body without its parameters, which are
// not ours to judge. A Content-Type that is too long says nothing.
func mediaTypeOf(r *http.Request) string {
	contentType := r.Header.Get("Content-Type")
	if len(contentType) > maxContentType {
		return ""
	}
	return withoutParameters(contentType)
}

func isJSON(mediaType string) bool {
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

// readBody reads and checks a body of JSON or a form, once. The raw text can then be
// read from r, and the form is there for FormValue and FormFile. Other bodies are left
// alone. again says that the text is to begin anew in any case, for a handler that
// middleware may have called before.
func (x *exchange) readBody(r *http.Request, again bool) error {
	b := x.body
	if b == nil {
		return nil
	}
	first := false
	b.once.Do(func() {
		c, err := bodyData{}, errors.New("flow: reading the body panicked")
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.bodyData, b.err, b.by = c, err, r; err != nil {
				x.failed.Store(true)
			}
			if b.ended {
				b.removeFiles()
			}
		}()
		c, err = b.read(r)
		first = true
	})
	err := b.failure()
	// A copy of the request that was made before still has the body that is used up.
	if err == nil && (first || again || r.Body == &b.stream) {
		b.attach(r)
	}
	return err
}

func (b *body) read(r *http.Request) (bodyData, error) {
	mediaType := mediaTypeOf(r)
	known := isJSON(mediaType) || mediaType == formType || mediaType == multipartType
	switch {
	case r.Body == nil:
		return bodyData{}, nil
	case !known:
		return bodyData{other: true}, nil
	case b.stream.err != nil: // somebody has read of it
		return bodyData{}, readError(b.stream.err)
	case r.Body == &b.stream && r.ContentLength > b.limit:
		return bodyData{}, Error(http.StatusRequestEntityTooLarge, tooLargeDetail)
	case mediaType == formType:
		return b.readForm(r)
	case mediaType == multipartType:
		return b.readMultipart(r)
	}
	raw, err := b.readRaw(r)
	if err == nil && len(raw) > 0 {
		err = checkJSON(raw, b.limit)
	}
	return bodyData{raw: raw, json: len(raw) > 0, object: err == nil && isObject(raw)}, err
}

// readRaw returns the whole text of the body, whatever others have read of it.
func (b *body) readRaw(r *http.Request) ([]byte, error) {
	s := &b.stream
	if r.Body == s {
		if s.taken {
			return nil, errTaken
		}
		if s.load(); s.err != nil {
			return nil, readError(s.err)
		}
		return s.text, nil
	}
	// Middleware put another in its place: unpacked, or just watched. The same limit
	// holds for it; what was read of it before is known only if it is all.
	raw, err := readAll(http.MaxBytesReader(nil, r.Body, b.limit), r.ContentLength)
	switch {
	case err != nil:
		return nil, readError(err)
	case s.loaded && bytes.HasSuffix(s.text, raw): // it just watches
		return s.text, nil
	case len(raw) == 0 && s.taken:
		return nil, errTaken
	}
	return raw, nil
}

// errTaken is about a program, not a client: an empty body would be a lie.
var errTaken = errors.New("flow: middleware, a guard or a net/http handler has read the body, so there is nothing left for Input, All, Only and Bind")

func (b *body) readForm(r *http.Request) (bodyData, error) {
	raw, err := b.readRaw(r)
	if err != nil {
		return bodyData{}, err
	}
	c := bodyData{raw: raw}
	form, err := url.ParseQuery(string(raw))
	switch {
	case err != nil:
		return bodyData{}, Error(http.StatusBadRequest, "the body is not a valid form")
	case len(r.PostForm) > 0: // by middleware, which may have changed it, or used up a body of its own
		c.form = r.PostForm
	case len(raw) > 0:
		c.form = form
	}
	return c, nil
}

func (b *body) readMultipart(r *http.Request) (bodyData, error) {
	parsed := r.MultipartForm != nil
	if r.Body != &b.stream {
		r.Body = http.MaxBytesReader(nil, r.Body, b.limit)
	}
	err := r.ParseMultipartForm(formMemory)
	switch {
	case err != nil && parsed: // what a call of MultipartReader leaves behind
		return bodyData{}, errTaken
	case r.MultipartForm == nil: // else the error is that of the query, and does not count
		return bodyData{}, readError(err)
	}
	c := bodyData{form: r.MultipartForm.Value, files: r.MultipartForm}
	// The form ends before the body does.
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return c, readError(err)
	}
	return c, nil
}

// attach makes r what it would be if it had been the one that was read: its body
// can be read again, and its form was parsed.
func (b *body) attach(r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.other:
		return
	case b.files != nil:
		r.MultipartForm, r.PostForm, r.Form = b.by.MultipartForm, b.by.PostForm, b.by.Form
		r.Body = http.NoBody
		return
	case b.form != nil:
		if len(r.PostForm) == 0 { // ParseForm itself reads the body of POST, PUT and PATCH only
			r.PostForm, r.Form = b.form, nil
		}
		r.ParseForm() // fails for a malformed query only, and keeps what is well formed
	}
	r.Body = b.reader()
}

// readError returns what answers a body that could not be read. The client's own
// faults have no cause for the log: anyone could fill it.
func readError(err error) error {
	var tooLarge *http.MaxBytesError
	var disk *fs.PathError
	switch {
	case errors.As(err, &tooLarge):
		return Error(http.StatusRequestEntityTooLarge, tooLargeDetail)
	case errors.Is(err, multipart.ErrMessageTooLarge):
		return Error(http.StatusRequestEntityTooLarge, "the form has too many or too large parts")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Error(http.StatusRequestTimeout, "the body took too long")
	case errors.As(err, &disk):
		return fmt.Errorf("flow: an uploaded file cannot be kept: %w", err)
	}
	return Error(http.StatusBadRequest, "the body is incomplete or malformed")
}

func (b *body) failure() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// end removes temporary files. A handler that outlives its response may read the
// body later still: readBody then removes them.
func (b *body) end() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.removeFiles()
}

func (b *body) removeFiles() {
	if b.files != nil {
		b.files.RemoveAll()
		b.files = nil
	}
}

// awaitsTrailers reports whether the trailers of the request may still come. Whoever
// reads the body to its end then writes to their map, which may be net/http, after the
// handler.
func (b *body) awaitsTrailers() bool {
	return b != nil && b.stream.ReadCloser != nil && !b.stream.ended.Load()
}

// clone returns a copy that shares nothing that changes, without the files.
func (b *body) clone() *body {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &body{err: b.err, by: b.by, bodyData: b.bodyData}
	if b.by == nil || b.other {
		c.err = errors.New("flow: the body was not read before Clone, so the clone cannot have it")
	}
	c.once.Do(func() {}) // there is nothing left to read
	c.files = nil
	if b.form != nil {
		c.form = make(url.Values, len(b.form))
		for key, values := range b.form {
			c.form[key] = slices.Clone(values)
		}
	}
	return c
}

// reader returns a reader of the raw text, if it is kept.
func (b *body) reader() io.ReadCloser {
	if b == nil || b.raw == nil {
		return http.NoBody
	}
	return io.NopCloser(bytes.NewReader(b.raw))
}

// values returns all values of a key in the body. ok reports whether it is there.
func (b *body) values(key string) (values []string, ok bool) {
	if b == nil {
		return nil, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if values, ok = b.form[key]; ok {
		return slices.Clone(values), true
	}
	v, ok := b.member(key)
	if !ok {
		return nil, false
	}
	if list, ok := v.([]any); ok {
		values := make([]string, len(list))
		for i, item := range list {
			values[i] = jsonText(item)
		}
		return values, true
	}
	return []string{jsonText(v)}, true
}

// value returns what All has of a key in the body. ok reports whether it is there.
func (b *body) value(key string) (v any, ok bool) {
	if b == nil {
		return nil, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if values, ok := b.form[key]; ok {
		return formValue(values), true
	}
	return b.member(key)
}

// member returns the value of a key in a JSON object, decoded once.
func (b *body) member(key string) (v any, ok bool) {
	if v, ok = b.decoded[key]; ok {
		return v, true
	}
	raw, ok := b.index()[key]
	if !ok {
		return nil, false
	}
	if b.decoded == nil {
		b.decoded = map[string]any{}
	}
	v = decodeJSON(raw)
	b.decoded[key] = v
	return v, true
}

// index returns the members of a JSON object, found once, after which the map does not
// change.
func (b *body) index() map[string]json.RawMessage {
	if b.object && b.members == nil {
		b.members = membersOf(b.raw)
	}
	return b.members
}

// jsonText returns a JSON value as a form would have sent it; what a form could
// not is JSON.
func jsonText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case nil:
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "" // does not happen: v was JSON
	}
	return string(b)
}

// addTo adds the data of the body to all, in place of what is there.
func (b *body) addTo(all Data) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.object && !b.whole {
		b.decoded, b.whole = decodeJSON(b.raw).(map[string]any), true
	}
	maps.Copy(all, b.decoded)
	addForm(all, b.form)
}

func addForm(all Data, form url.Values) {
	for key, values := range form {
		all[key] = formValue(values)
	}
}

// formValue returns what All has of a key in a form.
func formValue(values []string) any {
	if len(values) == 1 {
		return values[0]
	}
	return slices.Clone(values)
}

// data reads the body, if nobody has, and returns it. A body that is malformed
// or beyond the limits has no data, and is answered with 400 or 413.
func (r *Request) data() *body {
	x := r.exchange()
	if x.readBody(r.Request, false) != nil {
		return nil
	}
	return x.body
}

// Input returns a value of the request's data, or "": of the body (a form or a
// JSON object) if the key is there, else of the query. Route parameters are not
// among them: see Param. Of a repeated key or a JSON array it is the first value;
// other JSON values that are no strings read as in JSON, and null is "". Of a large
// JSON body nothing is decoded but the values that are asked for.
func (r *Request) Input(key string) string {
	if values := r.Inputs(key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Inputs returns all values of a repeated key, or of a JSON array, from where
// Input finds it.
func (r *Request) Inputs(key string) []string {
	if values, ok := r.data().values(key); ok {
		return values
	}
	if r.URL.RawQuery == "" {
		return nil
	}
	return r.URL.Query()[key]
}

// All returns the data of the request: the query, and over it the body. A key
// that is repeated in a form or in the query has a []string, other keys have a
// string; JSON has what encoding/json decodes, with numbers as json.Number.
func (r *Request) All() Data {
	all := Data{}
	b := r.data()
	addForm(all, r.URL.Query())
	b.addTo(all)
	return all
}

// Only returns the data of the keys that are present.
func (r *Request) Only(keys ...string) Data {
	only, b, query := Data{}, r.data(), r.URL.Query()
	for _, key := range keys {
		if v, ok := b.value(key); ok {
			only[key] = v
		} else if values, ok := query[key]; ok {
			only[key] = formValue(values)
		}
	}
	return only
}
