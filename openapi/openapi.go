// Package openapi describes an API in the words of OpenAPI 3.1. A route file whose handler is the
// description describes the typed handlers of the .http files in its own directory and below:
//
//	// app/router/api/openapi.json.http
//	### Tasks
//	# A place for things to do.
//
//	// app/api.openapi.json.go
//	var api = openapi.API{Version: "1.0"}
//
//	func init() { flow.GET().Do(api.JSON()) }
//
// The types of the handlers give the shapes. Validate of the inputs is asked for what is required and
// for limits, when the description is first asked for. Titles, prose, examples and further statuses
// are those of the .http files.
package openapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"runtime/debug"
	"sync"

	"example.com/flow/internal/describe/document"
	"example.com/flow/internal/serve/wire/public"
	"example.com/flow/internal/site"
)

// An API says what no code shows. The zero value works.
type API struct {
	// Title is the name of the API. Without it, it is the title in the route file of the
	// description: ### Tasks.
	Title string
	// Version is that of the API. Without it, it is the version of the main module, or "devel".
	Version string
	// Error is a value of the type that OnError answers with. Without it, nothing is said of errors
	// where an OnError stands around.
	Error any
	// SignIn has the ways to say who asks.
	SignIn []SignIn
}

// A SignIn is a way to say who asks: in a header, in a cookie, or with a token in the header
// Authorization.
type SignIn struct {
	Name   string // of the way, in the description
	Header string // the name of a header
	Cookie string // the name of a cookie
	Bearer bool   // the header Authorization has the token behind "Bearer "
	Doc    string // how one gets it
	// Guards are the middleware that lets nobody through without it. An operation behind one of
	// them needs the sign-in; any other may look at it. Guards that one function has made cannot be
	// told apart: if one of them is here, all of them are.
	Guards []any
}

// JSON returns a handler for Do that answers with the description as an OpenAPI document. It is
// for a route file with the extension .http.
func (a API) JSON() http.Handler {
	return &site.Describer{Errors: a.Error != nil, At: func(of *site.Description) http.Handler {
		d := &described{api: a, site: of}
		d.once = sync.OnceValue(d.make)
		of.Described = d
		return d
	}}
}

// described is a description at its place in a Router.
type described struct {
	api  API
	site *site.Description
	once func() made
}

// made is a document with its JSON.
type made struct {
	*document.Document
	content *public.Content
}

// get returns the document. It is made when it is first asked for, and in development each time, since
// the text of route files may have changed.
func (d *described) get() made {
	if d.site.Dev {
		return d.make()
	}
	return d.once()
}

// mediaType is that of an OpenAPI document (draft-ietf-httpapi-rest-api-mediatypes).
const mediaType = "application/vnd.oai.openapi+json;version=3.1"

func (d *described) make() made {
	api := document.API{Title: d.api.Title, Version: cmp.Or(d.api.Version, version()), Error: reflect.TypeOf(d.api.Error)}
	for _, s := range d.api.SignIn {
		way := document.SignIn{Name: cmp.Or(s.Name, "signIn"), Header: s.Header, Cookie: s.Cookie, Bearer: s.Bearer, Doc: s.Doc}
		for _, guard := range s.Guards {
			if v := reflect.ValueOf(guard); v.Kind() == reflect.Func {
				way.Guards = append(way.Guards, v.Pointer())
			}
		}
		api.SignIn = append(api.SignIn, way)
	}
	of := document.Make(d.site, api)
	text, err := json.Marshal(of)
	if err != nil {
		panic(err) // a 500, with the reason in the log
	}
	return made{of, public.New(mediaType, text)}
}

var noCache = []string{"no-cache"}

// ServeHTTP answers with the document.
func (d *described) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refused := d.get().content.Serve(w, r, noCache); refused != 0 {
		http.Error(w, http.StatusText(refused), refused)
	}
}

// version returns the version of the main module. It is "devel" in a test, and in a program that was not
// built from a module with a version.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		return cmp.Or(info.Main.Version, "devel")
	}
	return "devel"
}
