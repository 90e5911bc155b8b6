// Package flow is a file-based router: a directory of route files, embedded in
// the binary, is the URL space of an application, and a Go file of the same name
// registers the handlers of each, one per HTTP method.
//
//	app/router/users/[id].html      the route file: it answers /users/{id}, and is a page
//	app/users.id.go                 its Go counterpart: flow.GET().Do(showUser)
//
// The directory app holds the package that embeds the tree:
//
//	//go:embed all:router all:public
//	var files embed.FS
//
//	// Router serves the application.
//	var Router = flow.New(files)
//
// # Route files
//
// The path of a file below router/, without .html (a page) or .http (an
// endpoint), gives its URL.
//
//	index.html               /
//	about.html               /about
//	users/index.http         /users
//	users/store.http         /users, for POST and nothing but POST
//	users/[id].html          /users/{id}
//	blog/[year]/[slug].html  /blog/{year}/{slug}
//	(admin)/reports.html     /reports: parentheses only group files; its counterpart is reports.go
//	[[lang]]/help.html       /help and /{lang}/help
//	docs/[...rest].html      /docs/a, /docs/a/b: one or more segments
//	wiki/[[...rest]].html    also /wiki
//	orders/[id=int].html     /orders/{id}, if the value is an int: see Router.Matchers
//
// Names that begin with _ or . are no routes, other than the directory
// .well-known; a file whose name begins with + is a template of its directory.
//
// Among files that match, literal text beats a parameter and a parameter beats a
// catch-all, segment by segment from the left, and one with a matcher beats one without;
// the method takes part. A URL has one spelling: others are redirected to it with 308.
// Known paths answer OPTIONS,
// HEAD where they answer GET, and 405 with Allow to other methods.
//
// # Pages
//
// A page is an html/template. Without a handler for GET it is served as it is;
// with one, [Page] renders it with data. [View] renders any template of the tree by
// its path.
//
//	+layout.html      wraps the pages of its directory and below: {{template "content" .}}
//	                  is the page, {{block "title" .}}…{{end}} what a page may {{define}}
//	+error.html       shows errors, the nearest to the URL: .Status .Title .Detail .Path
//	users/+row.html   a partial, for every template: {{template "users/+row" .}}
//
// Templates have the functions route, the URL of a name; asset, that of a public
// file; request, the [*Request] that is answered; user, its user; and those of
// Router.Funcs. A page that needs neither a handler nor request, user or
// Router.Funcs is rendered once, by Check.
//
// # Public files
//
// The files below public/ are served as they are, with ETags, ranges and
// compression: app.css.br, .zst and .gz are used as forms of app.css, and gzip is
// made for text that has none. [Router.Asset] gives URLs that clients keep for a
// year. Names that begin with a dot are not served, other than .well-known/ and what
// is below it.
//
// # Serving
//
// [Main] is a whole main function: it serves, lists the routes, and checks the
// application, with flags; [Run] does so for one that has to be built. [Serve] serves any
// handler until a context ends. They stop gracefully, then call what [Router.OnStop] was
// given, and limit how long clients make no progress.
//
// [Router.Mount] puts other handlers, and other Routers, below a prefix. [Logger] and
// [RequestID] are standard middleware. net/http's handlers and middleware of others
// work as they are.
//
// # Faults
//
// [Router.Check] reports every mistake of the tree, its templates and the
// registrations at once, one per line, with file and line. A Router that has faults
// and serves all the same answers 500 to everything. [Router.Dev] reads templates
// and public files from disk, and shows their faults in the browser.
package flow

import (
	"cmp"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/forms"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/routetree"
	"example.com/flow/internal/server"
)

