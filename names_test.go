package flow_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
	"example.com/flow/internal/testkit/flowtest"
)

type (
	userID   int
	initials [2]byte
	pointed  struct{ text string }
)

func (i initials) String() string { return string(i[:]) }

func (p *pointed) String() string { return p.text }

// named returns the Router that the tables of this file ask.
func named(tb testing.TB) *flow.Router {
	tb.Helper()
	r := flow.New(flowtest.Row("index.html & about.html & 50%.html & a b/é/{x.html & users/index.html & users/store.html & users/[id].html & users/id.html" +
		" & [user]/posts/[post].html & docs/[...rest].html & wiki/[[...page]].html & [[lang]]/help.html & cal/[[year]]/[[month]]/[[day]].html & [[region]]/shop/[item].html & (auth)/login.html"))
	do := func(*flow.Request) string { return "" }
	r.At("users/store").POST().Do(do)
	r.At("users/[id]").GET().Name("users.show").Do(do)
	r.At("users/[id]").PUT().Name("users.show").Do(do)
	r.At("users/[id]").DELETE().Name("löschen!").Do(do)
	r.At("index").GET().Name("index").Do(do) // its automatic name all the same
	if err := r.Check(); err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestRoute(t *testing.T) {
	type params = []any
	for _, tt := range []struct {
		name   string
		params params
		want   string
	}{
		{"index", nil, "/"},
		{"about", nil, "/about"},
		{"50%", nil, "/50%25"},
		{"a b.é.{x", nil, "/a%20b/%C3%A9/%7Bx"},
		{"users.index", nil, "/users"},
		{"login", nil, "/login"},
		{"users.show", params{"id", 42}, "/users/42"},
		{"löschen!", params{"id", 42}, "/users/42"},
		{"user.posts.post", params{"post", "p", "user", "u"}, "/u/posts/p"},

		{"users.show", params{"id", -7}, "/users/-7"},
		{"users.show", params{"id", ^uint64(0)}, "/users/18446744073709551615"},
		{"users.show", params{"id", userID(3)}, "/users/3"},
		{"users.show", params{"id", initials{'a', 'b'}}, "/users/ab"},
		{"users.show", params{"id", &pointed{"p"}}, "/users/p"},
		{"users.show", params{"id", 90 * time.Second}, "/users/1m30s"}, // String before the integer

		{"users.show", params{"id", "a/b"}, "/users/a%2Fb"},
		{"users.show", params{"id", "%2e"}, "/users/%252e"},
		{"users.show", params{"id", "ä +&=?#;:@"}, "/users/%C3%A4%20+&=%3F%23%3B:@"},
		{"users.show", params{"id", "\x00\xff\\"}, "/users/%00%FF%5C"},

		{"docs.rest", params{"rest", "a"}, "/docs/a"},
		{"docs.rest", params{"rest", "a/b c/d"}, "/docs/a/b%20c/d"},
		{"docs.rest", params{"rest", []string{"a/b", "c"}}, "/docs/a%2Fb/c"},
		{"docs.rest", params{"rest", &pointed{"a/b"}}, "/docs/a/b"},
		{"wiki.page", nil, "/wiki"},
		{"wiki.page", params{"page", "a/b"}, "/wiki/a/b"},

		{"lang.help", nil, "/help"},
		{"lang.help", params{"lang", "de"}, "/de/help"},
		{"lang.help", params{"lang", ""}, "/help"},
		{"lang.help", params{"lang", "", "page", 2}, "/help?page=2"},
		{"wiki.page", params{"page", ""}, "/wiki"},
		{"wiki.page", params{"page", []string(nil)}, "/wiki"},
		{"region.shop.item", params{"region", "", "item", 7}, "/shop/7"},
		{"cal.year.month.day", nil, "/cal"},
		{"cal.year.month.day", params{"day", "", "year", 2026, "month", ""}, "/cal/2026"},
		{"cal.year.month.day", params{"year", 2026}, "/cal/2026"},
		{"cal.year.month.day", params{"day", 1, "month", 2, "year", 2026}, "/cal/2026/2/1"},

		{"about", params{"q", "a b&c"}, "/about?q=a+b%26c"},
		{"about", params{"tag", "x", "ü&", 2, "tag", "y"}, "/about?tag=x&%C3%BC%26=2&tag=y"},
		{"about", params{"q", ""}, "/about?q="},
		{"users.show", params{"page", 2, "id", 1}, "/users/1?page=2"},
		{"wiki.page", params{"rest", "a/b"}, "/wiki?rest=a%2Fb"},
	} {
		t.Run(fmt.Sprint(tt.name, tt.params), func(t *testing.T) {
			is := is.New(t)
			got, err := named(t).Route(tt.name, tt.params...)
			is.NoErr(err)
			is.Equal(got, tt.want)
		})
	}
}

// TestRouteGivesParamsBack: a page may pass on what Param returns, also if the URL does not
// have the parameter.
func TestRouteGivesParamsBack(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{
		"router/[[lang]]/help.html":        {Data: []byte(`{{route "lang.help" "lang" (request.Param "lang")}}`)},
		"router/wiki/[[...page]].html":     {Data: []byte(`{{route "wiki.page" "page" (request.Segments "page")}}`)},
		"router/cal/[[year]]/[[day]].html": {Data: []byte(`{{route "cal.year.day" "year" (request.Param "year") "day" (request.Param "day")}}`)},
	})
	for _, url := range []string{"/help", "/de/help", "/wiki", "/wiki/a/b%2Fc", "/cal", "/cal/2026", "/cal/2026/1"} {
		w := do(r, request("GET", url))
		is.Equal(w.Code, 200)
		is.Equal(html.UnescapeString(w.Body.String()), url)
	}
}

