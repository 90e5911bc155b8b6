package flow

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/flow/internal/check/inputs"
	"example.com/flow/internal/check/links"
	"example.com/flow/internal/develop/ondisk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/input"
	"example.com/flow/internal/site/bridge"
)

// destinations find what the URLs in templates lead to: the patterns of the outermost Router,
// those of the Routers mounted inside it included.
type destinations struct {
	*match.Trie[endpoint]
	disk []*ondisk.Source // in development
}

var _ links.Site = destinations{}

// Find returns what a URL leads to.
func (d destinations) Find(method, asked string) (t links.Target) {
	path, canonical, ok := match.ParsePath(asked)
	if !ok {
		return links.Target{Broken: true}
	}
	var answers []*endpoint
	answers, t.Methods, t.Slashes = d.asked(method, path)
	if len(answers) == 0 {
		t.Answered = slices.ContainsFunc(d.disk, func(s *ondisk.Source) bool { return s.IsUnbuilt(overlapping(path)) })
		if near := d.Nearest(method, path); near != nil && len(t.Methods) == 0 {
			t.Near = near.Answers()[0].path.String()
		}
		t.Refused = d.refusal(method, path)
		return t
	}
	t.Answered, t.By = true, answers[0].path.String()
	if !canonical && !answers[0].isMountedHandler() {
		clean, _ := pattern.Clean(asked)
		t.Canonical = clean.Escaped
	}
	t.IsPage = !slices.ContainsFunc(answers, func(e *endpoint) bool { return !e.isPage() })
	t.Near = d.sibling(method, path, answers[0])
	if len(answers) == 1 {
		t.Input = formInputOf(answers[0], method)
	}
	return t
}

// asked is answers for holes whose values may have slashes if nothing answers others, which slashes
// reports.
func (d destinations) asked(method string, path []match.HoledSegment) (answers []*endpoint, methods []string, slashes bool) {
	answers, methods = d.answers(method, path, false)
	if len(answers) == 0 && slices.ContainsFunc(path, func(t match.HoledSegment) bool { return len(t) > 1 }) {
		if some, others := d.answers(method, path, true); len(some) > 0 || len(methods) == 0 {
			return some, others, true
		}
	}
	return answers, methods, false
}

// answers returns what answers a method of a path for some values of its holes, and the other
// methods that the path answers, without HEAD and OPTIONS. The method "" stands for any.
func (d destinations) answers(method string, path []match.HoledSegment, slashes bool) (answers []*endpoint, methods []string) {
	known := map[string]bool{}
	for _, l := range d.Possible(method, path, slashes) {
		e := l.Answer(method)
		if method == "" {
			e = l.Answers()[0]
		}
		if e != nil && slices.ContainsFunc(d.disk, func(s *ondisk.Source) bool { return s.IsGone(e.owner.file) }) {
			continue
		}
		if l.Methods(known); e != nil && !slices.Contains(answers, e) {
			answers = append(answers, e)
		}
	}
	delete(known, http.MethodHead)
	return answers, slices.Sorted(maps.Keys(known))
}

// refusal says which matcher keeps a path from an answer, or returns "".
func (d destinations) refusal(method string, path []match.HoledSegment) string {
	l, i, value := d.Refusing(method, path)
	if l == nil {
		return ""
	}
	seg := l.Answers()[0].path.Segments[i]
	return fmt.Sprintf("[%s=%s] does not take %q", seg.Text, seg.Matcher.Name, value)
}

// overlapping returns segments that match what a path is for some values of its holes.
func overlapping(path []match.HoledSegment) (segments []pattern.Segment) {
	for _, t := range path {
		if len(t) > 1 {
			segments = append(segments, pattern.Segment{Kind: pattern.Param})
		} else {
			segments = append(segments, pattern.Segment{Kind: pattern.Literal, Text: t[0]})
		}
	}
	return segments
}

// sibling returns the pattern that may be meant by a path whose answer takes a segment for the
// value of a parameter: /imprint for /imprnt, which is a /{lang}. It returns "" if there is none.
func (d destinations) sibling(method string, path []match.HoledSegment, answer *endpoint) string {
	if !slices.ContainsFunc(answer.path.Segments, func(seg pattern.Segment) bool { return seg.Kind != pattern.Literal }) || slices.ContainsFunc(path, func(t match.HoledSegment) bool { return len(t) > 1 }) {
		return ""
	}
	l := d.Nearest(method, path)
	if l == nil {
		return ""
	}
	near := l.Answers()[0].path
	for i, seg := range near.Segments {
		if seg.Kind == pattern.Literal && seg.Text != path[i][0] && utf8.RuneCountInString(seg.Text) < 4 { // short words are often near
			return ""
		}
	}
	return near.String()
}

