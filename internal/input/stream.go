package input

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"sync/atomic"
)

// A stream is the body in a request, for everyone who reads it: guards, middleware that
// calls FormValue, net/http handlers, and Body.Load. JSON and urlencoded forms are
// loaded whole at the first Read, so that what others have read is not lost, and neither
// is the error of a body that is cut off.
type stream struct {
	io.ReadCloser                       // from the client, within the limit
	length        int64                 // as the client says
	loads         atomic.Bool           // the first Read loads the body
	loaded        bool                  // into text
	text          []byte                // all of it, or what came before err
	n             int                   // so much of text was read
	taken         bool                  // somebody has read some of it, which is not in text
	err           error                 // the error that it ended with, other than io.EOF
	broken        atomic.Pointer[error] // the same error, for Body.Broke, which may run while others read
	ended         atomic.Bool           // it ended without an error, and the trailers of the request have come
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
		} else if s.err = err; err != nil {
			broken := err // or each Read would have its error on the heap
			s.broken.Store(&broken)
		}
		return n, err
	}
	if s.n == len(s.text) {
		return 0, cmp.Or(s.err, io.EOF)
	}
	n = copy(p, s.text[s.n:])
	s.n += n
	return n, nil
}

// load reads all that is left, once.
func (s *stream) load() {
	if s.loaded {
		return
	}
	s.loaded, s.err = true, io.ErrUnexpectedEOF // which stays if reading panics
	s.text, s.err = readAll(s.ReadCloser, s.length)
	if s.err != nil {
		s.broken.Store(&s.err)
	}
	s.ended.Store(s.err == nil)
}

// readAll reads a body whole. Its length is what the client has announced, or negative.
func readAll(body io.Reader, length int64) (text []byte, err error) {
	room := int64(unknownLength)
	if length >= 0 {
		room = min(length, maxReserved-1) + 1 // with one byte more the end is found without a larger buffer
	}
	text = make([]byte, 0, room)
	for err == nil {
		if len(text) == cap(text) {
			text = slices.Grow(text, len(text))
		}
		var n int
		n, err = body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
	}
	if err == io.EOF {
		err = nil
	}
	return text, err
}

// These are room for a body, in bytes.
const (
	unknownLength = 512
	maxReserved   = 64 << 10 // before any of it has come, since a client may lie
)

// A textReader reads the raw text of a body again.
type textReader struct{ bytes.Reader }

// Close does nothing: the text stays.
func (*textReader) Close() error { return nil }

func newReader(text []byte) *textReader {
	r := &textReader{}
	r.Reset(text)
	return r
}
