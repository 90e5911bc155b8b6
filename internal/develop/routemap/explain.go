package routemap

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/forms"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/site"
	"example.com/flow/internal/site/reach"
)

// A Question is a request to explain: a method and a URL.
type Question struct {
	Method string
	Target string // the escaped path, and the query: "/users/new?page=2"
	url    *url.URL
}

// ParseQuestion parses a question as people write it: "POST /users/new". The method may be
// left out, and is GET then. In place of the path there may be a whole URL.
func ParseQuestion(text string) (Question, error) {
	text = strings.TrimSpace(text)
	method, target, found := strings.Cut(text, " ")
	if !found || strings.ContainsAny(method, "/") {
		method, target = http.MethodGet, text
	}
	return NewQuestion(method, target)
}

// NewQuestion returns the question for a method, which is GET if it is "", and for a path or
// a whole URL.
func NewQuestion(method, target string) (Question, error) {
	target, _, _ = strings.Cut(target, "#")
	method, target = cmp.Or(strings.TrimSpace(method), http.MethodGet), strings.TrimSpace(target)
	if upper := strings.ToUpper(method); slices.Contains(forms.Methods, upper) {
		method = upper
	}
	if err := forms.CheckMethod(method); err != nil {
		return Question{}, err
	}
	u, err := url.ParseRequestURI(target)
	var malformed *url.Error
	switch {
	case target == "":
		return Question{}, errors.New(`there is no path: write a method and a path, as in "POST /users/new"`)
	case target[0] != '/' && !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://"):
		return Question{}, fmt.Errorf(`%q is no path of a URL: write one that begins with a slash, as in "/users/new"`, target)
	case errors.As(err, &malformed):
		return Question{}, fmt.Errorf("%q is no path of a URL: %v", target, malformed.Err)
	}
	u.Scheme, u.Host, u.User = "", "", nil
	if u.Path == "" {
		u.Path = "/"
	}
	return Question{method, u.RequestURI(), u}, nil
}

