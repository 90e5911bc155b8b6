package flow

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/serve/wire/logging"
	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/serve/wire/server"
)

// Logger returns standard middleware that logs a line for each request after its answer.
// The line has the method, the escaped path, the pattern of the route, the status, the
// bytes of the response body, the duration (in nanoseconds if the line is JSON), and the
// request's X-Request-Id, which [RequestID] sets. If log is nil, Logger uses the
// slog.Default() at that time. The level is always Info: errors are logged by the Router.
//
// If the connection was closed before the answer was complete, the line has aborted=true,
// and status 0 if nothing was sent. If the handler hijacked the connection, the status is
// 101. A client cannot forge a line: the path is escaped, and neither the query nor headers
// are logged.
//
// except are paths of URLs whose requests are not logged, such as those of health checks and
// metrics: "/livez" is one path, and "/assets/" stands for all paths that begin with it. Only
// "/" is one path, too. A status of 500 or above and an aborted answer are logged all the same.
// A path that does not begin with a slash is a fault.
func Logger(log *slog.Logger, except ...string) func(http.Handler) http.Handler {
	return logging.Logger(log, except...)
}

// RequestID is standard middleware that gives each request an id. It keeps the id in the
// request's header X-Request-Id, which a proxy may have set, and otherwise makes a random
// one. It sets X-Request-Id of both the request and the response. An id of more than 128
// bytes, or with bytes other than letters, digits and -._~:/+=@, is replaced.
func RequestID(next http.Handler) http.Handler { return logging.RequestID(next) }

// A stdMiddleware is one registered standard middleware, in all chains that it is a step of.
// It is constructed once, with the stdMiddleware itself as the next handler: its ServeHTTP
// resumes the chain of the request that it is given.
type stdMiddleware struct {
	settings     *settings
	handler      http.Handler    // as constructed
	step         int             // its index in the chains of routes; in those of 404 and the like it may be another
	needsContext bool            // it is neither RequestID nor Logger
	log          *logging.Logged // the handler, if it is that of Logger
}

// ServeHTTP is called by the middleware, as its next handler. Middleware may pass another
// request than it was given, and call from another goroutine, as http.TimeoutHandler does.
func (m *stdMiddleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if x, ok := r.Context().(*retained); ok && x.req.Request == r {
		// The request is the one that run has passed to the middleware. If the next step is
		// standard middleware too, run would do nothing but call it.
		steps, i := x.endpoint.steps, m.step+1
		if i < len(steps) && steps[m.step].std == m && steps[i].std != nil && steps[i].std.needsContext && !x.failed() {
			steps[i].std.handler.ServeHTTP(w, r)
			return
		}
	}
	req, i := From(r.Context()), -1
	if req != nil {
		i = slices.IndexFunc(req.x.endpoint.steps, func(s step) bool { return s.std == m })
	}
	switch {
	case i < 0:
		m.settings.log().Error("flow: middleware went on with a request that lacks the context of the one it got", "method", r.Method, "path", r.URL.EscapedPath())
		reply.DropDescription(w.Header())
		send(m.settings.internalError(r), w, r.Method == http.MethodHead)
		return
	case req.Request != r:
		req = &Request{Request: r, x: req.x, promises: req.promises}
	}
	req.x.run(w, req, i+1)
}

// A retained is an exchange that is not pooled, because net/http code may keep the request
// after the response: in a goroutine of a handler, for example. It holds all that flow
// allocates for such a request, in one piece, and is the context in which From finds the
// Request.
type retained struct {
	exchange
	context.Context               // of the request that the server has passed to the Router
	arrived         *http.Request // that request, if it was not copied to give it this context
	tracker         reply.Writer
	room            [1]httprouter.Param // memory for values, enough if there is one
}

func (e *endpoint) newRetained() *retained {
	x := &retained{}
	x.settings, x.endpoint, x.retained = &e.table.settings, e, x
	x.req.x = &x.exchange
	return x
}

// serveRetained answers a request with an exchange that is not pooled, and begins with the
// chain of e. The target is e itself, or an endpoint of a Router that e mounts.
func (e *endpoint) serveRetained(w http.ResponseWriter, r *http.Request, target *endpoint, values match.Values) {
	x := e.newRetained()
	x.values = append(x.room[:0], values...)
	x.Context = r.Context()
	hasBody := input.HasBody(r)
	if hasBody {
		server.ShareTrailer(r)
	}
	switch {
	case target != e:
		// All copies of the request share the map of the path values, and other goroutines
		// may use a copy later. So the values are set before there is a copy.
		x.target = target
		match.SetPathValues(r, target.path, x.values)
		r = r.WithContext(x)
	case e.way == wayRetained || hasBody:
		r = r.WithContext(x)
		if e.way == wayRetained {
			match.SetPathValues(r, e.path, x.values)
		}
	default: // only a Logger needs the context, and serveLogged passes it
		x.arrived = r
	}
	x.req.Request = r
	if hasBody { // r is a copy: see serve
		x.body = target.newBody(w, r)
	}
	x.contain(x.tracker.Track(w))
}

// contain runs the chain of an exchange that is not pooled. It recovers panics, since
// standard middleware may panic, and answers with the failure of the exchange if the
// middleware has sent nothing. It removes the files of a multipart form.
func (x *exchange) contain(w http.ResponseWriter, t *reply.Writer) {
	before := reply.Describe(w.Header())
	defer x.recoverChain(w, t, before)
	if x.watchesHeader() && t.Before == nil {
		t.Before = x.beforeHeader
	}
	if x.body != nil {
		defer x.body.End()
	}
	x.run(w, &x.req, 0)
	switch f := x.failure.Load(); {
	case f == nil:
	case !t.Sent:
		before.Restore(w.Header())
		x.fail(w, &x.req, f.report())
	case !f.reported.Load():
		x.log(&x.req, f.report())
	}
}

