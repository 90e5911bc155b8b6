package flow

import (
	"errors"
	"fmt"
	"slices"

	"example.com/flow/internal/pages"
	"example.com/flow/internal/routetree"

	"example.com/flow/internal/match"
)

// host is what the templates of a Router may ask of its table.
func (t *table) host(namesMissing bool) pages.Host {
	h := pages.Host{
		Funcs:      t.router.Funcs,
		Route:      func(at any, name string, params []any) (string, error) { return t.route(vantageOf(at), name, params) },
		Asset:      func(at any, name string) (string, error) { return t.asset(vantageOf(at), name) },
		User:       func(at any) any { return at.(*Request).User() },
		Sample:     vantage{t.above.Segments, slices.Repeat(match.Values{{Value: "x"}}, len(t.above.Names))},
		PerRequest: len(t.above.Names) > 0,
		Names:      t.names,
	}
	if namesMissing {
		h.Names = nil
	}
	return h
}

// route is the template function of that name, asked at v.
func (t *table) route(v vantage, name string, params []any) (string, error) {
	r := t.names[name]
	if r == nil {
		return "", fmt.Errorf("flow: no route is called %q", name)
	}
	return routeURL(r, v, name, params)
}

// render executes the template of a View or a Page.
func (r Response) render(req *Request) (Response, error) {
	x := req.x
	if x.router == nil {
		return Response{}, errors.New("flow: a Request of NewRequest has no Router, so there are no templates to render")
	}
	name := r.text
	if r.kind == kindPage {
		if !x.endpoint.isPage() {
			return Response{}, errors.New("flow: Page renders the page of the route, and this route has none: use View")
		}
		name = x.endpoint.owner.route.Path
	}
	all, err := x.router.views()
	v := all.View(name)
	switch {
	case v != nil:
	case r.kind == kindPage: // in development
		return Response{}, errors.Join(err, x.router.disk.gone(x.endpoint.owner.route.File))
	default:
		return Response{}, errors.Join(err, fmt.Errorf("flow: View: no template is called %q: give the path below %s/ without extension", name, routetree.RouterDir))
	}
	html, err := v.Render(req, r.more.block, r.more.data)
	if err != nil {
		return Response{}, fmt.Errorf("flow: %w", err)
	}
	return r.body(kindHTML, html), nil
}
