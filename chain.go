package flow

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"

	"example.com/flow/internal/auth"
	"example.com/flow/internal/input"
	"example.com/flow/internal/logging"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/race"
	"example.com/flow/internal/reply"
	"example.com/flow/internal/routetree"
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
	// poolable: nothing outlives the response that could hold the Request, so its exchange is
	// used again. The endpoint has only guards, RequestID and flow's own handler forms.
	poolable bool
	// noMiddleware: the handler is called at once. The endpoint is poolable, or of a public
	// file, and has no steps.
	noMiddleware bool
	// needsContext: net/http code may ask the request for its path values, or From for the
	// Request, so both are set before it runs.
	needsContext bool
	// keepsBody: a guard or a handler could ask for the body after others have read it.
	keepsBody bool
	miss      bool // nothing matched: the body is not read
	// refused has a bit for each reason why a redirect was refused (RedirectError.Why),
	// once that was logged.
	refused uint32

	around *endpoint // the endpoint that mounts its Router, whose chain runs first; nil if it is not mounted
	inner  *table    // that of the Router that this endpoint mounts, if it does
}

// An owner is a file, or what is mounted: its endpoints share it.
type owner struct {
	file     string           // the path of the file, or where Mount was called, for messages
	route    *routetree.Route // nil for public files, for what is mounted and for what matched nothing
	standard []step           // standard middleware down to the file: what 405 and OPTIONS run through
}

// isPage reports whether the endpoint is one of a page's route file.
func (e *endpoint) isPage() bool { return e.owner.route != nil && e.owner.route.Page }

// A step is one piece of middleware of a chain: a guard, or standard middleware.
type step struct {
	guard flowFunc
	std   *stdMiddleware
}

// An exchange is one request on its way through the chain, and its answer. It comes from the
// pool of the table, and goes back if nothing can hold its Request after the response:
//
//	what                    means                                      set by           asked by
//	endpoint.noMiddleware   the handler is called at once              compiler         endpoint.answer
//	endpoint.poolable       only guards, RequestID and flow's own      compiler         endpoint.begin
//	                        handler forms run, so the pool is used
//	endpoint.needsContext   net/http code runs, which may call         compiler         serveRetained
//	                        PathValue and From
//	exchange.retained       the exchange is not from the pool          newRetained      Request.Context
//	exchange.kept           it is, but does not go back: a Response    sendHandler      serve, serveDirectly
//	                        of Handler has given the request away
//	exchange.over           it went back, and late use panics; only    recycle          Request.exchange
//	                        under the race detector
type exchange struct {
	endpoint *endpoint
	values   match.Values // of the endpoint's parameters, often in memory that httprouter uses again
	target   *endpoint    // what answers in the end, if endpoint is a mount
	retained *retained    // holds the exchange of net/http code, which is never used again; else nil
	settings *settings
	req      Request
	kept     bool        // the http.Handler of a Response may keep the Request, so the exchange is not used again
	over     atomic.Bool // the response was written; only set under the race detector

	auth    auth.Answer
	body    *input.Body             // nil if the request has none
	failure atomic.Pointer[failure] // set once Authenticate or reading the body has failed
}

func (x *exchange) clone() *exchange {
	c := &exchange{settings: x.settings}
	c.endpoint = x.endpoint
	c.values = slices.Clone(x.values)
	x.auth.CopyTo(&c.auth)
	c.body = x.body.Clone()
	return c
}

// answer is what the matcher calls for a request that the endpoint answers. Most requests
// take the short way: the endpoint has no middleware, and they have no body.
func (e *endpoint) answer(w http.ResponseWriter, r *http.Request, values match.Values) {
	r.Pattern = e.pattern
	switch {
	case r.Method != http.MethodGet && e.table.settings.refuses(r):
		e.table.refuse(w, r)
	case !e.noMiddleware:
		e.begin(w, r, values)
	case e.handler.content != nil:
		e.handler.serveContent(w, r)
	case hasBody(r):
		e.begin(w, r, values)
	default:
		x := e.table.pool.Get().(*exchange)
		x.endpoint, x.values, x.req.Request = e, values, r
		if x.serveDirectly(w, r) {
			e.table.recycle(x)
		}
	}
}

