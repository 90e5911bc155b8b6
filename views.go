package flow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"example.com/flow/internal/check/inputs"
	"example.com/flow/internal/check/pages"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// readViews parses the templates into the table.
func (c *compiler) readViews() {
	if c.router.dev != nil {
		return // development reads the templates for each request
	}
	texts, faults := templates.ReadTexts(c.tree)
	views, more := templates.NewViews(c.tree, texts, c.table.host(c.router), nil)
	c.table.views, c.table.checked = views, pages.New(views, c.table.application(), nil)
	c.faults = slices.Concat(c.faults, faults, more, c.table.checked.Faults())
}

// forgetViews lets go of what requests do not need of the templates.
func (c *compiler) forgetViews() {
	if c.router.dev == nil && !c.tree.Missing && !c.router.outermost().forChecksOnly {
		c.table.views.Forget()
		c.table.checked = nil
	}
}

// checkedViews returns the templates with what checks find. It reads them again if that is gone, since
// the Router was compiled before the command began.
func (r *Router) checkedViews() *pages.Checked {
	t := r.table.Load()
	if t.checked != nil {
		return t.checked
	}
	texts, _ := templates.ReadTexts(r.tree)
	views, _ := templates.NewViews(r.tree, texts, t.host(r), nil)
	return pages.New(views, t.application(), nil)
}

// plansVariable is the environment variable that says how pages are rendered: see templates.Plans.
const plansVariable = "FLOW_PLANS"

// checkPlans reports a value of that variable that means nothing.
func (c *compiler) checkPlans() {
	switch p := templates.Plans(os.Getenv(plansVariable)); p {
	case templates.UsePlans, templates.NoPlans, templates.ComparePlans:
	default:
		c.faults = append(c.faults, fault.Fault{Text: fmt.Sprintf("%s is %q: set it to %s or %s, or leave it out", plansVariable, p, templates.NoPlans, templates.ComparePlans)})
	}
}

// readPageData notes what handlers and declarations say of the data of templates.
func (c *compiler) readPageData() {
	c.table.data = map[string][]templates.Data{}
	add := func(path string, data templates.Data) {
		if !slices.ContainsFunc(c.table.data[path], func(known templates.Data) bool { return known.Type == data.Type && known.Block == data.Block }) {
			c.table.data[path] = append(c.table.data[path], data)
		}
	}
	for _, d := range c.plan.Declared {
		add(d.View, templates.Data{Type: d.Data, Block: d.Block, Where: d.Pos})
	}
	for _, r := range c.tree.Routes {
		if !r.Page {
			continue
		}
		for _, v := range c.plan.Of(r).Verbs {
			if data := v.Handler.typed.signature().Data; data != nil {
				add(r.Path, templates.Data{Type: data, Where: v.Handler.pos})
			}
		}
		if f := c.router.Formats[r.Ext()].made; f.Front != nil && c.plan.Of(r).GivesNoData() {
			add(r.Path, templates.Data{Type: f.Front})
		}
	}
}

// host returns the functions through which templates use the table.
func (t *table) host(r *Router) templates.Host {
	return templates.Host{
		Funcs:      r.Funcs,
		Formats:    r.formats(),
		Lists:      t.lists(r),
		Route:      func(at any, name string, params []any) (string, error) { return t.route(urlBaseOf(at), name, params) },
		Asset:      func(at any, name string) (string, error) { return t.asset(urlBaseOf(at), name) },
		User:       func(at any) any { return at.(*Request).User() },
		Plans:      templates.Plans(os.Getenv(plansVariable)),
		Nonce:      templateNonce,
		NoNonce:    t.settings.policy.WhyNoNonce(),
		Sample:     match.URLBase{Segments: t.mountPrefix.Segments, Values: slices.Repeat(match.Values{{Value: pattern.Hole}}, len(t.mountPrefix.Names))},
		CheckFile:  pages.CheckFile,
		Request:    reflect.TypeFor[*Request](),
		Data:       t.data,
		ErrorData:  reflect.TypeFor[errorPage](),
		PerRequest: len(t.mountPrefix.Names) > 0,
		Excused:    func(name string) bool { return t.names[name] == nil && (t.namesMissing || t.misplaced[name]) },
	}
}

// application returns what the checks of pages need to know.
func (t *table) application() pages.Application {
	calls := inputs.FieldCalls(signatures, reflect.TypeFor[Field]())
	return pages.Application{Method: calls, Policy: t.settings.policy.Policy()}
}

// templateNonce is the template function nonce. at is the request, or nil if a page is rendered once.
func templateNonce(at any) string {
	if req, ok := at.(*Request); ok {
		return req.Nonce()
	}
	return csp.Placeholder
}

// currentViews returns the templates for a request with the context ctx. In development it
// also returns their faults.
func (t *table) currentViews(ctx context.Context) (*templates.Views, error) {
	if t.settings.dev != nil {
		return t.settings.dev.views(ctx)
	}
	return t.views, nil
}

