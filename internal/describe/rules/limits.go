package rules

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"
)

// A limit is asked for with the values of one sort, from small ones to large ones, in the filled base.
// The smallest and the largest that Validate takes are the edges. Then it is asked about values of other
// sorts beyond the edges, and in the other bases: a limit is said only if none of them is taken.

// A sort makes values by their size. Sizes have 64 bits on all machines, since a field may be an int64
// where an int has 32.
type sort func(n int64) setter

// A span is what Validate takes of the values of a sort. It has no edge where there is no limit.
type span struct {
	from, to       int64
	hasFrom, hasTo bool
	holes          bool // it refuses some between them
}

// sizes are the sizes that are tried, in order.
var sizes = []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 20, 21, 24, 30, 32, 33, 40, 50, 63, 64, 65, 72, 80, 100, 101, 128, 140, 160, 200, 255, 256, 257, 300, 500, 512, 1000, 1024, 1500, 2000, 2048, 4000, 4096, 5000, 8192, 10000, 16384}

// spanOf finds the edges of what the filled base takes of a sort, of increasing values at tried. ok is
// false if there is no limit, or if it takes nothing.
func (a *asking) spanOf(s *spot, of sort, tried []int64) (found span, ok bool) {
	b := a.bases[0]
	refused := func(n int64) bool { return a.ask(b, s, of(n), false) == refuses }
	last := tried[len(tried)-1]
	if !refused(tried[0]) && !refused(last) && !refused(1) {
		return found, false
	}
	answers := make([]bool, len(tried)) // whether it takes them
	for i, n := range tried {
		answers[i] = !refused(n)
	}
	first, end := slices.Index(answers, true), len(answers)-1
	if first < 0 {
		return found, false
	}
	for !answers[end] {
		end--
	}
	found.from, found.to = tried[first], tried[end]
	found.holes = slices.Contains(answers[first:end], false)
	if found.hasFrom = first > 0; found.hasFrom {
		found.from = edge(tried[first], tried[first-1], refused)
	}
	if found.hasTo = end < len(tried)-1; found.hasTo {
		found.to = edge(tried[end], tried[end+1], refused)
	}
	return found, found.hasFrom || found.hasTo
}

// edge returns the last value that is taken on the way from one that is to one that is refused.
func edge(taken, refusedAt int64, refused func(int64) bool) int64 {
	for {
		middle := taken + (refusedAt-taken)/2
		switch {
		case middle == taken:
			return taken
		case refused(middle):
			refusedAt = middle
		default:
			taken = middle
		}
	}
}

// holds reports whether all bases refuse values beyond an edge, the nearest first, and the filled one
// those of each sort.
func (a *asking) holds(s *spot, sorts []sort, beyond []int64) bool {
	if a.varied(s, sorts[0](beyond[0]), false) {
		return false
	}
	for i, of := range sorts {
		for j, n := range beyond {
			if i > 0 && j > 1 && j < len(beyond)-2 {
				continue // one sort tells of these
			}
			if i == 0 && a.contradicts(s, of(n), false) || i > 0 && a.ask(a.bases[0], s, of(n), false) == takes {
				return false
			}
		}
	}
	return true
}

// lengths returns the limits of a text.
func (a *asking) lengths(s *spot) (least, most *int) {
	sorts := a.sorts()
	found, ok := a.spanOf(s, sorts[0], sizes)
	if !ok {
		return nil, nil
	}
	refusedIn := func(of sort) func(n int64) bool {
		return func(n int64) bool { return a.ask(a.bases[0], s, of(n), false) != takes }
	}
	// A text of other letters shows that it is the length that counts, and not a word.
	other := func(n int64) bool { return n == 0 || !refusedIn(sorts[1])(n) }
	if found.hasFrom && other(found.from) {
		for _, of := range sorts[1:] { // letters of several bytes: the weaker limit is true of all
			if refused := refusedIn(of); found.from > 1 && !refused(found.from-1) {
				found.from = edge(found.from-1, -1, func(n int64) bool { return n < 0 || refused(n) })
			}
		}
		if found.from > 0 && a.holds(s, sorts, below(found.from, 0)) {
			least = new(int(found.from))
		}
	}
	if found.hasTo && other(found.to) {
		for _, of := range sorts[1:] {
			refused := refusedIn(of)
			if refused(found.to + 1) {
				continue
			}
			if !refused(longest) || !refused(min(2*found.to+17, longest)) {
				return least, nil
			}
			found.to = edge(found.to+1, longest, refused)
		}
		if a.holds(s, sorts, above(found.to, longest)) {
			most = new(int(found.to))
		}
	}
	return least, most
}

