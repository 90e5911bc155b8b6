package plan

import (
	"reflect"

	"example.com/flow/internal/serve/pages/language"
)

// arguments are what a command gives to a function or method: its operands, and the value of
// the command before it in the pipeline, unless last is nil.
type arguments struct {
	operands []operand
	last     expr
}

// An operand is a word of a command behind the first one.
type operand struct {
	value    expr
	at       spot
	constant language.Kinds // what a constant can become for a parameter; 0 if it is none
}

// given returns the number of arguments.
func (a *arguments) given() int {
	if a.last == nil {
		return len(a.operands)
	}
	return len(a.operands) + 1
}

// evalLast evaluates the command before, which comes before all else.
func (a *arguments) evalLast(s *state, dot reflect.Value) (last reflect.Value) {
	if a.last != nil {
		last = a.last.eval(s, dot)
	}
	return last
}

// push evaluates the operands, and appends the arguments of a call to s.args, where they begin at
// mark. They are as a function of type f takes them; f is nil if it takes any values. at is the
// call.
func (a *arguments) push(s *state, at spot, dot, last reflect.Value, mark int, f reflect.Type) {
	for i := range a.operands {
		v := a.operands[i].eval(s, dot, paramOf(f, len(s.args)-mark))
		s.args = append(s.args, v)
	}
	if a.last != nil {
		s.args = append(s.args, s.assignable(at, last, paramOf(f, len(s.args)-mark)))
	}
}

// paramOf returns the type of parameter i of a function, or nil if it takes any values.
func paramOf(f reflect.Type, i int) reflect.Type {
	if f == nil {
		return nil
	}
	return language.Param(f, i)
}

// eval returns the value of an operand for a parameter of type t.
func (o *operand) eval(s *state, dot reflect.Value, t reflect.Type) reflect.Value {
	v := o.value.eval(s, dot)
	switch {
	case o.constant == 0 || t == nil || t == reflectValueType || v.IsValid() && v.Type().AssignableTo(t):
	case !v.IsValid() && language.CanBeNil(t):
	case !v.IsValid() || !o.constant.Has(language.Basic(t.Kind())):
		s.failConstant(o, t)
	default:
		return v.Convert(t)
	}
	return s.assignable(o.at, v, t)
}

var reflectValueType = reflect.TypeFor[reflect.Value]()

// assignable returns what text/template gives to a parameter of type t for a value
// (validateType there). If t is nil, that is the value itself.
func (s *state) assignable(at spot, v reflect.Value, t reflect.Type) reflect.Value {
	switch {
	case t == nil && v.Kind() == reflect.Struct && v.Type() == reflectValueType:
		return v.Interface().(reflect.Value)
	case t == nil || v.IsValid() && v.Type() == t:
		return v
	case !v.IsValid() && language.CanBeNil(t):
		return reflect.Zero(t)
	case !v.IsValid():
		s.fail(at, "invalid value; expected %s", t)
	case t == reflectValueType:
		return reflect.ValueOf(v)
	case v.Type().AssignableTo(t):
		return v
	case v.Kind() == reflect.Interface && !v.IsNil():
		if v = v.Elem(); v.Type().AssignableTo(t) {
			return v
		}
	}
	switch {
	case v.Kind() == reflect.Pointer && v.Type().Elem().AssignableTo(t):
		if v.IsNil() {
			s.fail(at, "dereference of nil pointer of type %s", t)
		}
		return v.Elem()
	case reflect.PointerTo(v.Type()).AssignableTo(t) && v.CanAddr():
		return v.Addr()
	}
	s.fail(at, "wrong type for value; expected %s; got %s", t, v.Type())
	panic("unreachable")
}

// invoke calls a function with the arguments from mark on. If it fails, or panics, the page
// fails.
func (s *state) invoke(at spot, name string, fun reflect.Value, t reflect.Type, mark int) reflect.Value {
	v, err := callValue(fun, s.args[mark:])
	if err != nil {
		s.failCall(at, name, err)
	}
	s.args = s.args[:mark]
	if t.Out(0) == reflectValueType {
		return v.Interface().(reflect.Value)
	}
	return v
}

func callValue(fun reflect.Value, args []reflect.Value) (v reflect.Value, err error) {
	defer caught(&err)
	out := fun.Call(args)
	if len(out) == 2 && !out[1].IsNil() {
		err = out[1].Interface().(error)
	}
	return out[0], err
}

// A method is a name behind a dot that gets arguments, so it must be a method.
type method struct {
	field
	arguments
}

func (m *method) eval(s *state, dot reflect.Value) reflect.Value {
	last := m.evalLast(s, dot)
	v, found := m.find(s, m.of.eval(s, dot), &m.arguments)
	if found == nil {
		return reflect.Value{} // its operands are not evaluated
	}
	mark := len(s.args)
	m.push(s, m.at, dot, last, mark, found.Type)
	return s.invoke(m.at, m.name, v.Method(found.Index[0]), found.Type, mark)
}

// A function is a call of a function of the application or of flow, or of one of
// text/template that can be called from outside, such as printf.
type function struct {
	arguments
	name   string
	fun    reflect.Value
	direct func(args []reflect.Value) (any, error) // calls it without reflection; or nil
	at     spot
	bound  bool // it takes the request first
	// isCommand: it is a command of a pipeline, so its value is unwrapped.
	isCommand bool
}

func (f *function) eval(s *state, dot reflect.Value) reflect.Value {
	last, mark, t := f.evalLast(s, dot), len(s.args), f.fun.Type()
	if f.bound {
		s.args = append(s.args, s.assignable(f.at, reflect.ValueOf(s.at), t.In(0)))
	}
	f.push(s, f.at, dot, last, mark, t)
	switch {
	case f.isCommand && f.direct != nil:
		v, err := callDirect(f.direct, s.args[mark:])
		if err != nil {
			s.failCall(f.at, f.name, err)
		}
		s.args = s.args[:mark]
		return reflect.ValueOf(v)
	case f.isCommand:
		return unwrap(s.invoke(f.at, f.name, f.fun, t, mark))
	}
	return s.invoke(f.at, f.name, f.fun, t, mark)
}

func callDirect(f func([]reflect.Value) (any, error), args []reflect.Value) (v any, err error) {
	defer caught(&err)
	return f(args)
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
	case func(any, ...string) (any, error):
		return func(args []reflect.Value) (any, error) {
			var texts []string
			for _, arg := range args[1:] {
				texts = append(texts, arg.String())
			}
			return f(args[0].Interface(), texts...)
		}
	case func(string, ...any) string:
		return func(args []reflect.Value) (any, error) { return f(args[0].String(), interfaces(args[1:])...), nil }
	case func(...any) string:
		return func(args []reflect.Value) (any, error) { return f(interfaces(args)...), nil }
	case func(...any) (map[string]any, error):
		return func(args []reflect.Value) (any, error) { return f(interfaces(args)...) }
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
