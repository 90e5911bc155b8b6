package flow

import (
	"fmt"
	"net/http"
	"path"
	"reflect"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/wire/input"
)

// A typed handler is a function that says in its signature what it reads of a request, and
// what it answers with.
type typed struct {
	call  reflect.Value
	in    reflect.Type // a struct, or a Form of one; nil if the handler takes no input
	bound reflect.Type // what a request fills: in, or what in is a Form of
	out   reflect.Type // nil if the handler returns nothing but an error

	others []registry.Declared // the answers that JSONOf declares: see typedOf
}

var (
	requestType  = reflect.TypeFor[*Request]()
	responseType = reflect.TypeFor[Response]()
	stringType   = reflect.TypeFor[string]()
)

// signatures reads the signatures of typed handlers.
var signatures = forms.Signatures{
	Request:  requestType,
	Response: responseType,
	Form:     reflect.TypeFor[typedForm](),
	FormOf:   func(in reflect.Type) reflect.Type { return reflect.New(in).Interface().(typedForm).of() },
}

// parseTyped returns the typed handler that a value is. It returns nil for any other value,
// and an error for a function that is nearly one.
func parseTyped(v any) (*typed, error) {
	s, ok, err := signatures.Parse(reflect.TypeOf(v))
	if !ok {
		return nil, err
	}
	if s.In != nil {
		if err := input.PlanOf(s.Bound).Err; err != nil {
			return nil, err
		}
	}
	return &typed{call: reflect.ValueOf(v), in: s.In, bound: s.Bound, out: s.Out}, nil
}

// isForm reports whether the handler takes a Form.
func (h *typed) isForm() bool { return h != nil && h.in != h.bound }

// takesFiles reports whether the input of the handler has files.
func (h *typed) takesFiles() bool { return h.bound != nil && input.PlanOf(h.bound).TakesFiles }

// data returns the type of the data of a page, or nil if the handler says nothing of it.
func (h *typed) data() reflect.Type {
	if h == nil || h.out == responseType || h.out == stringType {
		return nil
	}
	return h.out
}

// flow returns the handler in the form that all of flow's own have, for a page or for an
// endpoint without one. status is that of its answer, or 0 for the default.
func (h *typed) flow(page bool, status int) flowFunc {
	reads := h.in != nil && h.bound.NumField() > 0
	respond := h.responder(page)
	return func(req *Request) (Response, error) {
		args := make([]reflect.Value, 1, 2)
		args[0] = reflect.ValueOf(req)
		if h.in != nil {
			in := reflect.New(h.in)
			if reads {
				if err := req.readInput(in.Interface()); err != nil {
					return Response{}, err
				}
			}
			args = append(args, in.Elem())
		}
		results := h.call.Call(args)
		if err, _ := results[len(results)-1].Interface().(error); err != nil {
			if err = withoutEmpty(err); err != nil {
				return Response{}, err
			}
		}
		resp := respond(results[0])
		if status != 0 {
			resp = resp.Status(status)
		}
		return resp, nil
	}
}

// responder returns what makes a Response of the first result of the handler.
func (h *typed) responder(page bool) func(reflect.Value) Response {
	switch {
	case h.out == nil:
		return func(reflect.Value) Response { return Response{} }
	case h.out == responseType:
		return func(v reflect.Value) Response { return v.Interface().(Response) }
	case h.out == stringType:
		return func(v reflect.Value) Response { return Text(v.String()) }
	case page:
		return func(v reflect.Value) Response { return Page(v.Interface()) }
	}
	return func(v reflect.Value) Response { return JSON(v.Interface()) }
}

// checkStatus returns an error if a handler cannot have a status for what it returns.
func (h *typed) checkStatus(status int) error {
	switch {
	case h == nil || h.data() == nil && h.out != nil:
		return fmt.Errorf("Status(%d) is for handlers that return data, or nothing but an error: this one says its status with Response.Status", status)
	case status < 200 || status > 299:
		return fmt.Errorf("Status(%d) is the status of an answer that is no error: give one from 200 to 299; an error has its own", status)
	case h.out != nil && (status == http.StatusNoContent || status == http.StatusResetContent):
		return fmt.Errorf("Status(%d): such an answer has no body (RFC 9110, section 15.3), and the handler returns %v: have it return nothing but an error", status, h.out)
	}
	return nil
}

