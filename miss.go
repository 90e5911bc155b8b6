package flow

import (
	"net/http"
	"strings"

	"example.com/flow/internal/accept"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/reply"
)

// miss is what the matcher calls for a request that nothing answers as it is. The answer
// comes from the Router that owns the path: this one, or one that is mounted.
func (t *table) miss(w http.ResponseWriter, r *http.Request, m match.Miss[endpoint]) {
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
		e = t.otherMethod(r, m.Leaves)
	}
	e.begin(w, r, t.mountParams(m.Path.Segments))
}

// notFound answers what no route answers. Scanners ask for thousands of such URLs, so the
// default answer is sent as it was made once, unless it is HTML, which may be an error page.
func notFound(req *Request) (Response, error) {
	if s := req.x.settings; s.onError == nil && s.dev == nil {
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

// redirect returns the endpoint for another spelling of a URL.
func (t *table) redirect(target string) *endpoint {
	return t.unmatched(t.standard, nil, handler{flow: func(*Request) (Response, error) { return movedTo(target), nil }})
}

// movedTo returns the redirect to another spelling of a URL.
func movedTo(target string) Response {
	return Response{status: http.StatusPermanentRedirect}.Header("Location", target)
}

// otherMethod returns the endpoint for a path that is known, but not with the method of
// the request: it answers OPTIONS, and other methods with 405. The answer runs through
// the standard middleware of the most specific file, and that to a CORS preflight
// through that of the file which answers the method that the preflight names.
func (t *table) otherMethod(r *http.Request, leaves []*match.Leaf[endpoint]) *endpoint {
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

// mainOwner returns the file at a leaf, the one that is no store if there are two.
func mainOwner(l *match.Leaf[endpoint]) *owner {
	answers := l.Answers()
	for _, e := range answers {
		if e.owner.route == nil || !e.owner.route.Store {
			return e.owner
		}
	}
	return answers[0].owner
}

// refuses reports whether a request comes from an origin that is not trusted.
// CrossOriginProtection lets every GET pass, and every request that has neither of the
// headers Sec-Fetch-Site and Origin. These are most requests, and it is cheaper not to
// ask it about them.
func (s *settings) refuses(req *http.Request) bool {
	h := req.Header
	return (len(h["Sec-Fetch-Site"]) > 0 || len(h["Origin"]) > 0) && s.crossOrigin.Check(req) != nil
}

// refuse answers a request whose origin is not trusted, in the standard middleware of the
// outermost Router.
func (t *table) refuse(w http.ResponseWriter, r *http.Request) {
	outermost := t.outermost()
	outermost.unmatched(outermost.standard, nil, t.denied).begin(w, r, nil)
}

// deny is the deny handler of CrossOrigin, unless the application gives it another one.
// CrossOrigin also calls it if it lets the request through at the second look, because
// the origin became trusted in between.
func (r *Router) deny(w http.ResponseWriter, req *http.Request) {
	t := r.table.Load()
	if t == nil || t.err != nil {
		http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
		return
	}
	// The chain that this ends is that of the outermost Router, and the answer is that of
	// the Router that would have answered.
	x := &exchange{settings: &t.settings, endpoint: t.notFound}
	p, _ := pattern.ParsePath(req)
	x.values = t.mountParams(p.Segments)
	x.req = Request{Request: req, x: x}
	x.fail(w, &x.req, Error(http.StatusForbidden, "this request comes from another origin"))
}
