package flow

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/flow/internal/accept"
)

// A content is what is sent as it is: a public file, or a page without code. It
// does not change, except that its gzip form may be made when it is first asked for.
type content struct {
	contentType []string
	forms       [accept.Codings]*form // nil for what there is not; that of identity never is
	varies      bool                  // has, or may have, more than one form

	packs   bool                 // gzip may be made of identity
	packing sync.Mutex           // held by the request that makes it
	packed  atomic.Pointer[form] // identity, if gzip saves nothing
}

// A form is one representation of a content. Its header values are shared by all
// answers: nothing appends to them in place, their capacity is 1.
type form struct {
	which  accept.Coding // of the codings
	coding []string      // Content-Encoding
	etag   []string
	length []string
	size   int64
	body   []byte
	open   func() (io.ReadSeekCloser, error) // if it is too large to be held
}

// What a Cache-Control says: ask each time, that and keep it from others, or never ask.
var (
	revalidate = []string{"no-cache"}
	privately  = []string{"private, no-cache"}
	immutable  = []string{"public, max-age=31536000, immutable"}
)

var (
	acceptRanges = []string{"bytes"}
	varyEncoding = []string{"Accept-Encoding"}
)

// gzipGain is what gzip has to save: the headers that it needs take as much.
const gzipGain = 64

// newContent returns the content of a media type in one form or several.
func newContent(contentType string, identity *form, smaller ...*form) *content {
	c := &content{contentType: []string{contentType}}
	c.forms[accept.Identity] = identity
	for _, f := range smaller {
		c.forms[f.which] = f
	}
	c.packs = c.forms[accept.Gzip] == nil && len(identity.body) > gzipGain && compressible(contentType)
	c.varies = c.packs || len(smaller) > 0
	return c
}

// hash is for a URL that is not asked for again: it is another if anything is that
// an answer may hold. It is 16 lower-case letters and digits.
func (c *content) hash() string {
	sum := sha256.New()
	io.WriteString(sum, c.contentType[0])
	for _, f := range c.forms {
		if f != nil {
			io.WriteString(sum, f.etag[0])
		}
	}
	return hashText(sum.Sum(nil))
}

// held reports whether all forms are in memory.
func (c *content) held() bool {
	return !slices.ContainsFunc(c.forms[:], func(f *form) bool { return f != nil && f.open != nil })
}

// newForm returns a form that is held in memory. body is not changed any more.
func newForm(which accept.Coding, body []byte) *form {
	f, _ := measure(which, bytes.NewReader(body)) // reading it cannot fail
	f.body = body
	return f
}

// newFileForm returns a form that is too large to be held. It is read once now,
// for its tag, and opened again for each request.
func newFileForm(which accept.Coding, open func() (io.ReadSeekCloser, error)) (*form, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := measure(which, file)
	if err != nil {
		return nil, err
	}
	f.open = open
	return f, nil
}

// measure returns a form without its body. Tags of different codings differ, also
// if the bytes do not (RFC 9110, section 8.8.3).
func measure(which accept.Coding, body io.Reader) (*form, error) {
	f := &form{which: which}
	sum := sha256.New()
	if which != accept.Identity {
		f.coding = []string{which.String()}
		io.WriteString(sum, which.String())
	}
	size, err := io.Copy(sum, body)
	if err != nil {
		return nil, err
	}
	f.size = size
	f.length = []string{strconv.FormatInt(size, 10)}
	f.etag = []string{`"` + hashText(sum.Sum(nil)) + `"`}
	return f, nil
}

var hashEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func hashText(sum []byte) string { return hashEncoding.EncodeToString(sum[:10]) }

