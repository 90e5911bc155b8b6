package match

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/race"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/testkit/routerules"
)

// What these tests share with those of other rooms.
type rule = routerules.Rule

var (
	of, ruleOf, rulesOf, rulesFrom = routerules.Pattern, routerules.Parse, routerules.ParseAll, routerules.FromBytes
	texts, matches, place          = routerules.Texts, routerules.Matches, routerules.Place
	targetOf, randomBytes          = routerules.TargetOf, routerules.RandomBytes
)

// table compiles rules.
func table(rules []rule, hit func(*rule, http.ResponseWriter, *http.Request, Values), miss func(http.ResponseWriter, *http.Request, Miss[rule])) *Table[rule] {
	trie := &Trie[rule]{}
	routerules.Fill(trie, rules)
	return Compile(trie, hit, miss)
}

// asked says what a table does with a request: "GET users/:id id=7", or a miss. It holds
// the answer of the trie against it.
func asked(t testing.TB, rules []rule, method, target string) (said string) {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil {
		t.Fatal(err)
	}
	r := &http.Request{Method: method, URL: u, RequestURI: target}
	hit := func(a *rule, _ http.ResponseWriter, _ *http.Request, values Values) { said = hitText(t, a, values) }
	miss := func(_ http.ResponseWriter, _ *http.Request, m Miss[rule]) {
		methods := map[string]bool{}
		for _, l := range m.Leaves {
			l.Methods(methods)
		}
		said = missText(m.Known, m.Respelled == "", m.By, slices.Sorted(maps.Keys(methods)))
	}
	all := table(rules, hit, miss)
	all.ServeHTTP(nil, r)
	answered := said
	if a, values, missed := all.Ask(r); a != nil {
		hit(a, nil, nil, values)
	} else {
		miss(nil, nil, missed)
	}
	if said != answered {
		t.Fatalf("%s %s: the answer is %q, and that of the trie is %q", method, target, answered, said)
	}
	return answered
}

func hitText(t testing.TB, a *rule, values Values) string {
	t.Helper()
	said := a.Text
	for i, name := range a.Names {
		v := values[i].Value
		if i == len(a.Names)-1 && a.HasRest() {
			if v[0] != '/' {
				t.Fatalf("%s: the value %q of a catch-all begins with no slash", a.Text, v)
			}
			v = v[1:]
			if len(values) > len(a.Names) {
				var segments []string
				for _, s := range values[len(a.Names):] {
					segments = append(segments, s.Value)
				}
				v = strings.Join(segments, "|")
			} else {
				v = strings.ReplaceAll(v, "/", "|")
			}
		}
		said += " " + name + "=" + v
	}
	return said
}

func missText(known, canonical bool, by *rule, methods []string) string {
	where := ""
	if by != nil {
		where = " of " + by.Text
	}
	switch {
	case !known:
		return "nothing" + where
	case !canonical:
		return "another spelling" + where
	}
	return fmt.Sprint("other methods ", methods, where)
}

// judge is the reference matcher, slow and plain: it looks at every rule.
func judge(rules []rule, method, target string) string {
	u, _ := url.ParseRequestURI(target)
	p, ok := pattern.ParsePath(&http.Request{Method: method, URL: u})
	if !ok {
		return "nothing"
	}
	within, known := "", false // the prefix of the mount that owns the path
	for {
		best := -1
		methods := map[string]bool{}
		known = false
		for i, r := range rules {
			if r.Mount != within || !matches(r.Pattern, p.Segments) {
				continue
			}
			known = true
			if r.Method != AnyMethod {
				methods[r.Method] = true
				if r.Method == "GET" {
					methods["HEAD"] = true
				}
			}
			if rank(r, method) >= 0 && (best < 0 || moreSpecific(r, rules[best], method)) {
				best = i
			}
		}
		owner := ownerOf(rules, within, p.Segments)
		exact := best >= 0 && !rules[best].HasRest() && len(p.Segments) == len(of(owner).Segments) && rules[best].Key() == of(owner).Key()
		if owner != "" && !exact && (best < 0 || moreSpecific(ruleOf("ANY "+owner+"/*"), rules[best], "")) {
			prefix := of(owner).Segments
			if slices.ContainsFunc(valuesOf(prefix, p.Segments), pattern.EmptyOrDots) {
				return "nothing"
			}
			within = owner
			continue
		}
		var by *rule
		if within != "" {
			by = &rule{Text: "mount " + within}
		}
		if best < 0 || !p.IsCanonical() {
			return missText(known, p.IsCanonical(), by, slices.Sorted(maps.Keys(methods)))
		}
		said := rules[best].Text
		for i, seg := range rules[best].Segments {
			switch seg.Kind {
			case pattern.Param:
				said += " " + seg.Text + "=" + p.Segments[i]
			case pattern.Rest:
				said += " " + seg.Text + "=" + strings.Join(p.Segments[i:], "|")
			}
		}
		return said
	}
}

