package reach

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/match"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/testkit/routerules"
)

// trieOf returns a trie of rules.
func trieOf(rules []routerules.Rule) *match.Trie[routerules.Rule] {
	trie := &match.Trie[routerules.Rule]{}
	routerules.Fill(trie, rules)
	return trie
}

// haveAnswer reports whether a leaf has the answer for a method.
func haveAnswer(leaves []*match.Leaf[routerules.Rule], method string, answer *routerules.Rule) bool {
	return slices.ContainsFunc(leaves, func(l *match.Leaf[routerules.Rule]) bool { return l.Answer(method) == answer })
}

// possible returns the texts of the first rules of the leaves that Possible yields.
func possible(rules []routerules.Rule, method, path string, slashes bool) (said []string) {
	texts, _, _ := ParsePath(path)
	for _, l := range Possible(trieOf(rules), method, texts, slashes) {
		said = append(said, l.Answers()[0].Text)
	}
	return said
}

// holes replaces the braces of a path in a test: "/users/{}/edit".
func holes(path string) string { return strings.ReplaceAll(path, "{}", pattern.Hole) }

func TestPossible(t *testing.T) {
	users := []string{"GET users/new", "POST users/:id", "GET users/:id/edit", "GET :a/:b"}
	ids := []string{"GET users/:id=long", "GET users/:slug", "GET docs/*r=ab", "GET docs/*r"}
	mounts := []string{"GET a > x", "POST a > :q", "GET :z/x", "GET b > y", "GET *r"}
	for _, tt := range []struct {
		rules         []string
		request, want string
	}{
		{users, "GET /users/{}", "GET users/new, POST users/:id, GET :a/:b"},
		{users, "POST /users/{}", "GET users/new, POST users/:id"},
		{users, "GET /users/n{}", "GET users/new, POST users/:id, GET :a/:b"},
		{users, "GET /users/{}e{}", "GET users/new, POST users/:id, GET :a/:b"},
		{users, "GET /users/x{}", "POST users/:id, GET :a/:b"},
		{users, "GET /users/new", "GET users/new"},
		{users, "PUT /users/new", "GET users/new, POST users/:id, GET :a/:b"},
		{users, "GET /users/{}/edit", "GET users/:id/edit"},
		{users, "GET /user/{}/edit", ""},
		{users, "GET /{}/{}/edit", "GET users/:id/edit"},
		{users, "GET /user/{}", "GET :a/:b"},
		{users, "GET /{}", ""},
		{ids, "GET /users/{}", "GET users/:id=long, GET users/:slug"},
		{ids, "GET /users/xy", "GET users/:id=long"},
		{ids, "GET /users/x", "GET users/:slug"},
		{ids, "GET /users/x{}", "GET users/:id=long, GET users/:slug"}, // the hole may make it long
		{ids, "GET /docs/a/{}", "GET docs/*r=ab, GET docs/*r"},
		{ids, "GET /docs/a/b", "GET docs/*r=ab"},
		{ids, "GET /docs/c/{}", "GET docs/*r"},
		{mounts, "GET /a/{}", "GET a > x, POST a > :q"},
		{mounts, "GET /{}/x", "GET a > x, GET :z/x"},
		{mounts, "GET /a/b/{}", ""},
		{mounts, "GET /{}/y", "POST a > :q, GET b > y, GET *r"},
		{[]string{"GET :o > x"}, "GET /%2e%2e/x", ""},
		{[]string{"GET :o > x"}, "GET /{}/x", "GET :o > x"},
	} {
		t.Run(tt.request, func(t *testing.T) {
			is := is.New(t)
			method, path, _ := strings.Cut(tt.request, " ")
			is.Equal(strings.Join(possible(routerules.ParseAll(tt.rules), method, holes(path), false), ", "), tt.want)
		})
	}
}

// A value may contain slashes, and be empty if it is the whole path.
func TestPossibleWithSlashes(t *testing.T) {
	rules := []string{"GET docs/:a/:b", "GET search", "GET a/x/:y/z", "GET files/*r", "GET m > x/y", "GET "}
	for _, tt := range []struct{ path, want string }{
		{"/docs/{}", "GET docs/:a/:b"},
		{"/docs/{}/x", "GET docs/:a/:b"},
		{"/doc/{}", ""},
		{"/search/{}", ""},
		{"/search/{}/x", ""},
		{"/search{}", "GET search"},
		{"/a/{}/z", "GET a/x/:y/z"},
		{"/a/{}/y", ""},
		{"/a/{}/{}", "GET a/x/:y/z"},
		{"/fi{}s", "GET files/*r"},
		{"/m{}", "GET m > x/y"},
		{"/x/{}", ""},
		{"/{}", "GET , GET a/x/:y/z, GET docs/:a/:b, GET files/*r, GET m > x/y, GET search"},
		{"/{}/{}", "GET a/x/:y/z, GET docs/:a/:b, GET files/*r, GET m > x/y"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			got := possible(routerules.ParseAll(rules), "GET", holes(tt.path), true)
			slices.Sort(got)
			is.Equal(strings.Join(slices.Compact(got), ", "), tt.want)
		})
	}
}

