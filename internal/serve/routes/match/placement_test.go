package match

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/julienschmidt/httprouter"
	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/pattern"
)

// held returns the routes of one method, without those that only go on to the trie.
func held(rules []rule, method string) []route[rule] {
	trie := table(rules, nil, nil).trie
	return slices.DeleteFunc(routesFor(trie, method, collectLiterals(trie).leaves), func(r route[rule]) bool { return r.answer == nil })
}

func TestPlacement(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules []string
		want  string
	}{
		{"literals are in the map", []string{"GET a", "GET a/b"}, ""},
		{"beside a literal", []string{"GET users/new", "GET users/:id", "POST users/:id"}, "/users/:1 /users/:1"},
		{"below one parameter", []string{"GET :a", "GET :a/b", "GET :a/c/*r"}, "/:0 /:0/b /:0/c/*2"},
		{"literals before a parameter", []string{"GET blog/:slug", "GET :lang/:page", "GET docs/:x/y"}, "/blog/:1 /docs/:1/y"},
		{"a parameter at the root", []string{"GET posts/:id", "GET posts/:id/edit", "GET :slug"}, "/posts/:1 /posts/:1/edit"},
		{"a catch-all at the root", []string{"GET posts/:id", "GET *all", "GET about"}, "/posts/:1"},
		{"an optional parameter", []string{"GET posts/:id", "GET :lang/help", "GET help"}, "/posts/:1"},
		{"a literal with another method", []string{"GET posts/:id", "POST :slug", "PUT posts/:id"}, "/:0 /posts/:1 /posts/:1"},
		{"another branch", []string{"GET a/b/:x", "GET a/:y/c", "GET d/:z"}, "/a/b/:2 /d/:1"},
		{"as many lose", []string{"GET :o/a", "GET :o/:p", "GET b"}, ""},
		{"fewer lose", []string{"GET :o/a", "GET :o/b", "GET :o/:p"}, "/:0/a /:0/b"},
		{"a catch-all beside a parameter", []string{"GET f/:x", "GET f/*r", "GET g/*r"}, "/g/*1"},
		{"a catch-all beside two below a parameter", []string{"GET f/:x/a", "GET f/:x/b", "GET f/*r"}, "/f/:1/a /f/:1/b"},
		{"a catch-all beside literals", []string{"GET f/a", "GET f/b/c", "GET f/*r"}, "/f/*1"},
		{"a catch-all beside a parameter below a literal", []string{"GET f/a/:x", "GET f/*r"}, "/f/a/:2"},
		{"each method by itself", []string{"GET f/:x", "POST f/*r"}, "/f/*1 /f/:1"},
		{"any method", []string{"GET f/:x", "ANY f/*r"}, "/f/*1 /f/*1 /f/*1 /f/*1"},
		{"matchers at one position", []string{"GET :n=ab/edit", "GET :s/view", "GET :s"}, "/:0 /:0/edit /:0/view"},
		{"matchers at one position, one path", []string{"GET :n=ab", "GET :s"}, "/:0"},
		{"a matcher that takes no literal", []string{"GET :n=ab/:m=x", "GET :s/b", "GET :s/c"}, "/:0/b /:0/c"},
		{"a matcher that takes a literal", []string{"GET :n=ab/:m=x", "GET :s/x"}, "/:0/:1"},
		{"mounted", []string{"GET m > a/:x", "GET n/:y"}, "/m/a/:2 /n/:1"},
		{"mounted beside a file", []string{"GET m/:x", "GET m > a/:x"}, "/m/a/:2"},
		{"mounted below less specific patterns", []string{"GET m > a", "GET :x", "GET *all", "GET :x/y"}, ""},
		{"exponential", exponential(6), "/a/a/a/a/a/:5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			rules := rulesOf(tt.rules)
			var paths []string
			for _, method := range treeMethods {
				for _, r := range held(rules, method) {
					paths = append(paths, r.path)
				}
			}
			slices.Sort(paths)
			is.Equal(strings.Join(paths, " "), tt.want)
			for _, r := range rules { // and each has an answer
				if slices.ContainsFunc(r.Segments, func(s pattern.Segment) bool { return s.Matcher != nil }) {
					continue
				}
				is.True(!strings.HasPrefix(asked(t, rules, r.Method, pattern.Sample(r.Segments)), "nothing"))
			}
		})
	}
}

