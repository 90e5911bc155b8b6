package flow

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/input"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
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
	// pure: there are only guards and flow's own handler forms, so nothing that
	// could outlive the response holds the Request, and it is used again.
	pure bool
	// direct: pure, or a public file, and no middleware at all.
	direct bool
	// setsPathValues: a net/http handler or middleware could ask for path values.
	setsPathValues bool
	// keepsBody: a guard or a handler could ask for the body after others have read it.
	keepsBody bool
	miss      bool // nothing matched: the body is not read
	// refused has a bit for each reason why a redirect was refused (RedirectError.Why),
	// once that was logged.
	refused uint32

	around *endpoint // the endpoint that mounts its Router, whose chain runs first; nil if it is not mounted
	inner  *Router   // the Router that this endpoint mounts, if it does
}

// An owner is a file, or what is mounted: its endpoints share it.
type owner struct {
	file     string           // the path of the file, or where Mount was called, for messages
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

// ServeHTTP is what standard middleware calls next. Middleware may go on with another
// request than it got, and in another goroutine, as http.TimeoutHandler does.
func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := From(r.Context())
	i := -1
	if req != nil {
		i = slices.IndexFunc(req.x.endpoint.steps, func(s step) bool { return s.place == p })
	}
	if i < 0 {
		p.router.logger().Error("flow: middleware went on with a request that lacks the context of the one it got", "method", r.Method, "path", r.URL.EscapedPath())
		reply.Undescribed(w.Header())
		send(problemResponse(reply.Problem{Status: http.StatusInternalServerError}, accept.MediaType(acceptOf(r), false)), w, r.Method == http.MethodHead)
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
	values   match.Values // of the endpoint's parameters, often in memory that httprouter uses again
	target   *endpoint    // what answers in the end, if endpoint is a mount
	router   *Router
	req      Request
	lent     bool        // a Handler has got the Request, and may keep it
	over     atomic.Bool // the response was written; only set under the race detector

	auth   auth
	body   *input.Body // nil if the request has none
	failed atomic.Bool // Authenticate or reading the body has failed: see failure
	told   atomic.Bool // the failure was answered or logged
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

// vantage returns the place from which the request asks for URLs.
func (x *exchange) vantage() vantage { return vantage{x.endpoint.path.Segments, x.values} }

// answer is what the matcher calls for a request that the endpoint answers. Most requests
// take the short way: the endpoint has no middleware, and they have no body.
func (e *endpoint) answer(w http.ResponseWriter, r *http.Request, values match.Values) {
	r.Pattern = e.pattern
	switch {
	case r.Method != http.MethodGet && e.table.router.refuses(r):
		e.table.refuse(w, r)
	case !e.direct:
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
			reusable = !x.lent
		}
	}()
	resp, err := x.endpoint.handler.flow(&x.req)
	if err == nil && !x.failed.Load() && resp.isPlain() && r.Method != http.MethodHead {
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
	return !x.lent
}

// refuses reports whether a request comes from an origin that is not trusted.
// CrossOriginProtection lets every GET pass, and every request that has neither of the
// headers Sec-Fetch-Site and Origin. These are most requests, and it is cheaper not to
// ask it about them.
func (r *Router) refuses(req *http.Request) bool {
	h := req.Header
	return (len(h["Sec-Fetch-Site"]) > 0 || len(h["Origin"]) > 0) && r.CrossOrigin.Check(req) != nil
}

// refuse answers a request whose origin is not trusted, in the standard middleware of the
// outermost Router.
func (t *table) refuse(w http.ResponseWriter, r *http.Request) {
	outermost := t
	for outermost.around != nil {
		outermost = outermost.around.table
	}
	outermost.unmatched(outermost.standard, nil, t.denied).begin(w, r, nil)
}

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
		// Copies of the request share the map that holds the path values, and may be used
		// in other goroutines later. That is why the values are set now.
		x.target = e
		setPathValues(r, e.path, values)
	}
	if x.serve(w, r) {
		outermost.table.recycle(x)
	}
}

// enter goes on with the chain of the next Router inside, on the way to the one that has
// the target.
func (x *exchange) enter(w http.ResponseWriter, r *http.Request) {
	e := x.target
	for e.around != x.endpoint {
		e = e.around
	}
	inner := e.table.pool.Get().(*exchange) // not put back: a net/http handler may keep what it holds
	inner.endpoint, inner.values, inner.target, inner.body = e, x.values, x.target, x.body
	inner.req.Request = r
	if outer := From(r.Context()); outer != nil && outer.x == x {
		inner.req.promises = outer.promises
	}
	inner.serveChain(w, r)
}

