package flow

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"

	"example.com/flow/internal/check/agree"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site/bridge"
	"example.com/flow/internal/site/httpfile"
)

func init() { bridge.Of = examplesOf }

// examplesOf returns the route files with examples of a *Router and of the Routers mounted
// inside it.
func examplesOf(router any) (all []bridge.File) {
	outermost := router.(*Router)
	outermost.compile()
	for _, r := range outermost.withMounted() {
		for _, route := range r.tree.Routes {
			f, faults := readExamples(r.tree.Files, route)
			if f != nil && len(faults) == 0 && len(f.Requests) > 0 {
				all = append(all, bridge.File{
					File: f, Path: route.Path, Prefix: bridge.Prefix(f, mountPath(r.tree.Prefix)),
					Open: bodyFiles(r.tree.Files, route), ShapeOf: outermost.shapeOf,
				})
			}
		}
	}
	return all
}

// shapeOf returns the Shape of the handler that answers a method of a path, which is zero for a
// page and for a path that nothing answers.
func (r *Router) shapeOf(method, path string) (s bridge.Shape) {
	parsed, _, ok := match.ParsePath(path)
	if !ok {
		return s
	}
	for _, l := range r.table.Load().urls.Possible(method, parsed, false) {
		if e := l.Answer(method); e != nil && !e.isPage() {
			s = e.handler.typed.shape(e.handler.status)
		}
	}
	return s
}

// mountPath returns the path of a prefix, with a Hole in place of a parameter. It is "" for
// the outermost Router.
func mountPath(prefix []pattern.Segment) string {
	if len(prefix) == 0 {
		return ""
	}
	return urlWithHoles(pattern.New(prefix))
}

// readExamples reads the examples of a route file. It returns nil for a page.
func readExamples(files fs.FS, r *routetree.Route) (*httpfile.File, []fault.Fault) {
	if r.Page {
		return nil, nil
	}
	text, err := fs.ReadFile(files, r.InTree())
	if errors.Is(err, fs.ErrNotExist) { // only in development
		return nil, nil
	}
	if err != nil {
		return nil, []fault.Fault{fault.In(r.File, "cannot be read: %v", err)}
	}
	f, faults := httpfile.Parse(r.File, text)
	for _, req := range f.Requests {
		for _, l := range req.Body {
			if l.File == "" {
				continue
			}
			name := path.Join(path.Dir(r.InTree()), l.File)
			if info, err := fs.Stat(files, name); err != nil || !info.Mode().IsRegular() {
				faults = append(faults, fault.InLine(r.File, l.Text.Line, "there is no file %s", name))
			}
		}
	}
	return f, faults
}

// onHit returns the function for the requests that an endpoint answers: its answer, and
// within a test that wants to know them, a note of the endpoint before.
func onHit() func(*endpoint, http.ResponseWriter, *http.Request, match.Values) {
	asked := bridge.Asked
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
func (c *compiler) addExampleFaults(urls destinations) {
	for _, c := range c.withMounted() {
		if c.router.dev == nil {
			c.faults = append(c.faults, exampleFaults(c.tree, c.tree.Files, urls)...)
		}
	}
}

// exampleFaults returns the faults of the examples in files, which has the route files of a
// tree. urls are those of the outermost Router; if they are empty, they are not known, because
// of other faults.
func exampleFaults(tree *routetree.Tree, files fs.FS, urls destinations) (faults []fault.Fault) {
	var types agree.Types
	for _, route := range tree.Routes {
		f, wrong := readExamples(files, route)
		faults = append(faults, wrong...)
		if f == nil || urls.Trie == nil {
			continue
		}
		prefix := bridge.Prefix(f, mountPath(tree.Prefix))
		for _, r := range f.Requests {
			if r.Method == "" || r.Absolute { // where it goes, only the test knows
				continue
			}
			x, ok := urls.example(r, prefix)
			if !ok {
				faults = append(faults, fault.InLine(route.File, r.Line, "%s: the path has an escape that is not UTF-8 or malformed", r))
				continue
			}
			e := x.endpointOf(route)
			if e == nil {
				if text := x.misplaced(route, urls); text != "" {
					faults = append(faults, fault.InLine(route.File, r.Line, "%s: %s", r, text))
					continue
				}
				e = x.onlyEndpoint()
			}
			if e != nil {
				faults = append(faults, agree.Example(f, r, e.handler.typed.shape(e.handler.status), &types, bodyFiles(files, route))...)
			}
		}
	}
	return faults
}

// bodyFiles returns the function that reads the files which the bodies of a route file name.
func bodyFiles(files fs.FS, route *routetree.Route) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		return fs.ReadFile(files, path.Join(path.Dir(route.InTree()), name))
	}
}

