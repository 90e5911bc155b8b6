package plan

import "reflect"

// An expr is a part of a body that has a value. The zero reflect.Value stands for what is
// absent, as in text/template.
type expr interface {
	eval(s *state, dot reflect.Value) reflect.Value
}

// A dotExpr is the dot.
type dotExpr struct{}

func (dotExpr) eval(_ *state, dot reflect.Value) reflect.Value { return dot }

// A variable is a variable of the template, by its number.
type variable int

func (v variable) eval(s *state, _ reflect.Value) reflect.Value { return s.variables[s.frame+int(v)] }

// A literal is a constant that is a value by itself.
type literal struct{ value reflect.Value }

func (l literal) eval(*state, reflect.Value) reflect.Value { return l.value }

// A command is a command of a pipeline, whose value is dug out.
type command struct{ value expr }

func (c command) eval(s *state, dot reflect.Value) reflect.Value { return dig(c.value.eval(s, dot)) }

// dig returns the value in an interface without methods: text/template takes the values of
// all commands of pipelines out of it.
func dig(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Interface && v.NumMethod() == 0 {
		return v.Elem()
	}
	return v
}

// An assign sets variables.
type assign struct {
	variables []int
	value     expr
}

func (a *assign) eval(s *state, dot reflect.Value) reflect.Value {
	v := a.value.eval(s, dot)
	for _, i := range a.variables {
		s.variables[s.frame+i] = v
	}
	return v
}
