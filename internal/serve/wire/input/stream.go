package input

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"sync/atomic"
)

// A stream is the Body of a request after New. Guards, middleware that calls FormValue,
// net/http handlers and Body.Load read from it. The first Read of JSON or of a urlencoded form
// loads the whole body into memory. So Body.Load also has the part that other code has read,
// and the error of a body that was truncated.
type stream struct {
	io.ReadCloser                       // the body of net/http, with the limit
	length        int64                 // the Content-Length, or -1
	loadsWhole    atomic.Bool           // the first Read loads the whole body
	loaded        bool                  // load was called
	text          []byte                // the body up to err
	n             int                   // the number of bytes of text that were read
	consumed      bool                  // some bytes were read that are not in text
	err           error                 // the error at the end, unless that is io.EOF
	broken        atomic.Pointer[error] // err for Body.Broke, which may be called during a Read
	ended         atomic.Bool           // io.EOF was read, so the trailers have arrived
}

func (s *stream) Read(p []byte) (n int, err error) {
	if s.loadsWhole.Load() {
		s.load()
	}
	if !s.loaded {
		n, err = s.ReadCloser.Read(p)
		s.consumed = s.consumed || n > 0
		if err == io.EOF {
			s.ended.Store(true)
		} else if s.err = err; err != nil {
			broken := err // so that only this branch allocates
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

// load reads the rest of the body, once.
func (s *stream) load() {
	if s.loaded {
		return
	}
	s.loaded, s.err = true, io.ErrUnexpectedEOF // stays if Read panics
	s.text, s.err = readAll(s.ReadCloser, s.length)
	if s.err != nil {
		s.broken.Store(&s.err)
	}
	s.ended.Store(s.err == nil)
}

// readAll reads a body to its end. length is the Content-Length, or negative if unknown.
func readAll(body io.Reader, length int64) (text []byte, err error) {
	room := int64(unknownLength)
	if length >= 0 {
		room = min(length, maxReserved-1) + 1 // one byte more, so that the Read that returns io.EOF has room
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

// The size of the first buffer for a body, in bytes.
const (
	unknownLength = 512      // without a Content-Length
	maxReserved   = 64 << 10 // with one, at most, since a client may announce more than it sends
)

// A textReader is a Body that reads the loaded text.
type textReader struct{ bytes.Reader }

// Close does nothing. The text can be read after it, as some middleware expects.
func (*textReader) Close() error { return nil }

func newReader(text []byte) *textReader {
	r := &textReader{}
	r.Reset(text)
	return r
}
