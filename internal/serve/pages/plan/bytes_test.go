package plan_test

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/pages/plan"
	"example.com/flow/internal/testkit/servertest"
	"example.com/flow/internal/testkit/zoo"
)

// dangerous are bytes that end something, begin something, or are a part of a character.
const dangerous = "\x00\t\n\v\f\r \"#%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\x8d\xa0\xa8\xa9\xbf\xc2\xe2\xed\xef\xf0\xf4\xff"

var numbers = []any{0, -1, math.MinInt, int64(1 << 62), int8(-128), uint8(255), uint64(1<<64 - 1), 'x', 1.5, float32(0.1), 1e21, 1i, true, false, uintptr(7)}

// typed returns a text as the types that html/template trusts, and others.
func typed(s string) []any {
	return []any{
		s, &s, []byte(s), template.HTML(s), template.URL(s), template.JS(s), template.JSStr(s), template.CSS(s),
		template.HTMLAttr(s), template.Srcset(s), zoo.Label(s), zoo.Word(s), fmt.Errorf("%s", s), []string{s, s}, map[string]string{s: s}, any(nil),
	}
}

// show renders a text alone and inside others.
func (b *both) show(t *testing.T, s string) {
	b.render(t, always(s))
	b.render(t, always("a"+s+"z"))
}

// TestBytes renders each byte, hard texts and other values in all places, and pairs of
// dangerous bytes where a Program escapes by itself. The race detector would see nothing.
func TestBytes(t *testing.T) {
	if race.Enabled {
		t.Skip("nothing runs at the same time")
	}
	for i, place := range append(slices.Clone(zoo.OwnPlaces), zoo.Places...) {
		t.Run(place, func(t *testing.T) {
			is := is.New(t)
			b, err := newBoth(place, plan.Funcs{})
			is.NoErr(err)
			is.NoErr(b.reason)
			for c := range 256 {
				b.show(t, string([]byte{byte(c)}))
			}
			for _, s := range zoo.Hard {
				b.show(t, s)
				for _, v := range typed(s) {
					b.render(t, always(v))
				}
			}
			for _, n := range numbers {
				b.render(t, always(n))
			}
			if i < len(zoo.OwnPlaces) {
				for _, c := range []byte(dangerous) {
					for _, d := range []byte(dangerous) {
						b.show(t, string([]byte{c, d}))
						b.render(t, always(template.HTML([]byte{c, d})))
					}
				}
			}
		})
	}
}

// TestAllPairsOfBytes renders each pair of bytes in all places.
func TestAllPairsOfBytes(t *testing.T) {
	servertest.Slow(t)
	if race.Enabled {
		t.Skip("nothing runs at the same time")
	}
	for _, place := range append(slices.Clone(zoo.OwnPlaces), zoo.Places...) {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			b, err := newBoth(place, plan.Funcs{})
			is.NoErr(err)
			for c := range 1 << 16 {
				b.show(t, string([]byte{byte(c >> 8), byte(c)}))
			}
		})
	}
}