// Request returns the question as an http.Request.
func (q Question) Request() *http.Request {
	return &http.Request{Method: q.Method, URL: q.url, RequestURI: q.Target, Header: http.Header{}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}

// An Endpoint is a route as an explanation prints it: as JSON, and in words.
type Endpoint struct {
	File    string   `json:"file"`              // "app/router/users/[id].html", or the call of Mount
	Pattern string   `json:"pattern"`           // "/users/{id}"
	Methods []string `json:"methods"`           // those with a handler; "ANY" stands for all others
	Name    string   `json:"name,omitempty"`    // of the route
	Handler string   `json:"handler,omitempty"` // "app/users.id.go:12"
	Inside  string   `json:"inside,omitempty"`  // the call of Mount for the Router of the endpoint; "" for the outermost Router

	Route     *site.Route `json:"-"`
	AddsSlash bool        `json:"-"` // it redirects from the prefix of a mounted handler to the prefix with a slash
}

// NewEndpoint returns the endpoint that a route is.
func NewEndpoint(r *site.Route) Endpoint {
	e := Endpoint{File: r.File, Pattern: r.Pattern.String(), Name: r.Name, Route: r}
	if r.Tree != nil {
		e.Handler = r.Handler.String()
	}
	return e
}

// The outcomes of a request.
const (
	Answered   = "answered"
	Redirected = "redirected"
	NotAllowed = "method not allowed"
	Options    = "options"
	NotFound   = "not found"
)

// An Explanation says which endpoint answers a request, and why.
type Explanation struct {
	Method   string    `json:"method"`
	Path     string    `json:"path"`             // Question.Target
	Outcome  string    `json:"outcome"`          // one of the constants above
	Status   int       `json:"status,omitempty"` // of the answer that flow gives itself; 0 if an endpoint answers
	Location string    `json:"location,omitempty"`
	Allow    []string  `json:"allow,omitempty"`
	Owner    string    `json:"owner,omitempty"`  // if no endpoint answers: the call of Mount for the Router that the path belongs to
	Answer   *Endpoint `json:"answer,omitempty"` // the endpoint that answers, or redirects to its prefix; nil if there is none
	Values   []Value   `json:"values,omitempty"` // the values of its parameters

	// Before is the middleware before the answer, in order. Each may answer in place of the
	// endpoint. It is nil if no endpoint answers, or if the middleware is not known.
	Before []Middleware `json:"before,omitzero"`

	Candidates []Candidate `json:"candidates"` // the endpoints that match the path, the most specific first
}

// A Value is the value of a parameter, or a fact about an endpoint.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Candidate is an endpoint whose pattern matches the path. Its matchers may refuse values.
type Candidate struct {
	Endpoint
	Answers bool   `json:"answers"`
	Why     string `json:"why"`

	verdict reach.Verdict
}

// Explain returns the explanation for a question, given that of the matcher. describe returns
// the description of an endpoint.
func Explain[A any](q Question, m reach.Explanation[A], describe func(*A) Endpoint) Explanation {
	e := Explanation{Method: q.Method, Path: q.Target, Candidates: []Candidate{}}
	r := q.Request()
	var ahead *pattern.Pattern
	switch miss := m.Miss; {
	case m.Answer != nil:
		answer := describe(m.Answer)
		e.Outcome, e.Answer, e.Values, ahead = Answered, &answer, valuesOf(answer.Route.Pattern, m.Values), answer.Route.Pattern
		if answer.AddsSlash {
			e.Outcome, e.Status, e.Location = Redirected, http.StatusPermanentRedirect, pattern.Location(r, r.URL.EscapedPath()+"/")
		}
	case !miss.Known:
		e.Outcome, e.Status = NotFound, http.StatusNotFound
	case miss.Respelled != "":
		e.Outcome, e.Status, e.Location = Redirected, http.StatusPermanentRedirect, pattern.Location(r, miss.Respelled)
	case q.Method == http.MethodOptions:
		e.Outcome, e.Status, e.Allow = Options, http.StatusNoContent, match.Allowed(miss.Leaves)
	default:
		e.Outcome, e.Status, e.Allow = NotAllowed, http.StatusMethodNotAllowed, match.Allowed(miss.Leaves)
	}
	if m.Answer == nil && m.Miss.By != nil {
		by := describe(m.Miss.By)
		e.Owner, ahead = by.File, by.Route.Pattern
	}
	for _, c := range m.Candidates {
		if c.Verdict == reach.Answers || c.Verdict == reach.Ambiguous { // the other candidates are compared with this one
			ahead = describe(c.Answer(q.Method)).Route.Pattern
		}
	}
	for _, c := range m.Candidates {
		e.Candidates = append(e.Candidates, candidates(c, q.Method, m, ahead, describe)...)
	}
	for _, c := range e.Candidates {
		if c.Answers {
			e.Answer.Methods = c.Methods
		}
	}
	return e
}

// InFront returns the explanation with another endpoint that answers GET and HEAD before
// those of the binary: in development, a public file that is on disk and not in the binary.
func (e Explanation) InFront(p Endpoint) Explanation {
	p.Methods = []string{http.MethodGet, http.MethodHead}
	first := Candidate{Endpoint: p, Answers: true, Why: "it answers, and is new on disk"}
	e = Explanation{Method: e.Method, Path: e.Path, Outcome: Answered, Answer: &p, Candidates: append([]Candidate{first}, e.Candidates...)}
	for i := range e.Candidates[1:] {
		if c := &e.Candidates[i+1]; c.Answers {
			c.Answers, c.Why = false, "it is less specific than "+p.File
		}
	}
	return e
}

// candidates returns the candidates of a leaf, each with a reason. There are two if the leaf
// has an index file and a store file. ahead is the pattern of the endpoint that answers or, if
// none does, that of the mounted Router that the path belongs to.
func candidates[A any](c reach.Candidate[A], method string, m reach.Explanation[A], ahead *pattern.Pattern, describe func(*A) Endpoint) []Candidate {
	var all []Candidate
	var winner Endpoint
	if a := c.Answer(method); a != nil {
		winner = describe(a)
	}
	for _, name := range methodsOf(c.Leaf) {
		d := describe(c.Answer(name)) // nothing else is set for the name ANY
		i := slices.IndexFunc(all, func(other Candidate) bool { return other.File == d.File })
		if i < 0 {
			found := Candidate{Endpoint: d, Why: why(c, method, m, ahead, d.Route.Pattern), verdict: c.Verdict}
			switch {
			case d.File == winner.File:
				found.Endpoint, found.Answers = winner, c.Verdict == reach.Answers && m.Answer != nil
			case c.Verdict == reach.Answers:
				found.Why = "it shares the URL with " + winner.File + ", which has " + method
			}
			all, i = append(all, found), len(all)
		}
		all[i].Methods = append(all[i].Methods, name)
	}
	return all
}

// why returns a sentence for the verdict on a candidate, whose pattern is own.
func why[A any](c reach.Candidate[A], method string, m reach.Explanation[A], ahead, own *pattern.Pattern) string {
	asked := ""
	if c.Segment < len(m.Path.Segments) {
		asked = m.Path.Segments[c.Segment]
	}
	switch c.Verdict {
	case reach.LacksMethod:
		return "it has no " + method
	case reach.Refused:
		return fmt.Sprintf("segment %d: %s does not take %q", c.Segment+1, notation(own, c.Segment), asked)
	case reach.Mounted:
		return fmt.Sprintf("it is in what is mounted at %s, which ranks as a catch-all there", pattern.New(own.Segments[:c.Segment]))
	case reach.Ambiguous:
		return "it could read the path, spelled like this, as another one"
	case reach.LessSpecific:
		return fmt.Sprintf("segment %d: %s goes before %s", c.Segment+1, notation(ahead, c.Segment), notation(own, c.Segment))
	}
	if m.Answer == nil {
		return "it answers in the right spelling"
	}
	return "it answers"
}

// methodsOf returns the methods that a leaf has handlers for, and "ANY" if it has one for
// that, in the usual order.
func methodsOf[A any](l *match.Leaf[A]) []string {
	set := map[string]bool{}
	l.Methods(set)
	if l.HasAny() {
		set["ANY"] = true
	}
	return slices.SortedFunc(maps.Keys(set), forms.CompareMethods)
}

// notation returns a segment of a pattern in words, with the notation of file names. An index
// behind the last segment stands for a mounted handler.
func notation(p *pattern.Pattern, i int) string {
	if n := len(p.Segments); i >= n-1 && n > 0 && p.Segments[n-1].Kind == pattern.Rest {
		i = n - 1
	}
	if i >= len(p.Segments) || p.Segments[i].Kind == pattern.Rest && p.Segments[i].Text == "" {
		return "what is mounted"
	}
	seg := p.Segments[i]
	name := seg.Text
	if seg.Matcher != nil {
		name += "=" + seg.Matcher.Name
	}
	switch {
	case seg.Kind == pattern.Literal:
		return fmt.Sprintf("the text %q", seg.Text)
	case seg.Kind == pattern.Rest:
		return "the catch-all [..." + name + "]"
	}
	return "the parameter [" + name + "]"
}

// valuesOf returns the values of the parameters of a pattern.
func valuesOf(p *pattern.Pattern, values match.Values) []Value {
	var all []Value
	for i, name := range p.Names {
		all = append(all, Value{name, match.Value(p, values, i)})
	}
	return all
}
