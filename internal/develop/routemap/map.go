// Package routemap shows the routes of an application to its developers. A [Map] has all
// routes with their middleware. An [Explanation] says which file answers a request, and why no
// other does. [Page] serves both as HTML, with the last requests and the log, in development.
// [Explanation.Print] prints an explanation in a terminal, for the command routes -explain.
//
// The types of this package are plain data, which the application fills in. The package does
// not call handlers.
package routemap

import (
	"net/http"
	"slices"
	"strings"
)

// A Map has the routes of an application, or of one that is mounted in another.
type Map struct {
	Prefix  string   // of its URLs, "/orgs/{org}"; "" for the outermost application
	At      string   // the position of the call of Mount, "app/app.go:12"; "" for the outermost application
	Name    string   // the label of Mounted.Name, or ""
	Routes  []Route  // in the order of their files
	Mounts  []Mount  // mounted handlers that are not Routers
	Inside  []Map    // mounted Routers
	Public  []Public // in the order of their files
	Unbuilt []string // route files that are on disk and not in the binary, with those of mounted Routers

	forPublic []Middleware // the middleware before public files
}

// A Route is one route file.
type Route struct {
	File       string // for messages, "app/router/users/[id].html"
	Path       string // below router/, without extension: "(admin)/users/[id]"
	URLs       []URL  // more than one if segments are optional
	Methods    []Method
	Middleware []Middleware // that runs before each method, in order
	Layouts    []string     // files, the outermost first; only of pages
	ErrorPage  string       // the file; "" if there is none
	Prose      string       // of an .http file, outside of its examples
	Examples   []Example    // of an .http file, in the order of the file
}

// An Example is a request in an .http file.
type Example struct {
	Title, Prose string
	Method, Path string // with the query; references stand as they are written
	Status       int    // of the answer; 0 if the file expects none
	Why          string // the URL of the explanation; "" if the path is known only in part
}

// A URL is one pattern of the URLs of a route.
type URL struct {
	Pattern string // "/users/{id}"
	Link    string // the URL, if it has no parameters; else ""
}

// A Method is the handler for one method of a route.
type Method struct {
	Method     string // "GET"; "ANY" for the methods without a handler of their own
	Name       string
	Handler    string       // "app/users.id.go:12"; "" for a page without a handler
	Middleware []Middleware // that of the method, which runs after that of the route
}

// A Middleware is a guard or standard middleware.
type Middleware struct {
	Name  string `json:"name"` // "app.signedIn"
	By    string `json:"by"`   // the call that registered it: `In("users").Use`
	At    string `json:"at"`   // the position of that call: "app/app.go:12"
	Guard bool   `json:"guard"`
}

// Kind returns "guard" or "middleware".
func (m Middleware) Kind() string {
	if m.Guard {
		return "guard"
	}
	return "middleware"
}

// Before returns the middleware that runs before an endpoint answers a method, in order. The
// result is never nil.
func (m Map) Before(p Endpoint, method string) []Middleware {
	before, _ := m.find(p, method)
	return append([]Middleware{}, before...)
}

// find returns the middleware before an endpoint, and whether the map has that endpoint.
func (m Map) find(p Endpoint, method string) (before []Middleware, ok bool) {
	switch p.Kind {
	case PublicFile:
		if p.Inside == "" && m.At == "" || m.At != "" && strings.HasSuffix(p.Inside, " of "+m.At) {
			return m.forPublic, true
		}
	case MountedHandler:
		for _, mount := range m.Mounts {
			if mount.Pattern == p.Pattern {
				return mount.Middleware, true
			}
		}
	case RouteFile:
		for _, r := range m.Routes {
			if r.File == p.File && slices.ContainsFunc(r.URLs, func(u URL) bool { return u.Pattern == p.Pattern }) {
				return slices.Concat(r.Middleware, r.method(method).Middleware), true
			}
		}
	}
	for _, inside := range m.Inside {
		if before, ok = inside.find(p, method); ok {
			return before, true
		}
	}
	return nil, false
}

// method returns the handler of the route that answers a method, with that for GET for HEAD.
func (r Route) method(name string) Method {
	for _, known := range []string{name, strings.Replace(name, http.MethodHead, http.MethodGet, 1), "ANY"} {
		if i := slices.IndexFunc(r.Methods, func(m Method) bool { return m.Method == known }); i >= 0 {
			return r.Methods[i]
		}
	}
	return Method{}
}

// A Mount is a mounted handler that is not a Router.
type Mount struct {
	Pattern    string // "/files/"
	Handler    string // its type
	At         string
	Middleware []Middleware
}

// A Public is a public file.
type Public struct {
	File    string
	Pattern string // "/app.css"
	Link    string // its URL; "" if it has parameters
}