func TestRouteErrors(t *testing.T) {
	type params = []any
	const (
		show  = `flow: route "users.show" (router/users/[id].html): `
		posts = `flow: route "user.posts.post" (router/[user]/posts/[post].html): `
		cal   = `flow: route "cal.year.month.day" (router/cal/[[year]]/[[month]]/[[day]].html): `
		docs  = `flow: route "docs.rest" (router/docs/[...rest].html): `
		wiki  = `flow: route "wiki.page" (router/wiki/[[...page]].html): `
	)
	for _, tt := range []struct {
		name   string
		params params
		want   string
	}{
		{"", nil, `flow: no route is called "": name one with Name, or use an automatic name`},
		{"user.show", params{"id", 1}, `flow: no route is called "user.show": did you mean "users.show"?`},
		{"auth.login", nil, `flow: no route is called "auth.login": a group is in no name, so router/(auth)/login.html is called "login"`},
		{"users.id", params{"id", 1}, `flow: no route is called "users.id": name one with Name, or use an automatic name`}, // the counterpart of two

		{"users.show", params{"id"}, show + "parameters are pairs of key and value, and 1 is odd"},
		{"users.show", params{1, "id"}, show + "the key 1 is a int, not a string"},
		{"users.show", params{"id", 1, "id", 2}, show + `the parameter "id" is given twice`},

		{"users.show", nil, show + `the parameter "id" is missing`},
		{"users.show", params{"ID", 1}, show + `the parameter "id" is missing`},
		{"user.posts.post", nil, posts + `the parameter "user" is missing`},
		{"region.shop.item", nil, `flow: route "region.shop.item" (router/[[region]]/shop/[item].html): the parameter "item" is missing`},
		{"docs.rest", nil, docs + `the parameter "rest" is missing`},
		{"cal.year.month.day", params{"month", 2}, cal + `the parameter "year" is missing`},
		{"cal.year.month.day", params{"year", 2026, "day", 1}, cal + `the parameter "month" is missing`},

		{"users.show", params{"id", ""}, show + `"" cannot be the value of the parameter "id", which is required: give it another, or make it optional, [[id]]`},
		{"users.show", params{"id", "."}, show + `"." cannot be the value of the parameter "id": no canonical URL has such a segment`},
		{"users.show", params{"id", ".."}, show + `".." cannot be the value of the parameter "id": no canonical URL has such a segment`},
		{"docs.rest", params{"rest", ""}, docs + `"" cannot be the value of the parameter "rest", which is required: give it another, or make it optional, [[...rest]]`},
		{"docs.rest", params{"rest", "a//b"}, docs + `"a//b" cannot be the value of the parameter "rest": no canonical URL has such a segment`},
		{"docs.rest", params{"rest", "a/"}, docs + `"a/" cannot be the value of the parameter "rest": no canonical URL has such a segment`},
		{"docs.rest", params{"rest", []string{"a", "."}}, docs + `"a/." cannot be the value of the parameter "rest": no canonical URL has such a segment`},
		{"docs.rest", params{"rest", []string{}}, docs + `"" cannot be the value of the parameter "rest", which is required: give it another, or make it optional, [[...rest]]`},
		{"wiki.page", params{"page", []string{"", ""}}, wiki + `"/" cannot be the value of the parameter "page": no canonical URL has such a segment`},
		{"wiki.page", params{"page", "", "page", "x"}, wiki + `the parameter "page" is given twice`},
		{"cal.year.month.day", params{"year", "", "month", 2}, cal + `the parameter "year" is left out, since its value is "", and one to its right has a value: give both a value, or neither`},
		{"cal.year.month.day", params{"year", 2026, "month", "", "day", 1}, cal + `the parameter "month" is left out, since its value is "", and one to its right has a value: give both a value, or neither`},

		{"users.show", params{"id", nil}, show + `"id": the value is nil (<nil>)`},
		{"users.show", params{"id", (*pointed)(nil)}, show + `"id": the value is nil (*flow_test.pointed)`},
		{"users.show", params{"id", 1.5}, show + `"id": a value is a string, an integer or has String(), and this is a float64`},
		{"users.show", params{"id", pointed{"p"}}, show + `"id": a value is a string, an integer or has String(), and this is a flow_test.pointed`},
		{"users.show", params{"id", []string{"a"}}, show + `"id": a []string is for a catch-all, and this is none`},
		{"users.show", params{"id", 1, "q", []string{"a"}}, show + `"q": a []string is for a catch-all, and this is none`},
	} {
		t.Run(fmt.Sprint(tt.name, tt.params), func(t *testing.T) {
			is := is.New(t)
			got, err := named(t).Route(tt.name, tt.params...)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
			is.Equal(got, "")
		})
	}
}

