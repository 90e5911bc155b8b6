package flow

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/input"
	"example.com/flow/internal/logging"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/reply"
	"example.com/flow/internal/server"
)

// Logger returns standard middleware that logs a line for each request once it is
// answered: method, path as it was escaped, pattern of the route, status, bytes of the
// body, duration (nanoseconds in JSON), and the id in its X-Request-Id, which RequestID
// sees to. If log is nil, it is the slog.Default() of that time. The level is Info,
// whatever the status: what failed is logged by the Router.
//
// A connection that was ended within an answer has aborted=true, and status 0 if
// nothing was sent; one that the handler took over has status 101. What a client
// sends cannot forge a line: the path is escaped, and queries and headers are not
// logged.
func Logger(log *slog.Logger) func(http.Handler) http.Handler { return logging.Logger(log) }

// RequestID is standard middleware that gives each request an id: the one in its
// header X-Request-Id, as a proxy may have set it, or else a random one. The id is in
// that header of the request from then on, for handlers and logs, and in the answer.
// An id that is longer than 128 bytes, or holds others than letters, digits and
// -._~:/+=@, is replaced.
func RequestID(next http.Handler) http.Handler { return logging.RequestID(next) }

// A stdMiddleware is standard middleware in the chains of one level: the Router, a directory,
// a file, a verb. It is constructed once, with the stdMiddleware itself as the next handler,
// whose ServeHTTP resumes the chain of the request that arrives.
type stdMiddleware struct {
	settings     *settings
	handler      http.Handler
	step         int             // its index in the chains of routes; in chains of 404 and the like it may have another
	needsContext bool            // it is neither RequestID nor Logger
	log          *logging.Logged // if it is Logger
}

// ServeHTTP is what standard middleware calls next. Middleware may go on with another
// request than it got, and in another goroutine, as http.TimeoutHandler does.
func (p *stdMiddleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if l, ok := r.Context().(*retained); ok && l.req.Request == r {
		// Middleware that follows middleware with the same request needs nothing of run.
		steps, i := l.endpoint.steps, p.step+1
		if i < len(steps) && steps[p.step].std == p && steps[i].std != nil && steps[i].std.needsContext && !l.failed() {
			steps[i].std.handler.ServeHTTP(w, r)
			return
		}
	}
	req, i := From(r.Context()), -1
	if req != nil {
		i = slices.IndexFunc(req.x.endpoint.steps, func(s step) bool { return s.std == p })
	}
	switch {
	case i < 0:
		p.settings.log().Error("flow: middleware went on with a request that lacks the context of the one it got", "method", r.Method, "path", r.URL.EscapedPath())
		reply.Undescribed(w.Header())
		send(internalError(r), w, r.Method == http.MethodHead)
		return
	case req.Request != r:
		req = &Request{Request: r, x: req.x, promises: req.promises}
	}
	req.x.run(w, req, i+1)
}

// A retained exchange is not used again, since net/http code may keep its request after the
// response: a handler that goes on in another goroutine, or a log that is written later. It
// holds all that flow makes for such a request, in one allocation, and is the context in
// which From finds the Request.
type retained struct {
	exchange
	context.Context               // of the request that has arrived
	arrived         *http.Request // the request itself, if no copy with this context was made
	tracker         reply.Writer
	room            [1]httprouter.Param // for the values, if there is just one
}

func (e *endpoint) newRetained() *retained {
	l := &retained{}
	l.settings, l.endpoint, l.retained = &e.table.settings, e, l
	l.req.x = &l.exchange
	return l
}

// Value returns the Request, or what the context around knows.
func (l *retained) Value(key any) any {
	if _, ok := key.(requestKey); ok {
		return &l.req
	}
	return l.Context.Value(key)
}

// String keeps what prints contexts from reading what others may be writing.
func (l *retained) String() string { return describeContext(l.Context) }

// serveRetained answers a request that target answers in the end: e itself, or an endpoint
// of a Router that it mounts.
func (e *endpoint) serveRetained(w http.ResponseWriter, r *http.Request, target *endpoint, values match.Values) {
	l := e.newRetained()
	l.values = append(l.room[:0], values...)
	l.Context = r.Context()
	hasBody := hasBody(r)
	if hasBody {
		server.ShareTrailer(r)
	}
	switch {
	case target != e:
		// Copies of the request share the map that holds the path values, and may be used
		// in other goroutines later. That is why the values are set now.
		l.target = target
		setPathValues(r, target.path, l.values)
		r = r.WithContext(l)
	case e.needsContext || hasBody:
		r = r.WithContext(l)
		if e.needsContext {
			setPathValues(r, e.path, l.values)
		}
	default: // there is nobody but a Logger, which is told the context
		l.arrived = r
	}
	l.req.Request = r
	if hasBody { // which is replaced in a copy only: see serve
		l.body = input.New(w, r, target.maxBody, target.keepsBody)
	}
	l.contain(l.tracker.Track(w))
}

