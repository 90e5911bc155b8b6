package match

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestLiterals(t *testing.T) {
	long := "/" + strings.Repeat("a", 100)
	paths := []string{"/", "/a", "/b", "/users", "/users/new", "/über", long, long + "/b", "/\xff"}
	l := literals[rule]{leaves: map[string]*Leaf[rule]{}}
	for _, p := range paths {
		l.add(p, &Leaf[rule]{})
	}
	find := func(path string) *Leaf[rule] {
		if !l.mayHave(path) {
			return nil
		}
		return l.leaves[path]
	}
	found := map[*Leaf[rule]]bool{}
	for _, p := range paths {
		t.Run(p, func(t *testing.T) {
			is := is.New(t)
			leaf := find(p)
			is.True(leaf != nil)
			is.True(!found[leaf]) // each path has a leaf of its own
			found[leaf] = true
			is.Equal(find(p+"x"), nil)
			is.Equal(find("x"+p[1:]), nil)                             // with the last byte and the length of p
			is.Equal(find(strings.Repeat("x", 64)+p), nil)             // with the same bit
			is.Equal(find(p[:len(p)-1]+string(p[len(p)-1]^0x40)), nil) // with the length of p
		})
	}
	is.New(t).Equal(find(""), nil)
}
