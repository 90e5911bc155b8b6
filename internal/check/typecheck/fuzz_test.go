package typecheck

import (
	"slices"
	"strings"
	"testing"

	"example.com/flow/internal/testkit/zoo"
)

// FuzzCheck holds that no template that can be parsed makes Check panic, and that each
// problem stands where the template has text.
func FuzzCheck(f *testing.F) {
	for _, m := range mistakes {
		f.Add(strings.Replace(m.source, "^", "", 1), byte(max(0, slices.Index(zoo.Roots, m.data))))
	}
	for _, r := range rightOnes {
		f.Add(r.source, byte(max(0, slices.Index(zoo.Roots, r.data))))
	}
	f.Fuzz(func(t *testing.T, source string, root byte) {
		trees, err := parseSource(source)
		if err != nil {
			return
		}
		lines := strings.Split(source, "\n")
		problems, _ := (&Set{Trees: trees, Funcs: zooTypes}).Check("main", zoo.Roots[int(root)%len(zoo.Roots)])
		for _, p := range problems {
			if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len(lines[p.Line-1]) {
				t.Errorf("%q: %v stands nowhere", source, p)
			}
		}
	})
}