// contain runs a chain, and contains panics here too, since standard middleware may panic
// and write by itself. It removes the files that a body may leave.
func (x *exchange) contain(w http.ResponseWriter, t *reply.Writer) {
	before := reply.Describe(w.Header())
	defer x.recoverChain(w, t, before)
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

// recoverChain contains a panic of middleware, and any other that nothing inside the
// chain has contained. Middleware that wrapped the writer, to compress the answer for
// example, has not finished its work. So its headers do not fit the error, and before
// restores what they were in front of the chain.
func (x *exchange) recoverChain(w http.ResponseWriter, t *reply.Writer, before reply.Description) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	err := &panicError{v, debug.Stack()}
	if t.Sent {
		x.log(&x.req, err)
		panic(http.ErrAbortHandler) // so that a truncated answer never looks whole
	}
	before.Restore(w.Header())
	x.fail(w, &x.req, err)
}

type requestKey struct{}

// From returns the Request that a standard handler or middleware answers, from
// the context of its *http.Request. It returns nil outside of a Router; inside a
// mounted Router it returns that Router's own Request.
func From(ctx context.Context) *Request {
	if l, ok := ctx.(*retained); ok { // quicker than to ask it
		return &l.req
	}
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// A requestContext is the context in which From finds a Request that middleware has made.
type requestContext struct {
	context.Context
	req *Request
}

// Value returns the Request, or what the context around knows.
func (c *requestContext) Value(key any) any {
	if _, ok := key.(requestKey); ok {
		return c.req
	}
	return c.Context.Value(key)
}

// String keeps what prints contexts from reading what others may be writing.
func (c *requestContext) String() string { return describeContext(c.Context) }

func describeContext(around context.Context) string {
	return fmt.Sprint(around) + ".WithValue(flow.Request)"
}

// serveLogged goes on with the chain at step i, within a Logger. Logger itself needs
// neither a copy of the request nor path values.
func (x *exchange) serveLogged(w http.ResponseWriter, req *Request, l *logging.Logged, i int) {
	if From(req.Context()) != req {
		req.bind() // middleware or a guard may have gone on with another request
	}
	defer removeFiles(req.Request)
	l.Around(req.Context(), w, req.Request, func(w http.ResponseWriter) { x.run(w, req, i) })
}

func setPathValues(r *http.Request, p *pattern.Pattern, values match.Values) {
	for i, name := range p.Names {
		if v := match.Value(p, values, i); r.PathValue(name) != v { // it may be set already
			r.SetPathValue(name, v)
		}
	}
}

func (x *exchange) sendHandler(w http.ResponseWriter, req *Request, resp Response) {
	if x.endpoint.poolable {
		x.kept = true
		x.values = slices.Clone(x.values)
	}
	w, t := reply.Track(w)
	t.Status = resp.status
	if !x.endpoint.needsContext {
		setPathValues(req.Request, x.endpoint.path, x.values)
	}
	x.serveStd(w, req, resp.more.data.(http.Handler), resp.header(), resp.kind == kindErrorHandler)
	if !t.Sent && t.Status != 0 {
		t.WriteHeader(int(t.Status))
	}
}

// serveStd runs a net/http handler with the given headers set, and contains its panics:
// one before the first byte is answered with 500 like any other, one after it aborts the
// connection. last says that h is what OnError has answered with: if h fails, OnError is
// not called again.
func (x *exchange) serveStd(w http.ResponseWriter, req *Request, h http.Handler, header []reply.Field, last bool) {
	w, t := reply.Track(w)
	before := reply.Describe(w.Header()) // what middleware has set, which may compress the answer
	reply.SetFields(w.Header(), header)
	_, err := x.try(req, func(*Request) (Response, error) {
		req.serve(w, h)
		return Response{}, nil
	})
	switch {
	case err == nil && (!x.failed() || t.Sent || last && t.Status != 0):
		return
	case t.Sent:
		x.log(req, err)
		panic(http.ErrAbortHandler)
	}
	t.Status = 0 // it was for the answer of h
	before.Restore(w.Header())
	err = x.finalError(req, err)
	if last {
		x.send(w, req, x.respond(req, err, nil))
		return
	}
	x.fail(w, req, err)
}

// serve runs net/http code with a request in whose context From finds r. It removes the
// files of a form that the code has parsed: this request may be a copy, and net/http
// only removes those of its own.
func (r *Request) serve(w http.ResponseWriter, h http.Handler) {
	r.bind()
	defer removeFiles(r.Request)
	h.ServeHTTP(w, r.Request)
}

// Context returns the context of the request. From finds r in it if the route has standard
// middleware other than RequestID, or a standard handler. It hides the method of the
// http.Request because a request that Logger alone looks at is not copied for that.
func (r *Request) Context() context.Context {
	if r.x != nil && r.x.retained != nil && r.x.retained.arrived == r.Request {
		return r.x.retained
	}
	return r.Request.Context()
}

// bind makes From find r in the context of its own request, before net/http code gets it.
func (r *Request) bind() {
	if From(r.Request.Context()) == r {
		return
	}
	ctx := r.Context()
	if From(ctx) != r {
		ctx = &requestContext{ctx, r}
	}
	r.Request = r.Request.WithContext(ctx)
}

func removeFiles(r *http.Request) {
	if r.MultipartForm != nil {
		r.MultipartForm.RemoveAll()
	}
}
