package flow

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/flow/internal/match"
	"example.com/flow/internal/pattern"
)

// destinations find what the URLs in templates and examples lead to: the patterns of the
// outermost Router, those of the Routers mounted inside it included.
type destinations struct{ *match.Trie[endpoint] }

// A target is what a URL leads to.
type target struct {
	path      []match.Text
	canonical bool        // the path is spelled as the router spells it
	slashes   bool        // there are answers only if the value of a hole has a slash, or begins the query
	answers   []*endpoint // to the method, for some values of the holes: the most specific first
	methods   []string    // if there is no answer: the methods that the URL does answer, without HEAD and OPTIONS
}

// find returns what a URL leads to, which begins with a slash and may have holes. ok is
// false if its path has a broken escape.
func (d destinations) find(method, url string) (t target, ok bool) {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	if t.path, t.canonical, ok = match.ParsePath(url); !ok {
		return t, false
	}
	methods := map[string]bool{}
	for _, t.slashes = range []bool{false, true} {
		for l := range d.Possible(method, t.path, t.slashes) {
			e := l.Answer(method)
			if l.Methods(methods); e != nil && !slices.Contains(t.answers, e) {
				t.answers = append(t.answers, e)
			}
		}
		if len(t.answers)+len(methods) > 0 || !strings.Contains(url, pattern.Hole) {
			break
		}
	}
	if len(t.answers) == 0 {
		delete(methods, http.MethodHead)
		t.methods = slices.Sorted(maps.Keys(methods))
	}
	return t, true
}

// suggest returns the pattern that answers a method and is most similar to a path which
// nothing answers, or "".
func (d destinations) suggest(method string, path []match.Text) string {
	if l := d.Nearest(method, path); l != nil {
		return l.Answer(method).path.String()
	}
	return ""
}