// ownerOf returns the most specific prefix of a mount above a path, or "".
func ownerOf(rules []rule, within string, path []string) (owner string) {
	for _, r := range rules {
		if r.Mount == "" || within != "" {
			continue
		}
		prefix := of(r.Mount)
		if len(path) < len(prefix.Segments) || !matches(prefix, path[:len(prefix.Segments)]) {
			continue
		}
		if owner == "" || moreSpecific(ruleOf("ANY "+r.Mount+"/*"), ruleOf("ANY "+owner+"/*"), "") {
			owner = r.Mount
		}
	}
	return owner
}

// valuesOf returns what the parameters of a prefix have matched.
func valuesOf(prefix []pattern.Segment, path []string) (values []string) {
	for i, seg := range prefix {
		if seg.Kind == pattern.Param {
			values = append(values, path[i])
		}
	}
	return values
}

// rank returns how specific a rule is for a method: 2 by name, 1 as GET for HEAD, 0 as
// AnyMethod, and -1 if it does not answer it.
func rank(r rule, method string) int {
	switch {
	case r.Method == method:
		return 2
	case method == "HEAD" && r.Method == "GET":
		return 1
	case r.Method == AnyMethod:
		return 0
	}
	return -1
}

func moreSpecific(a, b rule, method string) bool {
	for i := range min(len(a.Segments), len(b.Segments)) {
		if x, y := place(a.Segments[i]), place(b.Segments[i]); x != y {
			return x < y
		}
	}
	return rank(a, method) > rank(b, method)
}

// TestRandomTables holds random rules against the judge.
func TestRandomTables(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bytes := func(n int) []byte { return randomBytes(random, n) }
	hits := 0
	for range 1500 {
		rules := rulesFrom(bytes(5 + random.IntN(60)))
		for range 12 {
			target := targetOf(bytes(random.IntN(6)))
			method := []string{"GET", "POST", "HEAD", "LOCK"}[random.IntN(4)]
			want := judge(rules, method, target)
			if got := asked(t, rules, method, target); got != want {
				t.Fatalf("%s %s of %q:\n it says %q\n   it is %q", method, target, texts(rules), got, want)
			}
			if !strings.HasPrefix(want, "nothing") {
				hits++
			}
		}
	}
	if hits < 3000 {
		t.Errorf("only %d requests were answered: the generator shows nothing", hits)
	}
}

// TestRandomFiles asks random tables for files by URLs with any hash. asked holds each answer
// against that of the trie.
func TestRandomFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	bytes := func(n int) []byte { return randomBytes(random, n) }
	files, others := 0, 0
	for range 500 {
		rules := rulesFrom(bytes(5 + random.IntN(60)))
		for _, prefix := range []string{"", "a/", ":p/", "x/:q/", "a > ", ":p/b > ", "b > :q/"} {
			if name := []string{"", "x.css", "x"}[random.IntN(3)]; name != "" {
				rules = append(rules, ruleOf("FILE "+prefix+name))
			}
		}
		for range 12 {
			end := []string{"x.aaaaaaaaaaaaaaaa.css", "x.zzzzzzzzzzzzzzz7", "x.aaaaaaaaaaaaaaaa.js"}[random.IntN(3)]
			target := strings.TrimSuffix(targetOf(bytes(random.IntN(4))), "/") + "/" + end
			switch said := asked(t, rules, "GET", target); {
			case strings.HasPrefix(said, "FILE"):
				files++
			case !strings.HasPrefix(said, "nothing"):
				others++
			}
		}
	}
	if files < 500 || others < 500 {
		t.Errorf("only %d files and %d others were found: the generator shows nothing", files, others)
	}
}

func FuzzTable(f *testing.F) {
	f.Add([]byte("\x01\x02\x02\x00\x00\x02\x01\x03\x01\x01\x00\x04"), "GET", []byte("\x00\x01"))
	f.Add([]byte("\x02\x02\x03\x04\x00\x03\x01\x00\x02\x03\x00\x05\x01"), "POST", []byte("\x00\x08\x09"))
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), "LOCK", []byte("\x09\x0a\x01"))
	f.Fuzz(func(t *testing.T, data []byte, method string, path []byte) {
		if len(data) > 200 || method == http.MethodConnect {
			t.Skip()
		}
		target := targetOf(path)
		rules := rulesFrom(data)
		if got, want := asked(t, rules, method, target), judge(rules, method, target); got != want {
			t.Errorf("%s %s of %q:\n it says %q\n   it is %q", method, target, texts(rules), got, want)
		}
	})
}

