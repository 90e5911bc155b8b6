package flow

import (
	"fmt"
	"net/http"
	"reflect"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/wire/public"
)

// The generic types of internal/serve/routes/registry, for the handlers and the middleware of this package.
type (
	registrations = registry.Registry[handler, middleware]
	plan          = registry.Plan[handler, middleware]
	directory     = registry.Dir[handler, middleware]
	answer        = registry.Answer[handler, middleware]
	verb          = registry.Verb[handler, middleware]
	use           = registry.Use[middleware]
)

// A File is a route file to register handlers for. At returns it for a path, and With passes
// it to its function.
type File struct {
	of *registry.File[handler, middleware]
}

// GET begins the registration of a handler for GET. It also answers HEAD, unless the file
// has a handler for HEAD.
func (f *File) GET() *Verb { return &Verb{f.of.Verb(fault.Caller(0), http.MethodGet)} }

// POST begins the registration of a handler for POST.
func (f *File) POST() *Verb { return &Verb{f.of.Verb(fault.Caller(0), http.MethodPost)} }

// PUT begins the registration of a handler for PUT.
func (f *File) PUT() *Verb { return &Verb{f.of.Verb(fault.Caller(0), http.MethodPut)} }

// PATCH begins the registration of a handler for PATCH.
func (f *File) PATCH() *Verb { return &Verb{f.of.Verb(fault.Caller(0), http.MethodPatch)} }

// DELETE begins the registration of a handler for DELETE.
func (f *File) DELETE() *Verb { return &Verb{f.of.Verb(fault.Caller(0), http.MethodDelete)} }

// HEAD begins the registration of a handler for HEAD, in place of the one for GET.
func (f *File) HEAD() *Verb { return &Verb{f.of.Verb(fault.Caller(0), http.MethodHead)} }

// OPTIONS begins the registration of a handler for OPTIONS. Without it, OPTIONS is answered
// with 204 and Allow.
func (f *File) OPTIONS() *Verb { return &Verb{f.of.Verb(fault.Caller(0), http.MethodOptions)} }

// ANY begins the registration of a handler for all methods, known or not, for which the file
// has no other handler.
func (f *File) ANY() *Verb { return &Verb{f.of.Verb(fault.Caller(0), match.AnyMethod)} }

// Method begins the registration of a handler for any other method, such as
// "PROPFIND". Methods are case-sensitive (RFC 9110, section 9.1).
func (f *File) Method(method string) *Verb { return &Verb{f.of.Verb(fault.Caller(0), method)} }

// Use adds middleware for all methods of the file. It runs in the order in which it was
// added. A middleware has one of these forms, or a type that converts to one:
//
//	func(*flow.Request) flow.Response               // a guard
//	func(*flow.Request) (flow.Response, error)      // a guard
//	func(http.Handler) http.Handler                 // standard middleware
//
// A guard returns [Next] to let the request through, or the answer. Anything else, nil
// included, is a fault that Check reports. Use returns f.
func (f *File) Use(middleware ...any) *File {
	f.of.Use(fault.Caller(0), middleware, parseMiddleware)
	return f
}

// A Verb is the registration of a handler for one method of a route file. Do or To completes
// it. A page without a handler for GET and ANY may have an incomplete one for GET, whose
// name, middleware and MaxBody are those of the page: GET().Name("about").
type Verb struct {
	of *registry.Verb[handler, middleware]
}

// Name gives the route a name, for Route. A name belongs to one route file; several methods
// of the file may have the same name.
func (v *Verb) Name(label string) *Verb {
	v.of.Name(fault.Caller(0), label)
	return v
}

// Use adds middleware for this method only, in the forms of File.Use.
func (v *Verb) Use(middleware ...any) *Verb {
	v.of.Use(fault.Caller(0), middleware, parseMiddleware)
	return v
}

// MaxBody sets the largest body of a request, in bytes, in place of Router.MaxBody. A larger
// body is answered with 413, but for a multipart form whose handler takes a Form with files.
// JSON with more values than Router.MaxBody describes is answered with 400.
func (v *Verb) MaxBody(bytes int64) *Verb {
	v.of.Limit(fault.Caller(0), bytes)
	return v
}

// Status sets the status code of what a typed handler returns, from 200 to 299. Without it
// that is 200, and 204 for a handler that returns nothing but an error. A handler that
// returns a Response says its status itself: then Status is a fault.
func (v *Verb) Status(code int) *Verb {
	v.of.Status(fault.Caller(0), code)
	return v
}

// Do sets the handler, which has one of these forms, or a type that converts to one:
//
//	func(*flow.Request) flow.Response
//	func(*flow.Request) string                       // plain text
//	func(*flow.Request) (flow.Response, error)
//	func(*flow.Request) (string, error)
//	http.Handler
//	func(http.ResponseWriter, *http.Request)
//	func(*flow.Request, In) (Out, error)
//	func(*flow.Request) (Out, error)
//	func(*flow.Request, In) error                    // answers 204
//
// In is a struct, or a Form of one. It is filled as Bind fills it, and validated, before the
// handler is called: invalid input is answered with 422, a route parameter that does not
// convert with 404. If *In has a method Default(), that is called before. Each field with the
// tag param has to name a parameter of the route.
//
// Out is the data of the page for a route file that is one, and else answered as JSON; its
// status is that of Status. A Response or a string is answered as by the other forms. any is a
// fault: a Response in it would be sent as data.
//
// Anything else, nil included, is a fault that Check reports.
func (v *Verb) Do(handler any) *Verb {
	pos := fault.Caller(0)
	h, err := parseHandler(handler)
	v.finish(pos, "Do", h, err)
	return v
}

