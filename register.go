package flow

import (
	"fmt"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/forms"
	"example.com/flow/internal/match"
	"example.com/flow/internal/public"
)

// A registry holds the registrations of one origin, in the order in which they were
// made: the static calls of a directory, those that functions of With make, or those of
// one Router. It knows nothing of the tree: the compiler compares the two.
type registry struct {
	mu     sync.Mutex
	closed bool
	begun  fault.Position // of the first registration
	uses   []use
	files  []*File
	dirs   []*Dir
	withs  []with
	mounts []*Mounted
	faults []fault.Fault
}

// change records something, or panics if the routes are compiled already.
func (g *registry) change(pos fault.Position, what string, record func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		panic(fmt.Sprintf("%v: %s comes too late: the routes were compiled by Check or by the first request, register before", pos, what))
	}
	if g.begun.Line == 0 {
		g.begun = pos
	}
	record()
}

func (g *registry) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// release forgets what the compiled table holds in a form of its own.
func (g *registry) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.uses, g.files, g.dirs = nil, nil, nil
}

// first returns where something was registered first, if anything was.
func (g *registry) first() (fault.Position, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.begun, g.begun.Line > 0
}

func (g *registry) use(pos fault.Position, what string, to *[]use, middleware []any) {
	g.change(pos, what, func() {
		for _, m := range middleware {
			u, err := parseMiddleware(m)
			if err != nil {
				g.faults = append(g.faults, fault.At(pos, "%s: %v", what, err))
				continue
			}
			u.pos = pos
			*to = append(*to, u)
		}
	})
}

func (g *registry) at(pos fault.Position, path string) *File {
	f := &File{reg: g, pos: pos, path: path}
	g.change(pos, "At", func() { g.files = append(g.files, f) })
	return f
}

// counterpart adds a File for a static call, which registers for the route whose
// counterpart the calling file is.
func (g *registry) counterpart(pos fault.Position, what string) *File {
	f := &File{reg: g, pos: pos, counterpart: path.Base(pos.File), what: what}
	g.change(pos, what, func() { g.files = append(g.files, f) })
	return f
}

func (g *registry) in(pos fault.Position, path string) *Dir {
	d := &Dir{reg: g, pos: pos, path: path}
	g.change(pos, "In", func() { g.dirs = append(g.dirs, d) })
	return d
}

// A File is one route file that handlers are registered for. At returns it for
// a path, and With hands it to the function it is given.
type File struct {
	reg         *registry
	pos         fault.Position
	path        string // what At was given
	counterpart string // the calling file, if At was not called
	what        string // the static call, for messages
	uses        []use
	verbs       []*Verb
}

// GET begins the registration of a handler for GET. A file without one for HEAD
// answers HEAD with it too.
func (f *File) GET() *Verb { return f.verb(fault.Caller(0), http.MethodGet) }

// POST begins the registration of a handler for POST.
func (f *File) POST() *Verb { return f.verb(fault.Caller(0), http.MethodPost) }

// PUT begins the registration of a handler for PUT.
func (f *File) PUT() *Verb { return f.verb(fault.Caller(0), http.MethodPut) }

// PATCH begins the registration of a handler for PATCH.
func (f *File) PATCH() *Verb { return f.verb(fault.Caller(0), http.MethodPatch) }

// DELETE begins the registration of a handler for DELETE.
func (f *File) DELETE() *Verb { return f.verb(fault.Caller(0), http.MethodDelete) }

// HEAD begins the registration of a handler for HEAD, which then does not reach
// the one for GET.
func (f *File) HEAD() *Verb { return f.verb(fault.Caller(0), http.MethodHead) }

// OPTIONS begins the registration of a handler for OPTIONS, which is otherwise
// answered with 204 and Allow.
func (f *File) OPTIONS() *Verb { return f.verb(fault.Caller(0), http.MethodOptions) }

// ANY begins the registration of a handler for every method, known or not, that
// the file has not registered itself.
func (f *File) ANY() *Verb { return f.verb(fault.Caller(0), match.AnyMethod) }

// Method begins the registration of a handler for any other method, such as
// "PROPFIND". Methods are case-sensitive (RFC 9110, section 9.1).
func (f *File) Method(method string) *Verb { return f.verb(fault.Caller(0), method) }

// Use adds middleware for all methods of the file, in order: guards, which are
// func(*Request) Response or func(*Request) (Response, error), and standard
// middleware, func(http.Handler) http.Handler.
func (f *File) Use(middleware ...any) {
	f.reg.use(fault.Caller(0), "Use", &f.uses, middleware)
}

func (f *File) verb(pos fault.Position, method string) *Verb {
	v := &Verb{file: f, pos: pos, method: method}
	f.reg.change(pos, v.call(), func() {
		f.verbs = append(f.verbs, v)
		if err := forms.CheckMethod(method); err != nil && method != match.AnyMethod {
			v.fault(pos, "%v", err)
		}
	})
	return v
}