// A Router serves the route files of a tree, and its public files. Set its fields
// before it serves. The first call of Check, Route, Routes, Asset or ServeHTTP
// compiles it; it is safe for concurrent use from then on, and no longer changes.
type Router struct {
	// Authenticate returns the user of a request: nil, nil if there is none. It is called
	// at most once for a request, by the first call of Request.User or IsAuthenticated. A
	// nil pointer is no user. Its error answers the request, whatever a guard or a
	// handler returned.
	Authenticate func(*Request) (user any, err error)

	// OnError returns the response for an error, wherever it comes from: a handler, a
	// guard, Authenticate, a panic, a body that cannot be read, a Fail, a URL without a
	// route (404), a method without a handler (405, whose Allow stays), a request from
	// another origin (403); but not for 412 and 416 of public files. errors.As finds an
	// *HTTPError in those that have a message for the client. An answer that does not say
	// its status has that of the error, StatusOf. The zero Response leaves it to the
	// default: an HTTPError answers with its status and message, an Invalid with 422, any
	// error that has a method HTTPStatus() int with that status, anything else with 500
	// and no detail.
	//
	// The Router logs errors itself: those that end in a status of 500 or above and all
	// panics, and others only if they have a cause that the client was not told.
	OnError func(*Request, error) Response

	// Logger gets what clients must not see; slog.Default() if it is nil.
	Logger *slog.Logger

	// MaxBody is the largest body of a request, in bytes; 0 means 10 MiB. JSON may
	// hold one value for each 64 bytes of MaxBody, and 10,000 in any case: lists,
	// objects and what is in them. It may be nested 200 deep. Verb.MaxBody sets the
	// limits for one route.
	MaxBody int64

	// Funcs are functions for templates, beside route, asset, request and user. An
	// error of one is answered as that of a handler.
	Funcs template.FuncMap

	// Matchers are the application's own: a file [lang=fr].html answers the values that
	// Matchers["fr"] takes, and a value that it does not take is as if the file were not
	// there. One of the name of a built-in matcher replaces it: int (a decimal int64), uuid
	// (RFC 9562), date (2006-01-02) and slug (lower-case ASCII letters and digits, in words
	// that single hyphens join). They get the value unescaped, must be quick and safe for
	// concurrent use, and do not match where they panic, of which the first time is logged.
	Matchers map[string]func(value string) bool

	// CrossOrigin refuses unsafe requests of other origins with 403, by default
	// all of them. It can trust origins and let patterns through.
	CrossOrigin http.CrossOriginProtection

	tree     *routetree.Tree
	app      *application // nil if no static calls register for it
	own      registrations
	mounts   []*Mounted
	provided []any
	dev      *routerInDev            // nil unless Dev was called
	front    *devFront               // nil unless Dev was called, here or for a Router inside; set by begin
	mounted  atomic.Pointer[Mounted] // where this Router is mounted, nil if it is not
	compiled sync.Mutex
	explains bool        // it compiles for the command routes -explain, which shows what runs before a route
	building atomic.Bool // compile runs, and with it code that may ask for routes
	table    atomic.Pointer[table]
	serving  atomic.Pointer[table] // the table, once it is known to have no faults; nil for a mounted Router, and in development
	report   sync.Once             // for what begin logs
	stops    server.Stops          // what OnStop was given
}

var _ http.Handler = (*Router)(nil)

// At returns the route file of that path below router/, without its extension:
// "users/[id]". Groups may be left out of it: "users" is also (admin)/users. A path that
// is not in the tree is a fault.
func (r *Router) At(path string) *File { return &File{r.own.At(fault.Caller(0), path)} }

// In returns the directory of that path below router/: "users", "(admin)", or "" for all
// route files. Middleware added to it covers the route files below it and the one beside
// it that has its name. Groups that are left out of the path may be anywhere in it: "users"
// covers users/ and (admin)/users/, and "(admin)/users" the second alone. It guards files,
// not URLs. A path that is not in the tree is a fault.
func (r *Router) In(path string) *Dir { return &Dir{r.own.In(fault.Caller(0), path)} }

// Use adds middleware for the whole application. It takes what File.Use takes.
// Standard middleware also wraps what no route answers: 404, 405, redirects,
// OPTIONS and public files. Guards are skipped there.
func (r *Router) Use(middleware ...any) {
	r.own.Use(fault.Caller(0), "Use", middleware, parseMiddleware)
}

// Provide gives the functions of With what they ask for, by its type, and returns
// r. A nil value is a fault.
func (r *Router) Provide(values ...any) *Router {
	pos := fault.Caller(0)
	r.own.Change(pos, "Provide", func() {
		for _, v := range values {
			if forms.IsNil(v) {
				r.own.Fault(pos, "Provide: a value is nil (%T)", v)
				continue
			}
			r.provided = append(r.provided, v)
		}
	})
	return r
}