func TestParsePath(t *testing.T) {
	for _, tt := range []struct {
		path      string
		want      []HoledSegment
		canonical bool
	}{
		{"/", []HoledSegment{}, true},
		{"/users/{}/c%20d", []HoledSegment{{"users"}, {"", ""}, {"c d"}}, true},
		{"/a-{}-b{}/", []HoledSegment{{"a-", "-b", ""}}, false},
		{"/a/./b/../c", []HoledSegment{{"a"}, {"c"}}, false},
		{"/a%2F{}", []HoledSegment{{"a/", ""}}, true},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			got, canonical, ok := ParsePath(holes(tt.path))
			is.True(ok)
			is.Equal(got, tt.want)
			is.Equal(canonical, tt.canonical)
		})
	}
	for _, path := range []string{"", "users", "/%zz", "/100%", "/a/%2"} {
		t.Run("bad "+path, func(t *testing.T) {
			is := is.New(t)
			_, _, ok := ParsePath(path)
			is.True(!ok)
		})
	}
}

func TestNearest(t *testing.T) {
	rules := routerules.ParseAll([]string{"GET users", "GET users/:id", "GET users/:id/edit", "POST user/:id/x", "GET api/recipes/:slug", "GET :lang/recipes/:slug",
		"GET imprint", "GET :lang", "GET admin > settings/:tab=long", "GET docs/*r", "GET lists/*r=ab", "GET styles.css"})
	all := trieOf(rules)
	for _, tt := range []struct{ request, want string }{
		{"GET /user/{}", "GET users/:id"},
		{"GET /usres", "GET users"},
		{"GET /Users/7/EDIT", "GET users/:id/edit"},
		{"GET /users/{}/edti", "GET users/:id/edit"},
		{"GET /usrs/{}/edti", "GET users/:id/edit"},
		{"GET /api/recipe/{}", "GET api/recipes/:slug"},
		{"GET /imprnt", "GET imprint"},
		{"GET /imprint", ""},
		{"GET /de", ""},
		{"POST /users/7/x", "POST user/:id/x"},
		{"PUT /users/7/x", ""},
		{"GET /admin/setings/{}", "GET admin > settings/:tab=long"},
		{"GET /admin/setings/x", ""},
		{"GET /dosc/a/b", "GET docs/*r"},
		{"GET /list/a/b", "GET lists/*r=ab"},
		{"GET /list/a/c", ""},
		{"GET /style.css", "GET styles.css"},
		{"GET /" + strings.Repeat("x", 10000), ""},
	} {
		t.Run(tt.request[:min(30, len(tt.request))], func(t *testing.T) {
			is := is.New(t)
			method, path, _ := strings.Cut(tt.request, " ")
			texts, _, _ := ParsePath(holes(path))
			got := ""
			if l := Nearest(all, method, texts); l != nil {
				got = l.Answers()[0].Text
			}
			is.Equal(got, tt.want)
		})
	}
}

// independent are matchers for which each combination has a value that is no literal of
// rulesFrom: see valuesOfHoles.
var independent = map[string]*pattern.Matcher{
	"ab":   {Name: "ab", Fits: func(v string) bool { return v[0] == 'a' || v[0] == 'b' }},
	"long": {Name: "long", Fits: func(v string) bool { return len(v) > 3 }},
	"x":    {Name: "x", Fits: func(v string) bool { return strings.HasSuffix(v, "x") }},
}

// valuesOfHoles has a value for each combination of matchers, and the literals of rulesFrom.
var valuesOfHoles = []string{"", "9", "a9", "9x", "a9x", "9999", "a999", "999x", "a99x", "a", "b", "x", "c d"}

// holedPath makes a path with at most two holes of bytes.
func holedPath(data []byte) string {
	segments := []string{"a", "b", "x", "c%20d", "y", "{}", "a9x", "{}", "a{}", "{}x", "{}9{}"}
	path := ""
	for _, b := range data[:min(len(data), 4)] {
		s := segments[int(b)%len(segments)]
		if strings.Count(path+s, "{}") > 2 {
			s = "a"
		}
		path += "/" + s
	}
	if path == "" {
		path = "/"
	}
	return holes(path)
}