// To sets a method of a controller as the handler: To(users.Controller{}, "Show"). The
// controller may be any value. Its method must be exported and have one of the forms of Do;
// otherwise Check reports a fault.
func (v *Verb) To(controller any, method string) *Verb {
	pos := fault.Caller(0)
	h, err := parseController(controller, method)
	v.finish(pos, "To", h, err)
	return v
}

// finish completes the registration, by the call that is named what.
func (v *Verb) finish(pos fault.Position, what string, h *handler, err error) {
	if err == nil && (h.std != nil || h.pos.File == "" || h.pos.File == "<autogenerated>") { // a net/http handler may be code of another package
		h.pos = pos
	}
	v.of.Finish(pos, what, h, err)
}

// A Dir is a directory below router/ to register middleware for, and a function that answers
// errors.
type Dir struct {
	of *directory
}

// Use adds middleware for the route files of the directory: see Router.In. It takes the
// forms of File.Use, and returns d.
func (d *Dir) Use(middleware ...any) *Dir {
	d.of.Use(fault.Caller(0), middleware, parseMiddleware)
	return d
}

// OnError sets the function that answers the errors of requests for the directory, as
// Router.OnError does for all of them. Of several directories around a request, the nearest
// one is asked first. If it returns the zero Response, the next one outwards is asked, then
// Router.OnError, and at last the error has the default answer.
//
// The directory is that of Router.In: its route files, and the one beside it. Below a URL
// that no file answers, it is the deepest directory without parameters that the URL passes
// through, as for +error.html: In("api").OnError also answers the 404 of /api/none. A
// directory has one OnError; a second one, or nil, is a fault.
func (d *Dir) OnError(answer func(*Request, error) Response) {
	d.of.OnError(fault.Caller(0), answer)
}

// A flowFunc is a handler or a guard of any of flow's own forms, converted to the most
// general one.
type flowFunc func(*Request) (Response, error)

// A handler is an argument of Do or To, parsed, or a content that needs no registration.
// One of flow, std, typed and content is set.
type handler struct {
	flow    flowFunc
	std     http.Handler
	typed   *typed // flow is made of it when the routes are compiled
	status  int    // that of Verb.Status; 0 if there is none
	content *public.Content
	cache   []string       // the Cache-Control of content
	pos     fault.Position // of the declaration of the function; of the call of Do or To for a net/http handler
	pc      uintptr        // of the function, for its name on the stack of a panic; 0 if the handler is none
}

const handlerForms = `a handler is one of
	func(*flow.Request) flow.Response
	func(*flow.Request) string
	func(*flow.Request) (flow.Response, error)
	func(*flow.Request) (string, error)
	http.Handler
	func(http.ResponseWriter, *http.Request)
	func(*flow.Request, In) (Out, error)
	func(*flow.Request) (Out, error)
	func(*flow.Request, In) error`

func parseHandler(v any) (*handler, error) {
	if forms.IsNil(v) {
		return nil, fmt.Errorf("the handler is nil; %s", forms.OneLine(handlerForms))
	}
	h := &handler{pos: fault.PositionOf(reflect.ValueOf(v))}
	if h.pos.Line > 0 {
		h.pc = reflect.ValueOf(v).Pointer()
	}
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
	} else if typed, err := parseTyped(v); err != nil {
		return nil, fmt.Errorf("%T is no handler: %w", v, err)
	} else if typed == nil {
		return nil, fmt.Errorf("%T is no handler; %s", v, forms.OneLine(handlerForms))
	} else {
		h.typed = typed
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

// A middleware is an argument of Use, parsed. Either guard or standard is set.
type middleware struct {
	guard    flowFunc
	standard func(http.Handler) http.Handler
	pc       uintptr // of the function, for its name in the route map
}

const middlewareForms = `middleware is one of
	func(*flow.Request) flow.Response
	func(*flow.Request) (flow.Response, error)
	func(http.Handler) http.Handler`

func parseMiddleware(v any) (middleware, error) {
	if forms.IsNil(v) {
		return middleware{}, fmt.Errorf("the middleware is nil; %s", forms.OneLine(middlewareForms))
	}
	var m middleware
	if f, ok := forms.Convert[func(*Request) Response](v); ok {
		m.guard = func(r *Request) (Response, error) { return f(r), nil }
	} else if f, ok := forms.Convert[func(*Request) (Response, error)](v); ok {
		m.guard = f
	} else if f, ok := forms.Convert[func(http.Handler) http.Handler](v); ok {
		m.standard = f
	}
	if m.guard != nil || m.standard != nil {
		m.pc = reflect.ValueOf(v).Pointer()
		return m, nil
	}
	return middleware{}, fmt.Errorf("%T is no middleware; %s", v, forms.OneLine(middlewareForms))
}