func TestFaultsOfLabels(t *testing.T) {
	label := func(r *flow.Router, path, label string) {
		r.At(path).GET().Name(label).Do(func(*flow.Request) string { return "" })
	}
	line := regexp.MustCompile(`(?m)^\S*names_test\.go:\d+`)
	for _, tt := range []struct {
		what, tree string
		labels     [][2]string
		want       string
	}{
		{"one label, two routes", "a.html & b.html", [][2]string{{"a", "x"}, {"b", "x"}},
			`GO: Name: "x" is the name of router/a.html already, given at GO: call this one otherwise`},
		{"an automatic name", "a/b.html & c.html", [][2]string{{"c", "a.b"}},
			`GO: Name: "a.b" is the automatic name of router/a/b.html: call this one otherwise`},
		{"the route's own automatic name", "a.html", [][2]string{{"a", "a"}}, ""},
		{"a name that two routes share is nobody's", "a/b.html & a/[b].html & c.html", [][2]string{{"c", "a.b"}}, ""},
		{"a label for each of the two", "a/b.html & a/[b].html", [][2]string{{"a/b", "x"}, {"a/[b]", "a.b"}}, ""},
		{"no label", "a.html", [][2]string{{"a", ""}}, `GO: Name: a label is not empty`},
	} {
		t.Run(tt.what, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Row(tt.tree))
			for _, l := range tt.labels {
				label(r, l[0], l[1])
			}
			got := ""
			if err := r.Check(); err != nil {
				got = line.ReplaceAllString(strings.ReplaceAll(err.Error(), "given at ", "given at\n"), "GO")
				got = strings.ReplaceAll(got, "\n", " ")
			}
			is.Equal(got, tt.want)
		})
	}
}

