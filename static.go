package flow

import (
	"errors"
	"net/http"
	"path/filepath"
	"reflect"
	"sync/atomic"

	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/routes/routetree"
)

// An application is a directory of Go files that make Routers. Static calls in these files,
// such as flow.GET and flow.Use, register for all of its Routers.
type application struct {
	path    string // as the Go compiler recorded it
	statics registrations
	routers atomic.Int32           // how many its files have made
	first   atomic.Pointer[Router] // the first one that was compiled, for Route
}

// source returns the path of the directory, or "" if a is nil.
func (a *application) source() string {
	if a == nil {
		return ""
	}
	return a.path
}

// shown returns the directory that messages name before the path of a file in the tree: the
// directory of the Go files. It returns "" if that directory is on this machine and does not
// hold the tree.
func (a *application) shown() string {
	if dir := filepath.FromSlash(a.path); disk.IsDir(dir) && !disk.IsDir(filepath.Join(dir, routetree.RouterDir)) {
		return ""
	}
	return fault.DisplayDir(a.path)
}

// applications holds the static registrations of the program, by directory. They are made in
// init functions, before there is a Router to hold them.
var applications registry.ByDir[application]

func applicationOf(pos fault.Position) *application {
	return applications.Of(pos.Dir(), func() *application { return &application{path: pos.Dir()} })
}

// checkDirectories reports static registrations in a directory that has made no Router: a
// guard there would guard nothing. It looks at all directories of the program, unless a test
// file has made the Router: a test may leave the others without one.
func (c *compiler) checkDirectories() {
	if c.router.app == nil {
		return
	}
	for app := range applications.All() {
		if pos, ok := app.statics.First(); ok && app.routers.Load() == 0 {
			c.fault(pos, "static calls are for the Routers that flow.New makes in the same directory, and it has made none here: call it here before the first Check of the program, or register with At, In and Use of a Router")
		}
	}
}

// static begins the registration of a handler by a static call at pos.
func static(pos fault.Position, method string) *Verb {
	return &Verb{applicationOf(pos).statics.Static(pos, method)}
}

// GET begins the registration of a handler for GET. The name of the calling file gives the
// route: a call in users.id.go is for router/users/[id]. Call GET in an init function, or
// anywhere else before Check.
func GET() *Verb { return static(fault.Caller(0), http.MethodGet) }

// POST is GET for POST.
func POST() *Verb { return static(fault.Caller(0), http.MethodPost) }

// PUT is GET for PUT.
func PUT() *Verb { return static(fault.Caller(0), http.MethodPut) }

// PATCH is GET for PATCH.
func PATCH() *Verb { return static(fault.Caller(0), http.MethodPatch) }

// DELETE is GET for DELETE.
func DELETE() *Verb { return static(fault.Caller(0), http.MethodDelete) }

// HEAD is GET for HEAD. Without it, the handler for GET answers HEAD.
func HEAD() *Verb { return static(fault.Caller(0), http.MethodHead) }

// OPTIONS is GET for OPTIONS. Without it, OPTIONS is answered with 204 and Allow.
func OPTIONS() *Verb { return static(fault.Caller(0), http.MethodOptions) }

// ANY is GET for all methods, known or not, for which the file has no other handler.
func ANY() *Verb { return static(fault.Caller(0), match.AnyMethod) }

// Method is GET for any other method, such as "PROPFIND".
func Method(method string) *Verb { return static(fault.Caller(0), method) }

// At is Router.At for all Routers of the calling file's directory. It serves files whose
// names are not those of a route.
func At(path string) *File {
	pos := fault.Caller(0)
	return &File{applicationOf(pos).statics.At(pos, path)}
}

// In is Router.In for all Routers of the calling file's directory.
func In(path string) *Dir {
	pos := fault.Caller(0)
	return &Dir{applicationOf(pos).statics.In(pos, path)}
}

// Use is Router.Use for all Routers of the calling file's directory. A call in the
// counterpart of a route is a fault, since it looks as if it were for that route only.
func Use(middleware ...any) {
	pos := fault.Caller(0)
	applicationOf(pos).statics.Use(pos, "flow.Use", middleware, parseMiddleware)
}

// With registers handlers that need a value which the program makes, such as a store. The
// name of the calling file gives the route, as for GET. Check calls register once for each
// Router, with the value of Router.Provide whose type is D or, if D is an interface,
// implements D. It is a fault if no value fits, or more than one.
func With[D any](register func(f *File, value D)) {
	pos := fault.Caller(0)
	var later func(*registry.File[handler, middleware], any)
	if register != nil {
		later = func(f *registry.File[handler, middleware], v any) { register(&File{f}, v.(D)) }
	}
	applicationOf(pos).statics.With(pos, reflect.TypeFor[D](), later)
}

// Route calls Router.Route of a Router of the calling file's directory: the one that was
// checked first. It returns an error if none was checked yet.
func Route(name string, params ...any) (string, error) {
	r := applicationOf(fault.Caller(0)).first.Load()
	if r == nil {
		return "", errors.New("flow: Route: no Router of this directory was checked yet: call its Check first")
	}
	return r.Route(name, params...)
}
