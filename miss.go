package flow

import (
	"net/http"
	"strings"

	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/wire/accept"
	"example.com/flow/internal/serve/wire/reply"
)

// miss answers a request for which the matcher has found no endpoint: with 404, 405, 204 for
// OPTIONS, or a redirect to the canonical path. The matcher calls it on the table of the
// outermost Router. If the path is below the prefix of a mounted Router, that one answers.
func (t *table) miss(w http.ResponseWriter, r *http.Request, m match.Miss[endpoint]) {
	w.Header()["X-Content-Type-Options"] = nosniff
	if m.By != nil {
		t = m.By.inner
		r.Pattern = m.By.pattern
	}
	e := t.notFound
	switch {
	case !m.Known:
	case m.Respelled != "":
		e = t.redirect(pattern.Location(r, m.Respelled))
	default:
		e = t.methodNotAllowed(r, m.Leaves)
	}
	e.begin(w, r, t.mountParams(m.Path.Segments))
}

// notFound is the handler for 404. Scanners ask for thousands of URLs that do not exist, so
// the default answers in plain text and problem+json are made once. HTML may be an error page.
func notFound(req *Request) (Response, error) {
	if s := req.x.settings; s.onError == nil && s.translate == nil && s.dev == nil && req.x.endpoint.table.onErrors == nil {
		switch accept.MediaType(acceptOf(req.Request), false) {
		case "text/plain":
			return notFoundText, nil
		case "application/problem+json":
			return notFoundJSON, nil
		}
	}
	return Fail(http.StatusNotFound, ""), nil
}

var (
	notFoundText = problemResponse(reply.Problem{Status: http.StatusNotFound}, "text/plain")
	notFoundJSON = problemResponse(reply.Problem{Status: http.StatusNotFound}, "application/problem+json")
)

// redirect returns the endpoint that redirects to the canonical spelling of a URL.
func (t *table) redirect(target string) *endpoint {
	return t.unmatched(t.standard, nil, handler{flow: func(*Request) (Response, error) { return movedTo(target), nil }})
}

// movedTo returns a permanent redirect, 308.
func movedTo(target string) Response {
	return Response{status: http.StatusPermanentRedirect}.Header("Location", target)
}

// methodNotAllowed returns the endpoint for a path that has files, but none with a handler for
// the method of the request. It answers OPTIONS with 204 and other methods with 405. The
// standard middleware of the most specific file runs first. For a CORS preflight it is that
// of the file which answers the method in Access-Control-Request-Method.
func (t *table) methodNotAllowed(r *http.Request, leaves []*match.Leaf[endpoint]) *endpoint {
	allow := strings.Join(match.Allowed(leaves), ", ")
	file := mainOwner(leaves[0])
	if r.Method != http.MethodOptions {
		return t.unmatched(file.standard, file.route, handler{flow: func(*Request) (Response, error) {
			return Fail(http.StatusMethodNotAllowed, "").Header("Allow", allow), nil
		}})
	}
	if wanted := r.Header.Get("Access-Control-Request-Method"); wanted != "" {
		for _, l := range leaves {
			if e := l.Answer(wanted); e != nil {
				file = e.owner
				break
			}
		}
	}
	return t.unmatched(file.standard, file.route, handler{flow: func(*Request) (Response, error) {
		return Response{status: http.StatusNoContent}.Header("Allow", allow), nil
	}})
}

// mainOwner returns the file at a leaf. If there are two, it is the one that is not a store
// file.
func mainOwner(l *match.Leaf[endpoint]) *owner {
	answers := l.Answers()
	for _, e := range answers {
		if e.owner.route == nil || !e.owner.route.Store {
			return e.owner
		}
	}
	return answers[0].owner
}

// refusesOrigin reports whether CrossOriginProtection refuses a request. That lets every request
// without the headers Sec-Fetch-Site and Origin pass, and not to ask it about these is
// cheaper.
func (s *settings) refusesOrigin(req *http.Request) bool {
	h := req.Header
	return (len(h["Sec-Fetch-Site"]) > 0 || len(h["Origin"]) > 0) && s.crossOrigin.Check(req) != nil
}

// refuseOrigin answers a request from an origin that is not trusted, after the standard middleware
// of the outermost Router.
func (t *table) refuseOrigin(w http.ResponseWriter, r *http.Request) {
	outermost := t.outermost()
	outermost.unmatched(outermost.standard, nil, t.denied).begin(w, r, nil)
}

// denyOrigin is the deny handler of CrossOrigin, unless the application sets another one. The
// application may also have CrossOrigin guard a handler that is none of the Router's.
func (r *Router) denyOrigin(w http.ResponseWriter, req *http.Request) {
	if r.outermost().begin() != nil {
		r.table.Load().denyOrigin(w, req)
		return
	}
	http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
}

// denyOrigin answers a request whose origin is not trusted with 403. t.denied also calls it as its
// next handler, in the rare case that the origin became trusted after refusesOrigin was called.
func (t *table) denyOrigin(w http.ResponseWriter, req *http.Request) {
	// The chain before this handler is that of the outermost Router. The answer is that of the
	// Router that owns the path, with the OnError and the error page that are nearest to the file.
	x := &exchange{settings: &t.settings, endpoint: t.notFound}
	p, _ := pattern.ParsePath(req)
	x.values = t.mountParams(p.Segments)
	if e, values := t.outermost().matcher.Find(req.Method, p.Segments); e != nil && e.table == t {
		x.endpoint, x.values = e, values
	}
	x.req = Request{Request: req, x: x}
	x.fail(w, &x.req, x.errorOf(&x.req, http.StatusForbidden, reply.OtherOrigin, nil))
}
