package flow

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"

	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/auth"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/serve/wire/logging"
	"example.com/flow/internal/serve/wire/reply"
	"example.com/flow/internal/serve/wire/server"
	"example.com/flow/internal/site"
)

// An endpoint is the compiled form of a handler for one method of one pattern: the handler
// with its chain of middleware.
type endpoint struct {
	table   *table // the table of its Router
	owner   *owner
	pattern string           // for http.Request.Pattern; "" if no pattern matched
	path    *pattern.Pattern // the pattern that matched
	name    string           // of the route; "" if two share it, and for what is no route file
	steps   []step
	handler handler
	maxBody int64 // in bytes
	way     way
	// safe: the method is GET, HEAD or OPTIONS. Requests with others are refused if they come
	// from another origin.
	safe bool
	// keepsBody: the bytes of the body are kept while net/http code reads them, since a guard
	// or the handler may ask for the body afterwards.
	keepsBody bool
	// asksFiles: the handler takes a Form with files, and runs with one that is too large, too.
	asksFiles bool
	// miss: no route matched, and the body is not read.
	miss bool
	// public: it answers with a public file.
	public bool
	// refused has a bit for each reason (RedirectError.Why) for which a redirect was refused
	// and that was logged.
	refused uint32

	around *endpoint // the endpoint that mounts its Router, and whose chain runs first; nil if the Router is not mounted
	inner  *table    // the table of the Router that this endpoint mounts; nil if it mounts none
}

// A way is how an endpoint answers requests. It depends on the code that runs for them: the
// steps and the handler. The ways are in the order of what they cost; the allocations are those of
// flow for a request without a body.
type way uint8

const (
	// wayFixed: there are no steps, and the answer is a content, which needs no exchange. No
	// allocation.
	wayFixed way = iota
	// wayDirect: there are no steps, and the handler has one of flow's own forms. It is called
	// directly if the request has no body. No allocation: the exchange comes from the pool of the
	// table.
	wayDirect
	// wayPooled: all steps are guards or RequestID. No code runs that may keep the Request, so the
	// exchange comes from the pool and goes back. No allocation, besides the ID that RequestID
	// makes.
	wayPooled
	// wayLogged: there is also a Logger. Its slog.Handler gets the context of the Request, and may
	// keep it. So the exchange is not pooled. One allocation: the exchange, with room
	// for one path value.
	wayLogged
	// wayRetained: net/http code runs, which may keep the Request, and call PathValue and From. The
	// exchange is not pooled. Path values and the context for From are set first. Two allocations,
	// the exchange and a copy of the http.Request, and two more for path values.
	wayRetained
)

// An owner is the route file, the public file or the mount that some endpoints belong to.
type owner struct {
	file     string           // for messages: the path of the file, or the position of the call of Mount
	route    *routetree.Route // nil unless it is a route file
	standard []step           // the standard middleware of Router, directories and file; it also wraps 405 and OPTIONS
}

// isPage reports whether the endpoint belongs to the route file of a page.
func (e *endpoint) isPage() bool { return e.owner.route != nil && e.owner.route.Page }

// A step is one middleware of a chain. Either guard or std is set.
type step struct {
	guard flowFunc
	pc    uintptr // of the function of guard
	std   *stdMiddleware
}

