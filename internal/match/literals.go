package match

import "hash/maphash"

// A literals holds the leaves of paths without parameters: a hash table with open
// addressing. Requests ask it first, so it must be cheap for a path that it does not hold,
// too: length and last byte tell for most of them. And the hash is that of the length and
// the last four bytes, in which the paths of an application differ already. Where they do
// not, it is a hash of the whole path.
type literals[A any] struct {
	ends  [256]uint64  // by last byte and length, whether there is such a path
	slots []literal[A] // their number is a power of two, and at least half of them are empty
	whole bool         // the hash is that of the whole path
	seed  maphash.Seed
}

type literal[A any] struct {
	path string // "" if the slot is empty
	leaf *Leaf[A]
}

// maxSteps is how far from the slot of its hash a path may stand, before the whole path is
// hashed.
const maxSteps = 8

// makeLiterals returns the table of some leaves, by path.
func makeLiterals[A any](leaves map[string]*Leaf[A]) *literals[A] {
	l := &literals[A]{seed: maphash.MakeSeed()}
	size := 2
	for size < 2*len(leaves) {
		size *= 2
	}
	if !l.fill(leaves, size) {
		l.whole = true
		l.fill(leaves, size)
	}
	return l
}

// fill makes the slots. It returns false if a path would stand too far from its own.
func (l *literals[A]) fill(leaves map[string]*Leaf[A], size int) bool {
	l.slots = make([]literal[A], size)
	for path, leaf := range leaves {
		i, steps := l.hash(path), 0
		for l.slot(i).path != "" {
			i++
			steps++
		}
		if steps > maxSteps && !l.whole {
			return false
		}
		*l.slot(i) = literal[A]{path, leaf}
		l.ends[path[len(path)-1]] |= 1 << (len(path) & 63)
	}
	return true
}

func (l *literals[A]) slot(i uint32) *literal[A] { return &l.slots[i&uint32(len(l.slots)-1)] }

// find returns the leaf of a path, or nil.
func (l *literals[A]) find(path string) *Leaf[A] {
	if n := len(path); n == 0 || l.ends[path[n-1]]&(1<<(n&63)) == 0 {
		return nil
	}
	for i := l.hash(path); ; i++ {
		s := l.slot(i)
		if s.path == "" {
			return nil
		}
		if s.path == path {
			return s.leaf
		}
	}
}

func (l *literals[A]) hash(path string) uint32 {
	n := len(path)
	if l.whole || n < 4 {
		return uint32(maphash.String(l.seed, path))
	}
	tail := uint32(path[n-4]) | uint32(path[n-3])<<8 | uint32(path[n-2])<<16 | uint32(path[n-1])<<24
	// Every bit of the factors has a say in the upper half of the product.
	return uint32(uint64(tail^uint32(n)*0x85ebca6b) * 0x9e3779b97f4a7c15 >> 32)
}
