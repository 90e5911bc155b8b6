package flow

import (
	"errors"
	"fmt"

	"example.com/flow/internal/routetree"
)

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
