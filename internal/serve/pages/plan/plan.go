// Package plan renders templates that html/template has escaped, as fast as generated code,
// and byte for byte as html/template does.
//
// [Compiler.Compile] makes a [Program] of the trees in which html/template has noted its decisions, such
// as {{.Name | _html_template_attrescaper}}. In a Program, static text is joined, variables
// have numbers, calls are resolved, and a field remembers where it was in the type that it
// was last asked of. Strings and integers are escaped here in the most frequent places. All
// other values, all other places, and the rare functions of the template language are left
// to html/template itself: ask.go tells how.
//
// A page that fails is never rendered again, since what can be read only once is empty by
// then. So a Program words its errors by itself, as text/template does: fail.go.
package plan

import (
	"errors"
	htmltemplate "html/template"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"text/template"
	"text/template/parse"
)

// Funcs are the functions of a template. Those of Bound take the request as an additional
// first argument, of type any.
type Funcs struct{ Fixed, Bound htmltemplate.FuncMap }

// ErrTooDeep is in the error of Append for a page whose templates call each other without end,
// as for data that contain themselves. html/template takes minutes to fail there.
var ErrTooDeep = errors.New("exceeded maximum template depth: do the data contain themselves?")

// A Program is a compiled template, with all that it calls. It is safe for concurrent use.
type Program struct {
	instances []instance // that of the template itself comes first
}

// An instance is a body with the numbers of its callees: for each of its calls an index into
// Program.instances. So pages share the body of a layout, and each has its own content.
type instance struct {
	*body
	calls []int
}

// A body is the compiled form of one tree.
type body struct {
	source    *parse.Tree // for errors
	nodes     list
	variables int // how many variables it has, with $
}

// Fill returns the plan with HTML in the place of a template of that name, which is empty.
func (p *Program) Fill(name, html string) *Program {
	filled := &Program{instances: slices.Clone(p.instances)}
	for i := range filled.instances {
		if in := &filled.instances[i]; in.source.Name == name {
			in.body = &body{source: in.source, nodes: list{text(html)}, variables: 1}
		}
	}
	return filled
}

// maxDepth is the number of nested calls of templates at which text/template stops.
var maxDepth = 100_000

// iteratorDepth is what a loop over an iterator counts for in the depth. Such a loop takes some ten times
// the stack of a call of a template, which has 250 MB on a machine of 32 bits.
const iteratorDepth = 10

func init() {
	if runtime.GOARCH == "wasm" {
		maxDepth = 1000
	}
}

// Append appends the page to dst. at is the request that functions of Funcs.Bound get. If the
// page fails, Append returns dst without any of it, and an error as html/template does: a
// template.ExecError of text/template, which wraps the error of a function or method. Like
// html/template it panics only where an iterator of the application does.
func (p *Program) Append(dst []byte, at, data any) (page []byte, err error) {
	s := states.Get().(*state)
	s.program, s.out, s.at = p, dst, at
	done := false
	defer func() {
		if done {
			return
		}
		switch failure := recover().(type) {
		case nil: // the goroutine ends
		case template.ExecError:
			page, err = s.out[:len(dst)], failure
		default:
			panic(failure)
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

// A state is one execution of a Program.
type state struct {
	program   *Program
	out       []byte
	at        any
	current   *instance
	depth     int             // of nested calls of templates and loops over iterators
	variables []reflect.Value // of the templates that are being executed, from the outermost on
	frame     int             // where the variables of the current template begin
	args      []reflect.Value // of the calls of functions that are being prepared
	ofMap     bool            // the value of the last name behind a dot was an interface in a map, and is what that holds
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
