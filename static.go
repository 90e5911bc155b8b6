package flow

import (
	"errors"
	"net/http"
	"path/filepath"
	"reflect"
	"sync/atomic"

	"example.com/flow/internal/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/match"
	"example.com/flow/internal/registry"
	"example.com/flow/internal/routetree"
)

// An application is a directory of Go files. Its static calls, such as flow.GET and
// flow.Use, register for the Routers that are made in it.
type application struct {
	path    string // as the Go compiler recorded it
	statics registrations
	routers atomic.Int32
	first   atomic.Pointer[Router] // the first that was compiled: for Route
}

// source returns the path of the directory, or "" if there is none.
func (a *application) source() string {
	if a == nil {
		return ""
	}
	return a.path
}

// shown returns the directory that the files of a tree are shown in, in messages: that of
// the Go files. If the source is on this machine, and the tree is not there, it is "".
func (a *application) shown() string {
	if dir := filepath.FromSlash(a.path); disk.IsDir(dir) && !disk.IsDir(filepath.Join(dir, routetree.RouterDir)) {
		return ""
	}
	return fault.Place(a.path)
}

// applications holds the static registrations of the program, by directory.
// Registrations are made in init functions, before there is a Router to hold them.
var applications registry.ByDir[application]

func applicationOf(pos fault.Position) *application {
	return applications.Of(pos.Dir(), func() *application { return &application{path: pos.Dir()} })
}

// checkDirectories reports static registrations in any directory of the program that has
// made no Router: a guard there would guard nothing. A Router of a test file is made for
// one test, and may be all that the test makes of the program.
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

// static begins a registration for the route whose counterpart the calling file is.
func static(pos fault.Position, method string) *Verb {
	return &Verb{applicationOf(pos).statics.Static(pos, method)}
}

// GET begins the registration of a handler for GET, for the route whose
// counterpart the calling file is. It is called in init functions, or anywhere
// before Check.
func GET() *Verb { return static(fault.Caller(0), http.MethodGet) }

// POST is GET for POST.
func POST() *Verb { return static(fault.Caller(0), http.MethodPost) }

// PUT is GET for PUT.
func PUT() *Verb { return static(fault.Caller(0), http.MethodPut) }

// PATCH is GET for PATCH.
func PATCH() *Verb { return static(fault.Caller(0), http.MethodPatch) }

// DELETE is GET for DELETE.
func DELETE() *Verb { return static(fault.Caller(0), http.MethodDelete) }

// HEAD is GET for HEAD, which otherwise the handler for GET answers.
func HEAD() *Verb { return static(fault.Caller(0), http.MethodHead) }

// OPTIONS is GET for OPTIONS, which is otherwise answered with 204 and Allow.
func OPTIONS() *Verb { return static(fault.Caller(0), http.MethodOptions) }

// ANY is GET for every method, known or not, that the file has not registered itself.
func ANY() *Verb { return static(fault.Caller(0), match.AnyMethod) }

// Method is GET for any other method, such as "PROPFIND".
func Method(method string) *Verb { return static(fault.Caller(0), method) }

// At is Router.At for the Routers of the calling directory: for files that are no
// counterpart, or that have a counterpart's name for another reason.
func At(path string) *File {
	pos := fault.Caller(0)
	return &File{applicationOf(pos).statics.At(pos, path)}
}

// In is Router.In for the Routers of the calling directory.
func In(path string) *Dir {
	pos := fault.Caller(0)
	return &Dir{applicationOf(pos).statics.In(pos, path)}
}

// Use is Router.Use for the Routers of the calling directory. In a counterpart,
// where it would look like the route's own, it is a fault.
func Use(middleware ...any) {
	pos := fault.Caller(0)
	applicationOf(pos).statics.Use(pos, "flow.Use", middleware, parseMiddleware)
}

// With registers handlers that need something which main makes, for the route
// whose counterpart the calling file is. The function runs once for each Router,
// when it is checked, with the value that Provide was given of type D or, if D is
// an interface, of a type that implements it. None that fits is a fault, and so
// are two.
func With[D any](register func(f *File, value D)) {
	pos := fault.Caller(0)
	var later func(*registry.File[handler, middleware], any)
	if register != nil {
		later = func(f *registry.File[handler, middleware], v any) { register(&File{f}, v.(D)) }
	}
	applicationOf(pos).statics.With(pos, reflect.TypeFor[D](), later)
}

// Route is Router.Route of the first Router of the calling directory that was checked.
// It returns an error if none was checked yet.
func Route(name string, params ...any) (string, error) {
	r := applicationOf(fault.Caller(0)).first.Load()
	if r == nil {
		return "", errors.New("flow: Route: no Router of this directory was checked yet: call its Check first")
	}
	return r.Route(name, params...)
}
