package plan

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"example.com/flow/internal/serve/pages/language"
)

// A spot is where an expression stands in its template: the position and the type of its node.
// No other node has the same position and type. A Program keeps spots, since nodes are large.
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
		p, isPipe := n.(*parse.PipeNode)
		switch {
		case n.Type() != typ:
		case isPipe:
			if i := slices.IndexFunc(p.Cmds, func(c *parse.CommandNode) bool { return c.Pos == position }); i >= 0 {
				own := *p
				own.Cmds = p.Cmds[:i+1]
				found = &own
			}
		case n.Position() == position:
			found = n
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

// failMember ends the execution since a value has no such member, or not for these arguments.
// text/template sees that before it calls anything, so it is asked for its words: it gets the
// value as its dot, and as many arguments.
func (s *state) failMember(f *field, of reflect.Value, a *arguments) {
	text := "." + f.name + strings.Repeat(" nil", len(a.operands))
	if a.last != nil {
		text = "0 | " + text
	}
	err := template.Must(template.New("").Parse("{{"+text+"}}")).Execute(io.Discard, of)
	s.fail(f.at, "%w", cause(err))
}

// failConstant ends the execution since a constant is not one of the type of a parameter.
func (s *state) failConstant(constant *operand, t reflect.Type) {
	expected := [...]string{
		language.Bool: "bool", language.Int: "integer", language.Uint: "unsigned integer", language.Float: "float",
		language.Complex: "complex", language.String: "string",
	}[language.Basic(t.Kind())]
	switch {
	case constant.constant.Has(language.NotBasic):
		s.fail(constant.at, "cannot assign nil to %s", t)
	case expected == "":
		s.fail(constant.at, "can't handle %s for arg of type %s", s.current.node(constant.at), t)
	}
	s.fail(constant.at, "expected %s; found %s", expected, s.current.node(constant.at))
}
