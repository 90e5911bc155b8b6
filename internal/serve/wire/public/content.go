// Package public serves static contents: public files, and pages that are the same for
// everyone. [Files] reads each file of a tree once, with the compressed files beside it, into
// a [Content]. A Content has one representation for each content coding, with an entity tag
// and a length of its own. [Content.Serve] chooses the representation that the client
// prefers, evaluates the conditions of the request, and sends the representation, a range of
// it, or 304.
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

	"example.com/flow/internal/serve/wire/accept"
	"example.com/flow/internal/serve/wire/reply"
)

// A Content is a public file, or a page that is the same for everyone. It does not change,
// except that the gzip representation may be made when a client first asks for it.
type Content struct {
	contentType     []string
	isPage          bool                            // its media type goes before that of middleware
	policy          []string                        // Content-Security-Policy; nil if it has none
	representations [accept.Codings]*representation // by coding; nil if there is none, but that of identity is never nil
	varies          bool                            // there is, or may be, another one than identity

	compresses  bool                           // the gzip representation may be made
	compressing sync.Mutex                     // held while it is made
	gzipped     atomic.Pointer[representation] // nil before it is made; that of identity if gzip saves nothing
}

// A representation is a content in one content coding. All responses share its header
// values. Their capacity is 1, so that appending to them copies.
type representation struct {
	which  accept.Coding // the coding that it is in
	coding []string      // Content-Encoding
	etag   []string
	length []string
	size   int64
	body   []byte

	files fs.FS // of a representation that is too large to be held in memory; else nil
	name  string
}

var (
	acceptRanges = []string{"bytes"}
	varyEncoding = []string{"Accept-Encoding"}
)

// gzipGain is how many bytes gzip has to save at least: about as many as the headers of a
// compressed response take.
const gzipGain = 64

// New returns the content of a media type and a body. The body must not be changed any more.
func New(contentType string, body []byte) *Content {
	return newContent(contentType, newRepresentation(accept.Identity, body))
}

// NewPage returns the content of a page with a Content-Security-Policy, or none if that is "".
// The policy is a part of the entity tags, so that a client which has the page with another
// policy gets both again.
func NewPage(contentType string, body []byte, policy string) *Content {
	c := New(contentType, body)
	c.isPage = true
	if policy != "" {
		c.policy = []string{policy}
		c.representations[accept.Identity].under(policy)
	}
	return c
}

// newContent returns the content of a media type with its representations.
func newContent(contentType string, identity *representation, compressed ...*representation) *Content {
	c := &Content{contentType: []string{contentType}}
	c.representations[accept.Identity] = identity
	for _, f := range compressed {
		c.representations[f.which] = f
	}
	c.compresses = c.representations[accept.Gzip] == nil && len(identity.body) > gzipGain && compressible(contentType)
	c.varies = c.compresses || len(compressed) > 0
	return c
}

// Hash returns 16 lower-case letters and digits, for a URL that clients may cache for ever.
// They change if the media type or a representation of the content changes.
func (c *Content) Hash() string {
	sum := sha256.New()
	io.WriteString(sum, c.contentType[0])
	for _, f := range c.representations {
		if f != nil {
			io.WriteString(sum, f.etag[0])
		}
	}
	return hashText(sum.Sum(nil))
}

// Held reports whether all representations are in memory.
func (c *Content) Held() bool {
	return !slices.ContainsFunc(c.representations[:], func(f *representation) bool { return f != nil && f.files != nil })
}

// newRepresentation returns a representation that is held in memory. body must not be changed
// any more.
func newRepresentation(which accept.Coding, body []byte) *representation {
	f, _ := measure(which, bytes.NewReader(body)) // reading it cannot fail
	f.body = body
	return f
}

// under makes a policy a part of the entity tag.
func (f *representation) under(policy string) {
	sum := sha256.Sum256([]byte(f.etag[0] + policy))
	f.etag = []string{`"` + hashText(sum[:]) + `"`}
}