// below returns sizes below an edge: the nearest, and some others.
func below(edge, lowest int64) (beyond []int64) {
	for _, n := range []int64{edge - 1, edge - 2, edge / 2, 1, lowest} {
		if n < edge && n >= lowest && !slices.Contains(beyond, n) {
			beyond = append(beyond, n)
		}
	}
	return beyond
}

func above(edge, highest int64) (beyond []int64) {
	for _, n := range []int64{edge + 1, edge + 2, edge + 3, 2 * edge, 2*edge + 1, 3*edge + 7, highest} {
		if n > edge && n <= highest && !slices.Contains(beyond, n) {
			beyond = append(beyond, n)
		}
	}
	return beyond
}

// An itemsKind says how the items of a list differ.
type itemsKind int

const (
	distinct itemsKind = iota
	equal
	empty
	halfEmpty
)

// setItems makes a list of n items.
func setItems(s *spot, n int, kind itemsKind) setter {
	return func(v reflect.Value) bool {
		row := reflect.Value{}
		if list := behindValue(v); list.IsValid() && list.Kind() == reflect.Slice && list.Len() > 0 {
			row = list.Index(0)
		}
		v.SetZero()
		list := fresh(v)
		if list.Kind() != reflect.Slice {
			return false
		}
		list.Set(reflect.MakeSlice(list.Type(), n, n))
		for i := range n {
			item := list.Index(i)
			if row.IsValid() && s.more {
				item.Set(row)
			}
			if kind == empty || kind == halfEmpty && i%2 == 1 {
				item.SetZero()
				fresh(item)
				continue
			}
			number := i + 1
			if kind == equal {
				number = 1
			}
			vary(item, number)
		}
		return true
	}
}

func behindValue(v reflect.Value) reflect.Value {
	for range 8 {
		if v.Kind() != reflect.Pointer || v.IsNil() {
			break
		}
		v = v.Elem()
	}
	return v
}

// numbered returns texts that differ: "k1" at 1. There is one for each item of the longest list.
var numbered = sync.OnceValue(func() (texts []string) {
	for n := range mostItems + 1 {
		texts = append(texts, "k"+strconv.Itoa(n))
	}
	return texts
})

// mostItems is how many items the longest list has that Validate is asked about.
const mostItems = 512

// vary makes the value of an item its own: a text or a number, and the fields of a struct that are such.
func vary(v reflect.Value, n int) {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		v = fresh(v)
	} else if v.Kind() == reflect.Pointer {
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(v.Elem())
		v.Set(copied)
		v = copied.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		v.SetString(numbered()[n])
	case v.CanInt() && !v.OverflowInt(int64(n)):
		v.SetInt(int64(n))
	case v.CanUint() && !v.OverflowUint(uint64(n)):
		v.SetUint(uint64(n))
	case v.CanFloat():
		v.SetFloat(float64(n))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && f.Kind() == reflect.String {
				f.SetString(f.String() + strconv.Itoa(n))
			}
		}
	}
}

// counts are the lengths of lists that are tried.
var counts = []int64{0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 16, 20, 21, 25, 32, 50, 51, 64, 100, 101, 128, 200, 256}

// items returns the limits of a list.
func (a *asking) items(s *spot) (least, most *int) {
	var sorts []sort
	for _, kind := range []itemsKind{distinct, equal, empty, halfEmpty} {
		sorts = append(sorts, func(n int64) setter { return setItems(s, int(n), kind) })
	}
	found, ok := a.spanOf(s, sorts[0], counts)
	if !ok {
		return nil, nil
	}
	if found.hasFrom && a.holds(s, sorts, below(found.from, 0)) {
		least = new(int(found.from))
	}
	if found.hasTo && a.holds(s, sorts, above(found.to, mostItems)) {
		most = new(int(found.to))
	}
	return least, most
}

