package templates

import (
	"example.com/flow/internal/serve/routes/routetree"
)

// ErrorPage returns the error page for a request, or nil if there is none: the nearest of
// those around the route or, if r is nil, around the URL. path holds the segments of the URL
// below the prefix of the tree.
func (v *Views) ErrorPage(r *routetree.Route, path []string) *View {
	if v.errorPages == nil {
		return nil
	}
	if around := v.errorPages.Around(r, path); len(around) > 0 {
		return around[0]
	}
	return nil
}