// pack returns the gzip form, made if it was not before, or nil if gzip saves
// nothing. While another request makes it, it is nil too, unless wait is set.
func (c *content) pack(wait bool) *form {
	f := c.packed.Load()
	if f == nil {
		if !c.packing.TryLock() {
			if !wait {
				return nil
			}
			c.packing.Lock()
		}
		defer c.packing.Unlock()
		if f = c.packed.Load(); f == nil {
			f = c.forms[accept.Identity]
			if smaller := gzipped(f.body); len(smaller)+gzipGain < len(f.body) {
				f = newForm(accept.Gzip, smaller)
			}
			c.packed.Store(f)
		}
	}
	if f.which == accept.Identity {
		return nil
	}
	return f
}

func gzipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(body) // a Buffer takes everything
	z.Close()
	return bytes.Clone(b.Bytes()) // without the room that the Buffer has left
}

// serve answers GET and HEAD. cache is the Cache-Control, unless middleware has
// set one.
func (c *content) serve(w http.ResponseWriter, r *http.Request, cache []string) {
	h := w.Header()
	if c.varies {
		addVary(h)
	}
	// Middleware that compresses what it is given has announced that already: the
	// bytes that are sent are not those that length, tag and ranges are about.
	recoded := len(h["Content-Encoding"]) > 0
	f, status := c.forms[accept.Identity], http.StatusOK
	if !recoded {
		if f = c.choose(r.Header["Accept-Encoding"]); f == nil {
			if !c.varies {
				addVary(h)
			}
			refuse(w, r, http.StatusNotAcceptable)
			return
		}
		if status = precondition(r.Header, f.etag[0]); status == http.StatusPreconditionFailed {
			refuse(w, r, status)
			return
		}
	}
	var file io.ReadSeekCloser
	if f.open != nil && status == http.StatusOK && r.Method != http.MethodHead {
		var err error
		if file, err = f.open(); err != nil {
			panic(fmt.Errorf("flow: %w", err)) // a 500: the file was there when the tree was read
		}
		defer file.Close()
	}

	if len(h["Cache-Control"]) == 0 {
		h["Cache-Control"] = cache
	}
	if !recoded {
		h["Etag"] = f.etag
	}
	if status == http.StatusNotModified {
		delete(h, "Content-Type")
		delete(h, "Content-Length")
		w.WriteHeader(status)
		return
	}
	h["Content-Type"] = c.contentType
	if recoded {
		delete(h, "Content-Length")
	} else {
		h["Accept-Ranges"] = acceptRanges
		h["Content-Length"] = f.length
		if f.coding != nil {
			h["Content-Encoding"] = f.coding
		}
		if r.Method == http.MethodGet && f.wantsRange(r.Header) {
			f.serveRange(w, r, file)
			return
		}
	}
	w.WriteHeader(status)
	switch {
	case r.Method == http.MethodHead:
	case file == nil:
		w.Write(f.body)
	default:
		// What a vanished client did not get, nobody misses. A file that has
		// become shorter must not look whole: the panic ends the connection.
		source := &reading{Reader: file}
		if n, _ := io.CopyN(w, source, f.size); source.err != nil && n < f.size {
			panic(fmt.Errorf("flow: a public file ends after %d of %d bytes: %w", n, f.size, source.err))
		}
	}
}

// reading remembers the error of a Reader, which io.Copy mixes with those of writing.
type reading struct {
	io.Reader
	err error
}

func (r *reading) Read(p []byte) (n int, err error) {
	n, err = r.Reader.Read(p)
	r.err = err
	return n, err
}

// refuse answers with a status and its name.
func refuse(w http.ResponseWriter, r *http.Request, status int) {
	delete(w.Header(), "Cache-Control") // of middleware, which means the file
	Text(http.StatusText(status)+"\n").Status(status).send(w, r.Method == http.MethodHead)
}

// addVary adds Accept-Encoding to what the answer depends on.
func addVary(h http.Header) {
	lines := h["Vary"]
	if len(lines) == 0 {
		h["Vary"] = varyEncoding
		return
	}
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.TrimSpace(name); name == "*" || strings.EqualFold(name, "Accept-Encoding") {
				return
			}
		}
	}
	h["Vary"] = append(slices.Clip(lines), "Accept-Encoding") // the lines may be shared
}

