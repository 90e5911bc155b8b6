package match

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/matryer/is"
)

var verdicts = []string{"answers", "lacks the method", "less specific", "mounted", "refused", "ambiguous"}

// TestExplain reads the verdicts. Every generated table is held against them in asked.
func TestExplain(t *testing.T) {
	users := []string{"GET users/new", "ANY users/:id", "POST :a/:b", "GET *r"}
	ids := []string{"GET users/:id=long", "GET users/:slug", "GET users/*r=ab", "GET users/*r"}
	mounts := []string{"POST a/:p", "GET a > x", "GET a > :q", "GET a > y", "GET *r", "GET :z/x"}
	for _, tt := range []struct {
		rules         []string
		request, want string
	}{
		{users, "GET /users/new", "GET users/new: answers; ANY users/:id: less specific 1; POST :a/:b: less specific 0; GET *r: less specific 0"},
		{users, "POST /users/new", "GET users/new: lacks the method; ANY users/:id: answers; POST :a/:b: less specific 0; GET *r: less specific 0"},
		{users, "POST /users/new/", "GET users/new: lacks the method; ANY users/:id: answers; POST :a/:b: less specific 0; GET *r: less specific 0"},
		{users, "PUT /x/y", "POST :a/:b: lacks the method; GET *r: lacks the method"},
		{users, "HEAD /x/y", "POST :a/:b: lacks the method; GET *r: answers"},
		{users, "GET /", ""},
		{ids, "GET /users/xy", "GET users/:id=long: answers; GET users/:slug: less specific 1; GET users/*r=ab: refused 1; GET users/*r: less specific 1"},
		{ids, "GET /users/a", "GET users/:id=long: refused 1; GET users/:slug: answers; GET users/*r=ab: less specific 1; GET users/*r: less specific 1"},
		{ids, "GET /users/a/x", "GET users/*r=ab: refused 2; GET users/*r: answers"},
		{[]string{"GET :x=ab/:y=long"}, "GET /c/d", "GET :x=ab/:y=long: refused 0"},
		{mounts, "GET /a/x", "POST a/:p: lacks the method; GET a > x: answers; GET a > :q: less specific 1; GET :z/x: less specific 0; GET *r: less specific 0"},
		{mounts, "POST /a/x", "POST a/:p: answers; GET a > x: mounted 1; GET a > :q: mounted 1; GET :z/x: less specific 0; GET *r: less specific 0"},
		{mounts, "PUT /a/x", "POST a/:p: lacks the method; GET a > x: lacks the method; GET a > :q: lacks the method; GET :z/x: less specific 0; GET *r: less specific 0"},
		{mounts, "GET /a/x/y", "GET *r: less specific 0"},
		{[]string{"GET :o > x", "GET *r"}, "GET /%2e/x", ""},
		{[]string{"GET a", "GET a > ", "POST a > "}, "POST /a", "GET a: lacks the method; GET a > : answers"},
		{[]string{"GET a", "GET a > "}, "GET /a", "GET a: answers; GET a > : mounted 1"},
	} {
		t.Run(tt.request, func(t *testing.T) {
			is := is.New(t)
			var rules []rule
			for _, text := range tt.rules {
				rules = append(rules, ruleOf(text))
			}
			method, target, _ := strings.Cut(tt.request, " ")
			u, err := url.ParseRequestURI(target)
			is.NoErr(err)
			var said []string
			for _, c := range table(rules, nil, nil).Explain(&http.Request{Method: method, URL: u}).Candidates {
				text := c.Answers()[0].text + ": " + verdicts[c.Verdict]
				if c.Verdict == LessSpecific || c.Verdict == Mounted || c.Verdict == Refused {
					text += fmt.Sprint(" ", c.Segment)
				}
				said = append(said, text)
			}
			is.Equal(strings.Join(said, "; "), tt.want)
			asked(t, rules, method, target)
		})
	}
}

// Mounted handlers other than Routers take their paths in any spelling.
func TestExplainAnySpelling(t *testing.T) {
	trie := &Trie[string]{}
	files, below, secret := "files", "below", "secret"
	trie.Leaf(of("files/*")).SetAnySpelling(&files, &files)
	trie.Leaf(of("files")).SetAnySpelling(&below, &files)
	trie.Leaf(of("files/secret/:x")).Set("GET", &secret)
	all := Compile[string](trie, nil, nil)
	for _, tt := range []struct{ target, answer, verdicts string }{
		{"/files", "below", "answers"},
		{"/files/", "files", "answers"},
		{"/files/a//b", "files", "answers"},
		{"/files/secret/x", "secret", "answers, less specific"},
		{"/files/secret%2Fx", "", "ambiguous"},
		{"/files/%2e%2e/x", "", "ambiguous"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			u, err := url.ParseRequestURI(tt.target)
			is.NoErr(err)
			e := all.Explain(&http.Request{Method: "GET", URL: u})
			answer := ""
			if e.Answer != nil {
				answer = *e.Answer
			}
			is.Equal(answer, tt.answer)
			var said []string
			for _, c := range e.Candidates {
				said = append(said, verdicts[c.Verdict])
			}
			is.Equal(strings.Join(said, ", "), tt.verdicts)
		})
	}
}

// Where the value of a parameter is "..", a search ends in front of what is mounted behind it,
// at any depth: nothing that comes later is a candidate.
func TestExplainMountInMount(t *testing.T) {
	trie := &Trie[string]{}
	inner := trie.Mount(of("a").Segments, new(string))
	innermost := inner.Mount(of("a/:o").Segments, new(string))
	all := map[string]*Leaf[string]{
		"innermost": innermost.Leaf(of("a/:o/x")),
		"inner":     inner.Leaf(of("a/*r")),
		"outer":     trie.Leaf(of("*r")),
	}
	for text, l := range all {
		l.Set("GET", &text)
	}
	table := Compile[string](trie, nil, nil)
	for _, tt := range []struct{ target, candidates string }{
		{"/a/b/x", "innermost, inner, outer"},
		{"/a/b/y", "inner, outer"},
		{"/a/%2e%2e/x", ""},
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			u, err := url.ParseRequestURI(tt.target)
			is.NoErr(err)
			var said []string
			for _, c := range table.Explain(&http.Request{Method: "GET", URL: u}).Candidates {
				said = append(said, *c.Answer("GET"))
			}
			is.Equal(strings.Join(said, ", "), tt.candidates)
		})
	}
}