// Check compiles the application, once, and returns every fault of its tree and
// registrations, one per line. Registering afterwards panics. Check must not be
// called by what it calls: functions of With, and those that construct middleware.
//
// Static calls, such as flow.In, in a directory that has made no Router by then are a
// fault, too, since a guard would be missing: call New there before the first Check of
// the program. Only Routers that are made in test files do not look at other directories.
func (r *Router) Check() error { return r.compile().err }

func (r *Router) compile() *table {
	if t := r.table.Load(); t != nil {
		return t
	}
	if outer := r.outer(); outer != nil { // the outermost Router compiles those inside it, too
		outer.compile()
		return r.table.Load()
	}
	r.compiled.Lock()
	defer r.compiled.Unlock()
	if t := r.table.Load(); t != nil {
		return t
	}
	return compile(r)
}

// NewRequest returns a Request of the Router for tests of a handler by itself. Its URL and
// its method decide which route it is for, and so its parameters and its page; the
// handler and the middleware of the route are not called. If no route answers, it has no
// page, and no parameters but those of the prefix that the Router is mounted at. Its user is that of Authenticate, unless WithUser gives it one.
// It panics if Check reports faults.
func (r *Router) NewRequest(req *http.Request) *Request {
	t := r.outermost().begin()
	if t == nil {
		panic(fmt.Sprintf("flow: NewRequest: the application has faults: %v", r.outermost().table.Load().err))
	}
	p, _ := pattern.ParsePath(req)
	e, values := t.matcher.Find(req.Method, p.Segments)
	if e == nil {
		inner := r.table.Load()
		e, values = inner.notFound, inner.mountParams(p.Segments)
	}
	req.Pattern = e.pattern
	return newRequest(req, &exchange{settings: &e.table.settings, endpoint: e, values: values})
}

// nosniff is the value of X-Content-Type-Options that keeps browsers from guessing the
// media type, and so from running a text that somebody uploaded as a script. Each answer
// has it, unless a handler or middleware takes it away.
var nosniff = []string{"nosniff"}

// ServeHTTP answers a request.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	t := r.serving.Load()
	if t == nil {
		if t = r.start(w, req); t == nil {
			return
		}
	}
	w.Header()["X-Content-Type-Options"] = nosniff
	t.matcher.ServeHTTP(w, req)
}

// start returns the table for a request that finds none: the first one, or one that is
// given to a mounted Router, which the outermost Router answers. It returns nil if it has
// answered the request itself.
func (r *Router) start(w http.ResponseWriter, req *http.Request) *table {
	if r.outer() != nil {
		r = r.outermost()
		if within := From(req.Context()); within != nil && within.x.endpoint.table != nil && within.x.endpoint.table.outermost() == r.table.Load() && within.URL.Path == req.URL.Path {
			r.logger().Error("flow: a handler has called a mounted Router, which answers at its prefix only, and would call that handler again", "method", req.Method, "path", req.URL.EscapedPath())
			send(internalError(req), w, req.Method == http.MethodHead)
			return nil
		}
	}
	t := r.begin()
	switch {
	case r.front != nil && r.front.answer(w, req):
		return nil
	case t == nil:
		w.Header()["X-Content-Type-Options"] = nosniff
		send(r.faulty(req), w, req.Method == http.MethodHead)
	}
	return t
}

// begin compiles the application before it serves. The first call logs the faults. It
// returns nil if there are faults.
func (r *Router) begin() *table {
	t := r.compile()
	r.report.Do(func() {
		if t.err != nil {
			r.logger().Error("flow: the application has faults and answers 500 to everything", "faults", t.err.Error())
		}
		if t.warnings != nil && r.dev != nil {
			r.logger().Warn("flow: the command check warns", "warnings", t.warnings.Error())
		}
		r.readSettings()
		r.front = r.newFront()
	})
	if t.err != nil {
		return nil
	}
	if t.around == nil && r.front == nil {
		r.serving.Store(t)
	}
	return t
}

// faulty is the answer of an application that has faults.
func (r *Router) faulty(req *http.Request) Response {
	if r.dev != nil {
		if resp, shown := r.dev.showError(req, r.table.Load().err, nil); shown {
			return resp
		}
	}
	return internalError(req)
}

// logger returns r.Logger, or slog.Default.
func (r *Router) logger() *slog.Logger { return cmp.Or(r.Logger, slog.Default()) }
