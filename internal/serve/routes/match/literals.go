package match

import (
	"cmp"
	"path"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
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
	l.collect(trie, &trie.root, "", true)
	return l
}

// collect adds what is at and below n. path leads to n, and is "" for the root. If isLiteral is
// not set, there are parameters on the way, which path leaves out.
func (l *literals[A]) collect(trie *Trie[A], n *Node[A], path string, isLiteral bool) {
	if isLiteral && n.end != nil && trie.mostSpecific(path) == n.end {
		l.add(cmp.Or(path, "/"), n.end)
	}
	for name := range n.files {
		l.addHashed(path+"/"+name, isLiteral)
	}
	for text, child := range n.literals {
		l.collect(trie, child, path+"/"+text, isLiteral)
	}
	for b := range n.Branches() {
		if b.Param != nil {
			l.collect(trie, b.Param, path, false)
		}
	}
	if n.mounted != nil {
		l.collect(trie, &n.mounted.root, path, isLiteral)
	}
}

func (l *literals[A]) add(path string, leaf *Leaf[A]) {
	l.leaves[path] = leaf
	l.ends[path[len(path)-1]] |= 1 << (len(path) & 63)
}

// addHashed adds the bits for the hashed URLs of a file.
func (l *literals[A]) addHashed(file string, isLiteral bool) {
	l.hashed = true
	bits := ^uint64(0)
	if isLiteral {
		bits = 1 << ((len(file) + len(".") + pattern.HashLength) & 63)
	}
	ends := file[len(file)-1:]
	if path.Ext(file) == "" {
		ends = hashCharacters
	}
	for _, c := range []byte(ends) {
		l.ends[c] |= bits
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

// mostSpecific returns the most specific leaf that matches a path, which is "" for the root, or
// nil.
func (t *Trie[A]) mostSpecific(path string) *Leaf[A] {
	var segments []string
	if path != "" {
		segments = strings.Split(path[1:], "/")
	}
	if leaves := t.Matching(segments); len(leaves) > 0 {
		return leaves[0]
	}
	return nil
}