// A Verb is the handler of one method of a route file, being registered. Do or
// To finishes it.
type Verb struct {
	file    *File
	pos     fault.Position
	method  string
	label   string
	named   fault.Position
	uses    []use
	maxBody int64
	handler *handler
	done    bool // Do or To was called, even if it refused the handler
}

// call returns how the registration reads: "GET()".
func (v *Verb) call() string {
	switch {
	case v.method == match.AnyMethod:
		return "ANY()"
	case slices.Contains(forms.Methods, v.method):
		return v.method + "()"
	}
	return fmt.Sprintf("Method(%q)", v.method)
}

func (v *Verb) fault(pos fault.Position, format string, args ...any) {
	v.file.reg.faults = append(v.file.reg.faults, fault.At(pos, format, args...))
}

// Name labels the route, so that Route gives its URL. One label names one route
// file; several methods of it may share the label.
func (v *Verb) Name(label string) *Verb {
	pos := fault.Caller(0)
	v.file.reg.change(pos, "Name", func() {
		switch {
		case label == "":
			v.fault(pos, "Name: a label is not empty")
		case v.label != "" && v.label != label:
			v.fault(pos, "Name: this %s is called %q already", v.call(), v.label)
		}
		v.label, v.named = label, pos
	})
	return v
}

// Use adds middleware for this method alone. It takes what File.Use takes.
func (v *Verb) Use(middleware ...any) *Verb {
	v.file.reg.use(fault.Caller(0), "Use", &v.uses, middleware)
	return v
}

// MaxBody limits the body of a request, in bytes, in place of Router.MaxBody. A
// larger body is answered with 413, and JSON of more values than that allows with
// 400.
func (v *Verb) MaxBody(bytes int64) *Verb {
	pos := fault.Caller(0)
	v.file.reg.change(pos, "MaxBody", func() {
		if err := checkMaxBody(bytes); err != nil {
			v.fault(pos, "%v", err)
			return
		}
		v.maxBody = bytes
	})
	return v
}

func checkMaxBody(bytes int64) error {
	if bytes <= 0 {
		return fmt.Errorf("MaxBody: %d is no limit: give the largest number of bytes that a body may have", bytes)
	}
	return nil
}

// Do sets the handler, which has one of these forms, or a type that converts to one:
//
//	func(*flow.Request) flow.Response
//	func(*flow.Request) string                       // plain text
//	func(*flow.Request) (flow.Response, error)
//	func(*flow.Request) (string, error)
//	http.Handler
//	func(http.ResponseWriter, *http.Request)
//
// Anything else, nil included, is a fault that Check reports.
func (v *Verb) Do(handler any) *Verb {
	pos := fault.Caller(0)
	h, err := parseHandler(handler)
	v.finish(pos, "Do", h, err)
	return v
}

// To sets a method of a controller as the handler: To(users.Controller{}, "Show").
// The controller is any value; the method is exported and has one of the forms
// of Do. Anything else is a fault that Check reports.
func (v *Verb) To(controller any, method string) *Verb {
	pos := fault.Caller(0)
	h, err := parseController(controller, method)
	v.finish(pos, "To", h, err)
	return v
}

func (v *Verb) finish(pos fault.Position, what string, h *handler, err error) {
	v.file.reg.change(pos, what, func() {
		if v.done {
			v.fault(pos, "%s: this %s has a handler already: one method has one", what, v.call())
			return
		}
		v.done = true
		if err != nil {
			v.fault(pos, "%s: %v", what, err)
			return
		}
		if h.pos.File == "" || h.pos.File == "<autogenerated>" {
			h.pos = pos
		}
		v.handler = h
	})
}

// A Dir is a directory of the tree that middleware is registered for.
type Dir struct {
	reg  *registry
	pos  fault.Position
	path string
	uses []use
}

// Use adds middleware for the route files below the directory, and for the one
// that is called like it. It takes what File.Use takes.
func (d *Dir) Use(middleware ...any) {
	d.reg.use(fault.Caller(0), "Use", &d.uses, middleware)
}

// A with is a function that registers handlers once a value for it is provided.
type with struct {
	pos      fault.Position
	want     reflect.Type
	register func(*File, any) // nil if With was given nil
}

// A flowFunc is what all of flow's own handler and guard forms become.
type flowFunc func(*Request) (Response, error)

// A handler is what Do or To was given, parsed, or a content that is served without a
// registration. One of flow, std and content is set.
type handler struct {
	flow    flowFunc
	std     http.Handler
	content *public.Content
	cache   []string       // the Cache-Control of content
	pos     fault.Position // of the function itself
}

const handlerForms = `a handler is one of
	func(*flow.Request) flow.Response
	func(*flow.Request) string
	func(*flow.Request) (flow.Response, error)
	func(*flow.Request) (string, error)
	http.Handler
	func(http.ResponseWriter, *http.Request)`

