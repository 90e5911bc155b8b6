package flow

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/forms"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pages"
	"example.com/flow/internal/public"
	"example.com/flow/internal/routetree"
)

// New returns a Router for the files of a tree, which holds router/ and, if there
// are public files, public/. From further trees it takes the +files that are missing in
// files and in the trees before, such as layouts that applications share. New never
// fails: Check tells what is wrong.
//
// The static calls (GET, With, Use and so on) in the directory of the file that
// calls New are registrations of this Router too, unless that file is a test.
func New(files fs.FS, shared ...fs.FS) *Router {
	shared = slices.Clone(shared)
	for i, f := range shared {
		shared[i] = orNil(f)
	}
	r, dir := &Router{}, ""
	if pos := fault.Caller(0); !strings.HasSuffix(pos.File, "_test.go") {
		r.app = applicationOf(pos)
		r.app.routers.Add(1)
		dir = r.app.shown()
	}
	r.tree = routetree.ParseIn(dir, orNil(files), shared)
	r.CrossOrigin.SetDenyHandler(http.HandlerFunc(r.deny))
	return r
}

// orNil returns nil for a nil pointer in an interface, which would not be equal to nil.
func orNil(files fs.FS) fs.FS {
	if forms.IsNil(files) {
		return nil
	}
	return files
}

// readViews makes the templates ready.
func (c *compiler) readViews() {
	c.table.views = &pages.Views{}
	if c.router.dev != nil {
		return // they are read for each request
	}
	texts, faults := pages.Read(c.tree)
	views, more := pages.Make(c.tree, texts, c.table.host(c.router.Funcs), nil)
	c.table.views = views
	c.faults = append(append(c.faults, faults...), more...)
}

// readPageData notes what handlers and declarations say of the data of templates.
func (c *compiler) readPageData() {
	c.table.data = map[string][]pages.Data{}
	add := func(path string, data pages.Data) {
		if !slices.ContainsFunc(c.table.data[path], func(known pages.Data) bool { return known.Type == data.Type && known.Block == data.Block }) {
			c.table.data[path] = append(c.table.data[path], data)
		}
	}
	for _, d := range c.plan.Declared {
		add(d.View, pages.Data{Type: d.Data, Block: d.Block, Where: d.Pos})
	}
	for _, r := range c.tree.Routes {
		if !r.Page {
			continue
		}
		for _, v := range c.plan.Of(r).Verbs {
			if data := v.Handler.typed.data(); data != nil {
				add(r.Path, pages.Data{Type: data, Where: v.Handler.pos})
			}
		}
	}
}

// host returns what the templates of a Router may ask of its table.
func (t *table) host(funcs template.FuncMap) pages.Host {
	return pages.Host{
		Funcs:      funcs,
		Route:      func(at any, name string, params []any) (string, error) { return t.route(urlBaseOf(at), name, params) },
		Asset:      func(at any, name string) (string, error) { return t.asset(urlBaseOf(at), name) },
		User:       func(at any) any { return at.(*Request).User() },
		Sample:     urlBase{t.mountPrefix.Segments, slices.Repeat(match.Values{{Value: "x"}}, len(t.mountPrefix.Names))},
		Request:    reflect.TypeFor[*Request](),
		Data:       t.data,
		ErrorData:  reflect.TypeFor[errorPage](),
		PerRequest: len(t.mountPrefix.Names) > 0,
		Names:      t.names,
		Excused:    func(name string) bool { return t.namesMissing || t.misplaced[name] },
	}
}

// currentViews returns the templates, and in development what is wrong about them. ctx is
// that of the request that they are for.
func (t *table) currentViews(ctx context.Context) (*pages.Views, error) {
	if t.settings.dev != nil {
		return t.settings.dev.views(ctx)
	}
	return t.views, nil
}

func plainPage(*Request) (Response, error) { return Page(nil), nil }

// checkData reports a page that is served without a handler, and asks for data. If it has
// handlers for other methods, the one for GET was forgotten. A page without any may be
// meant for View, and is only warned about.
func (c *compiler) checkData(r *routetree.Route, b *binding) {
	if !b.GivesNoData() {
		return
	}
	field, line := c.table.views.Needs(r.Path)
	switch {
	case line == 0:
	case len(b.Verbs) > 0:
		c.faults = append(c.faults, fault.InLine(r.File, line, "{{%s}} asks for data, and no handler for GET gives any: %s, or write {{with .}} around it", field, c.plan.Remedy(r)))
	default:
		c.faults = append(c.faults, fault.Warn(r.File, line, "{{%s}} asks for data, and a page without a handler has none: %s, or write {{with .}} around it", field, c.plan.Remedy(r)))
	}
}

// renderOnce returns a handler that serves the page of a route as it is rendered now, if
// it is the same for all requests, and else the handler otherwise. Shared caches must
// not keep a page that a guard has let through.
func (c *compiler) renderOnce(r *routetree.Route, guarded bool, otherwise handler) handler {
	v, err := c.table.views.View(r.Path)
	if err != nil || !v.IsFixed() || c.table.namesMissing || len(c.table.misplaced) > 0 {
		return otherwise
	}
	html, err := v.Render(nil, "", nil)
	if err != nil {
		c.faults = append(c.faults, pages.Fault(r.File, err))
		return otherwise
	}
	cache := revalidate
	if guarded {
		cache = privately
	}
	return handler{content: public.New(htmlType[0], []byte(html)), cache: cache}
}

// encodePage executes the template of a View or a Page.
func encodePage(r Response, req *Request) (Response, error) {
	x := req.x
	if x.endpoint.table == nil {
		return Response{}, errors.New("flow: a Request of NewRequest has no Router, so there are no templates to render")
	}
	name := r.text
	switch {
	case r.more.view != nil:
		var err error
		if name, err = r.more.view.find(x.endpoint.table); err != nil {
			return Response{}, err
		}
	case r.kind == kindPage:
		if !x.endpoint.isPage() {
			return Response{}, errors.New("flow: Page renders the page of the route, and this route has none: use View")
		}
		name = x.endpoint.owner.route.Path
	}
	all, faults := x.endpoint.table.currentViews(req.Context())
	v, err := all.View(name)
	switch {
	case err == nil:
	case r.kind == kindPage: // in development, where the file may be gone or faulty
		return Response{}, errors.Join(faults, x.settings.dev.gone(x.endpoint.owner.route))
	default:
		return Response{}, errors.Join(faults, fmt.Errorf("flow: View: %w", err))
	}
	html, err := v.Render(req, r.more.block, r.more.data)
	if err != nil {
		return Response{}, fmt.Errorf("flow: %w", err)
	}
	return r.body(kindHTML, html), nil
}
