// Package flow is a file-based router. The files below a directory router/, embedded in the
// binary, are the routes of an application: the path of a file is its URL. A Go file of the
// same name registers the handlers of a route, one for each HTTP method.
//
//	app/router/users/[id].html      the route file: the page at /users/{id}
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
// The path of a route file below router/, without its extension, is its URL. The
// extension is .html for a page, or .http for an endpoint without a page; [Router.Formats] adds
// other extensions of pages.
//
//	index.html               /
//	about.html               /about
//	users/index.http         /users
//	users/store.http         /users, for POST only
//	users/[id].html          /users/{id}
//	blog/[year]/[slug].html  /blog/{year}/{slug}
//	(admin)/reports.html     /reports: a directory in parentheses is no part of the URL,
//	                         nor of the name of the counterpart, reports.go
//	[[lang]]/help.html       /help and /{lang}/help
//	docs/[...rest].html      /docs/a, /docs/a/b: one or more segments
//	wiki/[[...rest]].html    also /wiki
//	orders/[id=int].html     /orders/{id}, if the value is an int: see Router.Matchers
//
// Files and directories whose names begin with _ or . are not routes, except for the
// directory .well-known, nor are backups and the like of editors, such as index.html~. A file whose
// name begins with + is a template of its directory.
//
// # Matching
//
// If several files match a request, the most specific file that has a handler for the
// method answers. Paths are compared segment by segment from the left: literal text goes
// before a parameter, a parameter before a catch-all, and a parameter with a matcher before
// one without.
//
// A URL has one canonical spelling, without empty segments and without a slash at the end.
// Other spellings are redirected to it with 308.
//
// If a path has a file, but no handler for the method, HEAD is answered by the handler for
// GET, OPTIONS with 204, and any other method with 405. The last two have the header Allow.
//
// # Pages
//
// A page is an html/template. If it has no handler for GET, it is rendered without data.
// Otherwise the handler returns [Page] to render it with data. [View] renders any template
// of the tree by its path.
//
//	+layout.html      wraps the pages of its directory and below. {{template "content" .}} stands
//	                  where the page goes; {{block "title" .}}…{{end}} is a default that a page
//	                  replaces with {{define "title"}}
//	+error.html       renders errors for its directory and below, with .Status .Title .Detail .Path
//	users/+row.html   is a partial: any template may call {{template "users/+row" .}}
//
// Templates may call these functions, and those of Router.Funcs:
//
//	route     the URL of a named route: see Router.Route
//	asset     the URL of a public file: see Router.Asset
//	request   the *Request
//	user      the user of the request: see Router.Authenticate
//	nonce     the nonce of the answer: see Router.ContentSecurityPolicy
//	page      the *Entry of the page itself, if there are Router.Formats
//	pages     the pages below a directory: see Entries
//
// A form that is shown again is a [Form], and [Form.Field] is a field of it: its name, what was
// typed, and what is wrong with it.
//
// Pages may be written in other formats, such as Markdown. [Router.Formats] has a function of the
// application for each extension, which [FormatOf] takes; flow converts nothing itself. What the
// function finds in the text besides, such as a title and a date, is the data of the page and of
// its layouts, of a type that Check knows. [Source.Link] turns links between the files into URLs.
//
// Check renders a page once and for all if the page has no handler and calls neither
// request, user nor a function of Router.Funcs.
//
// # Public files
//
// The files below public/ are served as they are, with ETags, ranges and compression. The
// files app.css.br, app.css.zst and app.css.gz are compressed forms of app.css; text without
// such a file is compressed with gzip. [Router.Asset] returns URLs with a hash, whose
// responses caches keep for a year. Files and directories whose names begin with a dot are
// not served, except for .well-known.
//
// # Serving
//
// [Main] is a whole main function, with commands and flags to serve the application, to list
// its routes and to check it. [Run] is Main for an application that a function builds.
// [Serve] serves any http.Handler until a context ends. All three call the functions of
// [Router.OnStart] before the first request, stop gracefully, call the functions of
// [Router.OnStop], and close connections of clients that make no progress.
//
// [Router.Mount] adds other http.Handlers, and other Routers, below a prefix. [Logger] and
// [RequestID] are standard middleware: func(http.Handler) http.Handler. Any net/http handler
// and any standard middleware can be used.
//
// # Faults
//
// A fault is a mistake in the tree, its templates or the registrations. [Router.Check]
// returns all faults of an application at once, one per line, with file and line. A Router
// with faults answers every request with 500. In development, [Router.Dev] reads templates
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
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/server"
)

