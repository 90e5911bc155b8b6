package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/input"
	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"

	"example.com/flow/internal/match"

	"example.com/flow/internal/reply"

	"example.com/flow/internal/forms"

	"example.com/flow/internal/logging"

	"example.com/flow/internal/server"
)

// An endpoint is what answers one method of one pattern, compiled: its chain of
// middleware and its handler.
type endpoint struct {
	table   *table // of its Router
	owner   *owner
	pattern string           // for http.Request.Pattern; "" if nothing matched
	path    *pattern.Pattern // the one that matched
	steps   []step
	handler handler
	maxBody int64
	// pure: there are only guards and flow's own handler forms, so nothing that
	// could outlive the response holds the Request, and it is used again.
	pure bool
	// direct: pure, and no middleware at all.
	direct bool
	// setsPathValues: a net/http handler or middleware could ask for them.
	setsPathValues bool
	// keepsBody: a guard or a handler could ask for the body after others.
	keepsBody bool
	miss      bool // nothing matched: the body is none of ours
	// refused holds why redirects were refused, as far as it was logged.
	refused uint32

	around *endpoint // the mount, if its Router is inside another one, whose chain runs first
	inner  *Router   // of a mount, if a Router is mounted
}

// An owner is a file, or what is mounted: its endpoints share it.
type owner struct {
	file     string           // or where Mount was called, for messages
	route    *routetree.Route // nil for public files, for what is mounted and for what matched nothing
	standard []step           // standard middleware down to the file: what 405 and OPTIONS run through
}

// isPage reports whether the endpoint is one of a page's route file.
func (e *endpoint) isPage() bool { return e.owner.route != nil && e.owner.route.Page }

// A step is one piece of middleware of a chain: a guard, or the standard
// middleware of a place.
type step struct {
	guard flowFunc
	place *place
}

// A place is where standard middleware was registered. It is constructed once,
// around the place itself, whose ServeHTTP goes on with the chain of whatever
// request arrives.
type place struct {
	router  *Router
	handler http.Handler
}

// ServeHTTP is what standard middleware calls next. The request may be another
// one than the middleware got, and the goroutine too (http.TimeoutHandler).
func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := From(r.Context())
	i := -1
	if req != nil {
		i = slices.IndexFunc(req.x.endpoint.steps, func(s step) bool { return s.place == p })
	}
	if i < 0 {
		p.router.logger().Error("flow: middleware went on with a request that lacks the context of the one it got", "method", r.Method, "path", r.URL.EscapedPath())
		reply.Undescribed(w.Header())
		problemResponse(reply.Problem{Status: http.StatusInternalServerError}, accept.MediaType(acceptOf(r), false)).send(w, r.Method == http.MethodHead)
		return
	}
	if req.Request != r {
		req = &Request{Request: r, x: req.x, promises: req.promises}
	}
	req.x.run(w, req, i+1)
}

// An exchange is one request on its way through the chain, and its answer.
type exchange struct {
	endpoint *endpoint
	values   match.Values // of its parameters: httprouter's own, which it uses again
	target   *endpoint    // what answers in the end, if endpoint is a mount
	router   *Router
	req      Request
	lent     bool        // a Handler has got hold of the Request
	over     atomic.Bool // under the race detector: the response was written

	auth   auth
	body   *input.Body // nil if the request has none
	failed atomic.Bool // Authenticate, or reading the body: see failure
	told   atomic.Bool // it was answered, or logged
}

// auth is what Authenticate answered.
type auth struct {
	once sync.Once // for asking, which may take long and may Clone the Request, and so does not hold mu
	mu   sync.Mutex
	done bool
	user any
	err  error
}

// user asks Authenticate once. A panic of it is its error.
func (x *exchange) user(req *Request) any {
	a := &x.auth
	a.once.Do(func() {
		user, err := any(nil), error(http.ErrAbortHandler) // stays, if it panics with that
		defer func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.done = true
			switch {
			case err != nil:
				a.err = err
				x.failed.Store(true)
			case !forms.IsNil(user):
				a.user = user
			}
		}()
		user, err = x.authenticate(req)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.user
}

func (x *exchange) authenticate(req *Request) (user any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = recovered(v)
		}
	}()
	return x.router.Authenticate(req)
}

// failure returns the error that answers the request no matter what was returned:
// of Authenticate, or of a body that a guard or a net/http handler asked for.
// Whoever asks answers with it or logs it.
func (x *exchange) failure() error {
	x.told.Store(true)
	x.auth.mu.Lock()
	err := x.auth.err
	x.auth.mu.Unlock()
	if err == http.ErrAbortHandler { // a template asked, and contains all panics
		panic(err)
	}
	if err != nil {
		return fmt.Errorf("flow: Authenticate failed: %w", err)
	}
	return x.body.Err()
}

