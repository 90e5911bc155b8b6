package registry

import (
	"iter"
	"maps"
	"slices"
	"sync"
)

// A ByDir holds a value for each directory of Go files, which is made when it is first
// asked for: static calls register in init functions, before anything else has run.
type ByDir[T any] struct {
	mu     sync.Mutex
	values map[string]*T
}

// Of returns the value of a directory, which made makes if there is none.
func (b *ByDir[T]) Of(dir string, made func() *T) *T {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := b.values[dir]
	if v == nil {
		if b.values == nil {
			b.values = map[string]*T{}
		}
		v = made()
		b.values[dir] = v
	}
	return v
}

// All returns the values there are by now, in the order of their directories.
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