func parseHandler(v any) (*handler, error) {
	if forms.IsNil(v) {
		return nil, fmt.Errorf("the handler is nil; %s", forms.OneLine(handlerForms))
	}
	h := &handler{pos: forms.Position(reflect.ValueOf(v))}
	switch f := v.(type) {
	case http.Handler:
		h.std = f
		return h, nil
	}
	if f, ok := forms.Convert[func(*Request) Response](v); ok {
		h.flow = func(r *Request) (Response, error) { return f(r), nil }
	} else if f, ok := forms.Convert[func(*Request) string](v); ok {
		h.flow = func(r *Request) (Response, error) { return Text(f(r)), nil }
	} else if f, ok := forms.Convert[func(*Request) (Response, error)](v); ok {
		h.flow = f
	} else if f, ok := forms.Convert[func(*Request) (string, error)](v); ok {
		h.flow = func(r *Request) (Response, error) {
			s, err := f(r)
			return Text(s), err
		}
	} else if f, ok := forms.Convert[func(http.ResponseWriter, *http.Request)](v); ok {
		h.std = http.HandlerFunc(f)
	} else {
		return nil, fmt.Errorf("%T is no handler; %s", v, forms.OneLine(handlerForms))
	}
	return h, nil
}

func parseController(controller any, method string) (*handler, error) {
	if forms.IsNil(controller) {
		return nil, fmt.Errorf("the controller is nil: give a value that has the method %s", method)
	}
	f, pos, err := forms.Method(controller, method)
	if err != nil {
		return nil, err
	}
	h, err := parseHandler(f)
	if err != nil {
		return nil, fmt.Errorf("%T.%s: %w", controller, method, err)
	}
	h.pos = pos
	return h, nil
}

// A use is one piece of middleware at the place where it was registered: one of
// guard and standard is set.
type use struct {
	pos      fault.Position
	guard    flowFunc
	standard func(http.Handler) http.Handler
}

const middlewareForms = `middleware is one of
	func(*flow.Request) flow.Response
	func(*flow.Request) (flow.Response, error)
	func(http.Handler) http.Handler`

func parseMiddleware(v any) (use, error) {
	if forms.IsNil(v) {
		return use{}, fmt.Errorf("the middleware is nil; %s", forms.OneLine(middlewareForms))
	}
	if f, ok := forms.Convert[func(*Request) Response](v); ok {
		return use{guard: func(r *Request) (Response, error) { return f(r), nil }}, nil
	}
	if f, ok := forms.Convert[func(*Request) (Response, error)](v); ok {
		return use{guard: f}, nil
	}
	if f, ok := forms.Convert[func(http.Handler) http.Handler](v); ok {
		return use{standard: f}, nil
	}
	return use{}, fmt.Errorf("%T is no middleware; %s", v, forms.OneLine(middlewareForms))
}

// staticUses reports calls of flow.Use in a counterpart, where it looks as if it were
// for the file alone.
func (c *compiler) staticUses(g *registry) {
	for _, u := range g.uses {
		if routes := c.byStem[strings.TrimSuffix(path.Base(u.pos.File), ".go")]; len(routes) > 0 {
			c.fault(u.pos, "flow.Use is for the whole application, and stands in the counterpart of %s: call it in another file, or use flow.At(%q).Use", routes[0].File, routes[0].Path)
		}
	}
}

// runWiths calls the functions of flow.With with the values that were provided,
// and returns what they registered.
func (c *compiler) runWiths(withs []with) *registry {
	given := &registry{}
	defer given.close()
	for _, w := range withs {
		r := c.resolveStatic(w.pos, path.Base(w.pos.File), "flow.With")
		if r == nil {
			continue
		}
		if w.register == nil {
			c.fault(w.pos, "flow.With was given nil: give it a func(*flow.File, %v)", w.want)
			continue
		}
		var fits []any
		for _, v := range c.router.provided {
			if w.fits(v) {
				fits = append(fits, v)
			}
		}
		switch len(fits) {
		case 0:
			c.fault(w.pos, "flow.With asks for a %v, and %s: give one to Router.Provide", w.want, c.providedTypes())
		case 1:
			c.runWith(w, given.at(w.pos, r.Path), fits[0])
			continue
		default:
			c.fault(w.pos, "flow.With asks for a %v, and a %T and a %T were provided: provide one", w.want, fits[0], fits[1])
		}
		c.bindings[r].failed, c.namesMissing = true, true
	}
	return given
}

// providedTypes says what Provide was given.
func (c *compiler) providedTypes() string {
	if len(c.router.provided) == 0 {
		return "nothing was provided"
	}
	var types []string
	for _, v := range c.router.provided {
		types = append(types, fmt.Sprintf("%T", v))
	}
	return "what was provided is " + strings.Join(types, ", ")
}

func (c *compiler) runWith(w with, f *File, v any) {
	defer func() {
		if p := recover(); p != nil {
			c.fault(w.pos, "flow.With: the function panicked: %v", p)
		}
	}()
	w.register(f, v)
}
