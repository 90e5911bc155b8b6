package match

import (
	"path"
	"strings"

	"example.com/flow/internal/routes/pattern"
)

// The literals of a Table are the leaves whose patterns have no parameters, by their paths.
// They leave out a path that a more specific pattern matches, which a mount may have.
type literals[A any] struct {
	leaves map[string]*Leaf[A]
	// ends has a bit for the length of each path, modulo 64, in the row of its last byte. Most
	// paths with parameters have no such bit, and need no look into the map.
	ends [256]uint64
	// hashed: there are files with hashed URLs. ends has a bit for each of these URLs, too,
	// whatever the hash is.
	hashed bool
}

// collectLiterals returns the literals of a trie.
func collectLiterals[A any](trie *Trie[A]) literals[A] {
	l := literals[A]{leaves: map[string]*Leaf[A]{}}
	l.collect(trie, &trie.root, nil)
	l.addHashed(&trie.root, 0)
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

// unknown is the length of a path with parameters.
const unknown = -1

// addHashed adds the bits for the hashed URLs of the files at and below n, which is behind a
// path of so many bytes.
func (l *literals[A]) addHashed(n *node[A], length int) {
	for name := range n.files {
		l.hashed = true
		bits := ^uint64(0)
		if length != unknown {
			bits = 1 << ((length + len("/") + len(name) + len(".") + pattern.HashLength) & 63)
		}
		ends := name[len(name)-1:]
		if path.Ext(name) == "" {
			ends = hashCharacters
		}
		for _, c := range []byte(ends) {
			l.ends[c] |= bits
		}
	}
	for text, child := range n.literals {
		behind := unknown
		if length != unknown {
			behind = length + len("/") + len(text)
		}
		l.addHashed(child, behind)
	}
	for b := range n.branches() {
		if b.param != nil {
			l.addHashed(b.param, unknown)
		}
	}
	if n.mounted != nil {
		l.addHashed(&n.mounted.root, length)
	}
}

// hashCharacters are those that a hash has.
const hashCharacters = "abcdefghijklmnopqrstuvwxyz234567"

// mayHave reports whether a path may be one of the literals, or a hashed URL of a file.
func (l *literals[A]) mayHave(path string) bool {
	n := len(path)
	return n > 0 && l.ends[path[n-1]]&(1<<(n&63)) != 0
}

// looksHashed reports whether a path may be a hashed URL of a file.
func (l *literals[A]) looksHashed(p string) bool {
	return l.hashed && pattern.LooksHashed(p)
}

// mostSpecific returns the most specific leaf that matches a path, or nil.
func (t *Trie[A]) mostSpecific(path []string) *Leaf[A] {
	if leaves := t.Matching(path); len(leaves) > 0 {
		return leaves[0]
	}
	return nil
}