// newFileRepresentation returns a representation that is too large to be held in memory. The
// file is read once now, for the entity tag, and opened again for each request.
func newFileRepresentation(coding accept.Coding, files fs.FS, name string) (*representation, error) {
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

// measure returns a representation without its body. The entity tags of different codings
// differ even if the bytes are equal (RFC 9110, section 8.8.3).
func measure(which accept.Coding, body io.Reader) (*representation, error) {
	f := &representation{which: which}
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

// gzip returns the gzip representation, and makes it in the first call. It returns nil if
// gzip saves nothing. While another request makes the representation, gzip waits for it if
// wait is set, and else returns nil.
func (c *Content) gzip(wait bool) *representation {
	f := c.gzipped.Load()
	if f == nil {
		if !c.compressing.TryLock() { // one request makes it: two would take the same time for the same bytes
			if !wait {
				return nil
			}
			c.compressing.Lock()
		}
		defer c.compressing.Unlock()
		if f = c.gzipped.Load(); f == nil {
			f = c.representations[accept.Identity]
			if smaller := gzipped(f.body); len(smaller)+gzipGain < len(f.body) {
				f = newRepresentation(accept.Gzip, smaller)
				if c.policy != nil {
					f.under(c.policy[0])
				}
			}
			c.gzipped.Store(f)
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
	return bytes.Clone(b.Bytes()) // drops the unused capacity of the Buffer
}

// Serve answers GET and HEAD and returns 0. If the client accepts no representation, a condition
// fails or no range is in the content, it sends nothing and returns the status, 406, 412 or 416,
// for which Content-Range is set. cache is the
// Cache-Control header, unless middleware has set one; if middleware has set a cookie, it is
// private. A file keeps the Content-Type that middleware has set, as in net/http: a nil one is
// not sent, and not guessed. A page has the type of HTML, as it has if it is rendered for each
// request.
func (c *Content) Serve(w http.ResponseWriter, r *http.Request, cache []string) (refused int) {
	h := w.Header()
	bare := isBare(h)
	if c.varies {
		addVary(h)
	}
	// Middleware that compresses the response has set Content-Encoding already. Length, entity
	// tag and ranges of a representation would be wrong for the bytes that the client gets.
	recoded := !bare && len(h["Content-Encoding"]) > 0
	f, notModified := c.representations[accept.Identity], false
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

	switch {
	case bare:
		h["Cache-Control"] = cache
	case len(h["Cache-Control"]) > 0:
	case len(h["Set-Cookie"]) > 0:
		h["Cache-Control"] = private(cache)
	default:
		h["Cache-Control"] = cache
	}
	if c.policy != nil && len(h["Content-Security-Policy"]) == 0 {
		h["Content-Security-Policy"] = c.policy
	}
	if notModified {
		h["Etag"] = f.etag
		delete(h, "Content-Type")
		delete(h, "Content-Length")
		w.WriteHeader(http.StatusNotModified)
		return 0
	}
	if bare || c.isPage || !has(h, "Content-Type") {
		h["Content-Type"] = c.contentType
	}
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
		refused = f.serveRange(w, r, file)
	case file == nil:
		w.WriteHeader(http.StatusOK)
		w.Write(f.body)
	default:
		w.WriteHeader(http.StatusOK)
		io.Copy(w, io.NewSectionReader(file, 0, f.size))
	}
	if file != nil {
		// If the file has become shorter, the panic aborts the connection, so that the client
		// does not take the response for complete. Errors of io.Copy mean that the client is gone.
		if n, err := file.ReadAt(make([]byte, 1), f.size-1); n == 0 {
			panic(fmt.Errorf("flow: %s cannot be read to the end of the %d bytes that it had: %w", f.name, f.size, err))
		}
	}
	return refused
}

// isBare reports whether no header is set but the nosniff of Router.ServeHTTP, as for most
// requests: to look for that one is quicker than to look for each header that middleware may
// have set.
func isBare(h http.Header) bool {
	return len(h) == 0 || len(h) == 1 && h["X-Content-Type-Options"] != nil
}

// private returns a Cache-Control that is for the client's own cache only. One that people share
// would keep the cookie with the content, and give it to all of them.
func private(cache []string) []string {
	if strings.HasPrefix(cache[0], "private") {
		return cache
	}
	return []string{"private, " + strings.TrimPrefix(cache[0], "public, ")}
}

// has reports whether a header is set, if only to nil. Behind || it is called only where it
// decides: a look-up is a twentieth of what a page costs.
func has(h http.Header, key string) bool {
	_, set := h[key]
	return set
}

// addVary adds Accept-Encoding to the Vary header.
func addVary(h http.Header) {
	if len(h["Vary"]) == 0 {
		h["Vary"] = varyEncoding
		return
	}
	reply.AddVary(h, "Accept-Encoding")
}

// choose returns the representation that an Accept-Encoding header prefers, and the smallest
// of several at equal weights. It returns nil if the header accepts none. It makes the gzip
// representation only if no other compressed one has the same weight.
func (c *Content) choose(header []string) *representation {
	scores := accept.Weights(header)
	var best *representation
	score := 1
	for which, f := range c.representations {
		if f == nil || scores[which] < score {
			continue
		}
		if best == nil || scores[which] > score || f.size < best.size {
			best, score = f, scores[which]
		}
	}
	if !c.compresses || scores[accept.Gzip] < score || best != nil && best.coding != nil && scores[accept.Gzip] == score {
		return best
	}
	if f := c.gzip(best == nil); f != nil {
		return f
	}
	return best
}

// lists reports whether a list of entity tags is "*" or holds etag. It splits the list at
// commas. That may cut another tag apart, but not etag, which holds none.
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

// partOverhead is about how many bytes of headers a part of a multipart/byteranges response
// has. maxParts is the largest number of parts, since each costs processor time.
const (
	partOverhead = 256
	maxParts     = 100
)

// wantsRange reports whether the Range header of a GET counts. It is ignored, as RFC 9110,
// section 14.2, allows, if it is in another unit than bytes or longer than accept.MaxBytes.
// Several ranges are also ignored if the parts would be far larger than the whole, and for a
// compressed representation: clients would try to decompress the multipart response itself.
func (f *representation) wantsRange(h http.Header) bool {
	lines := h["Range"]
	if len(lines) == 0 || len(lines[0]) > accept.MaxBytes || !strings.HasPrefix(lines[0], "bytes=") || f.size == 0 {
		return false
	}
	n := int64(strings.Count(lines[0], ",")) + 1
	return n == 1 || f.coding == nil && n <= maxParts && n*partOverhead <= f.size
}

// serveRange has http.ServeContent answer: with one range, several or all. It sends nothing and
// returns 416 if it refuses the ranges. Serve has evaluated the other conditions of the request,
// so their headers are left out.
func (f *representation) serveRange(w http.ResponseWriter, r *http.Request, file io.ReaderAt) (refused int) {
	if f.files == nil {
		file = bytes.NewReader(f.body)
	}
	r = r.WithContext(r.Context())
	r.Header = http.Header{"Range": r.Header["Range"], "If-Range": r.Header["If-Range"]}
	answer := &rangeWriter{ResponseWriter: w}
	http.ServeContent(answer, r, "", time.Time{}, io.NewSectionReader(file, 0, f.size))
	return answer.refused
}

// A rangeWriter holds back an error of http.ServeContent, whose text is not flow's.
type rangeWriter struct {
	http.ResponseWriter
	refused int // the status of the error, or 0
}

func (w *rangeWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *rangeWriter) Write(b []byte) (int, error) {
	if w.refused != 0 {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// ReadFrom lets the wrapped writer copy, with a buffer of its own.
func (w *rangeWriter) ReadFrom(src io.Reader) (int64, error) { return io.Copy(w.ResponseWriter, src) }