// A journey is one case of the property of names: the URL of a route file, with the values
// that are given, leads back to it.
type journey struct {
	path   []byte    // each byte is an element: see grammar
	values [4]string // of the parameters, in order; a catch-all takes the last two
	given  uint8     // a bit for each optional parameter, and one for a catch-all given as text
}

// grammar is what paths are made of. Each %s is a parameter's name.
var grammar = []string{
	"a", "b", "50%", "a b", "é", "{x", "x...}", "%2F", "%61", "a+b", "@me", "a&b=c,d", "$x", "#", "index", "store", "x.html", "a..b",
	"[%s]", "[%s]", "[%s]", "[[%s]]", "[[%s]]", "[...%s]", "[[...%s]]", "(g)", ".well-known",
}

// file returns the path of a route file below router/, without its extension.
func (j journey) file() string {
	var names []string
	for i, b := range j.path[:min(len(j.path), 6)] {
		names = append(names, strings.ReplaceAll(grammar[int(b)%len(grammar)], "%s", fmt.Sprint("p", i)))
	}
	if len(names) == 0 || strings.HasPrefix(names[len(names)-1], "(") || strings.HasPrefix(names[len(names)-1], ".") {
		names = append(names, "index")
	}
	return strings.Join(names, "/")
}

// params returns what is given for the elements of a path, as Route takes it and
// as the handler should see it, and whether Route is to accept it.
func (j journey) params(path string) (params []any, want map[string][]string, good bool) {
	want, good = map[string][]string{}, true
	gap := false // an optional was left out, so its right neighbours have to be
	n, bit := 0, uint8(1)
	for _, name := range strings.Split(path, "/") {
		if strings.HasPrefix(name, "(") {
			continue // in no URL, so its neighbours are neighbours
		}
		optional, catchAll := strings.HasPrefix(name, "[["), strings.Contains(name, "[...")
		if !optional {
			gap = false
		}
		if !strings.HasPrefix(name, "[") {
			continue
		}
		key := strings.Trim(name, "[].")
		if optional {
			left := j.given&bit == 0
			bit <<= 1
			if left {
				gap = true
				continue
			}
		}
		segments := []string{j.values[n%len(j.values)]}
		n++
		var value any = segments[0]
		if catchAll {
			segments = slices.Clone(j.values[2:])
			value = segments
			if j.given&0x80 != 0 {
				text := strings.Join(segments, "/")
				value, segments = text, strings.Split(text, "/")
			}
		}
		if optional && slices.Equal(segments, []string{""}) { // which leaves it out
			params, gap = append(params, key, value), true
			continue
		}
		good = good && !(optional && gap)
		for _, s := range segments {
			good = good && s != "" && s != "." && s != ".."
		}
		params, want[key] = append(params, key, value), segments
	}
	return params, want, good
}

// methodOf returns the method that the handler of a route file is registered for.
func methodOf(path string) string {
	if path == "store" || strings.HasSuffix(path, "/store") {
		return http.MethodPost
	}
	return http.MethodGet
}