// begin answers a request with an endpoint, after the chains of the Routers around.
func (e *endpoint) begin(w http.ResponseWriter, r *http.Request, values match.Values) {
	outermost := e
	for outermost.around != nil {
		outermost = outermost.around
	}
	if !outermost.poolable {
		outermost.serveRetained(w, r, e, values)
		return
	}
	x := outermost.table.pool.Get().(*exchange)
	x.endpoint, x.values = outermost, values
	if x.serve(w, r) {
		outermost.table.recycle(x)
	}
}

// serveDirectly runs a handler of flow's own forms that has neither middleware nor a
// body, and reports whether the exchange may be used again.
func (x *exchange) serveDirectly(w http.ResponseWriter, r *http.Request) (reusable bool) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			x.conclude(w, &x.req, Response{}, recovered(v))
			reusable = !x.kept
		}
	}()
	resp, err := x.endpoint.handler.flow(&x.req)
	if err != nil {
		err = withoutEmpty(err)
	}
	if err == nil && !x.failed() && resp.isPlain() && r.Method != http.MethodHead {
		returned = true
		w.Header()["Content-Type"] = textType
		io.WriteString(w, resp.text)
		return true
	}
	if err == nil && !resp.encoded() {
		resp, err = encode(resp, &x.req)
	}
	returned = true
	x.conclude(w, &x.req, resp, err)
	return !x.kept
}

// serve answers the request of a poolable endpoint, and reports whether the exchange may be
// used again.
func (x *exchange) serve(w http.ResponseWriter, r *http.Request) (reusable bool) {
	x.req.Request = r
	if hasBody(r) {
		// The body is replaced in a copy only. By the body of its own request net/http
		// tells whether the client still waits for 100 Continue, and whether the
		// connection can be used for another request.
		server.ShareTrailer(r)
		r = r.WithContext(r.Context())
		x.req.Request = r
		x.body = input.New(w, r, x.endpoint.maxBody, x.endpoint.keepsBody)
		defer x.body.End()
	}
	x.run(w, &x.req, 0) // which contains the panics of guards and of the handler
	return !x.kept
}

// run goes on with the chain at step i.
func (x *exchange) run(w http.ResponseWriter, req *Request, i int) {
	if f := x.failure.Load(); f != nil { // middleware asked for the user or the body, and went on though that failed
		x.fail(w, req, f.report())
		return
	}
	for steps := x.endpoint.steps; i < len(steps); {
		if std := steps[i].std; std != nil {
			i++
			switch {
			case std.needsContext:
				req.serve(w, std.handler)
			case std.log != nil:
				x.serveLogged(w, req, std.log, i)
			default:
				logging.Identify(w, req.Request)
				continue
			}
			return
		}
		var resp Response
		var err error
		resp, i, err = x.tryGuards(w, req, i)
		if err == nil && resp.kind == kindNext && !x.failed() {
			continue
		}
		if resp.isZero() && err == nil && !x.failed() {
			err = errors.New("flow: a guard returned the zero Response: return flow.Next() to go on")
		}
		x.deny(w, req, x.settle(req, resp, err))
		return
	}
	x.answer(w, req)
}

// deny sends what a guard has answered.
func (x *exchange) deny(w http.ResponseWriter, req *Request, resp Response) {
	defer removeFiles(req.Request) // of a form that the guard itself has parsed
	x.send(w, req, resp)
}

