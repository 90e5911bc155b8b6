package match

import (
	"fmt"
	"testing"

	"github.com/matryer/is"
)

func TestLiterals(t *testing.T) {
	paths := func(format string, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf(format, i))
		}
		return all
	}
	for _, tt := range []struct {
		name  string
		paths []string
		whole bool // look-ups need the hash of the whole path
	}{
		{"none", nil, false},
		{"short", []string{"/", "/a", "/b", "/ab", "/ac"}, false},
		{"different ends", paths("/section/page%04d", 2000), false},
		{"equal ends", paths("/area%04d/settings", 2000), true},
		{"a few equal ends", paths("/area%d/settings", 5), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			leaves := map[string]*Leaf[rule]{}
			for _, p := range tt.paths {
				leaves[p] = &Leaf[rule]{}
			}
			l := makeLiterals(leaves)
			is.Equal(l.whole, tt.whole)
			for p, leaf := range leaves {
				is.True(l.find(p) == leaf)
				is.True(l.find(p+"x") == nil)
				is.True(l.find("x"+p[1:]) == nil)
			}
			for _, p := range []string{"", "x", "/nowhere", "*"} {
				is.True(l.find(p) == nil)
			}
			is.True(len(l.slots) >= 2*len(leaves) && len(l.slots) < max(3, 4*len(leaves)))
		})
	}
}