// readInput fills the input of a typed handler.
func (r *Request) readInput(in any) error {
	form, isForm := in.(typedForm)
	dst := in
	if isForm {
		dst = form.value()
	}
	if d, ok := dst.(interface{ Default() }); ok {
		d.Default()
	}
	if !isForm {
		return r.fill(dst, true)
	}
	x := r.exchange()
	if err := x.readBody(r, false); err != nil {
		return err
	}
	sent, invalid, err := x.body.BindForm(r.Request, r, dst, invalidOf)
	if err != nil {
		return x.bodyError(r, err)
	}
	form.set(x.translateAll(r, invalid), sent)
	return nil
}

// PageOf declares the type of the data of a page: of the route file whose counterpart the
// calling file is. What it returns renders that page, as Page does, from any handler of the
// application:
//
//	var usersPage = flow.PageOf[usersData]()
//
//	return usersPage(usersData{…}).Status(422), nil
//
// Check holds the page against the type, and reports fields and methods that the type does
// not have. PageOf is called in package variables or init functions. With the name of a block
// it declares one that the page defines for Response.Block alone, and renders that.
func PageOf[T any](block ...string) func(T) Response {
	d := registry.Declared{Pos: fault.Caller(0), What: "flow.PageOf", Data: reflect.TypeFor[T]()}
	if len(block) > 0 {
		d.Block = block[0]
	}
	return declare[T](d)
}

// ViewOf declares the type of the data of a template of the tree, by its path as View takes
// it, and returns what renders it, as View does. It is for partials, and for pages that
// handlers without a counterpart render: see PageOf.
func ViewOf[T any](name string) func(T) Response {
	return declare[T](registry.Declared{Pos: fault.Caller(0), What: "flow.ViewOf", View: name, Data: reflect.TypeFor[T]()})
}

func declare[T any](d registry.Declared) func(T) Response {
	applicationOf(d.Pos).statics.Declare(d)
	v := &declaredView{dir: d.Pos.Dir(), stem: strings.TrimSuffix(path.Base(d.Pos.File), ".go"), view: d.View}
	return func(data T) Response {
		return Response{kind: kindView, more: &more{data: data, view: v, block: d.Block}}
	}
}

// JSONOf declares the type of one more answer of an endpoint: of the handlers of the route file whose
// counterpart the calling file is. What it returns answers with data as JSON and that status:
//
//	var queued = flow.JSONOf[job](202)
//
//	return queued(job{…}), nil
//
// The description of an API says so, Check holds the examples of the route file against it, and
// flowtest.Examples the answers. JSONOf is called in package variables or init functions. A status
// below 200, or of an answer without a body, is a fault.
func JSONOf[T any](status int) func(T) Response {
	d := registry.Declared{Pos: fault.Caller(0), What: "flow.JSONOf", Data: reflect.TypeFor[T](), IsAnswer: true, Status: status}
	applicationOf(d.Pos).statics.Declare(d)
	return func(data T) Response { return JSON(data).Status(status) }
}

// A declaredView is the template that PageOf or ViewOf speaks of.
type declaredView struct {
	dir  string // of the call
	stem string // of the calling file, which is the counterpart of the page
	view string // what ViewOf was given; "" for the page
}

// find returns the path of the template in the tree of a table.
func (v *declaredView) find(t *table) (string, error) {
	if t.dir != "" && t.dir != v.dir { // that of a Router of a test is ""
		return "", fmt.Errorf("flow: PageOf and ViewOf in %s are for the Routers that New makes there, and not for those of %s", fault.DisplayDir(v.dir), fault.DisplayDir(t.dir))
	}
	if v.view != "" {
		return v.view, nil
	}
	if r := t.names[v.stem]; r != nil && r.Stem == v.stem && r.Page {
		return r.Path, nil
	}
	return "", fmt.Errorf("flow: PageOf is called in %s.go, which is the counterpart of no page", v.stem)
}
