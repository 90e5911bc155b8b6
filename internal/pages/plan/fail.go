package plan

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"

	"example.com/flow/internal/pages/language"
)

// A spot is where an expression stands in its template: the position and the type of its node,
// which no other node has both. A Plan keeps spots, since nodes are large.
type spot uint32

const typeBits = 5 // of a spot, for the type of the node

func newSpot(at parse.Pos, t parse.NodeType) spot {
	if at >= 1<<(32-typeBits) || t >= 1<<typeBits {
		panic(unknown("the template is larger than 128 MB"))
	}
	return spot(at)<<typeBits | spot(t)
}

func spotOf(n parse.Node) spot { return newSpot(n.Position(), n.Type()) }

// spotOfPipe returns the spot of a pipeline up to the last of these commands: what comes behind
// that are escapers.
func spotOfPipe(cmds []*parse.CommandNode) spot {
	return newSpot(cmds[len(cmds)-1].Pos, parse.NodePipe)
}

// node returns the node at a spot.
func (b *body) node(at spot) parse.Node {
	position, typ := parse.Pos(at>>typeBits), parse.NodeType(at&(1<<typeBits-1))
	var found parse.Node = b.source.Root
	language.EachNode(b.source.Root, func(n parse.Node) {
		if n.Type() != typ {
			return
		}
		p, isPipe := n.(*parse.PipeNode)
		if !isPipe {
			if n.Position() == position {
				found = n
			}
			return
		}
		for i, cmd := range p.Cmds {
			if cmd.Pos == position {
				own := *p
				own.Cmds = p.Cmds[:i+1]
				found = &own
			}
		}
	})
	return found
}

// fail ends the execution with an error in the words of text/template:
//
//	template: router/a.html:3:7: executing "router/a.html" at <.Nme>: can't evaluate field Nme in type app.user
//
// It panics, as text/template does, since that also leaves the iterators of the application.
func (s *state) fail(at spot, format string, args ...any) {
	source := s.current.source
	name := source.Name
	location, expression := source.ErrorContext(s.current.node(at))
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
func (s *state) failCall(at spot, name string, err error) {
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
	case m.Kind == language.Unexported:
		s.fail(f.at, "%s is an unexported field of struct type %s", f.name, declared)
	case isNil:
		s.fail(f.at, "nil pointer evaluating %s.%s", declared, f.name)
	}
	s.fail(f.at, "can't evaluate field %s in type %s", f.name, declared)
}

// failTake ends the execution since a method does not take so many arguments, or returns what
// a template cannot use.
func (s *state) failTake(at spot, name string, f reflect.Type, a arguments) {
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
func (s *state) failConstant(constant *operand, t reflect.Type) {
	expected := map[language.BasicKind]string{
		language.Bool: "bool", language.String: "string", language.Int: "integer", language.Uint: "unsigned integer",
		language.Float: "float", language.Complex: "complex",
	}[language.Basic(t.Kind())]
	switch {
	case constant.constant.Has(language.NotBasic):
		s.fail(constant.at, "cannot assign nil to %s", t)
	case expected == "":
		s.fail(constant.at, "can't handle %s for arg of type %s", s.current.node(constant.at), t)
	}
	s.fail(constant.at, "expected %s; found %s", expected, s.current.node(constant.at))
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