// A Router serves the route files and the public files of a tree. Set its fields before it
// serves: the first call of ServeHTTP or NewRequest reads them, and later changes have no
// effect. The first call of Check, Route, Routes, Asset, NewRequest or ServeHTTP compiles it.
// From then on it does not change, and is safe for concurrent use.
type Router struct {
	// Authenticate returns the user of a request, or nil, nil if there is none. A nil
	// pointer counts as no user. Request.User and Request.IsAuthenticated call it, at most
	// once for a request. If it returns an error, that error answers the request, whatever
	// guards and the handler return.
	Authenticate func(*Request) (user any, err error)

	// OnError returns the response to an error, unless Dir.OnError of a directory around the
	// request has returned one. It is called for
	//
	//   - an error that a handler, a guard or Authenticate returns
	//   - a panic
	//   - a response of Fail
	//   - a body that cannot be read
	//   - 404, 405 (Allow is set on the response of OnError), and 403 for a request from
	//     another origin
	//
	// but not for 412 and 416 of public files. If the error has a message for the client,
	// errors.As finds an *HTTPError. If the response of OnError has no status, it gets that
	// of StatusOf. The zero Response stands for the default: an HTTPError answers with its
	// status and message, an Invalid with 422, an error with a method HTTPStatus() int with
	// that status, and any other error with 500 and no detail.
	//
	// The Router logs errors itself: any panic, any error that is answered with 500 or
	// above, and an error with another status if it has a cause that the client is not told.
	OnError func(*Request, error) Response

	// Translate returns the text of a message of flow in the language of a request, or "" for
	// the English one: what is wrong with a field or a body, the name of a status, what
	// +error.html gets. docs/errors.md lists the codes. The message "lang" asks for the
	// language of the page about an error that flow makes itself, such as "de".
	//
	// It is called once for each message that an answer has, for messages about fields when
	// Bind returns or a Form is filled. Messages of the application, such as those of Error and
	// of Validate, are not translated, nor what development shows and what is logged, and
	// neither is what no Router answers. A mounted Router has its own Translate. If Translate
	// panics, the message stays in English; the first panic is logged. It must be safe for
	// concurrent use.
	Translate func(*Request, Message) string

	// Logger logs errors, with the details that clients must not see. If it is nil, the
	// Router uses slog.Default().
	Logger *slog.Logger

	// MaxBody is the largest body of a request, in bytes. 0 means 10 MiB. JSON may hold one
	// value for each 64 bytes of MaxBody, or 10,000 values if that is more; each list, each
	// object and each member of one counts. JSON may be nested 200 deep. Verb.MaxBody sets
	// the limits for one route.
	MaxBody int64

	// Funcs are functions for templates, in addition to route, asset, request, user, nonce and
	// dict, and with Formats page and pages. The error of a function is answered like the error of a handler.
	Funcs template.FuncMap

	// Formats has the formats of pages beside .html, by the extensions of their files: with
	// ".md", router/docs/intro.md is the page /docs/intro. A Format converts the text of such a
	// page to HTML. All else is as for an .html page: layouts, handlers, links, rendered once.
	// The data of a page without a handler for GET, and of one that a handler gives none, are what
	// its Format has found in the text. All formats of a Router have one type of that.
	//
	// An .html page may have front matter, too: if there is one format, that reads the text of
	// {{define "front matter"}} as if it were a page, whose HTML is not used. See Entry.
	Formats map[string]Format

	// ContentSecurityPolicy is the Content-Security-Policy of all HTML that the Router answers
	// with: pages, error pages, Response.HTML, and what net/http code writes; not of public
	// files. If it is "", there is none. For example:
	//
	//	default-src 'self'; script-src 'nonce' 'strict-dynamic'; object-src 'none'; base-uri 'none'
	//
	// In each answer, 'nonce' is replaced by a new 'nonce-…'. {{nonce}} in a template, and
	// Request.Nonce, return that nonce: <script nonce="{{nonce}}">. A page that is rendered
	// once has, in place of a nonce, the hashes of its inline scripts and styles. If the nonce
	// stands elsewhere in such a page, as in a script with src, the page is rendered for each
	// request.
	//
	// A Content-Security-Policy that a handler or middleware sets goes before this one. Check
	// reports a policy that browsers would misunderstand, and {{nonce}} without a 'nonce'.
	ContentSecurityPolicy string

	// Matchers adds matchers by name: the file [lang=fr].html answers a request only if
	// Matchers["fr"] returns true for the value of lang, which is unescaped. If it returns
	// false, the router behaves as if the file did not exist. The built-in matchers are int
	// (a decimal int64), uuid (RFC 9562), date (2006-01-02) and slug (words of lower-case
	// ASCII letters and digits, joined by single hyphens); a matcher of such a name replaces
	// the built-in one. OneOf makes a matcher of a list. Matchers must be quick, and safe for
	// concurrent use. If one panics, the value does not match; the first panic is logged.
	Matchers map[string]func(value string) bool

	// CrossOrigin refuses unsafe requests from other origins with 403. The zero value
	// refuses all of them; its methods add trusted origins and bypass patterns.
	CrossOrigin http.CrossOriginProtection

	tree     *routetree.Tree // only with its Dir, Files and Shared until compile parses them, since Formats is a field
	app      *application    // nil if no static calls register for this Router
	own      registrations
	mounts   []*Mounted
	provided []any
	dev      *routerInDev            // nil unless Dev was called
	front    *devFront               // nil unless Dev was called for this Router or for one mounted inside; set by begin
	mounted  atomic.Pointer[Mounted] // the mount of this Router; nil if it is not mounted
	compiled sync.Mutex
	// keepsCompiler: compile keeps the registrations, for the command routes -explain.
	keepsCompiler bool
	// forChecksOnly: compile keeps what it has read of templates, and no pages, for the commands
	// check and manifest.
	forChecksOnly bool
	building      atomic.Bool // compile runs; code of the application that it calls may call Route
	table         atomic.Pointer[table]
	serving       atomic.Pointer[table] // the table without faults that ServeHTTP uses; nil before begin, in development, and if this Router is mounted
	logFaultsOnce sync.Once             // by begin
	hooks         server.Hooks          // the functions of OnStart and OnStop
	logHooksOnce  sync.Once             // by reportHooks
}

