package plan_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flow/internal/testkit/zoo"
)

// large matches numbers above 99.
var large = regexp.MustCompile(`(?i)[0-9]_?[0-9]_?[0-9]|[0-9]e[+0-9]|0[xbo_]|'[^{}= ]{1,10}'`)

// FuzzPlan renders templates with random data both ways.
func FuzzPlan(f *testing.F) {
	for i, place := range append(slices.Clone(zoo.OwnPlaces), zoo.Places...) {
		f.Add(place, uint64(i))
	}
	for i := range uint64(100) {
		f.Add(zoo.Template(rand.New(rand.NewPCG(1, i)), zoo.Roots[0], false), i)
	}
	f.Fuzz(func(t *testing.T, source string, seed uint64) {
		if strings.Count(source, "range") > 4 || large.MatchString(source) {
			return // loops in loops may take hours
		}
		b, err := newBoth(source, zooFuncs)
		if err != nil {
			return
		}
		b.render(t, func() any { zoo.Log.Reset(seed); return zoo.Data(zoo.Roots[seed%uint64(len(zoo.Roots))], seed) })
	})
}
