package app

import "example.com/flow"

func init() { flow.GET().Name("docs").Do(showDocs) }

// A crumb is one segment of the URL, with the URL of the page that ends there.
// Some segments, such as an escaped "..", have none.
type crumb struct{ Text, URL string }

func showDocs(req *flow.Request) flow.Response {
	segments := req.Segments("path")
	crumbs := make([]crumb, len(segments))
	for i, text := range segments {
		crumbs[i].Text = text
		if u, err := req.Route("docs", "path", segments[:i+1]); err == nil {
			crumbs[i].URL = u
		}
	}
	return flow.Page(crumbs)
}
