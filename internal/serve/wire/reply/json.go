package reply

import (
	"bytes"
	"encoding/json"
	"sync"
)

// buffers are what JSON is encoded into.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxBuffer is the size in bytes of the largest buffer that goes back to the pool.
const maxBuffer = 64 << 10

// JSON returns data as encoding/json encodes it, with a newline.
func JSON(data any) (string, error) {
	b := buffers.Get().(*bytes.Buffer) // left to the garbage collector if encoding fails or panics
	b.Reset()
	if err := json.NewEncoder(b).Encode(data); err != nil {
		return "", err
	}
	text := b.String()
	if b.Cap() <= maxBuffer {
		buffers.Put(b)
	}
	return text, nil
}
