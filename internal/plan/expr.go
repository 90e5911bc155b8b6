package plan

import (
	"reflect"
	"text/template/parse"

	"example.com/flow/internal/typecheck"
)

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

// An operand is an argument of a function or method.
type operand struct {
	value    expr
	constant parse.Node // a number, string or boolean, which becomes one of the type of the parameter
}

var (
	errorType        = reflect.TypeFor[error]()
	reflectValueType = reflect.TypeFor[reflect.Value]()
)

// eval returns the value of an operand as an argument for a parameter.
func (o *operand) eval(s *state, dot reflect.Value, t reflect.Type) reflect.Value {
	v := o.value.eval(s, dot)
	if o.constant != nil && v.Type() != t && becomes(o.constant, v, t) {
		return v.Convert(t)
	}
	return assignable(v, t)
}

// becomes reports whether a constant, whose value by itself is v, is one of type t for a
// parameter.
func becomes(constant parse.Node, v reflect.Value, t reflect.Type) bool {
	n, isNumber := constant.(*parse.NumberNode)
	if !isNumber {
		return v.Kind() == t.Kind()
	}
	switch typecheck.Basic(t.Kind()) {
	case typecheck.Int:
		return n.IsInt
	case typecheck.Uint:
		return n.IsUint
	case typecheck.Float:
		return n.IsFloat
	case typecheck.Complex:
		return n.IsComplex
	}
	return false
}

// raw returns the value of an operand of a function that takes any value.
func (o *operand) raw(s *state, dot reflect.Value) reflect.Value { return unwrap(o.value.eval(s, dot)) }

// unwrap returns the value in a reflect.Value.
func unwrap(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Struct && v.Type() == reflectValueType {
		return v.Interface().(reflect.Value)
	}
	return v
}

// assignable returns what text/template gives to a parameter of a type for a value
// (validateType there).
func assignable(v reflect.Value, t reflect.Type) reflect.Value {
	if !v.IsValid() {
		if !canBeNil(t) {
			decline()
		}
		return reflect.Zero(t)
	}
	switch vt := v.Type(); {
	case vt == t:
		return v
	case t == reflectValueType:
		return reflect.ValueOf(v)
	case vt.AssignableTo(t):
		return v
	}
	if v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
		if v.Type().AssignableTo(t) {
			return v
		}
	}
	switch {
	case v.Kind() == reflect.Pointer && v.Type().Elem().AssignableTo(t):
		if v = v.Elem(); !v.IsValid() {
			decline()
		}
		return v
	case reflect.PointerTo(v.Type()).AssignableTo(t) && v.CanAddr():
		return v.Addr()
	}
	decline()
	panic("unreachable")
}

// canBeNil reports whether nil can be given for a parameter.
func canBeNil(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return true
	}
	return t == reflectValueType
}

// A function is a call of a function of the application or of flow, or of one of
// text/template that can be called from outside, such as printf.
type function struct {
	fun    reflect.Value
	bound  bool                                    // it takes the request first
	direct func(args []reflect.Value) (any, error) // calls it without reflection; or nil
	dig    bool                                    // it is a command of a pipeline: see dig
	args   []operand
	last   expr // the value of the command before it in the pipeline, or nil
}

func (f *function) eval(s *state, dot reflect.Value) reflect.Value {
	var last reflect.Value
	if f.last != nil {
		last = f.last.eval(s, dot)
	}
	mark, t := len(s.args), f.fun.Type()
	if f.bound {
		s.args = append(s.args, assignable(reflect.ValueOf(s.at), t.In(0)))
	}
	for i := range f.args {
		arg := f.args[i].eval(s, dot, typecheck.Param(t, len(s.args)-mark))
		s.args = append(s.args, arg)
	}
	if f.last != nil {
		s.args = append(s.args, assignable(last, typecheck.Param(t, len(s.args)-mark)))
	}
	if f.direct != nil && f.dig {
		v, err := f.direct(s.args[mark:])
		if err != nil {
			decline()
		}
		s.args = s.args[:mark]
		return reflect.ValueOf(v)
	}
	v := s.invoke(f.fun, t, mark)
	if f.dig {
		return dig(v)
	}
	return v
}

// direct returns a function that calls fun without reflection, or nil: for the types that
// the functions of flow itself and of fmt have, and many of applications.
func direct(fun any) func(args []reflect.Value) (any, error) {
	switch f := fun.(type) {
	case func(any) any:
		return func(args []reflect.Value) (any, error) { return f(args[0].Interface()), nil }
	case func(any, string) (string, error):
		return func(args []reflect.Value) (any, error) { return f(args[0].Interface(), args[1].String()) }
	case func(any, string, ...any) (string, error):
		return func(args []reflect.Value) (any, error) {
			return f(args[0].Interface(), args[1].String(), interfaces(args[2:])...)
		}
	case func(string, ...any) string:
		return func(args []reflect.Value) (any, error) { return f(args[0].String(), interfaces(args[1:])...), nil }
	case func(...any) string:
		return func(args []reflect.Value) (any, error) { return f(interfaces(args)...), nil }
	case func(string) string:
		return func(args []reflect.Value) (any, error) { return f(args[0].String()), nil }
	}
	return nil
}

func interfaces(args []reflect.Value) []any {
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg.Interface()
	}
	return values
}

// takes reports whether a function can be called with so many arguments.
func takes(f reflect.Type, given int) bool {
	if f.IsVariadic() {
		return given >= f.NumIn()-1
	}
	return given == f.NumIn()
}

// invoke calls a function with the arguments from mark on.
func (s *state) invoke(fun reflect.Value, t reflect.Type, mark int) reflect.Value {
	out := fun.Call(s.args[mark:])
	s.args = s.args[:mark]
	if len(out) == 2 && !out[1].IsNil() {
		decline()
	}
	if t.Out(0) == reflectValueType {
		return out[0].Interface().(reflect.Value)
	}
	return out[0]
}