// wholes are the whole numbers that are tried.
var wholes = func() (all []int64) {
	for n := int64(1); n <= 1<<53; n *= 8 {
		all = append(all, n, -n)
	}
	for n := int64(1); n <= 1e15; n *= 10 {
		all = append(all, n, -n, n+1, -n-1)
	}
	for n := range int64(13) {
		all = append(all, n, -n)
	}
	slices.Sort(all)
	return slices.Compact(all)
}()

// numbers returns the limits of a number.
func (a *asking) numbers(s *spot) (least, most json.Number) {
	whole := func(n int64) setter { return setNumber(float64(n)) }
	tried := slices.DeleteFunc(slices.Clone(wholes), func(n int64) bool { return !whole(n)(reflect.New(s.t).Elem()) })
	if len(tried) < 3 {
		return "", ""
	}
	found, ok := a.spanOf(s, whole, tried)
	if !ok || found.from == found.to || found.holes {
		return "", "" // some numbers are no range
	}
	lowest, highest := tried[0], tried[len(tried)-1]
	isFloat := behind(s.t).Kind() == reflect.Float64 || behind(s.t).Kind() == reflect.Float32
	if found.hasFrom {
		edge := float64(found.from)
		if isFloat {
			edge = a.fraction(s, edge, edge-1)
		}
		if a.holdsNumbers(s, edge, float64(lowest), -1, isFloat) {
			least = written(edge)
		}
	}
	if found.hasTo {
		edge := float64(found.to)
		if isFloat {
			edge = a.fraction(s, edge, edge+1)
		}
		if a.holdsNumbers(s, edge, float64(highest), 1, isFloat) {
			most = written(edge)
		}
	}
	return least, most
}

// fraction returns the edge between a number that is taken and one that is refused: the taken one that is
// nearest to the other, if it has few digits, and else the refused one.
func (a *asking) fraction(s *spot, taken, refused float64) float64 {
	for range 60 {
		middle := (taken + refused) / 2
		if middle == taken || middle == refused {
			break
		}
		if a.ask(a.bases[0], s, setNumber(middle), false) == refuses {
			refused = middle
		} else {
			taken = middle
		}
	}
	precision := 0.0
	if behind(s.t).Kind() == reflect.Float32 { // a number near the edge becomes the edge
		precision = 1e-6 * max(1, math.Abs(taken))
	}
	for scale := 1.0; scale < 1e12; scale *= 10 {
		if short := math.Round(taken*scale) / scale; math.Abs(short-taken) <= precision {
			return short
		}
	}
	return refused
}

// holdsNumbers reports whether all bases refuse numbers beyond an edge.
func (a *asking) holdsNumbers(s *spot, edge, farthest, direction float64, fractions bool) bool {
	beyond := []float64{edge + direction, farthest}
	if fractions {
		beyond = append(beyond, edge+direction*0.5, edge+direction*0.001, edge+direction*1e-5*max(1, math.Abs(edge)))
	}
	everywhere := len(beyond) // in all bases; the others are asked about in the filled one
	for n := 2.0; n <= 12; n++ {
		beyond = append(beyond, edge+direction*n)
	}
	for n := 32.0; n < math.Abs(farthest-edge); n *= 15 {
		beyond = append(beyond, edge+direction*n, edge+direction*(n+1))
	}
	for i, n := range beyond {
		set := setNumber(n)
		switch {
		case !set(reflect.New(s.t).Elem()): // the type cannot hold it
		case i == 0 && a.varied(s, set, false), i < everywhere && a.contradicts(s, set, false), a.ask(a.bases[0], s, set, false) == takes:
			return false
		}
	}
	return true
}

func written(n float64) json.Number { return json.Number(strconv.FormatFloat(n, 'f', -1, 64)) }
