package scaffold

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// handlerNames returns what a handler may be called, the best name first: showUser, or
// else showUserByID, or else showUsersID.
func handlerNames(r *routetree.Route, method string) []string {
	verb, noun := verbOf(r, method), nounOf(r, method)
	names := []string{verb + noun}
	if params := paramsOf(r); len(params) > 0 {
		by := ""
		for _, p := range params {
			by += camel(p.Text)
		}
		names = append(names, verb+noun+"By"+by)
	}
	names = append(names, verb+camel(r.Stem))
	for n := 2; n < 100; n++ {
		names = append(names, names[0]+strconv.Itoa(n))
	}
	return names
}

// verbOf returns the verb that a handler's name begins with.
func verbOf(r *routetree.Route, method string) string {
	collection := isCollection(r)
	switch {
	case method == http.MethodGet && collection:
		return "list"
	case method == http.MethodGet:
		return "show"
	case method == http.MethodPost && (collection || r.Store):
		return "create"
	case method == http.MethodPut:
		return "update"
	case method == methodAny:
		return "answer"
	}
	return strings.ToLower(method)
}

// isCollection reports whether a URL ends in a plural: /users, and not /users/{id}.
func isCollection(r *routetree.Route) bool {
	segments := r.Longest().Segments
	if len(segments) == 0 {
		return false
	}
	last := segments[len(segments)-1]
	return last.Kind == pattern.Literal && singular(last.Text) != last.Text
}

// nounOf returns what a handler's name ends in: the literal elements of the path, of which
// one in front of a parameter is singular, since the handler is for one of them.
func nounOf(r *routetree.Route, method string) string {
	segments := r.Longest().Segments
	noun := ""
	for i, s := range segments {
		if s.Kind != pattern.Literal {
			continue
		}
		text := s.Text
		last := i == len(segments)-1
		if !last && segments[i+1].Kind != pattern.Literal || last && method == http.MethodPost {
			text = singular(text)
		}
		noun += camel(text)
	}
	if noun != "" {
		return noun
	}
	for _, s := range segments {
		noun += camel(s.Text)
	}
	if noun == "" {
		return "Home"
	}
	return noun
}

// paramsOf returns the parameters of a route.
func paramsOf(r *routetree.Route) []pattern.Segment {
	return slices.DeleteFunc(slices.Clone(r.Longest().Segments), func(s pattern.Segment) bool { return s.Kind == pattern.Literal })
}

// irregular are plurals of which the rules of singular make no word.
var irregular = map[string]string{"caches": "cache", "children": "child", "cookies": "cookie", "heroes": "hero", "movies": "movie", "people": "person"}

// singular returns one of what an English plural names, or the word itself if it does not
// look like a plural.
func singular(word string) string {
	lower := strings.ToLower(word)
	if one, ok := irregular[word]; ok {
		return one
	}
	for _, s := range []string{"ss", "us", "is", "news", "series"} {
		if strings.HasSuffix(lower, s) {
			return word
		}
	}
	if strings.HasSuffix(lower, "ies") && len(word) > len("ties") {
		return word[:len(word)-len("ies")] + "y"
	}
	for _, s := range []string{"sses", "xes", "ches", "shes"} {
		if strings.HasSuffix(lower, s) {
			return word[:len(word)-len("es")]
		}
	}
	if strings.HasSuffix(lower, "s") && len(word) > len("as") {
		return word[:len(word)-1]
	}
	return word
}

// initialisms are written in capitals in Go names.
var initialisms = map[string]bool{"api": true, "css": true, "csv": true, "html": true, "http": true, "id": true, "ip": true, "json": true, "sql": true, "ui": true, "uid": true, "url": true, "uuid": true, "xml": true}

// camel returns a text as part of a Go name: "sign-in" is SignIn, "api" is API.
func camel(text string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if initialisms[strings.ToLower(word)] {
			b.WriteString(strings.ToUpper(word))
			continue
		}
		first, rest := []rune(word)[0], string([]rune(word)[1:])
		b.WriteString(string(unicode.ToUpper(first)) + rest)
	}
	return b.String()
}

// title returns what a page is called in its heading: "Sign in" for sign-in, "User" for
// users/[id].
func title(r *routetree.Route) string {
	segments := r.Longest().Segments
	text := path.Base(r.Path)
	for i := len(segments) - 1; i >= 0; i-- {
		if s := segments[i]; s.Kind == pattern.Literal {
			text = s.Text
			if i < len(segments)-1 {
				text = singular(text)
			}
			break
		}
		text = segments[i].Text
	}
	words := strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == '-' || c == '_' || c == ' ' }), " ")
	if words == "" || len(segments) == 0 {
		return "Home"
	}
	first := []rune(words)[0]
	return string(unicode.ToUpper(first)) + words[len(string(first)):]
}
