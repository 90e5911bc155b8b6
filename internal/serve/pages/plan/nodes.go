package plan

import "reflect"

// A node is a part of a body that renders something.
type node interface {
	render(s *state, dot reflect.Value) jump
}

// A jump says where the execution goes on after a node.
type jump uint8

const (
	next jump = iota
	toBreak
	toContinue
)

func (j jump) render(*state, reflect.Value) jump { return j }

// A list is nodes in a row.
type list []node

func (l list) render(s *state, dot reflect.Value) jump {
	for _, n := range l {
		if j := n.render(s, dot); j != next {
			return j
		}
	}
	return next
}

// A text is static.
type text string

func (t text) render(s *state, _ reflect.Value) jump {
	s.out = append(s.out, t...)
	return next
}

// An action prints a value behind its escapers.
type action struct {
	value expr
	chain *chain
	at    spot
}

func (a *action) render(s *state, dot reflect.Value) jump {
	if err := a.chain.print(s, a.value.eval(s, dot)); err != nil {
		s.failCall(a.at, a.chain.first, err)
	}
	return next
}

// A branch is {{if}}, or {{with}} if sets is true.
type branch struct {
	cond           expr
	sets           bool // the condition becomes the dot of then
	then, elseThen list
}

func (b *branch) render(s *state, dot reflect.Value) jump {
	v := b.cond.eval(s, dot)
	switch {
	case !isTrue(v):
		return b.elseThen.render(s, dot)
	case b.sets:
		return b.then.render(s, v)
	}
	return b.then.render(s, dot)
}

// A call is {{template}}. Its callee is in calls of the current instance.
type call struct {
	dot  expr // nil if there is none
	slot int32
	at   spot
}

func (c *call) render(s *state, dot reflect.Value) jump {
	if s.depth >= maxDepth {
		s.fail(c.at, "%w", ErrTooDeep)
	}
	callee := s.current.calls[c.slot]
	if c.dot == nil {
		dot = reflect.Value{}
	} else {
		dot = c.dot.eval(s, dot)
	}
	s.template(callee, dot)
	return next
}

// template executes a template of the Program.
func (s *state) template(i int, dot reflect.Value) {
	caller, frame := s.current, s.frame
	s.current, s.frame = &s.program.instances[i], len(s.variables)
	for range s.current.variables {
		s.variables = append(s.variables, dot) // $ is the first; the others are set before they are read
	}
	s.depth++
	s.current.nodes.render(s, dot)
	s.depth--
	s.variables = s.variables[:s.frame]
	s.current, s.frame = caller, frame
}

// isTrue reports whether {{if}} takes a value for true.
func isTrue(v reflect.Value) bool {
	v = concrete(v)
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Array, reflect.Map, reflect.Slice:
		return v.Len() > 0
	case reflect.Struct:
		return true
	}
	return !v.IsZero()
}