// isMountedHandler reports whether the endpoint is that of a mounted handler other than a
// Router.
func (e *endpoint) isMountedHandler() bool {
	return e.owner.route == nil && strings.HasPrefix(e.pattern, "/")
}

// A formInput is what a typed handler reads of a form.
type formInput struct {
	of    reflect.Type
	query bool // the form is sent as a query
}

// formInputOf returns what an endpoint reads of a form with a method. It returns nil if that
// is not known.
func formInputOf(e *endpoint, method string) links.Input {
	typed := e.handler.typed
	if typed == nil || typed.in == nil || len(input.FormNames(typed.bound, method == http.MethodGet)) == 0 {
		return nil
	}
	return formInput{typed.bound, method == http.MethodGet}
}

func (f formInput) Has(field string) bool {
	_, _, ok := f.find(field)
	return ok
}

func (f formInput) File(field string) bool {
	to, _, ok := f.find(field)
	return ok && to.Type != nil && input.ConversionOf(to.Type).Kind == input.File
}

func (f formInput) Files() []string {
	return slices.DeleteFunc(input.FormNames(f.of, f.query), func(name string) bool { return !f.File(name) })
}

func (f formInput) Suggest(field string) string {
	_, near, _ := f.find(field)
	return input.SuggestKey(field, near)
}

func (f formInput) Misfit(field links.Field) string {
	to, _, ok := f.find(field.Name)
	if !ok || to.Type == nil {
		return ""
	}
	if err := inputs.CheckElement(to.Type, field.Type, field.Value, field.Lists); err != nil {
		return err.Error()
	}
	return ""
}

func (f formInput) IsAlwaysTrue(field string) bool {
	return inputs.DefaultsToTrue(f.of, f.query, field)
}

func (f formInput) Limit(field, attr, value string) string {
	return inputs.CheckLimit(f.of, f.query, field, attr, value, invalidOf)
}

// find looks for what a field fills. Actions in its name have holes.
func (f formInput) find(field string) (to input.Target, near []string, ok bool) {
	return input.FormTarget(f.of, f.query, strings.ReplaceAll(field, pattern.Hole, input.Unknown))
}

// check returns the faults of the links in the templates of a tree.
func (d destinations) check(views *templates.Views, t *routetree.Tree) []fault.Fault {
	sources, fields := views.Links(urlsOfPages(t))
	return links.Check(sources, fields, d)
}

// urlsOfPages returns a function that returns the URLs of the page with a path in a tree, with
// holes for the parameters.
func urlsOfPages(t *routetree.Tree) func(path string) []string {
	pages := map[string]*routetree.Route{}
	for _, r := range t.Routes {
		if r.Page {
			pages[r.Path] = r
		}
	}
	return func(path string) (urls []string) {
		if r := pages[path]; r != nil {
			for _, p := range r.Patterns {
				urls = append(urls, urlWithHoles(p))
			}
		}
		return urls
	}
}

// urlWithHoles returns the URL of a pattern, with a hole for each parameter.
func urlWithHoles(p *pattern.Pattern) string {
	values := map[string][]string{}
	for _, name := range p.Names {
		values[name] = []string{pattern.Hole}
	}
	return strings.ReplaceAll(p.URL(values), url.PathEscape(pattern.Hole), pattern.Hole)
}

func init() { bridge.Places = placesIn }

// placesIn is bridge.Places. The templates of a Router are read again when they are first asked.
func placesIn(router any) func(path, text, what string) (file string, line, column int) {
	r, all := router.(*Router), map[*table]*templates.Views{}
	return func(path, text, what string) (file string, line, column int) {
		t, name := r.compile(), "+error"
		if path != "" {
			p, _ := pattern.ParsePath(&http.Request{URL: &url.URL{Path: path}})
			e, _ := t.matcher.Find(http.MethodGet, p.Segments)
			switch {
			case e == nil:
				return "", 0, 0
			case !e.isPage():
				return e.owner.file, 0, 0
			}
			t, name = e.table, e.owner.route.Path
		}
		for _, inner := range r.withMounted() {
			if inner.table.Load() == t && all[t] == nil {
				all[t] = inner.wholeViews()
			}
		}
		return all[t].Place(name, text, what)
	}
}
