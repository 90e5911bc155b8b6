// Package events tells open pages that there is something new. It carries no data: who is
// woken reads the database, from where it stopped. So nothing is lost if a message is.
package events

import "sync"

// A Bell wakes all who wait for it. The zero value is ready.
type Bell struct {
	mu   sync.Mutex
	rung chan struct{}
}

// Wait returns a channel that the next Ring closes. Call it before you look for what is
// new: what comes in between is not missed.
func (b *Bell) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung == nil {
		b.rung = make(chan struct{})
	}
	return b.rung
}

// Ring wakes all who wait.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung != nil {
		close(b.rung)
		b.rung = nil
	}
}
