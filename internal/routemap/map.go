// Package routemap shows people what the routes of an application are. A [Map] is all of
// them, as the directories of router/ have them, with what runs before their handlers; an
// [Explanation] says what answers one request, and why that file and no other. [Page]
// writes both as HTML, with the last requests, for development; [Explanation.Print]
// prints the second for a terminal.
//
// The application fills the structs, and the page is made of them alone: it knows neither
// handlers nor requests of clients.
package routemap

import (
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/routetree"
)

// A Map is the routes of an application, or of one that is mounted in it.
type Map struct {
	Prefix  string   // of its URLs, "/orgs/{org}"; "" for the outermost application
	At      string   // where it is mounted: "app/app.go:12"
	Name    string   // that it was given there, "" or what stands before the names of its routes
	Routes  []Route  // in the order of their files
	Mounts  []Mount  // handlers that are no Routers
	Inside  []Map    // Routers that are mounted
	Public  []Public // in the order of their files
	Unbuilt []string // route files that are on disk, and not in the binary

	forPublic []Middleware    // that runs before public files
	tree      *routetree.Tree // what it was made of
	disk      fs.FS           // what the files are read from now; nil for those of tree
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
}

// Dir returns the directory below router/ that the file lies in: "(admin)/users".
func (r Route) Dir() string {
	if dir := path.Dir(r.Path); dir != "." {
		return dir
	}
	return ""
}

// A URL is one form that the URLs of a route have.
type URL struct {
	Pattern string // "/users/{id}"
	Link    string // the URL, if it has no parameters and answers GET
}

// A Method is what answers one method of a route.
type Method struct {
	Method     string // "GET"; "ANY" for every other method
	Name       string
	Handler    string       // "app/users.id.go:12"; "" for a page without a handler
	Middleware []Middleware // of the method alone, after that of the route
}

// A Middleware is a guard or standard middleware.
type Middleware struct {
	Name  string `json:"name"` // "app.signedIn"
	By    string `json:"by"`   // the call that registered it: `In("users").Use`
	At    string `json:"at"`   // where that is: "app/app.go:12"
	Guard bool   `json:"guard"`
}

// Kind returns what it is, in a word.
func (m Middleware) Kind() string {
	if m.Guard {
		return "guard"
	}
	return "middleware"
}

// Before returns what runs before an endpoint answers a method, in order. It is empty and
// not nil if that is nothing.
func (m Map) Before(p Endpoint, method string) []Middleware {
	before, _ := m.find(p, method)
	return append([]Middleware{}, before...)
}

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

// method returns what answers a method of the route.
func (r Route) method(name string) Method {
	for _, known := range []string{name, strings.Replace(name, http.MethodHead, http.MethodGet, 1), "ANY"} {
		if i := slices.IndexFunc(r.Methods, func(m Method) bool { return m.Method == known }); i >= 0 {
			return r.Methods[i]
		}
	}
	return Method{}
}

// A Mount is a handler that is mounted and is no Router.
type Mount struct {
	Pattern    string // "/files/"
	Handler    string // its type
	At         string
	Middleware []Middleware
}

// A Public is one public file.
type Public struct {
	File string
	Link string // its URL; "" if it has parameters
}

// A Dir is a directory of route files.
type Dir struct {
	Path   string // "(admin)/users"; "" for router/ itself
	Routes []Route
}

// Dirs returns the routes by their directories, each before those inside it, and those of a
// directory by their URLs.
func (m Map) Dirs() []Dir {
	var dirs []Dir
	at := map[string]int{}
	for _, r := range m.Routes {
		i, ok := at[r.Dir()]
		if !ok {
			i = len(dirs)
			at[r.Dir()] = i
			dirs = append(dirs, Dir{Path: r.Dir()})
		}
		dirs[i].Routes = append(dirs[i].Routes, r)
	}
	for _, d := range dirs {
		slices.SortStableFunc(d.Routes, func(a, b Route) int { return slices.Compare(a.elems(), b.elems()) })
	}
	slices.SortFunc(dirs, func(a, b Dir) int {
		return slices.Compare(strings.Split(a.Path, "/"), strings.Split(b.Path, "/"))
	})
	return dirs
}

// elems returns the elements of the URL of a route. That of an index comes first so, and a
// parameter after all texts, since "{" does.
func (r Route) elems() []string {
	if len(r.URLs) == 0 {
		return nil
	}
	return strings.Split(r.URLs[0].Pattern, "/")
}