// plainPage is the handler of a page that has no handler for GET. In development, a page that
// would be rendered once has the policy that it would have then.
func plainPage(req *Request) (Response, error) {
	e := req.x.endpoint
	if s := req.x.settings; s.dev != nil && s.policy != nil {
		all, _ := e.table.currentViews(req.Context())
		if v, err := all.View(e.owner.route.Path); err == nil && v.IsFixed() {
			if h, ok, err := e.table.fixedPage(all, v); err == nil && ok {
				h.cache = revalidate
				return Handler(h.contentServer()), nil
			}
		}
	}
	return Page(nil), nil
}

// neededBy returns what the page of a route asks for in these templates, if no handler for GET gives it
// any data.
func (c *compiler) neededBy(r *routetree.Route, checked *pages.Checked) (n pages.Need) {
	if c.plan.Of(r).GivesNoData() {
		n = checked.Needs(r.Path)
	}
	return n
}

// checkData reports a page that uses data although no handler for GET gives it any, or that has failed
// without data: the error of that may stand in a partial.
func (c *compiler) checkData(r *routetree.Route, n pages.Need, failed error) {
	switch {
	case n.Line > 0:
		c.faults = append(c.faults, c.datalessFault(r, n, failed != nil))
	case failed != nil:
		f := templates.Fault(r.File, failed)
		if !slices.ContainsFunc(c.faults, func(known fault.Fault) bool { return known.File == f.File && known.Line == f.Line && !known.Warning }) { // which says what would be right
			c.faults = append(c.faults, f)
		}
	}
}

// datalessFault returns what is wrong with a page that asks for data and gets none. If the route has no
// handlers for other methods, and the page has not failed, it may be rendered by View only.
func (c *compiler) datalessFault(r *routetree.Route, n pages.Need, failed bool) fault.Fault {
	return n.Fault(r, !failed && len(c.plan.Of(r).Verbs) == 0, c.plan.Remedy(r))
}

// datalessFaults returns the faults of the pages that ask for data in these templates, and get none.
func (c *compiler) datalessFaults(checked *pages.Checked) (faults []fault.Fault) {
	for _, r := range c.tree.Routes {
		if n := c.neededBy(r, checked); n.Line > 0 {
			faults = append(faults, c.datalessFault(r, n, false))
		}
	}
	return faults
}

// A fixedRoute is a route whose page is the same for all requests.
type fixedRoute struct {
	*routetree.Route
	need  pages.Need
	plain []*endpoint // those that answer with the page
}

// isFixed reports whether the page of a route can be rendered once.
func (c *compiler) isFixed(r *routetree.Route) bool {
	v, err := c.table.views.View(r.Path)
	return err == nil && v.IsFixed() && !c.table.namesMissing && len(c.table.misplaced) == 0
}

// renderFixed renders the pages that are the same for all requests, and has their endpoints send the
// results. It reports those that cannot be rendered. A page that needs a nonce for each answer is
// rendered for each request after all.
//
// Where there are thousands of pages, the results take most of the memory of the Router. So they are
// made last, when what only checks need of the templates is gone.
func (c *compiler) renderFixed() {
	for _, r := range c.fixed {
		v, _ := c.table.views.View(r.Path) // it is there: see isFixed
		h, ok, err := c.table.fixedPage(c.table.views, v)
		c.checkData(r.Route, r.need, err)
		if !ok || c.router.outermost().forChecksOnly { // a command that answers no requests holds no answers
			continue
		}
		for _, e := range r.plain {
			if h.cache = revalidate; hasGuard(e.steps) || c.table.guarded() { // shared caches must not serve the page to clients that the guard refuses
				h.cache = revalidatePrivate
			}
			e.answerBy(h)
		}
	}
	c.fixed = nil
}

// logMisfit logs that Page or View was given data of another type than handlers and PageOf
// have said of the page: once for each page, and in development for each request.
func (x *exchange) logMisfit(v *templates.View, data any, said []templates.Data) {
	if x.settings.dev == nil && !v.FirstMisfit() {
		return
	}
	var declared []string
	for _, d := range said {
		declared = append(declared, fmt.Sprintf("%v (%v)", d.Type, d.Where))
	}
	args := []any{"page", v.File, "data", fmt.Sprintf("%T", data), "declared", strings.Join(declared, ", "), "pattern", x.endpoint.pattern}
	if pos := x.endpoint.handler.pos; pos.Line > 0 {
		args = append(args, "handler", pos.String())
	}
	x.settings.log().Warn("flow: a page is rendered with data of a type that it does not declare, so Check has not looked at it: use what PageOf returns, or declare this type, too", args...)
}

// encodePage encodes a View or a Page: it renders the template.
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
	case faults != nil && errors.Is(err, templates.ErrFaulty): // only in development
		return Response{}, faults
	case r.kind == kindPage: // only in development: the file on disk is missing
		return Response{}, errors.Join(faults, x.settings.dev.disk.Gone(x.endpoint.owner.route))
	default:
		return Response{}, errors.Join(faults, fmt.Errorf("flow: View: %w", err))
	}
	data := r.more.data
	if data == nil {
		data = v.Front()
	}
	if r.more.view == nil { // else the Go compiler has seen to the type
		if said := v.Misfit(r.more.block, data); len(said) > 0 {
			x.logMisfit(v, data, said)
		}
	}
	page, err := all.Render(v, req, r.more.block, data)
	if err != nil {
		return Response{}, fmt.Errorf("flow: %w", err)
	}
	return r.rendered(page), nil
}
