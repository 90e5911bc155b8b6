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

	"example.com/flow/internal/forms"
	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
)

// A Question asks what answers a method of a URL.
type Question struct {
	Method string
	Target string // the path, escaped, and the query: "/users/new?page=2"
	url    *url.URL
}

// Ask reads a question as people write it: "POST /users/new". Without a method it asks for
// GET. The path may have a query, and stand in a whole URL.
func ParseQuestion(text string) (Question, error) {
	text = strings.TrimSpace(text)
	method, target, found := strings.Cut(text, " ")
	if !found || strings.ContainsAny(method, "/") {
		method, target = http.MethodGet, text
	}
	return NewQuestion(method, target)
}

// AskFor returns the question for a method, GET if it is "", and a path.
func NewQuestion(method, target string) (Question, error) {
	method, target = cmp.Or(strings.TrimSpace(method), http.MethodGet), strings.TrimSpace(target)
	if upper := strings.ToUpper(method); slices.Contains(forms.Methods, upper) {
		method = upper
	}
	if err := forms.CheckMethod(method); err != nil {
		return Question{}, err
	}
	target, _, _ = strings.Cut(target, "#")
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

// Request returns a request that asks the question.
func (q Question) Request() *http.Request {
	return &http.Request{Method: q.Method, URL: q.url, RequestURI: q.Target, Header: http.Header{}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}

// An Endpoint is something that answers URLs of a pattern.
type Endpoint struct {
	File    string   `json:"file"`              // "app/router/users/[id].html", or where it is mounted
	Pattern string   `json:"pattern"`           // "/users/{id}"
	Methods []string `json:"methods"`           // that it answers; "ANY" is every other
	Name    string   `json:"name,omitempty"`    //
	Handler string   `json:"handler,omitempty"` // "app/users.id.go:12"
	Inside  string   `json:"inside,omitempty"`  // where the Router is mounted that has it

	Path *pattern.Pattern `json:"-"`
	Kind Kind             `json:"-"`
}

// A Kind tells endpoints apart.
type Kind uint8

// The kinds of endpoints.
const (
	RouteFile      Kind = iota
	PublicFile          // below public/
	MountedHandler      // that is no Router
	AddSlash            // the prefix of a mounted handler, which redirects to the same with a slash
)

// The outcomes of a request.
const (
	Answered   = "answered"
	Redirected = "redirected"
	NotAllowed = "method not allowed"
	Options    = "options"
	NotFound   = "not found"
)

// An Explanation says what answers a request, and why.
type Explanation struct {
	Method   string    `json:"method"`
	Path     string    `json:"path"`             // as asked, escaped, with its query
	Outcome  string    `json:"outcome"`          // one of the constants
	Status   int       `json:"status,omitempty"` // that flow answers by itself
	Location string    `json:"location,omitempty"`
	Allow    []string  `json:"allow,omitempty"`
	Owner    string    `json:"owner,omitempty"`  // the Router that has the path to itself, if nothing answers: where it is mounted
	Answer   *Endpoint `json:"answer,omitempty"` // what answers, if it is Answered
	Values   []Value   `json:"values,omitempty"` // of the parameters

	// Before is what runs before the answer, in order, and may answer in its place. It is
	// nil if nothing answers, and if it is not known.
	Before []Middleware `json:"before,omitzero"`

	Candidates []Candidate `json:"candidates"` // all that match the path, the most specific first
}

// A Value is that of a parameter.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Candidate matches the path, or would if its matchers took the values.
type Candidate struct {
	Endpoint
	Answers bool   `json:"answers"`
	Why     string `json:"why"`

	refused, misread bool
}

// Explain makes an explanation of that of the matcher. describe says what an answer is.
func Explain[A any](q Question, m match.Explanation[A], describe func(*A) Endpoint) Explanation {
	e := Explanation{Method: q.Method, Path: q.Target, Candidates: []Candidate{}}
	r := q.Request()
	var ahead *pattern.Pattern
	switch miss := m.Miss; {
	case m.Answer != nil:
		answer := describe(m.Answer)
		e.Outcome, e.Answer, e.Values, ahead = Answered, &answer, valuesOf(answer.Path, m.Values), answer.Path
		if answer.Kind == AddSlash {
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
		e.Owner, ahead = by.File, by.Path
	}
	for _, c := range m.Candidates {
		if c.Verdict == match.Answers || c.Verdict == match.Ambiguous { // the others are measured by it
			ahead = describe(c.Answer(q.Method)).Path
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

// InFront returns the explanation if something else answers GET, in front of what the binary
// has: a public file that is new on disk, in development.
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

// candidates returns the files at a leaf, which are two if one of them is a store, each
// with the verdict on it. ahead is the pattern that answers, or the one of what is mounted
// and owns the path.
func candidates[A any](c match.Candidate[A], method string, m match.Explanation[A], ahead *pattern.Pattern, describe func(*A) Endpoint) []Candidate {
	var all []Candidate
	answer := c.Leaf.Answer(method)
	for _, name := range methodsOf(c.Leaf) {
		a := c.Leaf.Answer(name)
		if name == "ANY" {
			a = c.Leaf.Answer(match.AnyMethod)
		}
		d := describe(a)
		i := slices.IndexFunc(all, func(other Candidate) bool { return other.File == d.File })
		if i < 0 {
			i = len(all)
			all = append(all, Candidate{Endpoint: d, refused: c.Verdict == match.Refused, misread: c.Verdict == match.Ambiguous})
			all[i].Why = why(c, method, m, ahead, d.Path)
		}
		own := &all[i]
		own.Methods = append(own.Methods, name)
		if a == answer { // of all that the file has there, this counts
			methods := own.Methods
			own.Endpoint, own.Answers = d, c.Verdict == match.Answers && m.Answer != nil
			own.Methods = methods
		}
	}
	if c.Verdict != match.Answers || len(all) == 1 {
		return all
	}
	winner := describe(answer).File
	for i := range all {
		if all[i].File != winner {
			all[i].Why = "it shares the URL with " + winner + ", which has " + method
		}
	}
	return all
}

// why makes a sentence of the verdict on a candidate, whose pattern is own.
func why[A any](c match.Candidate[A], method string, m match.Explanation[A], ahead, own *pattern.Pattern) string {
	asked := ""
	if c.Segment < len(m.Path.Segments) {
		asked = m.Path.Segments[c.Segment]
	}
	switch c.Verdict {
	case match.LacksMethod:
		return "it has no " + method
	case match.Refused:
		return fmt.Sprintf("segment %d: %s does not take %q", c.Segment+1, notation(own, c.Segment), asked)
	case match.Mounted:
		return fmt.Sprintf("it is in what is mounted at %s, which ranks as a catch-all there", pattern.New(own.Segments[:c.Segment]))
	case match.Ambiguous:
		return "it could read the path, spelled like this, as another one"
	case match.LessSpecific:
		return fmt.Sprintf("segment %d: %s goes before %s", c.Segment+1, notation(ahead, c.Segment), notation(own, c.Segment))
	}
	if m.Answer == nil {
		return "it answers in the right spelling"
	}
	return "it answers"
}

// methodsOf returns the methods that a leaf answers by name, and "ANY", as people sort them.
func methodsOf[A any](l *match.Leaf[A]) []string {
	set := map[string]bool{}
	l.Methods(set)
	if l.HasAny() {
		set["ANY"] = true
	}
	return slices.SortedFunc(maps.Keys(set), forms.CompareMethods)
}

// notation returns a segment of a pattern as people speak of it, in the notation of files.
// Behind the last one stands what is mounted.
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

func valuesOf(p *pattern.Pattern, values match.Values) []Value {
	var all []Value
	for i, name := range p.Names {
		all = append(all, Value{name, match.Value(p, values, i)})
	}
	return all
}
