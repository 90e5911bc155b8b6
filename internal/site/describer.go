package site

import (
	"net/http"

	"example.com/flow/internal/serve/routes/pattern"
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
	File     string             // the route file, for messages
	Path     string             // of the route file below router/, without extension
	Patterns []*pattern.Pattern // of its URLs: see routetree.Route
	Dev      bool               // the text of route files may change from request to request
	// Document is the nearest Description that is no page, for a page: in its own directory, or in one
	// around it. It is nil for others.
	Document *Description
	// Operations returns what answers in the directory of the route file and below, in the
	// order of the files: its own route, too, and neither pages nor what other Routers answer.
	Operations func() []Operation
	Described  any // what the Describer has made of it, for its pages
	// Messages returns the messages of an error of Validate. ok is false for any other error.
	Messages func(error) (messages map[string]string, ok bool)
}

// An Operation is what answers one method of a route file with the extension .http.
type Operation struct {
	File     string             // for messages
	Path     string             // below router/, without extension
	Patterns []*pattern.Pattern // as those of a Description
	Method   string             // "GET"; "ANY" for the methods without a handler of their own
	Name     string             // of the route; "" if two share it
	Guards   []uintptr          // the code of the guards that run before, the outermost first
	// OnError is the directory below router/ whose function answers errors first, "router/api",
	// or else "Router" for that of the Router; "" if there is none.
	OnError string
	Shape
	// Read returns the route file as it is now. It is empty if it has faults.
	Read func() File
	// Examples returns the requests of that file which the operation answers.
	Examples func(File) []Example
}
