package plan_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// large matches numbers above 99.
var large = regexp.MustCompile(`(?i)[0-9]_?[0-9]_?[0-9]|[0-9]e[+0-9]|0[xbo_]|'[^{}= ]{1,10}'`)

// FuzzPlan renders templates with random data both ways.
func FuzzPlan(f *testing.F) {
	for i, place := range append(ownPlaces, places...) {
		f.Add(place, uint64(i))
	}
	for i := range uint64(100) {
		g := &generator{Rand: rand.New(rand.NewPCG(1, i))}
		f.Add(g.source(roots[0]), i)
	}
	f.Fuzz(func(t *testing.T, source string, seed uint64) {
		if strings.Count(source, "range") > 4 || large.MatchString(source) {
			return // loops in loops may take hours
		}
		b, err := newBoth(source, randomFuncs)
		if err != nil {
			return
		}
		b.render(t, func() any { log.reset(seed); return randomData(roots[seed%uint64(len(roots))], seed) })
	})
}