// choose returns the form that an Accept-Encoding header prefers, and of several
// the smallest; nil if it accepts none. Gzip is made only if no other is as good.
func (c *content) choose(header []string) *form {
	scores := accept.Weights(header)
	var best *form
	score := 1
	for which, f := range c.forms {
		if f == nil || scores[which] < score {
			continue
		}
		if best == nil || scores[which] > score || f.size < best.size {
			best, score = f, scores[which]
		}
	}
	if !c.packs || scores[accept.Gzip] < score || best != nil && best.coding != nil && scores[accept.Gzip] == score {
		return best
	}
	if f := c.pack(best == nil); f != nil {
		return f
	}
	return best
}

// precondition returns 200, or the 412 or 304 that a tag leads to (RFC 9110,
// section 13.2.2). Conditions that name a time do not apply: a content has none.
func precondition(h http.Header, etag string) int {
	if lines, ok := h["If-Match"]; ok && !lists(lines, etag, false) {
		return http.StatusPreconditionFailed
	}
	if lists(h["If-None-Match"], etag, true) {
		return http.StatusNotModified
	}
	return http.StatusOK
}

// lists reports whether a list of entity tags is "*" or holds a tag. The tags of
// a content hold no comma, so that one in another tag does not matter.
func lists(lines []string, etag string, weak bool) bool {
	if len(lines) == 1 && strings.TrimSpace(lines[0]) == "*" {
		return true
	}
	for tag := range accept.Items(lines) {
		tag = strings.TrimSpace(tag)
		if weak {
			tag = strings.TrimPrefix(tag, "W/")
		}
		if tag == etag {
			return true
		}
	}
	return false
}

// A part of a multipart answer takes some bytes beside its own, and some work.
const (
	partOverhead = 256
	maxParts     = 100
)

// wantsRange reports whether the Range of a GET is to be heeded. What is
// malformed, in another unit, or about another version of the content is
// ignored (RFC 9110, section 14.2). So is what is longer than a list may be, and
// sets of ranges whose parts would together be far larger than the whole, or that
// are of a compressed form: clients would take the multipart answer itself for
// compressed.
func (f *form) wantsRange(h http.Header) bool {
	lines := h["Range"]
	if len(lines) != 1 || len(lines[0]) > accept.MaxBytes || f.size == 0 {
		return false
	}
	if condition, ok := h["If-Range"]; ok && (len(condition) != 1 || strings.TrimSpace(condition[0]) != f.etag[0]) {
		return false
	}
	set, ok := strings.CutPrefix(lines[0], "bytes=")
	if !ok {
		return false
	}
	n := int64(0)
	for item := range strings.SplitSeq(set, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		if n++; n > maxParts || !isRange(item) {
			return false
		}
	}
	return n == 1 || n > 1 && f.coding == nil && n*partOverhead <= f.size
}

// isRange reports whether an item is "first-last", "first-" or "-length". net/http
// would answer the last 0 bytes with a Content-Range that is none.
func isRange(item string) bool {
	first, last, ok := strings.Cut(item, "-")
	if !ok {
		return false
	}
	from, firstErr := strconv.ParseUint(first, 10, 63) // unlike ParseInt, without signs
	to, lastErr := strconv.ParseUint(last, 10, 63)
	switch {
	case first == "":
		return lastErr == nil && to > 0
	case last == "":
		return firstErr == nil
	default:
		return firstErr == nil && lastErr == nil && from <= to
	}
}

// serveRange answers with the ranges that wantsRange let pass, or with 416. All
// conditions are decided: net/http gets a request that has none.
func (f *form) serveRange(w http.ResponseWriter, r *http.Request, file io.ReadSeeker) {
	if f.body != nil {
		file = bytes.NewReader(f.body)
	}
	r = r.WithContext(r.Context())
	r.Header = http.Header{"Range": r.Header["Range"]}
	http.ServeContent(w, r, "", time.Time{}, file)
}