// recoverChain recovers a panic of middleware, and any other that was not recovered inside
// the chain. It answers with 500, or aborts the connection if something was sent. Middleware
// that wraps the writer, to compress the answer for example, has not finished, and its
// headers do not fit the error. So recoverChain restores those before the chain.
func (x *exchange) recoverChain(w http.ResponseWriter, t *reply.Writer, before reply.Description) {
	v := recover()
	if v == nil {
		return
	}
	err := reply.Recovered(v)
	if t.Sent {
		x.log(&x.req, err)
		panic(http.ErrAbortHandler) // the client must see that the answer is truncated
	}
	before.Restore(w.Header())
	x.fail(w, &x.req, err)
}

type requestKey struct{}

// From returns the Request of a net/http handler or standard middleware. ctx is the
// context of its *http.Request. From returns nil if no Router has passed on the request.
// Within a mounted Router it returns the Request of that Router.
func From(ctx context.Context) *Request {
	if x, ok := ctx.(*retained); ok { // quicker than x.Value
		return &x.req
	}
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// Value returns the Request for the key of From. It passes other keys to the embedded
// context.
func (x *retained) Value(key any) any {
	if _, ok := key.(requestKey); ok {
		return &x.req
	}
	return x.Context.Value(key)
}

// String describes the context without its Request. Without this method, code that prints a
// context would read fields that other goroutines may be writing.
func (x *retained) String() string { return fmt.Sprint(x.Context) + ".WithValue(flow.Request)" }

// serveLogged runs the chain from step i on, and has l log the answer. A Logger needs
// neither a copy of the request nor path values.
func (x *exchange) serveLogged(w http.ResponseWriter, req *Request, l *logging.Logged, i int) {
	if From(req.Context()) != req {
		req.bind() // middleware has passed on another request, or a guard has replaced it
	}
	defer removeFiles(req.Request)
	l.Around(req.Context(), w, req.Request, func(w http.ResponseWriter) { x.run(w, req, i) })
}

// sendHandler answers with the http.Handler of a Response.
func (x *exchange) sendHandler(w http.ResponseWriter, req *Request, resp Response) {
	if x.endpoint.way <= wayPooled {
		x.kept = true
		x.values = slices.Clone(x.values)
	}
	w, t := reply.Track(w)
	t.Status = resp.status
	if x.retained == nil && x.watchesHeader() {
		t.Before = x.beforeHeader
	}
	if x.endpoint.way != wayRetained {
		match.SetPathValues(req.Request, x.endpoint.path, x.values)
	}
	x.serveStd(w, req, resp.more.data.(http.Handler), resp.header(), resp.kind == kindErrorHandler)
	if !t.Sent && t.Status != 0 {
		t.WriteHeader(int(t.Status))
	}
}

// serveStd runs a net/http handler after it has set the given headers. A panic before the
// first byte is answered with 500; a later one aborts the connection. If fromOnError is set,
// h comes from the Response of an OnError: its failure is answered without another call of
// one.
func (x *exchange) serveStd(w http.ResponseWriter, req *Request, h http.Handler, header []reply.Field, fromOnError bool) {
	w, t := reply.Track(w)
	before := reply.Describe(w.Header()) // as middleware has set it, which may compress the answer
	reply.SetFields(w.Header(), header)
	_, err := x.try(req, func(*Request) (Response, error) {
		req.serve(w, h)
		return Response{}, nil
	})
	switch {
	case err == nil && (!x.failed() || t.Sent || fromOnError && t.Status != 0):
		return
	case t.Sent:
		x.log(req, err)
		panic(http.ErrAbortHandler)
	}
	t.Status = 0 // it belonged to the answer of h
	before.Restore(w.Header())
	err = x.finalError(req, err)
	if fromOnError {
		x.send(w, req, x.respond(req, err, nil))
		return
	}
	x.fail(w, req, err)
}

// serve calls a net/http handler with a request in whose context From finds r. Then it
// removes the files of a multipart form that the handler has parsed: the server does so for
// its own request alone, and this one may be a copy.
func (r *Request) serve(w http.ResponseWriter, h http.Handler) {
	r.bind()
	defer removeFiles(r.Request)
	h.ServeHTTP(w, r.Request)
}

// Context returns the context of the request. From finds r in that context if the route
// has a net/http handler, or standard middleware other than RequestID.
func (r *Request) Context() context.Context {
	// If Logger is the only net/http code, the http.Request was not copied to give it the
	// context.
	if r.x != nil && r.x.retained != nil && r.x.retained.arrived == r.Request {
		return r.x.retained
	}
	return r.Request.Context()
}

// bind sees to it that From finds r in the context of r.Request, before net/http code gets
// that request.
func (r *Request) bind() {
	if From(r.Request.Context()) == r {
		return
	}
	ctx := r.Context()
	if From(ctx) != r {
		ctx = context.WithValue(ctx, requestKey{}, r)
	}
	r.Request = r.Request.WithContext(ctx)
}

// removeFiles removes the files of a multipart form that was parsed.
func removeFiles(r *http.Request) {
	if r.MultipartForm != nil {
		r.MultipartForm.RemoveAll()
	}
}
