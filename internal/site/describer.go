package site

import (
	"net/http"

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
	Tree *routetree.Route // the route file of the Describer
	Dev  bool             // the text of route files may change from request to request
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