var _ http.Handler = (*Router)(nil)

// At returns the route file at a path below router/, without extension: "users/[id]".
// The path may leave out groups: "users" is also (admin)/users. A path that is not in the
// tree is a fault.
func (r *Router) At(path string) *File { return &File{r.own.At(fault.Caller(0), path)} }

// In returns the directory at a path below router/: "users", "(admin)", or "" for all route
// files. Its middleware runs, and its OnError is asked, for the route files below the
// directory, and for the route file beside the directory that has the same name: In("users")
// includes users.html. It runs for files, not for URLs that look alike.
//
// The path may leave out groups: "users" means both users/ and (admin)/users/, and
// "(admin)/users" only the latter. A path that is not in the tree is a fault.
func (r *Router) In(path string) *Dir { return &Dir{r.own.In(fault.Caller(0), path)} }

// Use adds middleware for the whole application, in the forms of File.Use. Guards run for
// route files and mounted handlers only. Standard middleware also wraps public files, and
// the answers that no handler gives: 404, 405, redirects, OPTIONS.
func (r *Router) Use(middleware ...any) {
	r.own.Use(fault.Caller(0), "Use", middleware, parseMiddleware)
}

// Provide makes values available to the functions of With, which ask for them by type. It
// returns r. A nil value is a fault.
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

