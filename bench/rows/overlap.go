package rows

import "example.com/flow/bench/measure"

// AloneName is flow with one file alone, to which a tree of files that overlap is compared.
const AloneName = "flow, one file alone"

// These are the ways in which patterns overlap that httprouter refuses. gin refuses two of
// them, and does not go back: it answers the last with 404.
var overlapRows = []Row{
	{"overlap/literal", "a literal beside a parameter: users/new, users/[id]", func() measure.Group {
		return overlap("/users/:id", get(hello, "/users/7", "/users/next"), nil, "/users/new")
	}},
	{"overlap/names", "two names at one position: users/[id]/posts, users/[name]/likes", func() measure.Group {
		return overlap("/users/:id/posts", get(hello, "/users/7/posts"), []string{ginName}, "/users/:name/likes")
	}},
	{"overlap/catch-all", "a catch-all beside others: docs/[...path], docs/[page]/edit, docs/start", func() measure.Group {
		return overlap("/docs/*path", get(hello, "/docs/a/b", "/docs/a/b/c"), []string{ginName}, "/docs/:page/edit", "/docs/start")
	}},
	{"overlap/back", "a search that goes back: blog/[slug]/edit, [lang]/[section], GET /blog/x", func() measure.Group {
		return overlap("/:lang/:section", get(hello, "/blog/x"), []string{ginName}, "/blog/:slug/edit")
	}},
}

// overlap has contestants with the pattern that answers and those beside it.
func overlap(pattern string, calls []measure.Call, without []string, beside ...string) measure.Group {
	routes := []route{{"GET", pattern}}
	alone := flowOf(routes)()
	for _, p := range beside {
		routes = append(routes, route{"GET", p})
	}
	g := measure.Group{Base: AloneName, Calls: calls}
	g.Contestants = append(g.Contestants, measure.Contestant{Name: AloneName, Handler: alone})
	g.Contestants = append(g.Contestants, contest(routes, append(without, httprouterName)...)...)
	return g
}