// An example is a request of a route file with what may answer it, for some values of its holes.
type example struct {
	*httpfile.Request
	path   []match.HoledSegment
	leaves []*match.Leaf[endpoint]
}

// example returns the example that a request is, whose path leaves out prefix. ok is false if the path
// has a broken escape, or if only an answer says where the request goes. A hole stands for several
// segments only if nothing matches otherwise.
func (d destinations) example(r *httpfile.Request, prefix string) (x example, ok bool) {
	asked, ok := r.Path(pattern.Hole)
	path, _, isPath := match.ParsePath(prefix + asked)
	if !ok || !isPath {
		return x, false
	}
	leaves := d.Possible(r.Method, path, false)
	if len(leaves) == 0 {
		leaves = d.Possible(r.Method, path, true)
	}
	return example{r, path, leaves}, true
}

// endpointOf returns the endpoint of a route that may answer the example, or nil.
func (x example) endpointOf(route *routetree.Route) *endpoint {
	for _, l := range x.leaves {
		if e := l.Answer(x.Method); e != nil && e.owner.route == route {
			return e
		}
	}
	return nil
}

// onlyEndpoint returns the endpoint that answers the example, which is a step in the file of another
// route. It returns nil if that is a page, or if it depends on the values of holes.
func (x example) onlyEndpoint() (only *endpoint) {
	for _, l := range x.leaves {
		e := l.Answer(x.Method)
		if e == nil || e == only {
			continue
		}
		if only != nil || e.isPage() {
			return nil
		}
		only = e
	}
	return only
}

// misplaced returns what is wrong with the URL and the method of an example of a route that its file does
// not answer, or "".
func (x example) misplaced(route *routetree.Route, urls destinations) string {
	var own bool        // a pattern of the file matches, with the method or without
	var other *endpoint // of another file, with the method
	for _, l := range x.leaves {
		if e := l.Answer(x.Method); e != nil && other == nil {
			other = e
		}
		own = own || slices.ContainsFunc(l.Answers(), func(e *endpoint) bool { return e.owner.route == route })
	}
	switch {
	case x.Name != "" && (other != nil || len(x.leaves) > 0 && x.Method == http.MethodOptions):
		return ""
	case other != nil:
		return fmt.Sprintf("%s answers it: move the example there, or give it a # @name if it is a step for others", other.owner.file)
	case own && (x.Method == http.MethodOptions || x.Status() == http.StatusMethodNotAllowed):
		return "" // flow answers it
	case own:
		return fmt.Sprintf("the file does not answer %s: register %[1]s()", x.Method)
	case len(x.leaves) == 0 && x.Status() == http.StatusNotFound && refused(route, x.path):
		return ""
	case len(x.leaves) > 0:
		return fmt.Sprintf("nothing answers it with this method: the URL is that of %s", x.leaves[0].Answers()[0].owner.file)
	}
	if near := urls.Nearest(x.Method, x.path); near != nil {
		return fmt.Sprintf("nothing answers it: did you mean %s?", near.Answers()[0].path)
	}
	if why := urls.refusal(x.Method, x.path); why != "" {
		return "nothing answers it: " + why
	}
	return fmt.Sprintf("nothing answers it: the file has the URL %s", route.Longest())
}

// refused reports whether a pattern of a route would match a path, but for its matchers.
func refused(r *routetree.Route, path []match.HoledSegment) bool {
	for _, p := range r.Patterns {
		n := len(p.Segments)
		if len(path) != n && !(p.HasRest() && len(path) > n) {
			continue
		}
		fits := true
		for i, seg := range p.Segments {
			fits = fits && (seg.Kind != pattern.Literal || slices.Equal(path[i], match.HoledSegment{seg.Text}))
		}
		if fits {
			return true
		}
	}
	return false
}
