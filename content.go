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
	"time"
)

// A content is what is sent as it is: a public file, or a page without code. It
// is immutable, except that its gzip form may be made when it is first asked for.
type content struct {
	contentType []string
	forms       [anyCoding]*form // nil for what there is not; the first never is
	gzip        func() *form     // makes the gzip form, nil for one that saves nothing; nil if there is none to make
	varies      bool             // has, or may have, more than one form
	open        func() (io.ReadSeekCloser, error)
}

// A form is one representation of a content. Its header values are shared by all
// answers: nothing appends to them in place, their capacity is 1.
type form struct {
	coding []string // Content-Encoding
	etag   []string
	length []string
	size   int64
	body   []byte // nil if it is opened for each request
}

// The content codings that a form may have.
const (
	codingIdentity = iota
	codingGzip
	codingBrotli
	codingZstd
	anyCoding // what a client calls the rest
)

var codingNames = [anyCoding + 1]string{"identity", "gzip", "br", "zstd", "*"}

// What a Cache-Control says: ask each time, or never.
var (
	revalidate = []string{"no-cache"}
	immutable  = []string{"public, max-age=31536000, immutable"}
)

var (
	nosniff      = []string{"nosniff"}
	acceptRanges = []string{"bytes"}
	varyEncoding = []string{"Accept-Encoding"}
)

// gzipGain is what gzip has to save: the headers that it needs take as much.
const gzipGain = 64

// newContent returns the content of a media type that body is. siblings are its
// compressed forms, by content coding. Neither may be changed any more.
func newContent(contentType string, body []byte, siblings map[string][]byte) *content {
	c := &content{contentType: []string{contentType}}
	c.forms[codingIdentity] = newForm(codingIdentity, body)
	for coding := codingIdentity + 1; coding < anyCoding; coding++ {
		if b, ok := siblings[codingNames[coding]]; ok {
			c.forms[coding] = newForm(coding, b)
			c.varies = true
		}
	}
	if c.forms[codingGzip] == nil && len(body) > gzipGain && compressible(contentType) {
		c.gzip = sync.OnceValue(func() *form { return gzipForm(body) })
		c.varies = true
	}
	return c
}

// newFileContent returns a content that is too large to be held in memory. It is
// read once now, for its hash, and opened again for each request.
func newFileContent(contentType string, open func() (io.ReadSeekCloser, error)) (*content, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return nil, err
	}
	c := &content{contentType: []string{contentType}, open: open}
	c.forms[codingIdentity] = formOf(codingIdentity, size, sum.Sum(nil))
	return c, nil
}

// hash identifies the content: 16 lower-case letters and digits.
func (c *content) hash() string { return strings.Trim(c.forms[codingIdentity].etag[0], `"`) }

func newForm(coding int, body []byte) *form {
	sum := sha256.Sum256(body)
	f := formOf(coding, int64(len(body)), sum[:])
	f.body = body
	return f
}

var hashEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func formOf(coding int, size int64, sum []byte) *form {
	f := &form{
		etag:   []string{`"` + hashEncoding.EncodeToString(sum[:10]) + `"`},
		length: []string{strconv.FormatInt(size, 10)},
		size:   size,
	}
	if coding != codingIdentity {
		f.coding = []string{codingNames[coding]}
	}
	return f
}

func gzipForm(body []byte) *form {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // fails for an unknown level only
	z.Write(body)                                         // a Buffer takes everything
	z.Close()
	if b.Len()+gzipGain >= len(body) {
		return nil
	}
	return newForm(codingGzip, bytes.Clone(b.Bytes())) // without the room that the Buffer has left
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
	f, status := c.forms[codingIdentity], http.StatusOK
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
	if c.open != nil && status == http.StatusOK && r.Method != http.MethodHead {
		var err error
		if file, err = c.open(); err != nil {
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
	h["X-Content-Type-Options"] = nosniff
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
		if _, err := io.CopyN(w, file, f.size); err != nil {
			panic(http.ErrAbortHandler) // a truncated file must not look whole
		}
	}
}

// refuse answers with a status and its name.
func refuse(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h["Content-Type"] = textType
	h["X-Content-Type-Options"] = nosniff
	delete(h, "Content-Length")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		io.WriteString(w, http.StatusText(status)+"\n")
	}
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
// the smallest; nil if it accepts none. A form that is not acceptable is not made.
func (c *content) choose(accept []string) *form {
	var best *form
	bestScore := 1
	scores := preferences(accept)
	for coding, f := range c.forms {
		score := scores[coding]
		if score < bestScore {
			continue
		}
		if f == nil && coding == codingGzip && c.gzip != nil {
			f = c.gzip()
		}
		if f != nil && (best == nil || score > bestScore || f.size < best.size) {
			best, bestScore = f, score
		}
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
	for _, line := range lines {
		if strings.TrimSpace(line) == "*" {
			return true
		}
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if weak {
				tag = strings.TrimPrefix(tag, "W/")
			}
			if tag == etag {
				return true
			}
		}
	}
	return false
}

// partOverhead is what a part of a multipart answer takes beside its bytes.
const partOverhead = 256

// wantsRange reports whether the Range of a GET is to be heeded. What is
// malformed, in another unit, or about another version of the content is
// ignored (RFC 9110, section 14.2). So are sets of ranges whose parts would
// together be far larger than the whole, and sets of ranges of a compressed
// form: clients would take the multipart answer itself for compressed.
func (f *form) wantsRange(h http.Header) bool {
	lines := h["Range"]
	if len(lines) != 1 || f.size == 0 {
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
		if !isRange(item) {
			return false
		}
		n++
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
