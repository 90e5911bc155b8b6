// Package registry records an application's registrations, and finds the route of each. An
// application registers handlers and middleware while it starts, before its files are known:
//
//	flow.GET().Do(showUser)            // in users.id.go: the route is users/[id].html
//	flow.At("users/[id]").Use(signedIn)
//	flow.In("admin").Use(isAdmin)
//
// A [Registry] records such calls with their positions in Go code, until it is closed. A
// [Plan] is made of registries and the tree of files: it has a [Binding] for each route, and
// faults for registrations without a route and for routes without a handler. The package is
// generic over handlers H and middleware M, and calls neither.
package registry

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"sync"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/match"
)

// A Registry holds registrations in the order in which they were made: the static calls of a
// directory, the calls in functions of flow.With, or the calls of one Router. It knows
// nothing of the tree.
type Registry[H, M any] struct {
	mu       sync.Mutex
	closed   bool
	inWith   bool           // functions of flow.With run: they must not call the static functions
	begun    fault.Position // of the first registration
	uses     []*Use[M]      // for the whole application
	files    []*File[H, M]
	dirs     []*Dir[H, M]
	withs    []with[H, M]
	declared []Declared
	faults   []fault.Fault
}

// A Use is one piece of middleware, with the call that has registered it.
type Use[M any] struct {
	Pos        fault.Position // of the call
	By         string         // the call: `In("users").Use`
	Middleware M
}

// A Parse converts an argument of Use to an M. It returns an error for a value that is no
// middleware.
type Parse[M any] func(value any) (M, error)

// Change calls record with the registry locked. It panics if the registry is closed, since
// the call comes too late to have an effect. While functions of flow.With run, it panics with
// a fault.Fault, which runWith reports. what is the call, for messages.
func (g *Registry[H, M]) Change(pos fault.Position, what string, record func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inWith {
		panic(fault.At(pos, "%s is called inside flow.With: call it on the *flow.File that the function is given, as in f.GET(), or outside if it is not for that file", what))
	}
	if g.closed {
		panic(fmt.Sprintf("%v: %s comes too late: the routes were compiled by Check or by the first request, register before", pos, what))
	}
	if g.begun.Line == 0 {
		g.begun = pos
	}
	record()
}

// Fault records a fault. Only the function that Change is given may call it.
func (g *Registry[H, M]) Fault(pos fault.Position, format string, args ...any) {
	g.faults = append(g.faults, fault.At(pos, format, args...))
}

// Close makes further registrations panic.
func (g *Registry[H, M]) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// setInWith sets whether functions of flow.With run.
func (g *Registry[H, M]) setInWith(inWith bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inWith = inWith
}

// Release frees the registrations once the routes are compiled.
func (g *Registry[H, M]) Release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.uses, g.files, g.dirs, g.declared = nil, nil, nil, nil
}

// First returns the position of the first registration. It returns false if there is none.
func (g *Registry[H, M]) First() (fault.Position, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.begun, g.begun.Line > 0
}

// Use adds middleware for the whole application. what is the call, for messages.
func (g *Registry[H, M]) Use(pos fault.Position, what string, middleware []any, parse Parse[M]) {
	g.use(&g.uses, pos, what, "Use", middleware, parse)
}

// UseIn adds middleware to a list. by is the call, with what it was called on.
func (g *Registry[H, M]) UseIn(list *[]*Use[M], pos fault.Position, by string, middleware []any, parse Parse[M]) {
	g.use(list, pos, "Use", by, middleware, parse)
}

func (g *Registry[H, M]) use(list *[]*Use[M], pos fault.Position, what, by string, middleware []any, parse Parse[M]) {
	g.Change(pos, what, func() {
		for _, v := range middleware {
			m, err := parse(v)
			if err != nil {
				g.Fault(pos, "%s: %v", what, err)
				continue
			}
			*list = append(*list, &Use[M]{pos, by, m})
		}
	})
}

// At adds and returns a File for the route file with a path.
func (g *Registry[H, M]) At(pos fault.Position, path string) *File[H, M] {
	f := &File[H, M]{reg: g, pos: pos, Path: path}
	g.Change(pos, "At", func() { g.files = append(g.files, f) })
	return f
}

// Static begins a registration by a static call, such as flow.GET(). It is for the route whose
// counterpart is the file of pos.
func (g *Registry[H, M]) Static(pos fault.Position, method string) *Verb[H, M] {
	what := "flow." + callOf(method)
	f := &File[H, M]{reg: g, pos: pos, counterpart: path.Base(pos.File), what: what}
	g.Change(pos, what, func() { g.files = append(g.files, f) })
	return f.Verb(pos, method)
}

// In adds and returns a Dir for the directory with a path.
func (g *Registry[H, M]) In(pos fault.Position, path string) *Dir[H, M] {
	d := &Dir[H, M]{reg: g, pos: pos, Path: path}
	g.Change(pos, "In", func() { g.dirs = append(g.dirs, d) })
	return d
}

// With adds a function of flow.With. It registers handlers for the route whose counterpart is
// the file of pos, and is called by AddStatic with a provided value of type want. A nil
// function is a fault.
func (g *Registry[H, M]) With(pos fault.Position, want reflect.Type, register func(*File[H, M], any)) {
	g.Change(pos, "flow.With", func() { g.withs = append(g.withs, with[H, M]{pos, want, register}) })
}

// Files returns a File for each call of At and each static call, in order.
func (g *Registry[H, M]) Files() []*File[H, M] { return g.files }

