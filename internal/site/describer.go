package site

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Describer is an http.Handler of the package openapi. The root recognises it: it asks At for
// the handler that answers in its place, since a Describer is registered once, and serves
// several Routers.
type Describer struct {
	Page   bool // it shows what another Describer describes
	Errors bool // it says of what type the answers of OnError are
	// At returns the handler for a place in a Router. The Description is complete before the
	// first request.
	At func(*Description) http.Handler
}

// ServeHTTP answers where the root has not found the Describer, as inside of a handler of the
// application.
func (*Describer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "the description of an API is a handler for Do as it is, with nothing around it", http.StatusInternalServerError)
}

// A Description is where a Describer answers, and what it describes.
type Description struct {
	Describer *Describer
	Pos       fault.Position   // of its registration
	Tree      *routetree.Route // its route file
	Dev       bool             // the text of route files may change from request to request
	// Document is the nearest Description that is no page, for a page: in its own directory, or in one
	// around it. It is nil for others.
	Document *Description
	// Operations returns the route of each method in the directory of the route file and below, with the
	// first of its patterns, in the order of the files: its own route, too, and neither pages nor what other
	// Routers answer.
	Operations func() []Route
	// Read returns the file of a route as it is now. It is empty if it has faults.
	Read      func(*routetree.Route) File
	Map       func() *Map // of the application
	Described any         // what the Describer has made of it, for its pages
	// Messages returns the messages of an error of Validate. ok is false for any other error.
	Messages func(error) (messages map[string]string, ok bool)
}

// Examples returns the requests in the file of an operation that it answers.
func (d *Description) Examples(o Route, f File) []Example { return d.Map().ExamplesOf(f, o.Method) }

// dir returns the directory below router/ that the route is in.
func (d *Description) dir() string { return strings.TrimPrefix(path.Dir("/"+d.Tree.Path), "/") }

// Complete completes the Descriptions of a Router, given the routes of its files without the pages, the
// directories that have an OnError, and whether the Router has one, which may change until it serves. It
// reports two descriptions or two pages of one directory, a page without a description around it, and a
// description that says nothing of errors although an OnError answers them.
func Complete(all []*Description, routes []Route, errorDirs map[string]bool, hasOnError func() bool) (faults []fault.Fault) {
	documents, pages := map[string]*Description{}, map[string]*Description{} // by directory
	for _, d := range all {
		kind, what := documents, "describes an API, and so does"
		if d.Describer.Page {
			kind, what = pages, "is the page of an API, and so is"
		}
		if first, twice := kind[d.dir()]; twice {
			faults = append(faults, fault.At(d.Pos, "%s %s %s in the same directory: keep one", d.Tree.File, what, first.Tree.File))
		} else {
			kind[d.dir()] = d
		}
	}
	for _, d := range all {
		d.Operations = func() []Route { return below(d.dir(), routes, errorDirs, hasOnError()) }
		if d.Describer.Page {
			for _, dir := range routetree.Layers(path.Join(d.dir(), "index")) {
				d.Document = cmp.Or(documents[dir], d.Document)
			}
			if d.Document == nil {
				faults = append(faults, fault.At(d.Pos, "%s is the page of an API, and no description is around it: answer with JSON() of the same API in a route file beside it, such as %s", d.Tree.File, path.Join(path.Dir(d.Tree.File), "openapi.json.http")))
			}
		} else if !d.Describer.Errors && slices.ContainsFunc(d.Operations(), func(o Route) bool { return o.Tree == d.Tree && o.OnError != "" }) {
			faults = append(faults, fault.WarnAt(d.Pos, "%s says nothing of errors, since an OnError stands around it: give a value of the type that it answers with, as in openapi.API{Error: problem{}}", d.Tree.File))
		}
	}
	return faults
}

// below returns those of the routes of a Router that are in a directory or below, with their OnError.
func below(dir string, routes []Route, errorDirs map[string]bool, hasOnError bool) (below []Route) {
	for _, r := range routes {
		layers := routetree.Layers(r.Tree.Path)
		if !slices.Contains(layers, dir) {
			continue
		}
		if hasOnError {
			r.OnError = "Router"
		}
		for _, layer := range layers {
			if errorDirs[layer] {
				r.OnError = path.Join(routetree.RouterDir, layer)
			}
		}
		below = append(below, r)
	}
	return below
}
