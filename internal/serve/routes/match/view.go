package match

import (
	"iter"
	"maps"
	"net/http"
)

// The methods of this file show the nodes of a Trie to those who ask more about it than what answers a
// request.

// Root returns the node that all patterns begin at.
func (t *Trie[A]) Root() *Node[A] { return &t.root }

// End returns the leaf of the pattern that ends here, or nil.
func (n *Node[A]) End() *Leaf[A] { return n.end }

// Child returns the node behind a literal, or nil.
func (n *Node[A]) Child(literal string) *Node[A] { return n.literals[literal] }

// Literals returns the literals that patterns go on with here.
func (n *Node[A]) Literals() iter.Seq[string] { return maps.Keys(n.literals) }

// File returns the leaf of the file whose hashed URL may end in a segment, or nil: see Trie.AnyHash.
func (n *Node[A]) File(segment string) *Leaf[A] { return n.anyHash(segment) }

// Mounted returns the trie that is mounted here, or nil.
func (n *Node[A]) Mounted() *Trie[A] { return n.mounted }

// IsAnySpelling reports whether the answer for a method takes its paths in any spelling: see
// SetAnySpelling.
func (l *Leaf[A]) IsAnySpelling(method string) bool {
	return l.unclean != nil && l.Answer(method) == l.any
}

// Ask returns the answer for a request with the values of its parameters, or else the Miss, as hit and
// miss would get them. It searches the trie alone.
func (t *Table[A]) Ask(r *http.Request) (answer *A, values Values, miss Miss[A]) {
	asked := &Table[A]{
		trie: t.trie,
		hit:  func(a *A, _ http.ResponseWriter, _ *http.Request, v Values) { answer, values = a, v },
		miss: func(_ http.ResponseWriter, _ *http.Request, m Miss[A]) { miss = m },
	}
	asked.matchUncleanPath(nil, r)
	return answer, values, miss
}

// Trie returns the trie that the Table is made of.
func (t *Table[A]) Trie() *Trie[A] { return t.trie }
