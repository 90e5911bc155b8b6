package flow

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
)

// answer is what the matcher calls for a request that an endpoint answers.
func (t *table) answer(w http.ResponseWriter, r *http.Request, e *endpoint, values match.Values) {
	r.Pattern = e.pattern
	if e.table.router.refuses(r) {
		e, values = t.unmatched(t.standard, nil, e.table.denied), nil
	}
	e.begin(w, r, values)
}

// miss is what the matcher calls for a request that nothing answers as it is. The
// Router that owns the path says so: this one, or one that is mounted.
func (t *table) miss(w http.ResponseWriter, r *http.Request, m match.Miss[endpoint]) {
	if m.By != nil {
		t = m.By.inner.table.Load()
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
	e.begin(w, r, t.inherited(m.Path.Segments))
}

// inherited returns the values that the parameters of the Router's prefix have in a
// path, for what no route answers.
func (t *table) inherited(path []string) match.Values {
	var values match.Values
	for i, seg := range t.above.Segments {
		if seg.Kind == pattern.Param {
			values = append(values, httprouter.Param{Value: path[i]})
		}
	}
	return values
}

// redirect returns the endpoint for another spelling of a URL.
func (t *table) redirect(target string) *endpoint {
	return t.unmatched(t.standard, nil, handler{flow: func(*Request) (Response, error) { return movedTo(target), nil }})
}

// movedTo returns the redirect to another spelling of a URL.
func movedTo(target string) Response {
	return Response{status: http.StatusPermanentRedirect}.Header("Location", target)
}

// otherMethod returns the endpoint for a path that is known, but not with the
// method: the answer to OPTIONS, or 405. It runs through the standard middleware of
// the most specific file, and for a preflight of the file that would answer.
func (t *table) otherMethod(r *http.Request, leaves []*match.Leaf[endpoint]) *endpoint {
	allowed := map[string]bool{http.MethodOptions: true}
	for _, l := range leaves {
		l.Methods(allowed)
	}
	allow := strings.Join(slices.Sorted(maps.Keys(allowed)), ", ")
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
