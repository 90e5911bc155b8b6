// Package routemap shows the routes of an application to its developers. A [Map] has all
// routes with their middleware. An [Explanation] says which file answers a request, and why no
// other does. [Page] serves both as HTML, with the last requests and the log, in development.
// [Explanation.Print] prints an explanation in a terminal, for the command routes -explain.
//
// A [Source] is what the application gives: its tree and its registrations. The package does
// not call handlers.
package routemap

import (
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/site"
)

// A Map has the routes of an application, or of one that is mounted in another.
type Map struct {
	Prefix  string              // of its URLs, "/orgs/{org}"; "" for the outermost application
	At      string              // the position of the call of Mount, "app/app.go:12"; "" for the outermost application
	Name    string              // the label of Mounted.Name, or ""
	Files   int                 // the number of route files
	Lines   []Line              // those of route files in their order, then those of mounted handlers that are not Routers
	Inside  []Map               // mounted Routers
	Public  []*routetree.Public // in the order of their files
	Unbuilt []string            // route files that are on disk and not in the binary, with those of mounted Routers

	forPublic []Middleware // the middleware before public files
}

// A Line is a route with what the map shows of it. The File of a mounted handler is "".
type Line struct {
	site.Route
	OfFile   []Middleware // that runs before each method of the file, in order
	OfMethod []Middleware // that runs behind it, for this method alone
	What     string       // in place of the handler, or before it: the type of a mounted one, or that there is none
	Around   string       // the templates around a page
	Prose    string       // of an .http file, outside of its examples
	Examples []Example    // that the route answers, in the order of the file
}

// Before returns the middleware before the handler, in order.
func (l Line) Before() []Middleware { return slices.Concat(l.OfFile, l.OfMethod) }

// Link returns the URL, if a browser can open it: GET answers it, and it has no parameters.
func (l Line) Link() string {
	if l.Method != http.MethodGet && l.Method != site.Any || l.IsMounted() {
		return ""
	}
	return linkOf(l.Pattern)
}

// linkOf returns the URL of a pattern without parameters, and "" for one with parameters.
func linkOf(p *pattern.Pattern) string {
	if len(p.Names) > 0 {
		return ""
	}
	return p.URL(nil)
}

// An Example is a request in an .http file.
type Example struct {
	Title, Prose string
	Method, Path string // with the query; references stand as they are written
	Status       int    // of the answer; 0 if the file expects none
	Why          string // the URL of the explanation; "" if the path is known only in part
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

// Before returns the middleware that runs before an endpoint answers, in order. The result is
// never nil.
func (m Map) Before(e Endpoint) []Middleware {
	before, _ := m.find(e)
	return append([]Middleware{}, before...)
}

// find returns the middleware before an endpoint, and whether the map has that endpoint.
func (m Map) find(e Endpoint) (before []Middleware, ok bool) {
	isPublic := e.Route.Tree == nil && !e.Route.IsMounted()
	if isPublic && (e.Inside == "" && m.At == "" || m.At != "" && strings.HasSuffix(e.Inside, " of "+m.At)) {
		return m.forPublic, true
	}
	for _, l := range m.Lines {
		if !isPublic && l.Tree == e.Route.Tree && l.Method == e.Route.Method && l.Pattern.String() == e.Pattern {
			return l.Before(), true
		}
	}
	for _, inside := range m.Inside {
		if before, ok = inside.find(e); ok {
			return before, true
		}
	}
	return nil, false
}