// tryGuards calls the guards that come one after the other from step i on, until one does
// not let the request through. It returns what the last of them returned, encoded, and
// the step behind it. A panic becomes an error.
func (x *exchange) tryGuards(w http.ResponseWriter, req *Request, i int) (resp Response, next int, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			err = recovered(v)
		}
	}()
	for steps := x.endpoint.steps; i < len(steps) && steps[i].guard != nil; i++ {
		if resp, err = steps[i].guard(req); err != nil {
			err = withoutEmpty(err)
		}
		if err == nil && !resp.encoded() {
			resp, err = encode(resp, req)
		}
		if err != nil || x.failed() || resp.kind != kindNext {
			break
		}
		if resp.more != nil {
			req.promises = req.promises.Promised(w.Header(), resp.more.header)
		}
	}
	returned = true
	return resp, i, err
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
		if len(e.steps) == 0 {
			req.serve(w, e.handler.std) // no middleware stands between it and contain, which does what serveStd would
			return
		}
		setPathValues(req.Request, e.path, x.values) // middleware may hold a ServeMux, which takes their room
		x.serveStd(w, req, e.handler.std, nil, false)
		return
	}
	f := e.handler.flow
	if x.body != nil && !e.miss {
		f = func(req *Request) (Response, error) {
			if err := x.readBody(req.Request, true); err != nil {
				return Response{}, err
			}
			return e.handler.flow(req)
		}
	}
	resp, err := x.try(req, f)
	if err == nil && !x.failed() && resp.isPlain() && req.Method != http.MethodHead {
		reply.DropLength(w.Header())
		w.Header()["Content-Type"] = textType
		io.WriteString(w, resp.text)
		return
	}
	x.conclude(w, req, resp, err)
}

// conclude sends what a handler returned.
func (x *exchange) conclude(w http.ResponseWriter, req *Request, resp Response, err error) {
	if resp.kind == kindNext && err == nil && !x.failed() {
		err = errors.New("flow: a handler returned Next(), which is for guards")
	}
	x.send(w, req, x.settle(req, resp, err))
}

func (x *exchange) try(req *Request, f flowFunc) (resp Response, err error) {
	returned := false
	defer func() {
		if returned {
			return // to ask this is cheaper than to call recover
		}
		if v := recover(); v != nil {
			err = recovered(v)
		}
	}()
	if resp, err = f(req); err != nil {
		err = withoutEmpty(err)
	}
	if err == nil && !resp.encoded() {
		resp, err = encode(resp, req)
	}
	returned = true
	return resp, err
}

// send writes an encoded response.
func (x *exchange) send(w http.ResponseWriter, req *Request, resp Response) {
	if resp.more != nil && resp.more.toError {
		req.promises.Withdraw(w.Header())
	}
	if resp.kind == kindHandler || resp.kind == kindErrorHandler {
		x.sendHandler(w, req, resp)
		return
	}
	send(resp, w, req.Method == http.MethodHead)
}

// user returns the user of the request, for whom it calls Authenticate once. A panic of
// Authenticate counts as its error.
func (x *exchange) user(req *Request) any {
	return x.auth.Ask(func() (any, error) { return x.authenticate(req) }, func(err error) {
		if err != http.ErrAbortHandler {
			err = fmt.Errorf("flow: Authenticate failed: %w", err)
		}
		if !x.setFailure(err) && err != http.ErrAbortHandler {
			x.log(req, err) // another failure is the answer
		}
	})
}

func (x *exchange) authenticate(req *Request) (user any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = recovered(v)
		}
	}()
	user, err = x.settings.authenticate(req)
	return user, withoutEmpty(err)
}

// hasBody reports whether r has a body. To compare it with http.NoBody would call the
// runtime for each request; its type tells as well.
func hasBody(r *http.Request) bool { return r.Body != nil && !isA(r.Body, http.NoBody) }

func isA[T io.ReadCloser](body io.ReadCloser, _ T) bool {
	_, ok := body.(T)
	return ok
}

// readBody reads and checks a body of JSON or a form, once. Its parameter again is that
// of input.Body.Load.
func (x *exchange) readBody(r *http.Request, again bool) error {
	return x.body.Load(r, again, func(err error) error {
		err = bodyError(err)
		x.setFailure(err)
		return err
	})
}

// recycle puts an exchange that is over back into the pool, for another request. Under
// the race detector it only marks it, so that late use of its Request is found: see
// Request.exchange.
func (t *table) recycle(x *exchange) {
	if race.Enabled {
		x.over.Store(true)
		return
	}
	x.endpoint, x.values = nil, nil
	x.req.Request = nil
	// The following fields are seldom set, and to look at one is cheaper than to write
	// it.
	if x.req.promises != nil {
		x.req.promises = nil
	}
	if x.body != nil {
		x.body = nil
	}
	x.auth.Reset()
	if x.failed() {
		x.failure.Store(nil)
	}
	t.pool.Put(x)
}
