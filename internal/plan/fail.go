package plan

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"

	"example.com/flow/internal/typecheck"
)

// fail ends the execution with an error in the words of text/template:
//
//	template: router/a.html:3:7: executing "router/a.html" at <.Nme>: can't evaluate field Nme in type app.user
//
// It panics, as text/template does, since that also leaves the iterators of the application.
func (s *state) fail(at parse.Node, format string, args ...any) {
	name := s.current.name
	location, expression := new(parse.Tree).ErrorContext(at) // the node knows its tree
	format = "template: %s: executing %q at <%s>: " + format
	panic(template.ExecError{Name: name, Err: fmt.Errorf(format, append([]any{location, name, expression}, args...)...)})
}

// cause returns what is behind the error of a template that has one action.
func cause(err error) error {
	var failure template.ExecError
	if !errors.As(err, &failure) {
		return err
	}
	if inner := errors.Unwrap(failure.Err); inner != nil {
		return inner
	}
	_, reason, _ := strings.Cut(failure.Error(), ">: ")
	return errors.New(reason)
}

// caught sets the error of a function to its panic, as text/template does.
func caught(err *error) {
	switch v := recover().(type) {
	case nil:
	case error:
		*err = v
	default:
		*err = fmt.Errorf("%v", v)
	}
}

// failCall ends the execution since a function has failed.
func (s *state) failCall(at parse.Node, name string, err error) {
	s.fail(at, "error calling %s: %w", name, err)
}

// failField ends the execution since a value, of a type that was declared, has no such field,
// or is nil.
func (s *state) failField(f *field, m *member, declared reflect.Type) {
	isNil := m.typ.Kind() == reflect.Interface
	if m.typ.Kind() == reflect.Pointer {
		isNil = true
		if elem := m.typ.Elem(); elem.Kind() == reflect.Struct {
			_, isNil = elem.FieldByName(f.name)
		}
	}
	switch {
	case m.Kind == typecheck.Unexported:
		s.fail(f.at, "%s is an unexported field of struct type %s", f.name, declared)
	case isNil:
		s.fail(f.at, "nil pointer evaluating %s.%s", declared, f.name)
	}
	s.fail(f.at, "can't evaluate field %s in type %s", f.name, declared)
}

// failTake ends the execution since a method does not take so many arguments, or returns what
// a template cannot use.
func (s *state) failTake(at parse.Node, name string, f reflect.Type, a arguments) {
	switch {
	case f.IsVariadic() && a.given() < f.NumIn()-1:
		s.fail(at, "wrong number of args for %s: want at least %d got %d", name, f.NumIn()-1, len(a.operands))
	case !f.IsVariadic() && a.given() != f.NumIn():
		s.fail(at, "wrong number of args for %s: want %d got %d", name, f.NumIn(), a.given())
	case f.NumOut() == 2:
		s.fail(at, "invalid function signature for %s: second return value should be error; is %s", name, f.Out(1))
	}
	s.fail(at, "function %s has %d return values; should be 1 or 2", name, f.NumOut())
}

// failConstant ends the execution since a constant is not one of the type of a parameter.
func (s *state) failConstant(constant parse.Node, t reflect.Type) {
	expected := map[typecheck.BasicKind]string{
		typecheck.Bool: "bool", typecheck.String: "string", typecheck.Int: "integer", typecheck.Uint: "unsigned integer",
		typecheck.Float: "float", typecheck.Complex: "complex",
	}[typecheck.Basic(t.Kind())]
	switch {
	case constant.Type() == parse.NodeNil:
		s.fail(constant, "cannot assign nil to %s", t)
	case expected == "":
		s.fail(constant, "can't handle %s for arg of type %s", constant, t)
	}
	s.fail(constant, "expected %s; found %s", expected, constant)
}

// failRange ends the execution since there is no loop over a value.
func (s *state) failRange(l *loop, v reflect.Value) {
	switch t := v.Type(); {
	case t.Kind() == reflect.Chan:
		s.fail(l.at, "range over send-only channel %v", v)
	case isInteger(v):
		s.fail(l.at, "can't use %v to iterate over more than one variable", v)
	case t.Kind() == reflect.Func && t.CanSeq():
		s.fail(l.at, "can't use %v iterate over more than one variable", v)
	}
	s.fail(l.at, "range can't iterate over %v", v)
}
