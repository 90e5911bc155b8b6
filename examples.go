package flow

import (
	"net/http"

	"example.com/flow/internal/check/examples"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/site"
)

func init() { site.ExamplesOf = examplesOf }

// examplesOf is site.ExamplesOf, for a Router and those mounted inside it.
func examplesOf(router any) (files []site.File, routes *site.Map) {
	outermost := router.(*Router)
	routes = outermost.compile().site
	for _, r := range outermost.withMounted() {
		for _, route := range r.tree.Routes {
			if f, faults := site.ReadFile(r.tree, r.tree.Files, route); f.File != nil && len(faults) == 0 && len(f.Requests) > 0 {
				files = append(files, f)
			}
		}
	}
	return files, routes
}

// onHit returns the function for the requests that an endpoint answers: its answer, and
// within a test that wants to know them, a note of the endpoint before.
func onHit() func(*endpoint, http.ResponseWriter, *http.Request, match.Values) {
	asked := site.Asked
	if asked == nil {
		return (*endpoint).answer
	}
	return func(e *endpoint, w http.ResponseWriter, r *http.Request, values match.Values) {
		file := ""
		if e.owner.route != nil {
			file = e.owner.route.InTree()
		}
		asked(e.pattern, file)
		e.answer(w, r, values)
	}
}

// addExampleFaults adds the faults of the examples of the application and of what is mounted
// inside. In development they are shown in the browser, and the program starts: see
// templateFaults.
func (c *compiler) addExampleFaults(routes *site.Map) {
	for _, c := range c.withMounted() {
		if c.router.dev == nil {
			c.faults = append(c.faults, examples.Check(c.tree, c.tree.Files, routes)...)
		}
	}
}
