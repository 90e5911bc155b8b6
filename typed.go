package flow

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/registry"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/site"
)

// A typed handler is a function that says in its signature what it reads of a request, and
// what it answers with.
type typed struct {
	forms.Signature
	call   reflect.Value
	others []registry.Declared // the answers that JSONOf declares: see typedOf
}

var (
	requestType  = reflect.TypeFor[*Request]()
	responseType = reflect.TypeFor[Response]()
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
	return &typed{Signature: s, call: reflect.ValueOf(v)}, nil
}

// typedOf returns the typed handler of a verb with the answers that are declared for its route, or nil.
func (c *compiler) typedOf(r *routetree.Route, v *verb) *typed {
	h, others := v.Handler.typed, c.plan.Of(r).Answers
	if h == nil || len(others) == 0 {
		return h
	}
	with := *h
	with.others = others
	return &with
}

// isForm reports whether the handler takes a Form.
func (h *typed) isForm() bool { return h != nil && h.In != h.Bound }

// takesFiles reports whether the input of the handler has files.
func (h *typed) takesFiles() bool { return h.Bound != nil && input.PlanOf(h.Bound).TakesFiles }

// signature returns what the handler says of itself. One that is not typed answers as one that returns a
// Response does.
func (h *typed) signature() forms.Signature {
	if h == nil {
		return forms.Signature{Out: responseType}
	}
	return h.Signature
}

// shape returns the signature with the answers that are declared beside it. status is that of Verb.Status, or 0.
func (h *typed) shape(status int) (s site.Shape) {
	if h != nil {
		s = site.ShapeOf(h.Signature, status, h.others)
		s.Messages = invalidOf
	}
	return s
}

// flow returns the handler in the form that all of flow's own have, for a page or for an
// endpoint without one. status is that of its answer, or 0 for the default.
func (h *typed) flow(page bool, status int) flowFunc {
	reads := h.In != nil && h.Bound.NumField() > 0
	respond := h.responder(page)
	return func(req *Request) (Response, error) {
		args := make([]reflect.Value, 1, 2)
		args[0] = reflect.ValueOf(req)
		if h.In != nil {
			in := reflect.New(h.In)
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
	case h.Out == nil:
		return func(reflect.Value) Response { return Response{} }
	case h.Out == responseType:
		return func(v reflect.Value) Response { return v.Interface().(Response) }
	case h.IsText():
		return func(v reflect.Value) Response { return Text(v.String()) }
	case page:
		return func(v reflect.Value) Response { return Page(v.Interface()) }
	}
	return func(v reflect.Value) Response { return JSON(v.Interface()) }
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
