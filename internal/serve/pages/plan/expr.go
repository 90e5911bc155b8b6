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

// A command is a command of a pipeline. Fields and functions unwrap their values themselves.
type command struct{ value expr }

func (c command) eval(s *state, dot reflect.Value) reflect.Value { return unwrap(c.value.eval(s, dot)) }

// unwrap returns the value in an interface{}: text/template unwraps one after each command.
func unwrap(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Interface && v.NumMethod() == 0 {
		return v.Elem()
	}
	return v
}

// An assign sets variables, in an action of its own or in a condition.
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

func (a *assign) render(s *state, dot reflect.Value) jump {
	a.eval(s, dot)
	return next
}
