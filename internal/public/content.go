// Package public serves contents that need no code: public files, and pages that are the
// same for everyone. [Files] reads each file of a tree once, with the compressed forms
// beside it, into a [Content], which knows its media type and has a tag and a length for
// each form. For a request a Content chooses the form that the client likes best, looks
// at the conditions, and sends the form, a range of it, or nothing.
package public

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/reply"
)

// A Content is what is sent as it is: a public file, or a page without code. It
// does not change, except that its gzip form may be made when it is first asked for.
type Content struct {
	contentType []string
	forms       [accept.Codings]*form // nil where there is none; there is always one of identity
	varies      bool                  // has, or may have, more than one form

	packs   bool                 // gzip may be made of identity
	packing sync.Mutex           // held by the request that makes it
	packed  atomic.Pointer[form] // identity, if gzip saves nothing
}

// A form is one representation of a content. Its header values are shared by all
// answers: nothing appends to them in place, their capacity is 1.
type form struct {
	which  accept.Coding // the coding that it is in
	coding []string      // Content-Encoding
	etag   []string
	length []string
	size   int64
	body   []byte

	files fs.FS // where the form lies, and under which name, if it is too large to be held
	name  string
}

var (
	acceptRanges = []string{"bytes"}
	varyEncoding = []string{"Accept-Encoding"}
)

// gzipGain is how many bytes gzip has to save at least: the headers of a compressed
// answer take about as many.
const gzipGain = 64

// New returns the content of a media type whose body is held in memory, and is not
// changed any more.
func New(contentType string, body []byte) *Content {
	return newContent(contentType, newForm(accept.Identity, body))
}

// newContent returns the content of a media type in one form or several.
func newContent(contentType string, identity *form, smaller ...*form) *Content {
	c := &Content{contentType: []string{contentType}}
	c.forms[accept.Identity] = identity
	for _, f := range smaller {
		c.forms[f.which] = f
	}
	c.packs = c.forms[accept.Gzip] == nil && len(identity.body) > gzipGain && compressible(contentType)
	c.varies = c.packs || len(smaller) > 0
	return c
}

// Hash returns 16 lower-case letters and digits for a URL that clients keep for ever.
// They are others if anything changes that an answer with the content may hold.
func (c *Content) Hash() string {
	sum := sha256.New()
	io.WriteString(sum, c.contentType[0])
	for _, f := range c.forms {
		if f != nil {
			io.WriteString(sum, f.etag[0])
		}
	}
	return hashText(sum.Sum(nil))
}

// Held reports whether all forms are in memory.
func (c *Content) Held() bool {
	return !slices.ContainsFunc(c.forms[:], func(f *form) bool { return f != nil && f.files != nil })
}

// newForm returns a form that is held in memory. body is not changed any more.
func newForm(which accept.Coding, body []byte) *form {
	f, _ := measure(which, bytes.NewReader(body)) // reading it cannot fail
	f.body = body
	return f
}