// fill returns the segments of the path for each choice of values.
func fill(path string, values []string) (all [][]string) {
	before, after, found := strings.Cut(path, pattern.Hole)
	if !found {
		p, _ := pattern.Clean(path)
		return [][]string{p.Segments}
	}
	for _, v := range values {
		all = append(all, fill(before+v+after, values)...)
	}
	return all
}

// checkPossible says what is wrong with the leaves that may match a path, or "". The judge
// fills the holes with many values, and asks the table itself.
func checkPossible(rules []routerules.Rule, method, path string) string {
	exact := true // the walk takes what two matchers say of one hole to be independent
	for i, r := range rules {
		segments := slices.Clone(r.Segments)
		for j, seg := range segments {
			if seg.Matcher != nil {
				segments[j].Matcher, exact = independent[seg.Matcher.Name], false
			}
		}
		rules[i].Pattern = pattern.New(segments)
	}
	trie := trieOf(rules)
	all := match.Compile(trie, nil, nil)
	texts, _, _ := ParsePath(path)
	got, wide := Possible(trie, method, texts, false), Possible(trie, method, texts, true)
	reached := map[*match.Leaf[routerules.Rule]]bool{}
	for _, filled := range fill(path, valuesOfHoles) {
		if len(filled) < len(texts) {
			continue // a whole segment is empty
		}
		for _, l := range all.Matching(filled) {
			if reached[l] = true; l.Answer(method) != nil {
				break
			}
		}
		if answer, _ := all.Find(method, filled); answer != nil && !haveAnswer(got, method, answer) {
			return "misses " + answer.Text + " for /" + strings.Join(filled, "/")
		}
	}
	slashes := []string{"a", "9/a", "x/b/9x", "b"}
	for _, filled := range fill(path, slashes) {
		if answer, _ := all.Find(method, filled); answer != nil && !haveAnswer(wide, method, answer) {
			return "with slashes, misses " + answer.Text + " for /" + strings.Join(filled, "/")
		}
	}
	seen := map[*match.Leaf[routerules.Rule]]bool{}
	for _, l := range got {
		if seen[l] {
			return "yields twice " + l.Answers()[0].Text
		}
		seen[l] = true
		if !slices.Contains(wide, l) {
			return "with slashes, misses " + l.Answers()[0].Text
		}
		if exact && !reached[l] {
			return "yields " + l.Answers()[0].Text + ", which answers for no values"
		}
	}
	if strings.Contains(path, pattern.Hole) {
		return ""
	}
	if answer, _ := all.Find(method, texts0(texts)); answer != nil && (len(got) == 0 || got[len(got)-1].Answer(method) != answer) {
		return "does not end in " + answer.Text
	}
	if leaves := Possible(trie, "", texts, false); !slices.Equal(leaves, all.Matching(texts0(texts))) {
		return "yields other leaves than Matching"
	}
	return ""
}

// texts0 returns the segments of a path without holes.
func texts0(texts []HoledSegment) (path []string) {
	for _, t := range texts {
		path = append(path, t[0])
	}
	return path
}

func TestRandomHoles(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	bytes := func(n int) []byte { return routerules.RandomBytes(random, n) }
	yielded := 0
	for range 700 {
		rules := routerules.FromBytes(bytes(5 + random.IntN(60)))
		for range 6 {
			path, method := holedPath(bytes(random.IntN(5))), []string{"GET", "POST", "HEAD", "LOCK"}[random.IntN(4)]
			if wrong := checkPossible(rules, method, path); wrong != "" {
				t.Fatalf("%s %q of %q: %s", method, path, routerules.Texts(rules), wrong)
			}
			yielded += len(possible(rules, method, path, false))
		}
	}
	if yielded < 1000 {
		t.Errorf("only %d leaves were possible: the generator shows nothing", yielded)
	}
}

func FuzzPossible(f *testing.F) {
	f.Add([]byte("\x01\x02\x02\x00\x00\x02\x01\x03\x01\x01\x00\x04"), "GET", []byte("\x00\x05"))
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), "LOCK", []byte("\x09\x08\x01"))
	f.Fuzz(func(t *testing.T, data []byte, method string, path []byte) {
		if len(data) > 200 || method == "" || method == match.AnyMethod {
			t.Skip()
		}
		rules := routerules.FromBytes(data)
		if wrong := checkPossible(rules, method, holedPath(path)); wrong != "" {
			t.Errorf("%s %q of %q: %s", method, holedPath(path), routerules.Texts(rules), wrong)
		}
	})
}