// An exchange is one request on its way through a chain, with all that its answer needs. It
// comes from the pool of a table and goes back after the response, unless code that runs for
// the request may keep the Request. These flags decide that:
//
//	what                    means                                      set by           asked by
//	endpoint.way            which code runs: see way                   compiler         endpoint.answer, begin
//	exchange.retained       the exchange is not from the pool          newRetained      Request.Context
//	exchange.kept           the exchange is from the pool and does     sendHandler,     recycle
//	                        not go back: the handler of a Response     translateAll
//	                        of Handler may keep the Request, or the
//	                        exchange knows codes of messages
//	exchange.over           the response is written, and use of the    recycle          Request.exchange
//	                        Request panics; race detector only
type exchange struct {
	endpoint *endpoint
	values   match.Values // of the endpoint's parameters; httprouter may reuse the memory after the response
	target   *endpoint    // if endpoint is a mount: the endpoint inside it that answers
	retained *retained    // the retained that this exchange is a part of; nil for a pooled exchange
	settings *settings
	req      Request
	kept     bool        // see the table above
	over     atomic.Bool // see the table above

	auth    auth.Result
	body    *input.Body             // nil if the request has no body
	failure atomic.Pointer[failure] // nil unless Authenticate or reading the body has failed
	nonce   atomic.Pointer[string]  // of the answer; nil if nobody has asked for it yet
	// ownMessages is nil if flow has written no message about a field of this request.
	ownMessages atomic.Pointer[reply.OwnMessages]
	// personal: somebody has asked for the user or the nonce, so the answer may be about a
	// person: see keepPrivate.
	personal atomic.Bool
}

// clone returns the exchange for a Clone of the Request.
func (x *exchange) clone() *exchange {
	c := &exchange{settings: x.settings}
	c.endpoint = x.endpoint
	c.values = slices.Clone(x.values)
	x.auth.CopyTo(&c.auth)
	c.body = x.body.Clone()
	x.currentNonce() // made now, since a clone has the nonce of the answer
	c.nonce.Store(x.nonce.Load())
	return c
}

// answer answers a request. The matcher calls it on the endpoint that it has found. Most
// requests need neither begin nor conclude: they have no body, no middleware is registered for
// them, and the handler returns a text.
func (e *endpoint) answer(w http.ResponseWriter, r *http.Request, values match.Values) {
	h := w.Header()
	h["X-Content-Type-Options"] = nosniff
	r.Pattern = e.pattern
	if !e.safe && e.table.settings.refusesOrigin(r) {
		e.table.refuseOrigin(w, r)
		return
	}
	switch {
	case e.way == wayDirect && !input.HasBody(r):
	case e.way == wayFixed:
		if status := e.handler.content.Serve(w, r, e.handler.cache); status != 0 {
			e.refuseContent(w, r, values, status)
		}
		return
	default:
		e.begin(w, r, values)
		return
	}
	x := e.table.pool.Get().(*exchange)
	x.endpoint, x.values, x.req.Request = e, values, r
	returned := false
	defer func() {
		if returned {
			return // cheaper than a call of recover
		}
		if v := recover(); v != nil {
			x.conclude(w, &x.req, Response{}, reply.Recovered(v))
			x.endpoint.table.recycle(x)
		}
	}()
	resp, err := e.handler.flow(&x.req)
	if err == nil && resp.isPlain() && !x.failed() && r.Method != http.MethodHead {
		returned = true
		if len(h) > 1 || x.isPersonal(r.Header) {
			x.keepPrivate(h, r.Header, resp)
		}
		h["Content-Type"] = textType
		if s, ok := w.(io.StringWriter); ok { // reply.WriteString without its call
			s.WriteString(resp.text)
		} else {
			w.Write([]byte(resp.text))
		}
	} else {
		resp, err = encodeResult(resp, err, &x.req)
		returned = true
		x.conclude(w, &x.req, resp, err)
	}
	e.table.recycle(x)
}

// begin answers a request with an endpoint. The chains of the Routers around it run first,
// the outermost one before the others.
func (e *endpoint) begin(w http.ResponseWriter, r *http.Request, values match.Values) {
	outermost := e
	for outermost.around != nil {
		outermost = outermost.around
	}
	if outermost.way > wayPooled {
		outermost.serveRetained(w, r, e, values)
		return
	}
	x := outermost.table.pool.Get().(*exchange)
	x.endpoint, x.values = outermost, values
	x.serve(w, r)
	outermost.table.recycle(x)
}