func (x *exchange) clone() *exchange {
	c := &exchange{router: x.router}
	c.endpoint = x.endpoint
	c.values = slices.Clone(x.values)
	x.auth.mu.Lock()
	if x.auth.done {
		c.auth.once.Do(func() {})
		c.auth.done, c.auth.user, c.auth.err = true, x.auth.user, x.auth.err
	}
	x.auth.mu.Unlock()
	c.body = x.body.Clone()
	return c
}

// vantage returns where the request asks for URLs.
func (x *exchange) vantage() vantage { return vantage{x.endpoint.path.Segments, x.values} }

// begin answers a request with an endpoint, after the chains of the Routers around.
func (e *endpoint) begin(w http.ResponseWriter, r *http.Request, values match.Values) {
	outermost := e
	for outermost.around != nil {
		outermost = outermost.around
	}
	if !outermost.pure {
		values = slices.Clone(values) // a net/http handler may outlive the request
	}
	x := outermost.table.pool.Get().(*exchange)
	x.endpoint, x.values = outermost, values
	if outermost != e {
		// Copies of the request, of which some may be in other goroutines by and by,
		// share the map that holds the path values: so they are set now.
		x.target = e
		setPathValues(r, e.path, values)
	}
	if x.serve(w, r) {
		outermost.table.recycle(x)
	}
}

// enter goes on with the chain of the Router inside, or of the one that is inside that.
func (x *exchange) enter(w http.ResponseWriter, r *http.Request) {
	e := x.target
	for e.around != x.endpoint {
		e = e.around
	}
	inner := e.table.pool.Get().(*exchange) // not put back: it holds what may outlive the request
	inner.endpoint, inner.values, inner.target, inner.body = e, x.values, x.target, x.body
	inner.req.Request = r
	if outer := From(r.Context()); outer != nil && outer.x == x {
		inner.req.promises = outer.promises
	}
	inner.serveChain(w, r)
}

// serve answers the request, and reports whether the exchange may be used again.
func (x *exchange) serve(w http.ResponseWriter, r *http.Request) (reusable bool) {
	e := x.endpoint
	if e.handler.content != nil && len(e.steps) == 0 {
		e.handler.serveContent(w, r)
		return true
	}
	x.req.Request = r
	if hasBody(r) {
		// The server's own request keeps its body, by which net/http tells whether the
		// client still waits to be told to send it, and whether what follows it on the
		// connection can be the next request.
		server.ShareTrailer(r)
		r = r.WithContext(r.Context())
		x.req.Request = r
		answers := cmp.Or(x.target, e) // what is mounted has the limit of what answers there
		x.body = input.New(w, r, answers.maxBody, answers.keepsBody)
	}
	if !e.direct || x.body != nil {
		x.serveChain(w, r)
		return e.pure && !x.lent
	}
	// The short way, for what most requests are.
	resp, err := x.try(&x.req, e.handler.flow)
	if err == nil && !x.failed.Load() && resp.isPlain() && r.Method != http.MethodHead {
		w.Header()["Content-Type"] = textType
		io.WriteString(w, resp.text)
		return true
	}
	x.conclude(w, &x.req, resp, err)
	return !x.lent
}

// serveChain runs a chain. Guards and flow's own handler forms without a body need
// no more; standard middleware may panic or write by itself, and a body may leave
// files to be removed.
func (x *exchange) serveChain(w http.ResponseWriter, r *http.Request) {
	if x.endpoint.pure && x.body == nil {
		x.run(w, &x.req, 0) // contains its guards and its handler
		return
	}
	w, t := reply.Track(w)
	before := reply.Describe(w.Header())
	defer x.recoverChain(w, t, &before)
	defer x.body.End()
	if x.endpoint.setsPathValues {
		setPathValues(r, x.endpoint.path, x.values)
	}
	if !x.endpoint.pure {
		x.req.bind()
	}
	x.run(w, &x.req, 0)
	switch {
	case !x.failed.Load():
	case !t.Sent:
		before.Restore(w.Header())
		x.fail(w, &x.req, x.failure())
	case !x.told.Load():
		x.log(&x.req, x.failure())
	}
}