// serve answers the request, and reports whether the exchange may be used again.
func (x *exchange) serve(w http.ResponseWriter, r *http.Request) (reusable bool) {
	x.req.Request = r
	if hasBody(r) {
		// The body is replaced in a copy only. By the body of its own request net/http
		// tells whether the client still waits for 100 Continue, and whether the
		// connection can be used for another request.
		server.ShareTrailer(r)
		r = r.WithContext(r.Context())
		x.req.Request = r
		answers := cmp.Or(x.target, x.endpoint) // below a mount, the limit is that of the endpoint inside
		x.body = input.New(w, r, answers.maxBody, answers.keepsBody)
	}
	x.serveChain(w, r)
	return x.endpoint.pure && !x.lent
}

// serveChain runs a chain. A chain of guards and flow's own handler forms needs no more
// than run, if there is no body. For all others panics are contained here too, since
// standard middleware may panic or write by itself, and the files that a body may leave
// are removed.
func (x *exchange) serveChain(w http.ResponseWriter, r *http.Request) {
	if x.endpoint.pure && x.body == nil {
		x.run(w, &x.req, 0) // run contains the panics of guards and of the handler
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

func setPathValues(r *http.Request, p *pattern.Pattern, values match.Values) {
	for i, name := range p.Names {
		if v := match.Value(p, values, i); r.PathValue(name) != v { // it may be set already
			r.SetPathValue(name, v)
		}
	}
}

// run goes on with the chain at step i.
func (x *exchange) run(w http.ResponseWriter, req *Request, i int) {
	if x.failed.Load() { // middleware asked for the user or the body, and went on though that failed
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
		if form := req.MultipartForm; form != nil { // which the guard itself has parsed
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
	resp, err = f(req)
	if err == nil && !resp.encoded() {
		resp, err = encode(resp, req)
	}
	returned = true
	return resp, err
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
	send(resp, w, req.Method == http.MethodHead)
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
	t.Status = 0 // it was for the answer of h
	before.Restore(w.Header())
	if last {
		x.send(w, req, x.plainError(req, err))
		return
	}
	x.fail(w, req, err)
}

// serve runs net/http code with a request in whose context From finds r. It removes the
// files of a form that the code has parsed: this request may be a copy, and net/http
// only removes those of its own.
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

// encode makes the body of r, if it has none yet, and returns r with it. A Handler, Next
// and the zero value stay as they are. Everything that can fail happens here, before the
// first byte is sent.
func encode(r Response, req *Request) (Response, error) {
	if r.status != 0 && (r.status < 200 || r.status > 999) {
		return Response{}, fmt.Errorf("flow: a response has the status %d, which is none (RFC 9110, section 15)", r.status)
	}
	if r.kind == kindNext && r.status != 0 {
		return Response{}, fmt.Errorf("flow: Next() has the status %d: a guard that denies returns another response", r.status)
	}
	if r.kind <= kindNext {
		return r, nil
	}
	switch r.kind {
	case kindJSON:
		var b strings.Builder
		if err := json.NewEncoder(&b).Encode(r.more.data); err != nil {
			return Response{}, fmt.Errorf("flow: the response cannot be encoded as JSON: %w", err)
		}
		return r.body(kindJSONText, b.String()), nil
	case kindView, kindPage:
		return encodePage(r, req)
	case kindRedirectTo:
		u, err := req.Route(r.text, r.more.data.([]any)...)
		if err != nil {
			return Response{}, fmt.Errorf("flow: RedirectTo: %w", err)
		}
		return encode(r.body(kindRedirect, u), req)
	case kindRedirect:
		return encodeRedirect(r, req)
	case kindFail:
		return Response{}, r.failure()
	default:
		return Response{}, errors.New("flow: " + r.text)
	}
}

// defaultMaxBody is the largest body, in bytes, if neither Router.MaxBody nor the
// MaxBody of a route or a mount says otherwise.
const defaultMaxBody = 10 << 20

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
		x.failed.Store(true)
		return bodyError(err)
	})
}

// send writes an encoded response that has a body, or none.
func send(r Response, w http.ResponseWriter, head bool) {
	h := w.Header()
	var b []byte
	status := int(r.status)
	if status == 0 {
		status = http.StatusOK
	}
	switch r.kind {
	case kindZero:
		if r.status == 0 {
			status = http.StatusNoContent
		}
	case kindText:
		h["Content-Type"] = textType
	case kindHTML:
		h["Content-Type"] = htmlType
	case kindJSONText:
		h["Content-Type"] = jsonType
	case kindBytes:
		h.Set("Content-Type", r.more.contentType)
		b = r.more.data.([]byte)
	}
	reply.SetFields(h, r.header())
	reply.Send(w, head, status, r.text, b)
}

// Content types that are set often share their value: a slice for each response
// would be an allocation. Nothing appends to them in place, their capacity is 1.
var (
	textType = []string{"text/plain; charset=utf-8"}
	htmlType = []string{"text/html; charset=utf-8"}
	jsonType = []string{"application/json"}
)