func TestTable(t *testing.T) {
	github := []string{"GET user/repos", "GET users/:user/repos", "GET repos/:owner/:repo/issues/:n"}
	overlap := []string{"GET blog/:slug/edit", "GET :lang/:section", "GET blog/index"}
	long := strings.Repeat("x", 2*maxLine)
	for _, tt := range []struct {
		rules           []string
		request, answer string
	}{
		{github, "GET /user/repos", "GET user/repos"},
		{github, "GET /users/ada/repos", "GET users/:user/repos user=ada"},
		{github, "HEAD /users/ada/repos", "GET users/:user/repos user=ada"},
		{github, "POST /users/ada/repos", "other methods [GET HEAD]"},
		{github, "GET /users/ada/repos/", "another spelling"},
		{github, "GET /users/a%2Fb/repos", "GET users/:user/repos user=a/b"},
		{github, "GET /repos/a/b/issues", "nothing"},
		{overlap, "GET /blog/" + long, "GET :lang/:section lang=blog section=" + long},
		{overlap, "GET /blog/x?" + long, "GET :lang/:section lang=blog section=x"},
		{overlap, "GET /blog/x/" + long, "nothing"},
		{overlap, "GET /blog/x", "GET :lang/:section lang=blog section=x"},
		{overlap, "GET /blog/x/edit", "GET blog/:slug/edit slug=x"},
		{overlap, "GET /blog/index", "GET blog/index"},
		{[]string{"GET docs/*rest"}, "GET /docs/a/b", "GET docs/*rest rest=a|b"},
		{[]string{"GET docs/*rest"}, "GET /docs/a%2Fb/c", "GET docs/*rest rest=a/b|c"},
		{[]string{"GET docs/*rest"}, "GET /docs", "nothing"},
		{[]string{"GET docs/*rest"}, "GET /docs/", "nothing"},
		{[]string{"GET docs/*rest"}, "GET /docs/a//b", "another spelling"},
		{[]string{"GET a > x", "GET a/:p", "POST a > :q"}, "GET /a/x", "GET a/:p p=x"},
		{[]string{"GET a > x", "GET a/:p", "POST a > :q"}, "POST /a/x", "POST a > :q q=x"},
		{[]string{"GET a > x", "GET a/:p", "POST a > :q"}, "PUT /a/x", "other methods [GET HEAD POST] of mount a"},
		{[]string{"GET a > x"}, "GET /a/y", "nothing of mount a"},
		{[]string{"GET a > x"}, "GET /a/x/", "another spelling of mount a"},
		{[]string{"GET a > x"}, "GET //a/x", "another spelling of mount a"},
		{[]string{"GET :o > x"}, "GET /%2e/x", "nothing"},
		{[]string{"GET :p/b", "GET a > x"}, "GET /a/b", "nothing of mount a"},
		{[]string{"GET :p", "GET a > x"}, "GET /a", "nothing of mount a"},
		{[]string{"GET :p/b", "GET a > b", "POST a/:p"}, "GET /a/b", "GET a > b"},
		{[]string{"GET a", "POST a > "}, "GET /a", "GET a"},
	} {
		t.Run(tt.request, func(t *testing.T) {
			is := is.New(t)
			var rules []rule
			for _, text := range tt.rules {
				rules = append(rules, ruleOf(text))
			}
			method, target, _ := strings.Cut(tt.request, " ")
			is.Equal(asked(t, rules, method, target), tt.answer)
			is.Equal(judge(rules, method, target), tt.answer)
		})
	}
}

// exponential returns patterns of which each overlaps with all others: at each level
// there is a literal and a parameter.
func exponential(depth int) []string {
	paths := []string{"GET "}
	for i := range depth {
		var longer []string
		for _, p := range paths {
			longer = append(longer, p+"a/", p+fmt.Sprintf(":p%d/", i))
		}
		paths = longer
	}
	return paths
}

// A hit allocates nothing, whether the map, httprouter or the trie finds it.
// TestPooledSearch: the pool may keep the path of a request for good, and so no long one.
func TestPooledSearch(t *testing.T) {
	rules := rulesOf([]string{"GET blog/:slug/edit", "GET :lang/:section"})
	matcher := table(rules, func(*rule, http.ResponseWriter, *http.Request, Values) {}, func(http.ResponseWriter, *http.Request, Miss[rule]) {})
	for _, tt := range []struct {
		name, target string
		kept         bool
	}{
		{"short", "/blog/x", true},
		{"a long segment", "/blog/" + strings.Repeat("x", maxLine), false},
		{"a long query, which the path is a piece of", "/blog/x?" + strings.Repeat("x", maxLine), false},
		{"many segments", strings.Repeat("/x", 2*maxKept), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			kept := 0
			for range 100 { // the pool may lose a search now and then
				matcher.searches = sync.Pool{New: func() any { return new(search[rule]) }}
				u, err := url.ParseRequestURI(tt.target)
				is.NoErr(err)
				matcher.ServeHTTP(nil, &http.Request{Method: "GET", URL: u, RequestURI: tt.target})
				kept += cap(matcher.searches.Get().(*search[rule]).path)
			}
			is.Equal(kept > 0, tt.kept)
		})
	}
}