// TestPlacementOfRandomRules holds the reasons for which patterns are kept out against all
// pairs of patterns, and against httprouter itself.
func TestPlacementOfRandomRules(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	kept, out := 0, 0
	for range 600 {
		data := make([]byte, 5+random.IntN(60))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		rules := rulesFrom(data)
		trie := table(rules, nil, nil).trie
		literals := map[*Leaf[rule]]bool{}
		for _, l := range collectLiterals(trie).leaves {
			literals[l] = true
		}
		leaf := func(r rule) *Leaf[rule] { return leafOf(trie, r) }
		for _, method := range treeMethods {
			routes := held(rules, method)
			for i := range rules {
				r := &rules[i]
				if len(r.Names) == 0 || leaf(*r).Answer(method) != r {
					continue
				}
				held := slices.ContainsFunc(routes, func(held route[rule]) bool { return held.answer == r })
				var rival, loosely *rule
				for j := range rules {
					q := &rules[j]
					if l := leaf(*q); l != leaf(*r) && !literals[l] && l.Answer(method) != nil && goesBefore(*q, *r) && overlap(q.Segments, r.Segments) {
						rival = q
					}
					if q.Mount == "" || q.Mount == r.Mount {
						continue
					}
					if ownedBy(*r, q.Mount) {
						rival = q
					}
					// If some value of the prefix matches one matcher, the others count as if it matched them.
					if ownedBy(withoutMatchers(*r), q.Mount) {
						loosely = q
					}
				}
				switch {
				case held && rival != nil:
					t.Fatalf("%s of %q is held, and some of its paths belong to %s", r.Text, texts(rules), rival.Text)
				case held:
					kept++
				case rival == nil && loosely == nil && !panics(routes, r.Segments) && !besideOthers(rules, *r, leaf, method):
					t.Fatalf("%s %s of %q is kept out without a reason", method, r.Text, texts(rules))
				default:
					out++
				}
			}
		}
	}
	t.Log(kept, "held,", out, "kept out")
	if kept < 1000 || out < 1000 {
		t.Error("the generator shows nothing")
	}
}

// leafOf returns the leaf of a rule.
func leafOf(trie *Trie[rule], r rule) *Leaf[rule] {
	if r.Mount != "" {
		n, _ := trie.node(of(r.Mount).Segments)
		trie = n.mounted
	}
	return trie.Leaf(r.Pattern)
}

// goesBefore reports whether q is more specific than r. A mount ranks as a catch-all at its
// prefix.
func goesBefore(q, r rule) bool {
	if q.Mount == r.Mount {
		return moreSpecific(q, r, "")
	}
	ahead := func(r rule) []pattern.Segment { // of what is mounted, in the eyes of another
		return append(slices.Clone(of(r.Mount).Segments), pattern.Segment{Kind: pattern.Rest + 1})
	}
	a, b := q.Segments, r.Segments
	if q.Mount != "" {
		a = ahead(q)
	}
	if r.Mount != "" {
		b = ahead(r)
	}
	for i := range min(len(a), len(b)) {
		if x, y := place(a[i]), place(b[i]); x != y {
			return x < y
		}
	}
	return len(a) < len(b)
}

// ownedBy reports whether the mount at a prefix is more specific than r and owns some of its
// paths.
func ownedBy(r rule, mount string) bool {
	below := of(mount).Segments
	all := append(slices.Clone(below), pattern.Segment{Kind: pattern.Rest})
	return goesBefore(rule{Pattern: of(mount), Mount: mount}, r) && (overlap(all, r.Segments) || overlap(below, r.Segments))
}

// withoutMatchers returns the rule without its matchers.
func withoutMatchers(r rule) rule {
	r.Pattern = pattern.New(slices.Clone(r.Segments))
	for i := range r.Segments {
		r.Segments[i].Matcher = nil
	}
	return r
}

// overlap reports whether some path matches both patterns. It assumes that some value matches
// any two matchers.
func overlap(a, b []pattern.Segment) bool {
	for i := 0; ; i++ {
		restOf := func(s []pattern.Segment) *pattern.Segment {
			if i >= len(s)-1 && len(s) > 0 && s[len(s)-1].Kind == pattern.Rest {
				return &s[len(s)-1]
			}
			return nil
		}
		x, y := restOf(a), restOf(b)
		switch {
		case x == nil && i < len(a):
			x = &a[i]
		case x == nil && i >= len(b):
			return true
		case x == nil:
			return false
		}
		switch {
		case y == nil && i < len(b):
			y = &b[i]
		case y == nil:
			return x.Kind == pattern.Rest && i >= len(a)
		}
		if i >= len(a) && i >= len(b) {
			return true
		}
		switch {
		case x.Kind == pattern.Literal && y.Kind == pattern.Literal && x.Text != y.Text,
			x.Kind == pattern.Literal && y.Matcher != nil && !y.Takes(x.Text),
			y.Kind == pattern.Literal && x.Matcher != nil && !x.Takes(y.Text):
			return false
		}
	}
}

