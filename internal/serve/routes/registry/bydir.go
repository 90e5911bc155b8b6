package registry

import (
	"iter"
	"maps"
	"slices"
	"sync"
)

// A ByDir holds one value for each directory of Go files. It makes a value when it is first
// needed, since static calls register in init functions. It is safe for concurrent use, and
// its zero value is ready.
type ByDir[T any] struct {
	mu     sync.Mutex
	values map[string]*T
}

// Of returns the value of a directory. If there is none, it makes one with newValue.
func (b *ByDir[T]) Of(dir string, newValue func() *T) *T {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := b.values[dir]
	if v == nil {
		if b.values == nil {
			b.values = map[string]*T{}
		}
		v = newValue()
		b.values[dir] = v
	}
	return v
}

// All returns the values that exist at the time of the call, in the order of their
// directories.
func (b *ByDir[T]) All() iter.Seq[*T] {
	b.mu.Lock()
	values := maps.Clone(b.values)
	b.mu.Unlock()
	return func(yield func(*T) bool) {
		for _, dir := range slices.Sorted(maps.Keys(values)) {
			if !yield(values[dir]) {
				return
			}
		}
	}
}