// Check compiles the application, once, and returns its faults as one error, one fault per
// line. It returns nil if there are none. To register anything after Check panics. Check
// calls the functions of With and constructs standard middleware; these must not call Check.
//
// Static calls, such as flow.In, in a directory that has not called New are a fault of every
// Router in the program, since their guards would guard nothing: call New there before the
// first Check. A Router that a test file has made does not look at other directories.
func (r *Router) Check() error { return r.compile().err }

// compile returns the table of the Router. The first call makes it.
func (r *Router) compile() *table {
	if t := r.table.Load(); t != nil {
		return t
	}
	if outer := r.outer(); outer != nil { // the outermost Router also compiles those mounted inside it
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

// NewRequest returns a Request of the Router, for a test that calls a handler directly. The
// method and the URL of req select the route, and so the parameters and the page. Neither
// middleware nor the handler of the route is called. If no route answers, the Request has no
// page, and only the parameters of the prefix that the Router is mounted at. Its user is
// that of Authenticate, unless WithUser sets another. NewRequest panics if the application
// has faults.
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

// nosniff is the value of X-Content-Type-Options. It keeps browsers from guessing a media
// type, and so from running an uploaded text as a script. Each answer has it, unless a
// handler or middleware removes it: endpoint.answer, table.miss and Router.start set it first.
var nosniff = []string{"nosniff"}

// ServeHTTP answers a request.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	t := r.serving.Load()
	if t == nil {
		if t = r.start(w, req); t == nil {
			return
		}
	}
	t.matcher.ServeHTTP(w, req)
}

// start returns the table for a request while r.serving is nil: for the first request, for
// each request in development, and for a request that is passed to a mounted Router, which
// the outermost Router answers. It returns nil if it has answered the request itself.
func (r *Router) start(w http.ResponseWriter, req *http.Request) *table {
	if r.outer() != nil {
		r = r.outermost()
		if within := From(req.Context()); within != nil && within.x.endpoint.table != nil && within.x.endpoint.table.outermost() == r.table.Load() && within.URL.Path == req.URL.Path {
			r.logger().Error("flow: a handler has called a mounted Router, which answers at its prefix only, and would call that handler again", "method", req.Method, "path", req.URL.EscapedPath())
			send(r.table.Load().settings.internalError(req), w, req.Method == http.MethodHead)
			return nil
		}
	}
	r.reportHooks(req.Context())
	t := r.begin()
	switch {
	case r.front != nil && r.answerInDev(w, req):
		return nil
	case t == nil:
		w.Header()["X-Content-Type-Options"] = nosniff
		send(r.faulty(req), w, req.Method == http.MethodHead)
	}
	return t
}

// begin compiles the application and returns its table, or nil if there are faults. The
// first call logs faults and warnings, and reads the settings.
func (r *Router) begin() *table {
	t := r.compile()
	r.logFaultsOnce.Do(func() {
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

// faulty returns the response of an application with faults.
func (r *Router) faulty(req *http.Request) Response {
	if r.dev != nil {
		if resp, shown := r.dev.showError(req, r.table.Load().err, nil); shown {
			return resp
		}
	}
	return r.table.Load().settings.internalError(req)
}

// logger returns r.Logger, or slog.Default.
func (r *Router) logger() *slog.Logger { return cmp.Or(r.Logger, slog.Default()) }