// panics reports whether httprouter panics if it gets another pattern beside routes.
func panics(routes []route[rule], segments []pattern.Segment) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	r := httprouter.New()
	handle := func(http.ResponseWriter, *http.Request, httprouter.Params) {}
	for _, held := range routes {
		r.Handle("GET", held.path, handle)
	}
	path := ""
	for i, seg := range segments {
		switch seg.Kind {
		case pattern.Literal:
			path += "/" + seg.Text
		case pattern.Param:
			path += "/:" + strconv.Itoa(i)
		case pattern.Rest:
			path += "/*" + strconv.Itoa(i)
		}
	}
	r.Handle("GET", path, handle)
	return false
}

// besideOthers reports whether httprouter may hold other patterns in place of r: somewhere
// on its path a parameter and a catch-all stand beside each other, or below a parameter a
// literal and a parameter.
func besideOthers(rules []rule, r rule, leaf func(rule) *Leaf[rule], method string) bool {
	for _, q := range rules {
		if leaf(q).Answer(method) == nil {
			continue
		}
		captured := false
		for i := range min(len(q.Segments), len(r.Segments)) {
			a, b := r.Segments[i], q.Segments[i]
			if a.Kind != b.Kind {
				if a.Kind != pattern.Literal && b.Kind != pattern.Literal || captured {
					return true
				}
				break
			}
			if a.Kind == pattern.Literal && a.Text != b.Text {
				break
			}
			captured = captured || a.Kind == pattern.Param
		}
	}
	return false
}

// TestShare holds which patterns of typical applications go through httprouter: all that
// have a parameter below a literal, whatever stands at the root.
func TestShare(t *testing.T) {
	atRoot := []string{":slug", "*all", ":lang/help"} // [slug].html, [...all].html, [[lang]]/help.html
	for _, tt := range []struct {
		name  string
		paths string // with parameters
		out   string // those of them that httprouter does not hold
		root  string // those at the root that it holds
	}{
		{"blog", "posts/:id posts/:id/comments/:n tags/:tag archive/:year/:month authors/:name/posts", "", ""},
		{"shop", "products/:id products/:id/reviews categories/:name categories/:name/:page orders/:id cart/items/:n", "", ""},
		{"docs site", "docs/*path guides/:guide/:chapter versions/:version/*symbol blog/:slug", "", ""},
		{"API", "v1/users/:id v1/users/:id/keys/:key v1/repos/:owner/:repo v1/repos/:owner/:repo/issues/:n v1/files/*path v2/users/:id=ab", "", ""},
		{"languages", ":lang=ab :lang=ab/about :lang=ab/posts :lang=ab/posts/:id", "", ":lang/help"},
		{"administration", "admin/users/:id admin/:section orgs/:org/:team/members/:id teams/:id=ab/edit teams/:name/view", "admin/:section", ""},
	} {
		for _, root := range append([]string{""}, atRoot...) {
			t.Run(tt.name+" with "+root, func(t *testing.T) {
				is := is.New(t)
				rules := rulesOf([]string{"GET index", "GET about", "GET posts", "GET orders/new", "GET help"})
				for path := range strings.FieldsSeq(tt.paths + " " + root) {
					rules = append(rules, ruleOf("GET "+path))
				}
				isHeld := map[string]bool{}
				for _, r := range held(rules, http.MethodGet) {
					isHeld[strings.TrimPrefix(r.answer.Text, "GET ")] = true
				}
				var out []string
				for path := range strings.FieldsSeq(tt.paths) {
					if !isHeld[path] {
						out = append(out, path)
					}
				}
				t.Logf("httprouter holds %d of %d below literals or languages, and of the root: %v", len(strings.Fields(tt.paths))-len(out), len(strings.Fields(tt.paths)), isHeld[root])
				is.Equal(strings.Join(out, " "), tt.out)
				is.Equal(isHeld[root], root != "" && root == tt.root)
			})
		}
	}
}
