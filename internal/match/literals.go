package match

import "strings"

// The literals of a Table are the leaves whose patterns have no parameters, by their paths.
// They leave out a path that a more specific pattern matches, which a mount may have.
type literals[A any] struct {
	leaves map[string]*Leaf[A]
	// ends has a bit for the length of each path, modulo 64, in the row of its last byte. Most
	// paths with parameters have no such bit, and need no look into the map.
	ends [256]uint64
}

// collectLiterals returns the literals of a trie.
func collectLiterals[A any](trie *Trie[A]) literals[A] {
	l := literals[A]{leaves: map[string]*Leaf[A]{}}
	l.collect(trie, &trie.root, nil)
	return l
}

// collect adds the leaves at and below n. path holds the segments that lead to n.
func (l *literals[A]) collect(trie *Trie[A], n *node[A], path []string) {
	if n.end != nil && trie.mostSpecific(path) == n.end {
		l.add("/"+strings.Join(path, "/"), n.end)
	}
	for text, child := range n.literals {
		l.collect(trie, child, append(path, text))
	}
	if n.mounted != nil {
		l.collect(trie, &n.mounted.root, path)
	}
}

func (l *literals[A]) add(path string, leaf *Leaf[A]) {
	l.leaves[path] = leaf
	l.ends[path[len(path)-1]] |= 1 << (len(path) & 63)
}

// find returns the leaf of a path, or nil.
func (l *literals[A]) find(path string) *Leaf[A] {
	if n := len(path); n == 0 || l.ends[path[n-1]]&(1<<(n&63)) == 0 {
		return nil
	}
	return l.leaves[path]
}

// mostSpecific returns the most specific leaf that matches a path, or nil.
func (t *Trie[A]) mostSpecific(path []string) *Leaf[A] {
	if leaves := t.Matching(path); len(leaves) > 0 {
		return leaves[0]
	}
	return nil
}