// newFileForm returns a form that is too large to be held. It is read once now,
// for its tag, and opened again for each request.
func newFileForm(coding accept.Coding, files fs.FS, name string) (*form, error) {
	file, err := Open(files, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := measure(coding, file)
	if err != nil {
		return nil, err
	}
	f.files, f.name = files, name
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
func (c *Content) pack(wait bool) *form {
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

// Serve answers GET and HEAD and returns 0. If the answer is an error, it sends nothing
// and returns its status, 406 or 412. cache is the Cache-Control, unless middleware has
// set one.
func (c *Content) Serve(w http.ResponseWriter, r *http.Request, cache []string) (refused int) {
	h := w.Header()
	if c.varies {
		addVary(h)
	}
	// Middleware that compresses the answer has set Content-Encoding already. The client
	// gets other bytes then than those that length, tag and ranges are about.
	recoded := len(h["Content-Encoding"]) > 0
	f, notModified := c.forms[accept.Identity], false
	if !recoded {
		if f = c.choose(r.Header["Accept-Encoding"]); f == nil {
			addVary(h)
			return http.StatusNotAcceptable
		}
		// If-Modified-Since and If-Unmodified-Since do not apply: a content has no time.
		if lines, ok := r.Header["If-Match"]; ok && !lists(lines, f.etag[0], false) {
			return http.StatusPreconditionFailed
		}
		notModified = lists(r.Header["If-None-Match"], f.etag[0], true)
	}
	var file *File
	if f.files != nil && !notModified && r.Method != http.MethodHead {
		var err error
		if file, err = Open(f.files, f.name); err != nil {
			panic(fmt.Errorf("flow: %w", err)) // a 500: the file was there when the tree was read
		}
		defer file.Close()
	}

	if len(h["Cache-Control"]) == 0 {
		h["Cache-Control"] = cache
	}
	if notModified {
		h["Etag"] = f.etag
		delete(h, "Content-Type")
		delete(h, "Content-Length")
		w.WriteHeader(http.StatusNotModified)
		return 0
	}
	h["Content-Type"] = c.contentType
	if recoded {
		delete(h, "Content-Length")
	} else {
		h["Etag"] = f.etag
		h["Accept-Ranges"] = acceptRanges
		h["Content-Length"] = f.length
		if f.coding != nil {
			h["Content-Encoding"] = f.coding
		}
	}
	switch {
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	case !recoded && f.wantsRange(r.Header):
		f.serveRange(w, r, file)
	case file == nil:
		w.WriteHeader(http.StatusOK)
		w.Write(f.body)
	default:
		w.WriteHeader(http.StatusOK)
		io.Copy(w, io.NewSectionReader(file, 0, f.size))
	}
	if file != nil {
		// A file that has become shorter must not look whole: the panic ends the
		// connection. That copying fails because the client is gone does not matter.
		if n, err := file.ReadAt(make([]byte, 1), f.size-1); n == 0 {
			panic(fmt.Errorf("flow: %s cannot be read to the end of the %d bytes that it had: %w", f.name, f.size, err))
		}
	}
	return 0
}

// addVary adds Accept-Encoding to what the answer depends on.
func addVary(h http.Header) {
	if len(h["Vary"]) == 0 {
		h["Vary"] = varyEncoding
		return
	}
	reply.AddVary(h, "Accept-Encoding")
}

// choose returns the form that an Accept-Encoding header prefers, and of several
// the smallest; nil if it accepts none. Gzip is made only if no other is as good.
func (c *Content) choose(header []string) *form {
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

// partOverhead is about how many bytes a part of a multipart answer takes beside its
// content, and maxParts is how many parts an answer has at most, since each is some
// work.
const (
	partOverhead = 256
	maxParts     = 100
)

// wantsRange reports whether net/http is to answer the Range of a GET. A Range in
// another unit, or one longer than a list may be, is ignored (RFC 9110, section 14.2).
// So are several ranges whose parts would together be far larger than the whole, and
// several ranges of a compressed form: clients would take the multipart answer itself
// for compressed.
func (f *form) wantsRange(h http.Header) bool {
	lines := h["Range"]
	if len(lines) == 0 || len(lines[0]) > accept.MaxBytes || !strings.HasPrefix(lines[0], "bytes=") || f.size == 0 {
		return false
	}
	n := int64(strings.Count(lines[0], ",")) + 1
	return n == 1 || f.coding == nil && n <= maxParts && n*partOverhead <= f.size
}

// serveRange lets net/http answer with a range, with several, with 416, or with all. The
// other conditions of the request are decided before, so net/http does not get to see
// them.
func (f *form) serveRange(w http.ResponseWriter, r *http.Request, file io.ReaderAt) {
	if f.files == nil {
		file = bytes.NewReader(f.body)
	}
	r = r.WithContext(r.Context())
	r.Header = http.Header{"Range": r.Header["Range"], "If-Range": r.Header["If-Range"]}
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(file, 0, f.size))
}
