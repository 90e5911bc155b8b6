package livereload

import (
	"io"
	"sync"

	"example.com/flow/internal/develop/devpage"
)

// A Terminal prints the faults of requests with their source, beside the log.
type Terminal struct {
	To     io.Writer
	Colors devpage.Colors

	mu   sync.Mutex
	last string // the faults that were printed last
}

// print prints faults, unless they were printed last: a page that fails is loaded again and again.
func (t *Terminal) print(faults []devpage.Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := t.Colors.Faults(devpage.Red, faults); text != "" && text != t.last {
		t.last = text
		io.WriteString(t.To, text+"\n")
	}
}