// serve answers the request of an endpoint whose exchanges are pooled.
func (x *exchange) serve(w http.ResponseWriter, r *http.Request) {
	x.req.Request = r
	if input.HasBody(r) {
		// The body is replaced in a copy of the request. net/http looks at the body of its own
		// request to know whether the client still waits for 100 Continue, and whether the
		// connection can be reused.
		server.ShareTrailer(r)
		r = r.WithContext(r.Context())
		x.req.Request = r
		x.body = x.endpoint.newBody(w, r)
		defer x.body.End()
	}
	x.run(w, &x.req, 0) // it recovers panics of guards and of the handler
}

// run runs the chain from step i on, and then the handler.
func (x *exchange) run(w http.ResponseWriter, req *Request, i int) {
	if f := x.failure.Load(); f != nil { // middleware asked for the user or the body, and called next although that failed
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

// deny sends the response of a guard that does not let the request through.
func (x *exchange) deny(w http.ResponseWriter, req *Request, resp Response) {
	defer removeFiles(req.Request) // of a form that the guard itself has parsed
	site.NoteRefusal(req.Context())
	x.send(w, req, resp)
}

// tryGuards calls the guards at step i and directly behind it, until one of them does not
// return Next. It returns the encoded response of the last guard that was called, and the
// index of the step to go on with. It turns a panic into an error.
func (x *exchange) tryGuards(w http.ResponseWriter, req *Request, i int) (resp Response, next int, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			err = reply.Recovered(v)
		}
	}()
	for steps := x.endpoint.steps; i < len(steps) && steps[i].guard != nil; i++ {
		if resp, err = steps[i].guard(req); err != nil || !resp.encoded() {
			resp, err = encodeResult(resp, err, req)
		}
		if err != nil || x.failed() || resp.kind != kindNext {
			break
		}
		if resp.more != nil {
			req.promises = req.promises.Set(w.Header(), resp.more.header)
		}
	}
	returned = true
	return resp, i, err
}

// answer calls the handler and sends its response. The chain has run.
func (x *exchange) answer(w http.ResponseWriter, req *Request) {
	e := x.endpoint
	if e.handler.content != nil {
		e.handler.serveContent(w, req.Request, req)
		return
	}
	if e.inner != nil {
		x.serveStd(w, req, http.HandlerFunc(x.enter), nil, false)
		return
	}
	if e.handler.std != nil {
		x.body.Stream()
		if len(e.steps) == 0 {
			req.serve(w, e.handler.std) // without serveStd, since contain recovers panics and there is no middleware between the two
			return
		}
		match.SetPathValues(req.Request, e.path, x.values) // again, since middleware may contain a ServeMux, which overwrites them
		x.serveStd(w, req, e.handler.std, nil, false)
		return
	}
	f := e.handler.flow
	if x.body != nil && !e.miss {
		f = func(req *Request) (Response, error) {
			if err := x.readBody(req, true); err != nil {
				return Response{}, err
			}
			return e.handler.flow(req)
		}
	}
	resp, err := x.try(req, f)
	if err == nil && !x.failed() && resp.isPlain() && req.Method != http.MethodHead {
		h := w.Header()
		if len(h) > 1 || x.retained != nil { // else there is nothing but nosniff
			reply.DropLength(h)
		}
		if len(h) > 1 || x.isPersonal(req.Header) {
			x.keepPrivate(h, req.Header, resp)
		}
		h["Content-Type"] = textType
		reply.WriteString(w, resp.text)
		return
	}
	x.conclude(w, req, resp, err)
}

// conclude sends the response to a request, given the results of its handler.
func (x *exchange) conclude(w http.ResponseWriter, req *Request, resp Response, err error) {
	if resp.kind == kindNext && err == nil && !x.failed() {
		err = errors.New("flow: a handler returned Next(), which is for guards")
	}
	x.send(w, req, x.settle(req, resp, err))
}

