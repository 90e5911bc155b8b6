package plan

import (
	"reflect"
	"slices"

	"example.com/flow/internal/serve/pages/language"
)

// A loop is {{range}}. index and elem are the variables that each execution of the body
// sets, or -1.
type loop struct {
	over           expr
	body, elseThen list
	at             spot
	index, elem    int32
}

func (l *loop) render(s *state, dot reflect.Value) jump {
	v, _ := indirect(l.over.eval(s, dot))
	if l.each(s, v) {
		return next
	}
	if l.elseThen.render(s, dot) == toContinue {
		return toContinue
	}
	return next // in text/template, {{break}} behind {{else}} ends this loop, not the one around it
}

// each executes the body for each element of v. It reports whether there was one. Like
// text/template it asks for the length again each time.
func (l *loop) each(s *state, v reflect.Value) (any bool) {
	switch v.Kind() {
	case reflect.Array, reflect.Slice:
		for i := 0; i < v.Len(); i++ {
			any = true
			if l.index >= 0 {
				s.variables[s.frame+int(l.index)] = reflect.ValueOf(i)
			}
			if !l.once(s, v.Index(i)) {
				break
			}
		}
		return any
	case reflect.Map:
		for _, e := range l.sorted(s, v) {
			any = true
			if !l.pair(s, e.key, e.value) {
				break
			}
		}
		return any
	case reflect.Chan:
		if v.IsNil() {
			return false
		}
		if v.Type().ChanDir() == reflect.SendDir {
			l.asked(s, v)
		}
		for i := 0; ; i++ {
			elem, ok := v.Recv()
			if !ok || !l.pair(s, reflect.ValueOf(i), elem) {
				return ok || i > 0
			}
		}
	case reflect.Invalid:
		return false
	}
	return l.iterate(s, v)
}

// iterate is each for integers and iterators. As in text/template, {{break}} leaves an iterator by
// a panic, so what the iterator would do after that does not run.
func (l *loop) iterate(s *state, v reflect.Value) (any bool) {
	broken := false
	s.depth += iteratorDepth
	defer func() {
		s.depth -= iteratorDepth
		if !broken {
			return // to recover and panic again takes long where many iterators are nested
		}
		if r := recover(); r != nil && r != errBreak {
			panic(r)
		}
	}()
	visit := func(key, elem reflect.Value) {
		any = true
		if !l.pair(s, key, elem) {
			broken = true
			panic(errBreak)
		}
	}
	t := v.Type()
	switch {
	case t.Kind() == reflect.Func && !t.CanSeq() && t.CanSeq2():
		for key, elem := range v.Seq2() {
			if l.index < 0 {
				elem = key // one variable, or none: it is the first value
			}
			visit(key, elem)
		}
	case t.CanSeq() && l.index < 0 && (t.Kind() == reflect.Func || isInteger(v)):
		for elem := range v.Seq() {
			visit(elem, elem)
		}
	default:
		l.asked(s, v)
	}
	return any
}

func isInteger(v reflect.Value) bool { return v.CanInt() || v.CanUint() }

// pair is once for an element with an index.
func (l *loop) pair(s *state, index, elem reflect.Value) (more bool) {
	if l.index >= 0 {
		s.variables[s.frame+int(l.index)] = index
	}
	return l.once(s, elem)
}

// once executes the body once. It reports whether the loop goes on.
func (l *loop) once(s *state, elem reflect.Value) (more bool) {
	if l.elem >= 0 {
		s.variables[s.frame+int(l.elem)] = elem
	}
	return l.body.render(s, elem) != toBreak
}

// errBreak is the panic that leaves an iterator.
var errBreak = new(int)

// An entry is a key of a map with its value.
type entry struct{ key, value reflect.Value }

// sorted returns the entries of a map in the order of text/template, which is asked for
// other keys than strings and integers.
func (l *loop) sorted(s *state, m reflect.Value) []entry {
	if kind := language.Basic(m.Type().Key().Kind()); kind != language.String && !kind.IsInteger() {
		return l.asked(s, m)
	}
	entries := make([]entry, 0, m.Len())
	for i := m.MapRange(); i.Next(); {
		entries = append(entries, entry{i.Key(), i.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		c, _ := compare(a.key, b.key)
		return c
	})
	return entries
}

// asked returns the entries that text/template finds in a map. For what it cannot range over with
// these variables, the page fails in its words.
func (l *loop) asked(s *state, v reflect.Value) []entry {
	q, err := ask("range", v)
	if err != nil {
		s.fail(l.at, "%w", err)
	}
	return q.entries
}