// A File holds the registrations of one call of At, or of one static call, for a route file.
type File[H, M any] struct {
	reg         *Registry[H, M]
	pos         fault.Position
	Path        string // the argument of At; "" for a static call
	counterpart string // the base name of the calling file; "" for At
	what        string // the static call, for messages
	uses        []*Use[M]
	Verbs       []*Verb[H, M]
}

// Use adds middleware for all methods of the file.
func (f *File[H, M]) Use(pos fault.Position, middleware []any, parse Parse[M]) {
	f.reg.UseIn(&f.uses, pos, "", middleware, parse) // Plan.Add names the route file
}

// Verb begins the registration of a handler for a method. Finish ends it.
func (f *File[H, M]) Verb(pos fault.Position, method string) *Verb[H, M] {
	v := &Verb[H, M]{reg: f.reg, Pos: pos, Method: method}
	f.reg.Change(pos, v.Call(), func() {
		f.Verbs = append(f.Verbs, v)
		if err := forms.CheckMethod(method); err != nil && method != match.AnyMethod {
			f.reg.Fault(pos, "%v", err)
		}
	})
	return v
}

// A Verb is the registration of a handler for one method of a route file.
type Verb[H, M any] struct {
	reg     *Registry[H, M]
	Pos     fault.Position
	Method  string         // or match.AnyMethod
	Label   string         // the name that Name has set; "" if there is none
	named   fault.Position // of the call of Name
	Uses    []*Use[M]
	MaxBody int64 // in bytes; 0 if it has no limit of its own
	Code    int   // the status of what a typed handler returns; 0 if it is not given
	Handler *H    // nil before Finish, and if Finish got an error
	done    bool  // Finish was called
}

// Call returns the call that began the registration, for messages: "GET()".
func (v *Verb[H, M]) Call() string { return callOf(v.Method) }

func callOf(method string) string {
	switch {
	case method == match.AnyMethod:
		return "ANY()"
	case slices.Contains(forms.Methods, method):
		return method + "()"
	}
	return fmt.Sprintf("Method(%q)", method)
}

// Name sets the label, which is a name of the route.
func (v *Verb[H, M]) Name(pos fault.Position, label string) {
	v.reg.Change(pos, "Name", func() {
		switch {
		case label == "":
			v.reg.Fault(pos, "Name: a label is not empty")
		case v.Label != "" && v.Label != label:
			v.reg.Fault(pos, "Name: this %s is called %q already", v.Call(), v.Label)
		}
		v.Label, v.named = label, pos
	})
}

// Use adds middleware for the method.
func (v *Verb[H, M]) Use(pos fault.Position, middleware []any, parse Parse[M]) {
	v.reg.UseIn(&v.Uses, pos, v.Call()+".Use", middleware, parse)
}

// Limit sets MaxBody.
func (v *Verb[H, M]) Limit(pos fault.Position, bytes int64) {
	v.reg.Change(pos, "MaxBody", func() {
		if err := CheckMaxBody(bytes); err != nil {
			v.reg.Fault(pos, "%v", err)
			return
		}
		v.MaxBody = bytes
	})
}

// Status sets the status of what a typed handler returns.
func (v *Verb[H, M]) Status(pos fault.Position, code int) {
	v.reg.Change(pos, "Status", func() { v.Code = code })
}

// CheckMaxBody returns an error if the argument of MaxBody is not positive.
func CheckMaxBody(bytes int64) error {
	if bytes <= 0 {
		return fmt.Errorf("MaxBody: %d is no limit: give the largest number of bytes that a body may have", bytes)
	}
	return nil
}

// Finish sets the handler, or reports err if it is not nil: the argument of Do or To is no
// handler. what is the call, for messages.
func (v *Verb[H, M]) Finish(pos fault.Position, what string, h *H, err error) {
	v.reg.Change(pos, what, func() {
		if v.done {
			v.reg.Fault(pos, "%s: this %s has a handler already: one method has one", what, v.Call())
			return
		}
		v.done = true
		if err != nil {
			v.reg.Fault(pos, "%s: %v", what, err)
			return
		}
		v.Handler = h
	})
}

// A Dir holds what one call of In registers for a directory of the tree.
type Dir[H, M any] struct {
	reg     *Registry[H, M]
	pos     fault.Position
	Path    string
	Uses    []*Use[M]
	onError []onError // one, or else Plan.OnErrors reports a fault
}

// An onError is a function of OnError with the position of the call.
type onError struct {
	pos fault.Position
	f   any
}

// Use adds middleware for the route files of the directory: see routetree.Layers.
func (d *Dir[H, M]) Use(pos fault.Position, middleware []any, parse Parse[M]) {
	d.reg.UseIn(&d.Uses, pos, fmt.Sprintf("In(%q).Use", d.Path), middleware, parse)
}

// OnError sets the function that answers errors below the directory. The caller knows its type;
// nil is a fault.
func (d *Dir[H, M]) OnError(pos fault.Position, f any) {
	d.reg.Change(pos, "OnError", func() {
		if forms.IsNil(f) {
			d.reg.Fault(pos, "OnError: the function is nil")
			return
		}
		d.onError = append(d.onError, onError{pos, f})
	})
}

// A Declared is a page or another template, of whose data the application has said the type, or an answer
// of whose JSON it has.
type Declared struct {
	Pos      fault.Position
	What     string // the call, for messages
	View     string // the path of the template; "" for the page of the counterpart that Pos is in
	Block    string // the {{define}} or {{block}} that is rendered alone; "" for the whole
	Data     reflect.Type
	IsAnswer bool // it is an answer, with a Status
	Status   int
}

// Declare adds a declaration.
func (g *Registry[H, M]) Declare(d Declared) {
	g.Change(d.Pos, d.What, func() { g.declared = append(g.declared, d) })
}