// recoverChain contains a panic of middleware, and of anything else that was not
// contained closer by. Whatever wrapped the writer is gone by now, and so is what it
// was to do to the answer: only what was said before the chain holds.
func (x *exchange) recoverChain(w http.ResponseWriter, t *reply.Writer, before *reply.Description) {
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

func setPathValues(r *http.Request, p *pattern.Pattern, values match.Values) {
	for i, name := range p.Names {
		if v := match.Value(p, values, i); r.PathValue(name) != v { // it may be set already
			r.SetPathValue(name, v)
		}
	}
}

// run goes on with the chain at step i.
func (x *exchange) run(w http.ResponseWriter, req *Request, i int) {
	if x.failed.Load() { // middleware asked, and went on all the same
		x.fail(w, req, x.failure())
		return
	}
	steps := x.endpoint.steps
	for ; i < len(steps); i++ {
		if p := steps[i].place; p != nil {
			req.serve(w, p.handler)
			return
		}
		resp := x.protect(req, steps[i].guard)
		if resp.kind == kindNext {
			req.promise(w.Header(), resp.header())
			continue
		}
		if resp.isZero() {
			resp = x.respondError(req, errors.New("flow: a guard returned the zero Response: return flow.Next() to go on"))
		}
		if form := req.MultipartForm; form != nil { // the guard's own parsing
			defer form.RemoveAll()
		}
		x.send(w, req, resp)
		return
	}
	x.answer(w, req)
}

// answer runs the handler, after the chain.
func (x *exchange) answer(w http.ResponseWriter, req *Request) {
	e := x.endpoint
	if e.handler.content != nil {
		e.handler.serveContent(w, req.Request)
		return
	}
	if e.inner != nil {
		x.serveStd(w, req, http.HandlerFunc(x.enter), nil, false)
		return
	}
	if e.handler.std != nil {
		x.body.Stream()
		x.serveStd(w, req, e.handler.std, nil, false)
		return
	}
	if x.body != nil && !e.miss && x.readBody(req.Request, true) != nil {
		x.fail(w, req, x.failure())
		return
	}
	resp, err := x.try(req, e.handler.flow)
	x.conclude(w, req, resp, err)
}

// conclude sends what a handler returned.
func (x *exchange) conclude(w http.ResponseWriter, req *Request, resp Response, err error) {
	switch {
	case err != nil || x.failed.Load():
		resp = x.respondFailure(req, err)
	case resp.kind == kindNext:
		resp = x.respondError(req, errors.New("flow: a handler returned Next(), which is for guards"))
	}
	x.send(w, req, resp)
}

// protect calls a guard or a handler and returns its response, encoded. An error
// or a panic becomes the response for it.
func (x *exchange) protect(req *Request, f flowFunc) Response {
	resp, err := x.try(req, f)
	if err != nil || x.failed.Load() {
		return x.respondFailure(req, err)
	}
	return resp
}

// respondFailure returns the response for err, or for a failure that goes before it.
func (x *exchange) respondFailure(req *Request, err error) Response {
	if !x.failed.Load() {
		return x.respondError(req, err)
	}
	failure := x.failure()
	if err != nil && !errors.Is(err, failure) {
		x.log(req, err)
	}
	return x.respondError(req, failure)
}

func (x *exchange) try(req *Request, f flowFunc) (resp Response, err error) {
	returned := false
	defer func() {
		if returned {
			return // recover costs more than asking
		}
		if v := recover(); v != nil {
			err = recovered(v)
		}
	}()
	resp, err = f(req)
	if err == nil && !resp.encoded() {
		resp, err = resp.encode(req)
	}
	returned = true
	return resp, err
}

// recovered turns a panic into an error, other than the one that means to end
// the connection.
func recovered(v any) error {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	return &panicError{v, debug.Stack()}
}

// send writes an encoded response.
func (x *exchange) send(w http.ResponseWriter, req *Request, resp Response) {
	if resp.more != nil && resp.more.toError {
		req.withdraw(w.Header())
	}
	if resp.kind == kindHandler || resp.kind == kindErrorHandler {
		x.sendHandler(w, req, resp)
		return
	}
	resp.send(w, req.Method == http.MethodHead)
}

func (x *exchange) sendHandler(w http.ResponseWriter, req *Request, resp Response) {
	if x.endpoint.pure {
		x.lent = true
		x.values = slices.Clone(x.values)
	}
	w, t := reply.Track(w)
	t.Status = int(resp.status)
	if !x.endpoint.setsPathValues {
		setPathValues(req.Request, x.endpoint.path, x.values)
	}
	x.serveStd(w, req, resp.more.data.(http.Handler), resp.header(), resp.kind == kindErrorHandler)
	if !t.Sent && t.Status != 0 {
		t.WriteHeader(t.Status)
	}
}

// serveStd runs a net/http handler under the given headers, contained: a panic before
// the first byte is a 500 like any other, one after it aborts the connection. last says
// that h is OnError's own answer: it is not asked again.
func (x *exchange) serveStd(w http.ResponseWriter, req *Request, h http.Handler, header []headerField, last bool) {
	w, t := reply.Track(w)
	before := reply.Describe(w.Header()) // of middleware, which may compress
	setHeader(w.Header(), header)
	_, err := x.try(req, func(*Request) (Response, error) {
		req.serve(w, h)
		return Response{}, nil
	})
	if err == nil {
		if !x.failed.Load() || t.Sent || last && t.Status != 0 {
			return
		}
		err = x.failure()
	}
	if t.Sent {
		x.log(req, err)
		panic(http.ErrAbortHandler)
	}
	t.Status = 0 // it was for h
	before.Restore(w.Header())
	if last {
		x.send(w, req, x.plainError(req, err, false))
		return
	}
	x.fail(w, req, err)
}

// serve runs net/http code with a request that From finds r in. The server knows
// nothing of the files that are parsed into copies of its request.
func (r *Request) serve(w http.ResponseWriter, h http.Handler) {
	r.bind()
	req := r.Request
	defer func() {
		if req.MultipartForm != nil {
			req.MultipartForm.RemoveAll()
		}
	}()
	h.ServeHTTP(w, req)
}

// fail answers with an error.
func (x *exchange) fail(w http.ResponseWriter, req *Request, err error) {
	x.send(w, req, x.respondError(req, err))
}

// respondError returns the encoded response for an error: that of Router.OnError,
// else the one that the error stands for. A panic is logged in any case, other
// errors only if OnError left them to the default.
func (x *exchange) respondError(req *Request, err error) Response {
	var panicked *panicError
	if errors.As(err, &panicked) {
		x.log(req, err)
	}
	before := x.failed.Load()
	if x.router != nil && x.router.OnError != nil {
		resp, failed := x.try(req, func(r *Request) (Response, error) { return x.router.OnError(r, err), nil })
		if failed != nil {
			x.log(req, fmt.Errorf("OnError: %w", failed))
		}
		switch {
		case !before && x.failed.Load(): // a page has asked who the user is
			return x.plainError(req, x.failureAfter(err), false)
		case failed != nil:
		case resp.kind == kindNext:
			x.log(req, errors.New("flow: OnError returned Next(), which is for guards"))
		case resp.kind == kindHandler:
			resp.kind = kindErrorHandler
			return resp.toError()
		case !resp.isZero():
			return resp.toError()
		}
	}
	return x.plainError(req, err, panicked != nil)
}

// plainError returns the encoded response that an error stands for, and logs the
// error unless it is logged.
func (x *exchange) plainError(req *Request, err error, logged bool) Response {
	p := problemOf(err)
	if x.router.inDev() && p.Status == http.StatusInternalServerError {
		if !logged {
			x.log(req, err)
		}
		return showFault(req.Request, err)
	}
	failed := x.failed.Load()
	resp, presented := x.present(req, p)
	switch {
	case !failed && x.failed.Load(): // the error page has asked who the user is
		return x.plainError(req, x.failureAfter(err), false)
	case presented != nil && logged:
		x.log(req, presented)
	case presented != nil:
		x.log(req, fmt.Errorf("%v; %w", err, presented))
	case !logged:
		x.log(req, err)
	}
	return resp
}

// failureAfter returns a failure that came up while err was answered.
func (x *exchange) failureAfter(err error) error {
	return fmt.Errorf("%w; while this was answered: %v", x.failure(), err)
}

func (r Response) isZero() bool { return r.kind == kindZero && r.status == 0 && r.more == nil }

// log writes what the client must not see: everything that ends in a 500, and
// what other errors say beyond their answer.
func (x *exchange) log(req *Request, err error) {
	level := slog.LevelError
	if p := problemOf(err); p.Status < 500 {
		if allSaid(err) {
			return
		}
		level = slog.LevelInfo
	}
	if errors.Is(err, context.Canceled) && req.Context().Err() != nil || x.body.Broke(err) {
		level = slog.LevelInfo // the client is gone, which is no fault
	}
	text := fmt.Sprint(err)
	if refused := (*reply.RedirectError)(nil); errors.As(err, &refused) {
		if !x.firstRefusal(refused.Why) {
			return
		}
		text += "; this is said once for the route: check targets that come from requests, each is to be a path that begins with one slash, or an http or https URL"
	}
	args := []any{"method", req.Method, "path", req.URL.EscapedPath(), "pattern", x.endpoint.pattern, "error", text}
	if id := logging.IDOf(req.Request); id != "" {
		args = append(args, "id", id)
	}
	var panicked *panicError
	if errors.As(err, &panicked) {
		args = append(args, "stack", string(panicked.stack))
	}
	x.router.logger().Log(req.Context(), level, "flow: request failed", args...)
}

// firstRefusal reports whether a redirect of the endpoint is refused for a reason for
// the first time. A client that chooses targets could fill the log otherwise.
func (x *exchange) firstRefusal(why uint32) bool {
	e := x.endpoint
	if e.miss { // it may be made for this request
		e = x.router.table.Load().notFound
	}
	return atomic.OrUint32(&e.refused, why)&why == 0
}
