package bridge

import (
	"net/http"
	"reflect"

	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/site/httpfile"
)

// A Describer is an http.Handler of the package openapi. The root recognises it: it asks At for
// the handler that answers in its place, since a Describer is registered once, and serves
// several Routers.
type Describer struct {
	Page   bool // it shows what another Describer describes
	Errors bool // it says of what type the answers of OnError are
	// At returns the handler for a place in a Router. The Site is complete before the first
	// request.
	At func(*Site) http.Handler
}

// ServeHTTP answers where the root has not found the Describer, as inside of a handler of the
// application.
func (*Describer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "the description of an API is a handler for Do as it is, with nothing around it", http.StatusInternalServerError)
}

// A Site is where a Describer answers.
type Site struct {
	File     string             // the route file, for messages
	Path     string             // of the route file below router/, without extension
	Patterns []*pattern.Pattern // of its URLs: see routetree.Route
	Dev      bool               // the text of route files may change from request to request
	// Document is the nearest Site that is no page, for a page: in its own directory, or in one
	// around it. It is nil for others.
	Document *Site
	// Operations returns what answers in the directory of the route file and below, in the
	// order of the files: this Site, too, and neither pages nor what other Routers answer.
	Operations func() []Operation
	Described  any // what the Describer has made of it, for its pages
	// Messages returns the messages of an error of Validate. ok is false for any other error.
	Messages func(error) (messages map[string]string, ok bool)
}

// An Operation is what answers one method of a route file with the extension .http.
type Operation struct {
	File     string             // for messages
	Path     string             // below router/, without extension
	Patterns []*pattern.Pattern // as those of a Site
	Method   string             // "GET"; "ANY" for the methods without a handler of their own
	Name     string             // of the route; "" if two share it
	Guards   []uintptr          // the code of the guards that run before, the outermost first
	// OnError is the directory below router/ whose function answers errors first, "router/api",
	// or else "Router" for that of the Router; "" if there is none.
	OnError string
	Shape
	// Read returns the route file as it is now. It is empty if it has faults.
	Read func() *httpfile.File
	// Examples returns the requests of that file which the operation answers, and what their
	// paths leave out: see Prefix.
	Examples func(*httpfile.File) (examples []Example, prefix string)
	Open     func(name string) ([]byte, error) // returns the content of a file that a body names
}

// An Example is a request of a route file, with the one of the Patterns that may answer it.
type Example struct {
	*httpfile.Request
	Pattern *pattern.Pattern
}

// A Shape is what a handler says in its signature. It is zero for a handler that is not typed.
type Shape struct {
	Typed   bool
	In      reflect.Type // what a request fills; nil if nothing
	Out     reflect.Type // what is answered as JSON; nil if nothing, or if Decides
	Text    bool         // the answer is a text
	Decides bool         // the handler returns a Response
	Status  int          // of the answer; 0 if Decides
	Others  []Answer     // that are declared beside it
}

// An Answer is a status with the type of its JSON.
type Answer struct {
	Status int
	Type   reflect.Type
}
