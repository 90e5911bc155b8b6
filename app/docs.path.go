package app

import "example.com/flow"

func init() { flow.GET().Name("docs").Do(showDocs) }

// A crumb is one segment of the URL, and the URL of the page that ends there. The latter is
// empty if Route refuses to make it, as it does for an escaped "..".
type crumb struct{ Text, URL string }

func showDocs(req *flow.Request) ([]crumb, error) {
	segments := req.Segments("path")
	crumbs := make([]crumb, len(segments))
	for i, text := range segments {
		crumbs[i].Text = text
		if u, err := req.Route("docs", "path", segments[:i+1]); err == nil {
			crumbs[i].URL = u
		}
	}
	return crumbs, nil
}
