// Package plan renders templates that html/template has escaped, as fast as generated code,
// and byte for byte as html/template does.
//
// [Compile] makes a [Plan] of the trees in which html/template has noted its decisions, such
// as {{.Name | _html_template_attrescaper}}. In a Plan, static text is joined, variables
// have numbers, calls are resolved, and a field remembers where it was in the type that it
// was last asked of. Strings and integers are escaped here in the most frequent places. All
// other values, all other places, and the rare functions of the template language are left
// to html/template itself: ask.go tells how.
//
// Of a page that fails, a Plan only says that it fails. Then html/template renders the page
// from the start, so that each text of an error is its own. The exception is [ErrTooDeep].
package plan

import (
	"errors"
	"html/template"
	"reflect"
	"runtime"
	"sync"
)

// Funcs are the functions of a template. Those of Bound take the request as an additional
// first argument, of type any.
type Funcs struct{ Fixed, Bound template.FuncMap }

// ErrDeclined is the error of Append for a page that html/template has to render.
var ErrDeclined = errors.New("html/template has to render the page")

// ErrTooDeep is the error of Append for a page whose templates call each other without end, as
// for data that contain themselves. html/template takes minutes to fail behind {{range}}, so
// it must not be asked for its error.
var ErrTooDeep = errors.New("exceeded maximum template depth: do the data contain themselves?")

// A Plan is a compiled template, with all that it calls. It is safe for concurrent use.
type Plan struct {
	linked []linked // the template itself comes first
}

// A linked is a body together with the templates that it calls: for each of its calls an
// index into Plan.linked. So pages share the body of a layout, and each has its own content.
type linked struct {
	*body
	calls []int
}

// A body is the compiled form of one tree.
type body struct {
	nodes     list
	variables int // how many variables it has, with $
}

// maxDepth is the number of nested calls of templates at which text/template stops.
var maxDepth = 100_000

func init() {
	if runtime.GOARCH == "wasm" {
		maxDepth = 1000
	}
}

// Append appends the page to dst. at is the request that functions of Funcs.Bound get. If
// the error is not nil, it is ErrTooDeep, or it is ErrDeclined, and html/template must render
// the page from the start: the page fails, or it does something that the Plan does not know.
func (p *Plan) Append(dst []byte, at, data any) (page []byte, err error) {
	s := states.Get().(*state)
	s.plan, s.out, s.at = p, dst, at
	done := false
	defer func() {
		if done {
			return
		}
		// The page fails. A panic is the decline of this package, or it comes from a function
		// or method of the application, which html/template will call again.
		switch recover() {
		case nil:
		case ErrTooDeep:
			page, err = dst, ErrTooDeep
		default:
			page, err = dst, ErrDeclined
		}
	}()
	dot, ok := data.(reflect.Value)
	if !ok {
		dot = reflect.ValueOf(data)
	}
	s.template(0, dot)
	page = s.out
	s.release()
	done = true
	return page, nil
}

// A state is one execution of a Plan.
type state struct {
	plan      *Plan
	out       []byte
	at        any
	current   *linked
	depth     int             // of nested calls of templates
	variables []reflect.Value // of the templates that are being executed, from the outermost on
	frame     int             // where the variables of the current template begin
	args      []reflect.Value // of the calls of functions that are being prepared
}

var states = sync.Pool{New: func() any { return new(state) }}

// maxKept is the largest number of variables or arguments for which a state is kept.
const maxKept = 1000

// release puts the state back into the pool. It keeps nothing of the request.
func (s *state) release() {
	if cap(s.variables) > maxKept || cap(s.args) > maxKept {
		return
	}
	clear(s.variables[:cap(s.variables)])
	clear(s.args[:cap(s.args)])
	*s = state{variables: s.variables[:0], args: s.args[:0]}
	states.Put(s)
}

// decline ends the execution: html/template has to render the page.
func decline() { panic(ErrDeclined) }