// travel checks the property for one journey, and says how it ended.
func (j journey) travel(t *testing.T) (end string) {
	t.Helper()
	file := j.file()
	r := flow.New(flowtest.Row(file + ".http"))
	if len(r.Tree().Faults) > 0 {
		return "no route"
	}
	method := methodOf(file)
	var seen *flow.Request
	r.At(file).Method(method).Name("main!").Do(func(req *flow.Request) flow.Response {
		seen = req.Clone()
		return flow.Text("")
	})
	params, want, good := j.params(file)
	query := strings.Join(j.values[:], "&")
	u, err := r.Route("main!", append(params, "query!", query)...)
	if err := r.Check(); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if (err == nil) != good {
		t.Fatalf("%s with %q: accepted is to be %t: %v", file, params, good, err)
	}
	if err != nil {
		return "refused"
	}

	// By way of a client and the wire.
	out, err := http.NewRequest(method, "http://example.com"+u, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wire bytes.Buffer
	if err := out.Write(&wire); err != nil {
		t.Fatal(err)
	}
	req, err := http.ReadRequest(bufio.NewReader(&wire))
	if err != nil {
		t.Fatal(err)
	}
	if req.RequestURI != u {
		t.Fatalf("%s with %q: %s arrives as %s", file, params, u, req.RequestURI)
	}
	w := do(r, req)
	if seen == nil {
		t.Fatalf("%s with %q: %s is answered with %d %s", file, params, u, w.Code, w.Header().Get("Location"))
	}
	if got := seen.URL.Query().Get("query!"); got != query {
		t.Fatalf("%s: the query of %s is %q, not %q", file, u, got, query)
	}
	patterns := r.Tree().Routes[0].Patterns
	for _, key := range patterns[len(patterns)-1].Names {
		if got := seen.Param(key); got != strings.Join(want[key], "/") {
			t.Fatalf("%s with %q: Param(%q) of %s is %q", file, params, key, u, got)
		}
		if got := seen.Segments(key); !slices.Equal(got, want[key]) {
			t.Fatalf("%s with %q: Segments(%q) of %s is %q", file, params, key, u, got)
		}
	}
	return "arrived"
}

// elements returns the bytes for names of the grammar.
func elements(names ...string) []byte {
	var b []byte
	for _, name := range names {
		b = append(b, byte(slices.Index(grammar, name)))
	}
	return b
}

var journeys = []journey{
	{elements("a"), [4]string{}, 0},
	{elements("[%s]", "[%s]"), [4]string{"%", "50%"}, 0},
	{elements("%2F", "[%s]"), [4]string{"/"}, 0},
	{elements("(g)", "[[%s]]", "[[%s]]"), [4]string{"a b", "{x}"}, 3},
	{elements("[[%s]]", "[[%s]]"), [4]string{"x", "y"}, 2},
	{elements("[[%s]]", "[[...%s]]"), [4]string{"\x00", "", "..x", "a/b"}, 3},
	{elements("a", "[...%s]"), [4]string{"", "", "\xff", "é"}, 0x80},
	{elements("[...%s]"), [4]string{"", "", "a/..", "b"}, 0x80},
	{elements("[...%s]"), [4]string{"", "", "a/..", "b"}, 0},
	{elements("[%s]", "@me"), [4]string{"https://x?y#z"}, 0},
	{elements("[%s]"), [4]string{".."}, 0},
	{elements("x...}", "[%s]", "#", "index"), [4]string{"a;b,c"}, 0},
}

func TestRoundTrip(t *testing.T) {
	for i, j := range journeys {
		t.Run(fmt.Sprint(i, " ", j.file()), func(t *testing.T) { j.travel(t) })
	}
}

// The same for a fixed list of random journeys, so many that each end is reached often.
func TestRoundTripGenerated(t *testing.T) {
	is := is.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	few, odd := grammar[:5], []string{"/", "a/b", "//", "%2F", "%", "+", "?", "#", "\x00", "\xff", "\\", ":", ";", "index", "store", "..x", "", ".", ".."}
	path := func() []byte {
		b := make([]byte, random.IntN(5))
		for i := range b {
			b[i] = byte(random.IntN(len(grammar)))
			if random.IntN(2) == 0 {
				b[i] = elements("[%s]")[0]
			}
		}
		return b
	}
	ends := map[string]int{}
	n := many(10_000)
	for range n {
		j := journey{path: path(), given: uint8(random.UintN(256))}
		for i := range j.values {
			if random.IntN(3) == 0 {
				j.values[i] = odd[random.IntN(len(odd))]
			} else {
				j.values[i] = few[random.IntN(len(few))]
			}
		}
		ends[j.travel(t)]++
	}
	for _, end := range []string{"arrived", "refused", "no route"} {
		is.True(ends[end] > n/100) // a journey that ends so, or else the property is hardly tested
	}
}

// FuzzRoundTrip looks for values that Route accepts and the router does not give back.
func FuzzRoundTrip(f *testing.F) {
	for _, j := range journeys {
		f.Add(j.path, j.values[0], j.values[1], j.values[2], j.values[3], j.given)
	}
	f.Fuzz(func(t *testing.T, path []byte, a, b, c, d string, given uint8) {
		journey{path, [4]string{a, b, c, d}, given}.travel(t)
	})
}

func TestRoutes(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Files("router/index.html", "router/users/[id].http", "router/users/new.html", "router/[...rest].http", "router/[[lang]]/x.http", "router/users/store.http", "router/users/index.http"))
	r.At("users/index").DELETE().Do(hello)
	r.At("users/index").GET().Do(hello)
	r.At("users/[id]").ANY().Do(hello)
	r.At("users/[id]").GET().Name("users.show").Use(pass).Do(hello)
	r.At("[...rest]").GET().Do(hello)
	r.At("[[lang]]/x").GET().Do(hello)
	r.At("users/store").POST().Do(hello)
	r.At("users/store").Use(wrap)
	r.Use(pass)
	is.NoErr(r.Check())
	var b strings.Builder
	for _, i := range r.Routes() {
		fmt.Fprintf(&b, "%-4s %-12s %-27s %-11s %-5s %d\n", i.Method, i.Pattern, i.File, i.Name, thisTest.ReplaceAllString(i.Handler, "HERE"), i.Middleware)
	}
	is.Equal(b.String(), `
GET  /            router/index.html           index             1
GET  /users       router/users/index.http     users.index HERE  1
DELETE /users       router/users/index.http     users.index HERE  1
POST /users       router/users/store.http     users.store HERE  2
GET  /users/new   router/users/new.html       users.new         1
GET  /users/{id}  router/users/[id].http      users.show  HERE  2
ANY  /users/{id}  router/users/[id].http      users.show  HERE  1
GET  /x           router/[[lang]]/x.http      lang.x      HERE  1
GET  /{lang}/x    router/[[lang]]/x.http      lang.x      HERE  1
GET  /{rest...}   router/[...rest].http       rest        HERE  1
`[1:])
}

func TestRoutesAsJSON(t *testing.T) {
	is := is.New(t)
	r := sampleSite()
	got := runWith(t.Context(), r, nil, "routes -json")
	is.Equal(got.code, command.OK)
	var routes []flow.RouteInfo
	is.NoErr(json.Unmarshal([]byte(got.stdout), &routes))
	is.Equal(len(routes), len(r.Routes()))
	for i, info := range r.Routes() {
		is.Equal(routes[i], info)
	}
	is.Equal(runWith(t.Context(), sampleSite(), nil, "routes -json -path nowhere").stdout, "[]\n")
	one := runWith(t.Context(), sampleSite(), nil, "routes -json -path {id}").stdout
	is.Equal(thisTest.ReplaceAllString(one, "hello"), `
[
	{
		"method": "ANY",
		"pattern": "/users/{id}",
		"file": "router/users/[id].http",
		"name": "users.show",
		"handler": "hello",
		"guards": [
			"flow_test.pass"
		],
		"middleware": 1
	}
]
`[1:])
}