// TestAnyHash asks for files by URLs with any hash.
func TestAnyHash(t *testing.T) {
	const hash = ".aaaaaaaaaaaaaaaa"
	var rules []rule
	for _, text := range []string{
		"FILE app.css", "FILE app", "FILE js/app.js", "FILE deep/:x/app.css", "FILE m > app.css", "FILE o/:org > logo.svg",
		"GET app.bbbbbbbbbbbbbbbb.css", "POST app" + hash + ".css", "POST app.cccccccccccccccc.css", "GET :slug", "GET js/:x=long", "GET js/*rest", "POST :slug",
		"GET m > :x", "GET o/:org > :x=long", "GET deep/:x/:y", "GET m/early" + hash + ".css/:x",
	} {
		rules = append(rules, ruleOf(text))
	}
	for _, tt := range []struct{ method, target, want string }{
		{"GET", "/app" + hash + ".css", "FILE app.css"}, // before parameters, and beside a literal without the method
		{"HEAD", "/app" + hash + ".css", "FILE app.css"},
		{"GET", "/app.cccccccccccccccc.css", "FILE app.css"},
		{"GET", "/app.bbbbbbbbbbbbbbbb.css", "GET app.bbbbbbbbbbbbbbbb.css"}, // a literal
		{"POST", "/app.bbbbbbbbbbbbbbbb.css", "POST :slug slug=app.bbbbbbbbbbbbbbbb.css"},
		{"POST", "/app" + hash + ".css", "POST app" + hash + ".css"},
		{"PUT", "/app.dddddddddddddddd.css", "other methods [GET HEAD POST]"},
		{"GET", "/app.css", "GET :slug slug=app.css"},
		{"GET", "/app" + hash, "FILE app"},
		{"GET", "/app.zzzzzzzzzzzzzzz7", "FILE app"}, // any last byte
		{"GET", "/app" + hash + ".js", "GET :slug slug=app" + hash + ".js"},
		{"GET", "/app.css" + hash, "GET :slug slug=app.css" + hash},
		{"GET", "/js/app" + hash + ".js", "FILE js/app.js"},
		{"GET", "/js/app%2Eaaaaaaaaaaaaaaaa.js", "FILE js/app.js"},
		{"GET", "/js/app" + hash + ".js/x", "GET js/*rest rest=app" + hash + ".js|x"},
		{"GET", "/js/app" + hash + ".css", "GET js/:x=long x=app" + hash + ".css"},
		{"GET", "/deep/1/app" + hash + ".css", "FILE deep/:x/app.css x=1"},
		{"GET", "/deep/1/two" + hash + ".css", "GET deep/:x/:y x=1 y=two" + hash + ".css"},
		{"GET", "/m/app" + hash + ".css", "FILE m > app.css"},
		{"GET", "/m/two" + hash + ".css", "GET m > :x x=two" + hash + ".css"},
		{"GET", "/o/acme/logo" + hash + ".svg", "FILE o/:org > logo.svg org=acme"},
		{"GET", "/o/acme/logo" + hash + ".css", "GET o/:org > :x=long org=acme x=logo" + hash + ".css"},
		{"GET", "/app" + hash + ".css/", "another spelling"},
	} {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			is.New(t).Equal(asked(t, rules, tt.method, tt.target), tt.want)
		})
	}
}

func TestHitsDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	var rules []rule
	for _, text := range append(exponential(4), "GET users/new", "GET users/:id", "GET docs/*rest", "GET m > x/:y", "GET b/:s/edit", "GET b/*rest") {
		rules = append(rules, ruleOf(text))
	}
	hits := 0
	matcher := table(rules, func(*rule, http.ResponseWriter, *http.Request, Values) { hits++ }, nil)
	for _, target := range []string{"/users/new", "/users/7", "/docs/a/b", "/m/x/1", "/a/x/a/x", "/x/x/x/a", "/b/x/edit", "/b/x/y"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			r := &http.Request{Method: "GET", URL: &url.URL{Path: target}}
			hits = 0
			is.Equal(testing.AllocsPerRun(100, func() { matcher.ServeHTTP(nil, r) }), 0.0)
			is.Equal(hits, 101)
		})
	}
}
