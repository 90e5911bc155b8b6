package templates

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"reflect"
	"slices"
	"sync"

	"example.com/flow/internal/serve/pages/plan"
)

// An executable is an escaped template, with all that it calls. It is rendered by its plan,
// or by html/template if it has none. Nothing is rendered by both: functions would be called
// twice, and what can be read only once would be empty the second time.
type executable struct {
	name      string
	program   *plan.Program
	unplanned error // why there is no plan
	// idle has the instances that are not in use. One that nobody uses for a while goes: only
	// few templates need html/template, and its trees are large.
	idle sync.Pool
}

// An instance is a copy of escaped templates with their functions, for html/template. The
// functions belong to the templates and not to one execution. So each request that is being
// rendered has an instance of its own.
type instance struct {
	templates *template.Template
	at        any // the rendering
}

// executable returns a template of a set, escaped and ready for execution.
func (h *functions) executable(s *Set, name string, c *plan.Compiler) (*executable, error) {
	escaped, err := s.escape(name)
	if err != nil {
		return nil, err
	}
	e := &executable{name: name}
	if h.Plans == NoPlans {
		e.unplanned = errors.New("FLOW_PLANS=off")
	} else {
		e.program, e.unplanned = c.Compile(escaped, name, s.trees)
	}
	if e.program != nil && h.Plans != ComparePlans {
		return e, nil
	}
	e.idle.New = func() any {
		escaped, err := s.escape(name)
		if err != nil {
			panic(err) // cannot happen: the same set was escaped before
		}
		return h.instance(escaped)
	}
	e.idle.Put(h.instance(escaped))
	return e, nil
}

// instance gives escaped templates their functions.
func (f *functions) instance(escaped *template.Template) *instance {
	in := &instance{templates: escaped}
	escaped.Funcs(f.callable.Fixed)
	for name, bound := range f.callable.Bound {
		escaped.Funcs(template.FuncMap{name: in.bind(bound)})
	}
	return in
}

// bind returns a function that calls f with the rendering of the instance in front of its
// arguments.
func (in *instance) bind(f any) any {
	fun := reflect.ValueOf(f)
	t, call := withoutFirst(fun.Type()), fun.Call
	if t.IsVariadic() {
		call = fun.CallSlice
	}
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		return call(slices.Insert(args, 0, reflect.ValueOf(&in.at).Elem()))
	}).Interface()
}

// A Page is what a view was rendered to, in a buffer that is used again after Free.
type Page struct {
	html []byte
	of   rendering
}

// A rendering is what the functions of flow in templates get in front of their arguments.
type rendering struct {
	request any // or nil: see Host
	views   *Views
	name    string // of the view
}

// requestOf is the template function request.
func requestOf(at any) any { return at.(*rendering).request }

// pageOf is the template function page.
func pageOf(at any, path ...string) (any, error) {
	of := at.(*rendering)
	switch len(path) {
	case 0:
		return of.views.entries.Page(of.name), nil
	case 1:
		return of.views.entries.At(path[0])
	}
	return nil, errPaths
}

// pagesBelow is the template function pages.
func pagesBelow(at any, dir string) (any, error) {
	return at.(*rendering).views.entries.Below(dir)
}

// idlePages has those that are not in use.
var idlePages = sync.Pool{New: func() any { return new(Page) }}

// maxBuffer is the largest size in bytes of a buffer that is kept.
const maxBuffer = 1 << 20

// HTML returns the page. It is valid until Free.
func (p *Page) HTML() []byte { return p.html }

// Free gives the buffer back. The Page must not be used any more.
func (p *Page) Free() {
	if cap(p.html) <= maxBuffer {
		idlePages.Put(p)
	}
}

// Render executes one of the views for a request. If block is not "", it executes only the template
// of that name, which the page must define. The caller calls Free when the page was sent.
func (all *Views) Render(v *View, request any, block string, data any) (*Page, error) {
	e, err := v.executable(block)
	if err != nil {
		return nil, err
	}
	render := e.append
	if v.compare && e.program != nil {
		render = e.compare
	}
	p := idlePages.Get().(*Page)
	p.of = rendering{request, all, v.name}
	p.html, err = render(p.html[:0], &p.of, data)
	p.of = rendering{}
	if err != nil {
		p.Free()
		return nil, err
	}
	return p, nil
}

// executable returns the template of the view to execute for a block, or for "".
func (v *View) executable(block string) (*executable, error) {
	if v.err != nil {
		return nil, fmt.Errorf("%s cannot be rendered by itself: %w", v.File, v.err)
	}
	if block == "" {
		return v.whole, nil
	}
	ready := v.blocks[block]
	if ready == nil || block == v.File {
		return nil, fmt.Errorf("Block(%q): %s has no such {{define}} or {{block}}", block, v.File)
	}
	e, err := ready()
	if err != nil {
		return nil, fmt.Errorf("Block(%q): it cannot be shown by itself: %s", block, plainEscaping(err.Error()))
	}
	return e, nil
}

// append appends the page, or a part of it and an error.
func (e *executable) append(dst []byte, at, data any) ([]byte, error) {
	if e.program != nil {
		return e.program.Append(dst, at, data)
	}
	return e.execute(dst, at, data)
}

// execute does what append does, with html/template.
func (e *executable) execute(dst []byte, at, data any) ([]byte, error) {
	in := e.idle.Get().(*instance)
	in.at = at
	defer func() {
		in.at = nil
		e.idle.Put(in)
	}()
	b := bytes.NewBuffer(dst)
	err := in.templates.ExecuteTemplate(b, e.name, data)
	return b.Bytes(), err
}

// compare does what append does, with the plan and with html/template. It panics if the two
// render different pages, or if only one of them fails.
func (e *executable) compare(dst []byte, at, data any) ([]byte, error) {
	page, failure := e.program.Append(nil, at, data)
	if errors.Is(failure, plan.ErrTooDeep) {
		return dst, failure
	}
	want, err := e.execute(dst, at, data)
	switch {
	case failure == nil && err != nil:
		panic(fmt.Sprintf("FLOW_PLANS=%s: %s: html/template fails, the plan does not: %v\n%s", ComparePlans, e.name, err, page))
	case failure != nil && err == nil:
		panic(fmt.Sprintf("FLOW_PLANS=%s: %s: the plan fails (%v), html/template does not:\n%s", ComparePlans, e.name, failure, want))
	case err == nil && !bytes.Equal(want, page):
		panic(fmt.Sprintf("FLOW_PLANS=%s: %s: html/template renders\n%s\nthe plan\n%s", ComparePlans, e.name, want, page))
	}
	return want, failure
}