// try calls a function that returns a response, and encodes the response. It turns a panic
// into an error.
func (x *exchange) try(req *Request, f flowFunc) (resp Response, err error) {
	returned := false
	defer func() {
		if returned {
			return // cheaper than a call of recover
		}
		if v := recover(); v != nil {
			err = reply.Recovered(v)
		}
	}()
	if resp, err = f(req); err != nil || !resp.encoded() {
		resp, err = encodeResult(resp, err, req)
	}
	returned = true
	return resp, err
}

// encodeResult returns what a handler or a guard has returned, with the response encoded.
func encodeResult(resp Response, err error, req *Request) (Response, error) {
	if err != nil {
		err = withoutEmpty(err)
	}
	if err != nil || resp.encoded() {
		return resp, err
	}
	return encode(resp, req)
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
	if x.settings.policy != nil && resp.needsPolicy() {
		x.addPolicy(w.Header())
	}
	if resp.status == http.StatusNotFound && pattern.LooksHashed(req.URL.Path) {
		// It may be the URL of a file that another version has, and no cache may keep the 404.
		resp = resp.Header("Cache-Control", "no-store")
	}
	x.keepPrivate(w.Header(), req.Header, resp)
	send(resp, w, req.Method == http.MethodHead)
}

// user returns the user of the request. The first call of the exchange calls Authenticate,
// whose error becomes the failure of the exchange.
func (x *exchange) user(req *Request) any {
	x.personal.Store(true)
	return x.auth.Ask(func() (any, error) { return x.authenticate(req) }, func(err error) {
		if err != http.ErrAbortHandler {
			err = fmt.Errorf("flow: Authenticate failed: %w", err)
		}
		if !x.setFailure(err) && err != http.ErrAbortHandler {
			x.log(req, err) // another failure is the answer
		}
	})
}

// authenticate calls Authenticate. It turns a panic into an error.
func (x *exchange) authenticate(req *Request) (user any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = reply.Recovered(v)
		}
	}()
	user, err = x.settings.authenticate(req)
	return somebody(user), withoutEmpty(err)
}

// somebody returns user, or nil if it is nobody: nil itself, or a nil pointer, map, slice,
// function or channel, which an interface holds without being nil.
func somebody(user any) any {
	if forms.IsNil(user) {
		return nil
	}
	return user
}

// newBody gives r a body with the limit of the endpoint, and returns it.
func (e *endpoint) newBody(w http.ResponseWriter, r *http.Request) *input.Body {
	return input.New(w, r, e.maxBody, e.keepsBody, e.asksFiles)
}

// readBody reads and checks a body of JSON or a form, unless that was done. An error becomes
// the failure of the exchange. If rewind is set, r.Body starts at the first byte afterwards:
// see input.Body.Load.
func (x *exchange) readBody(req *Request, rewind bool) error {
	err := x.body.Load(req.Request, rewind)
	if err == nil {
		return nil
	}
	if f := x.failure.Load(); f != nil && f.ofBody {
		return f.err
	}
	err = x.bodyError(req, err)
	if !req.translating { // else Translate has asked for the data, and the failure gets its text
		x.failure.CompareAndSwap(nil, &failure{err: err, ofBody: true})
	}
	return err
}

// recycle puts an exchange back into the pool after the response, unless it is kept. Under the
// race detector it only marks the exchange as over, and Request.exchange panics if a handler
// has kept the Request.
func (t *table) recycle(x *exchange) {
	if x.kept {
		return
	}
	if race.Enabled {
		x.over.Store(true)
		return
	}
	x.endpoint, x.values = nil, nil
	x.req.Request = nil
	// The following fields are seldom set. To compare one is cheaper than to write it.
	if x.req.promises != nil {
		x.req.promises = nil
	}
	if x.body != nil || x.personal.Load() { // only a body, the user or the nonce set the others
		x.body = nil
		x.auth.Reset()
		x.failure.Store(nil)
		x.nonce.Store(nil)
		x.personal.Store(false)
	}
	t.pool.Put(x)
}
