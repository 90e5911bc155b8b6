package reach

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/testkit/routerules"
)

var verdicts = []string{"answers", "lacks the method", "less specific", "mounted", "refused", "ambiguous"}

// TestExplain reads the verdicts. TestExplainRandomTables reads those of random tables.
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
			method, target, _ := strings.Cut(tt.request, " ")
			var said []string
			for _, c := range explain(t, routerules.ParseAll(tt.rules), method, target).Candidates {
				text := c.Answers()[0].Text + ": " + verdicts[c.Verdict]
				if c.Verdict == LessSpecific || c.Verdict == Mounted || c.Verdict == Refused {
					text += fmt.Sprint(" ", c.Segment)
				}
				said = append(said, text)
			}
			is.Equal(strings.Join(said, "; "), tt.want)
		})
	}
}

// Mounted handlers other than Routers take their paths in any spelling.
func TestExplainAnySpelling(t *testing.T) {
	trie := &match.Trie[string]{}
	files, below, secret := "files", "below", "secret"
	trie.Leaf(routerules.Pattern("files/*")).SetAnySpelling(&files, &files)
	trie.Leaf(routerules.Pattern("files")).SetAnySpelling(&below, &files)
	trie.Leaf(routerules.Pattern("files/secret/:x")).Set("GET", &secret)
	all := match.Compile[string](trie, nil, nil)
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
			e := Explain(all, &http.Request{Method: "GET", URL: u})
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
	trie := &match.Trie[string]{}
	inner := trie.Mount(routerules.Pattern("a").Segments, new(string))
	innermost := inner.Mount(routerules.Pattern("a/:o").Segments, new(string))
	all := map[string]*match.Leaf[string]{
		"innermost": innermost.Leaf(routerules.Pattern("a/:o/x")),
		"inner":     inner.Leaf(routerules.Pattern("a/*r")),
		"outer":     trie.Leaf(routerules.Pattern("*r")),
	}
	for text, l := range all {
		l.Set("GET", &text)
	}
	table := match.Compile[string](trie, nil, nil)
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
			for _, c := range Explain(table, &http.Request{Method: "GET", URL: u}).Candidates {
				said = append(said, *c.Answer("GET"))
			}
			is.Equal(strings.Join(said, ", "), tt.candidates)
		})
	}
}

// explain explains what a table of rules does with a request, and checks the candidates.
func explain(t *testing.T, rules []routerules.Rule, method, target string) Explanation[routerules.Rule] {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	is.New(t).NoErr(err)
	all := match.Compile(trieOf(rules), nil, nil)
	r := &http.Request{Method: method, URL: u}
	e := Explain(all, r)
	if wrong := checkCandidates(all, r, e); wrong != "" {
		t.Fatalf("%s %s of %v: %s", method, target, routerules.Texts(rules), wrong)
	}
	return e
}

// TestExplainRandomTables checks the candidates of random tables, some of which have files.
func TestExplainRandomTables(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bytes := func(n int) []byte { return routerules.RandomBytes(random, n) }
	candidates := 0
	for i := range 2000 {
		rules := routerules.FromBytes(bytes(5 + random.IntN(60)))
		end := ""
		if i%4 == 0 {
			for _, prefix := range []string{"", "a/", ":p/", "x/:q/", "a > ", ":p/b > ", "b > :q/"} {
				rules = append(rules, routerules.Parse("FILE "+prefix+"x.css"))
			}
			end = "/x.aaaaaaaaaaaaaaaa.css"
		}
		for range 12 {
			target := routerules.TargetOf(bytes(random.IntN(6)))
			if end != "" {
				target = strings.TrimSuffix(target, "/") + end
			}
			method := []string{"GET", "POST", "HEAD", "LOCK"}[random.IntN(4)]
			candidates += len(explain(t, rules, method, target).Candidates)
		}
	}
	is.New(t).True(candidates > 10000) // the tables are not empty
}

// checkCandidates says what is wrong with the candidates of an explanation, or "".
func checkCandidates(all *match.Table[routerules.Rule], r *http.Request, e Explanation[routerules.Rule]) string {
	first := func(c Candidate[routerules.Rule]) *routerules.Rule { return c.Answers()[0] }
	var open []*match.Leaf[routerules.Rule] // that the router looks at
	var winner *routerules.Rule
	seen := map[*match.Leaf[routerules.Rule]]bool{}
	for _, c := range e.Candidates {
		if seen[c.Leaf] {
			return first(c).Text + " is told twice"
		}
		seen[c.Leaf] = true
		if c.Matcher == nil && !c.late {
			open = append(open, c.Leaf)
		}
		if c.Verdict == Answers {
			if winner != nil {
				return "two answer"
			}
			winner = c.Leaf.Answer(r.Method)
		}
	}
	if matching := all.Matching(e.Path.Segments); !slices.Equal(open, matching) {
		return fmt.Sprintf("%d candidates, and %d leaves match", len(open), len(matching))
	}
	if e.Answer != nil && winner != e.Answer {
		return "another one wins"
	}
	by := e.Miss.By
	if winner != nil {
		by = winner
	}
	for _, c := range e.Candidates {
		other := first(c)
		refuses := func(i int) bool {
			seg := other.Segments[min(i, len(other.Segments)-1)]
			return !seg.Takes(e.Path.Segments[i])
		}
		switch c.Verdict {
		case LacksMethod:
			if c.Leaf.Answer(r.Method) != nil {
				return other.Text + " has the method"
			}
		case Refused:
			if !refuses(c.Segment) || routerules.Matches(other.Pattern, e.Path.Segments) {
				return other.Text + " is not refused"
			}
			for i := range c.Segment {
				if refuses(i) {
					return other.Text + " was refused before"
				}
			}
		case LessSpecific, Mounted:
			if by == nil {
				return other.Text + " is behind nothing"
			}
			ahead := by.Segments
			mount := len(routerules.Pattern(other.Mount).Segments)
			if c.Verdict == Mounted && (other.Mount == "" || c.Segment != mount || by.Mount == other.Mount) {
				return other.Text + " is not mounted there"
			}
			isFile := other.Method == "FILE" // behind literals, as the segments do not tell
			if c.Verdict == LessSpecific && !isFile && !(routerules.Place(ahead[c.Segment]) < routerules.Place(other.Segments[c.Segment])) {
				return fmt.Sprintf("%s is not less specific at %d than %s", other.Text, c.Segment, by.Text)
			}
		}
	}
	return ""
}
