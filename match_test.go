package flow_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/dev/routemap"
	"example.com/flow/internal/flowtest"
	"example.com/flow/internal/routes/forms"
	"example.com/flow/internal/routes/match"
	"example.com/flow/internal/routes/pattern"
	"example.com/flow/internal/routes/routetree"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		tree   []string
		method string
		target string
		want   string
	}{
		// Literal text beats a parameter, a parameter beats a catch-all.
		{[]string{"users/new.http GET", "users/[id].http GET", "users/[...rest].http GET"}, "GET", "/users/new", "200 router/users/new.http GET"},
		{[]string{"users/new.http GET", "users/[id].http GET", "users/[...rest].http GET"}, "GET", "/users/5", "200 router/users/[id].http GET id=5"},
		{[]string{"users/new.http GET", "users/[id].http GET", "users/[...rest].http GET"}, "GET", "/users/5/x", "200 router/users/[...rest].http GET rest=5|x"},
		// The leftmost literal wins, and abandoned branches leak nothing.
		{[]string{"[lang]/about.http GET", "blog/[slug].http GET"}, "GET", "/blog/about", "200 router/blog/[slug].http GET slug=about"},
		{[]string{"a/[x]/c.http GET", "[y]/b/d.http GET"}, "GET", "/a/b/d", "200 router/[y]/b/d.http GET y=a"},
		{[]string{"a/b/c.http GET", "a/[x]/d.http GET", "[y]/[z]/e.http GET"}, "GET", "/a/b/e", "200 router/[y]/[z]/e.http GET y=a z=b"},
		// Each file has its own parameter names.
		{[]string{"users/[id].http GET", "users/[name]/posts.http GET"}, "GET", "/users/7/posts", "200 router/users/[name]/posts.http GET name=7"},
		// The method takes part.
		{[]string{"users/new.http GET", "users/[id].http POST"}, "POST", "/users/new", "200 router/users/[id].http POST id=new"},
		{[]string{"users/new.http GET", "users/[id].http POST"}, "PUT", "/users/new", "405 Allow GET, HEAD, OPTIONS, POST"},
		{[]string{"users/new.http GET", "users/[id].http ANY"}, "PROPFIND", "/users/new", "200 router/users/[id].http ANY id=new"},
		{[]string{"x.http GET ANY"}, "OPTIONS", "/x", "200 router/x.http ANY"},
		{[]string{"x.http GET ANY"}, "BREW", "/x", "200 router/x.http ANY"},
		{[]string{"x.http PROPFIND"}, "PROPFIND", "/x", "200 router/x.http PROPFIND"},
		{[]string{"x.http PROPFIND"}, "GET", "/x", "405 Allow OPTIONS, PROPFIND"},
		// HEAD, OPTIONS, 405, 404.
		{[]string{"x.http HEAD GET"}, "OPTIONS", "/x", "204 Allow GET, HEAD, OPTIONS"},
		{[]string{"x.http POST"}, "HEAD", "/x", "405 Allow OPTIONS, POST"},
		{[]string{"x.http POST"}, "OPTIONS", "/y", "404"},
		{[]string{"x.http ANY"}, "PUT", "/y", "404"},
		// A store answers POST and nothing but POST, before the index's ANY.
		{[]string{"users/index.http GET", "users/store.http POST"}, "POST", "/users", "200 router/users/store.http POST"},
		{[]string{"users/index.http GET", "users/store.http POST"}, "GET", "/users", "200 router/users/index.http GET"},
		{[]string{"users/index.http GET", "users/store.http POST"}, "DELETE", "/users", "405 Allow GET, HEAD, OPTIONS, POST"},
		{[]string{"users/index.http ANY", "users/store.http POST"}, "POST", "/users", "200 router/users/store.http POST"},
		{[]string{"users/index.http ANY", "users/store.http POST"}, "PATCH", "/users", "200 router/users/index.http ANY"},
		{[]string{"(a)/users/index.http GET", "(b)/users/store.http POST"}, "POST", "/users", "200 router/(b)/users/store.http POST"},
		// Optional segments and catch-alls.
		{[]string{"[[lang]]/about.http GET"}, "GET", "/about", "200 router/[[lang]]/about.http GET lang="},
		{[]string{"[[lang]]/about.http GET"}, "GET", "/de/about", "200 router/[[lang]]/about.http GET lang=de"},
		{[]string{"docs/[...rest].http GET"}, "GET", "/docs", "404"},
		{[]string{"docs/[[...rest]].http GET"}, "GET", "/docs", "200 router/docs/[[...rest]].http GET rest="},
		{[]string{"index.http GET", "[...rest].http GET"}, "GET", "/", "200 router/index.http GET"},
		{[]string{"[...rest].http GET"}, "GET", "/", "404"},
		{[]string{"[...rest].http GET", "index.http POST"}, "GET", "/", "405 Allow OPTIONS, POST"},
		{[]string{"[[...rest]].http GET"}, "GET", "/", "200 router/[[...rest]].http GET rest="},
		// A value that does not match is as if the file were not there.
		{[]string{"users/[id=int].http GET"}, "GET", "/users/7", "200 router/users/[id=int].http GET id=7"},
		{[]string{"users/[id=int].http GET"}, "GET", "/users/x", "404"},
		{[]string{"users/[id=int].http GET"}, "POST", "/users/x", "404"},
		{[]string{"users/[id=int].http GET"}, "POST", "/users/7", "405 Allow GET, HEAD, OPTIONS"},
		{[]string{"users/[id=int].http GET"}, "GET", "/users/x/", "404"},
		{[]string{"users/[id=int].http GET"}, "GET", "/users/7/", "308 Location /users/7"},
		{[]string{"users/[id=int].http GET"}, "GET", "/users/%37", "200 router/users/[id=int].http GET id=7"},
		{[]string{"users/[id=int].http GET"}, "GET", "/users/7%2F", "404"},
		{[]string{"users/[id=int].http GET", "users/[slug].http GET"}, "GET", "/users/7", "200 router/users/[id=int].http GET id=7"},
		{[]string{"users/[id=int].http GET", "users/[slug].http GET"}, "GET", "/users/ada", "200 router/users/[slug].http GET slug=ada"},
		{[]string{"users/[id=int].http GET", "users/[slug].http GET POST"}, "POST", "/users/7", "200 router/users/[slug].http POST slug=7"},
		{[]string{"users/[id=int].http GET", "users/[slug].http POST"}, "PUT", "/users/7", "405 Allow GET, HEAD, OPTIONS, POST"},
		{[]string{"users/[id=int].http GET", "users/[slug].http POST"}, "PUT", "/users/ada", "405 Allow OPTIONS, POST"},
		{[]string{"7.http GET", "[id=int].http GET"}, "GET", "/7", "200 router/7.http GET"},
		{[]string{"[id=int]/edit.http GET", "[slug]/[page].http GET"}, "GET", "/7/edit", "200 router/[id=int]/edit.http GET id=7"},
		{[]string{"[id=int]/edit.http GET", "[slug]/[page].http GET"}, "GET", "/7/x", "200 router/[slug]/[page].http GET slug=7 page=x"},
		{[]string{"[d=date].http GET", "[n=int].http GET", "[s=slug].http GET"}, "GET", "/2026-11-22", "200 router/[d=date].http GET d=2026-11-22"},
		{[]string{"[d=date].http GET", "[n=int].http GET", "[s=slug].http GET"}, "GET", "/7", "200 router/[n=int].http GET n=7"},
		{[]string{"[d=date].http GET", "[n=int].http GET", "[s=slug].http GET"}, "GET", "/a-b", "200 router/[s=slug].http GET s=a-b"},
		{[]string{"[u=uuid].http GET"}, "GET", "/f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "200 router/[u=uuid].http GET u=f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
		{[]string{"[...n=int].http GET"}, "GET", "/1/2/3", "200 router/[...n=int].http GET n=1|2|3"},
		{[]string{"[...n=int].http GET"}, "GET", "/1/x/3", "404"},
		{[]string{"[...n=int].http GET", "[...rest].http GET"}, "GET", "/1/x/3", "200 router/[...rest].http GET rest=1|x|3"},
		{[]string{"[...n=int].http GET", "[...rest].http GET"}, "GET", "/1/2", "200 router/[...n=int].http GET n=1|2"},
		{[]string{"[a]/[b].http GET", "[...n=int].http GET"}, "GET", "/1/2", "200 router/[a]/[b].http GET a=1 b=2"},
		{[]string{"[[n=int]]/about.http GET", "[x]/about.http GET"}, "GET", "/about", "200 router/[[n=int]]/about.http GET n="},
		{[]string{"[[n=int]]/about.http GET", "[x]/about.http GET"}, "GET", "/7/about", "200 router/[[n=int]]/about.http GET n=7"},
		{[]string{"[[n=int]]/about.http GET", "[x]/about.http GET"}, "GET", "/x/about", "200 router/[x]/about.http GET x=x"},
		// Escapes: each segment is unescaped once.
		{[]string{"[a].http GET"}, "GET", "/%2F", "200 router/[a].http GET a=/"},
		{[]string{"[a].http GET"}, "GET", "/x%2Fy", "200 router/[a].http GET a=x/y"},
		{[]string{"[a].http GET"}, "GET", "/a+b", "200 router/[a].http GET a=a+b"},
		{[]string{"[a].http GET"}, "GET", "/%2561", "200 router/[a].http GET a=%61"},
		{[]string{"[a].http GET"}, "GET", "/%2e%2e", "200 router/[a].http GET a=.."},
		{[]string{"[a].http GET"}, "GET", "/%00%ff", "200 router/[a].http GET a=\x00\xff"},
		{[]string{"[...r].http GET"}, "GET", "/a%2Fb/c", "200 router/[...r].http GET r=a/b|c"},
		{[]string{"[...r].http GET"}, "GET", "/%2e/c", "200 router/[...r].http GET r=.|c"},
		{[]string{"a.http GET"}, "GET", "/%61", "200 router/a.http GET"},
		{[]string{"a.http GET"}, "GET", "/A", "404"},
		{[]string{"50%.http GET"}, "GET", "/50%25", "200 router/50%.http GET"},
		{[]string{"%61.http GET"}, "GET", "/a", "404"},
		{[]string{"about.html"}, "GET", "/about.html", "404"},
		{[]string{"a/b.http GET"}, "GET", "/a%2Fb", "404"},
		// Another spelling is redirected, once, if a route answers it.
		{[]string{"a/b.http GET"}, "GET", "/a/b/", "308 Location /a/b"},
		{[]string{"a/b.http GET"}, "GET", "//a///b?x=%2f&y", "308 Location /a/b?x=%2f&y"},
		{[]string{"a/b.http GET"}, "GET", "/a//b?q=\xff%zz;", "308 Location /a/b?q=\xff%zz;"},
		{[]string{"a/b.http GET"}, "GET", "/a/./c/../b", "308 Location /a/b"},
		{[]string{"a/b.http GET"}, "GET", "/../a/b", "308 Location /a/b"},
		{[]string{"a/b.http GET"}, "GET", "/c//", "404"},
		{[]string{"a/[b].http GET"}, "GET", "/a/%2F/", "308 Location /a/%2F"},
		{[]string{"a/[b].http GET"}, "GET", "/a/%2e%2e/", "308 Location /a/%2e%2e"},
		{[]string{"a/[b].http GET"}, "GET", "/a/..", "404"},
		{[]string{"a/[b]/c.http GET"}, "GET", "/a//c", "404"},
		{[]string{"a/index.http GET", "a/[...r].http GET"}, "GET", "/a/", "308 Location /a"},
		{[]string{"a/[...r].http GET"}, "GET", "/a/b//c", "308 Location /a/b/c"},
		{[]string{"a/[...r].http GET"}, "GET", "/a/b/../c", "308 Location /a/c"},
		{[]string{"[...r].http GET"}, "GET", "//evil.example/", "308 Location /evil.example"},
		{[]string{"[...r].http GET"}, "GET", "/%5Cevil.example/", "308 Location /%5Cevil.example"},
		{[]string{"index.http GET"}, "GET", "//", "308 Location /"},
		{[]string{"index.http GET"}, "GET", "/?", "200 router/index.http GET"},
	} {
		t.Run(strings.Join(tt.tree, ",")+" "+tt.method+" "+tt.target, func(t *testing.T) {
			is := is.New(t)
			r := registered(t, tt.tree...)
			is.Equal(says(serve(r, tt.method, tt.target)), tt.want)
		})
	}
}

func TestMatchOddRequests(t *testing.T) {
	r := registered(t, "index.http GET ANY", "a.http GET", "[x]/[y].http GET")
	for _, tt := range []struct {
		name    string
		request func() *http.Request
		want    string
	}{
		{"CONNECT has no path", func() *http.Request {
			req := request("CONNECT", "/")
			req.URL = &url.URL{Host: "example.com:443"}
			return req
		}, "404"},
		{"OPTIONS *", func() *http.Request { return request("OPTIONS", "*") }, "404"},
		{"GET http://host", func() *http.Request { return request("GET", "http://example.com") }, "200 router/index.http GET"},
		{"GET http://host/a/", func() *http.Request { return request("GET", "http://example.com/a/?q") }, "308 Location /a?q"},
		{"a stale RawPath is not asked", func() *http.Request {
			req := request("GET", "/a")
			req.URL.RawPath = "/x%2Fy"
			return req
		}, "200 router/a.http GET"},
		{"a path that middleware emptied", func() *http.Request {
			req := request("GET", "/a")
			req.URL.Path = "a"
			return req
		}, "404"},
		{"64 KB of slashes", func() *http.Request { return request("GET", "/a"+strings.Repeat("/", 64<<10)) }, "308 Location /a"},
		{"64 KB of segments", func() *http.Request { return request("GET", strings.Repeat("/a", 32<<10)) }, "404"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			w := httptest.NewRecorder()
			r.ServeHTTP(w, tt.request())
			is.Equal(says(w), tt.want)
		})
	}
}

// slowly is the plainly right matcher: it looks at every shape of every file.
type slowly struct {
	files   []slowFile
	methods map[*routetree.Route][]string
	mounts  []*flow.Mounted
}

// A slowFile is one pattern of a file.
type slowFile struct {
	*pattern.Pattern
	route *routetree.Route
}

func newSlowly(r *flow.Router) slowly {
	s := slowly{methods: map[*routetree.Route][]string{}, mounts: r.Mounts()}
	byPath := map[string]*routetree.Route{}
	for _, rt := range r.Tree().Routes {
		byPath[rt.Path] = rt
		for _, p := range rt.Patterns {
			s.files = append(s.files, slowFile{p, rt})
		}
	}
	for _, f := range r.Registered() {
		for _, v := range f.Verbs {
			rt := byPath[f.Path]
			s.methods[rt] = append(s.methods[rt], v.Method)
		}
	}
	return s
}

// method returns the registered method with which a file answers another, or "".
func (s slowly) method(rt *routetree.Route, method string) string {
	has := s.methods[rt]
	switch {
	case slices.Contains(has, method):
		return method
	case method == "HEAD" && slices.Contains(has, "GET"):
		return "GET"
	case slices.Contains(has, match.AnyMethod):
		return match.AnyMethod
	}
	return ""
}

// hasURL reports whether the segments of a URL have a pattern.
func hasURL(p *pattern.Pattern, path []string) bool {
	for i, seg := range p.Segments {
		takes := func(v string) bool { return seg.Matcher == nil || seg.Matcher.Fits(v) }
		switch {
		case seg.Kind == pattern.Rest:
			return len(path) > i && !slices.ContainsFunc(path[i:], func(v string) bool { return !takes(v) })
		case i >= len(path), seg.Kind == pattern.Literal && seg.Text != path[i], seg.Kind == pattern.Param && !takes(path[i]):
			return false
		}
	}
	return len(path) == len(p.Segments)
}

// moreSpecific compares two patterns that match one URL.
func moreSpecific(a, b *pattern.Pattern) bool {
	place := func(seg pattern.Segment) string { // a smaller one goes before
		switch {
		case seg.Matcher != nil:
			return fmt.Sprint(seg.Kind, seg.Matcher.Name)
		case seg.Kind == pattern.Literal:
			return fmt.Sprint(seg.Kind)
		}
		return fmt.Sprint(seg.Kind, "~") // after every name
	}
	for i := range min(len(a.Segments), len(b.Segments)) {
		if x, y := place(a.Segments[i]), place(b.Segments[i]); x != y {
			return x < y
		}
	}
	return false
}

// answer returns what a Router says to a request.
func (s slowly) answer(method, target string) string {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		panic(err)
	}
	escaped := u.EscapedPath()
	var path, kept []string
	for _, segment := range strings.Split(strings.TrimPrefix(escaped, "/"), "/") {
		if segment == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if segment != "" && segment != "." && segment != ".." {
			kept = append(kept, segment)
		}
	}
	for _, segment := range kept {
		value, err := url.PathUnescape(segment)
		if err != nil {
			panic(err)
		}
		path = append(path, value)
	}
	canonical := "/" + strings.Join(kept, "/")
	query := ""
	if u.RawQuery != "" || u.ForceQuery {
		query = "?" + u.RawQuery
	}
	best, allowed := s.file(path, method)
	if m := s.mount(path, best.Pattern); m != nil {
		prefix := strings.TrimSuffix("/"+strings.Join(kept[:len(m.Prefix())], "/"), "/")
		spelled := escaped == prefix || strings.HasPrefix(escaped, prefix+"/")
		switch {
		case !spelled || s.misread(m, path[:len(m.Prefix())], u.Path, method):
			return s.respelled(u, escaped, query)
		case escaped == prefix && strings.HasSuffix(m.Text(), "/"):
			return "308 Location " + prefix + "/" + query
		}
		return mountText(m, escaped)
	}
	switch {
	case allowed == nil:
		return "404"
	case canonical != escaped:
		return "308 Location " + canonical + query
	case best.Pattern != nil:
		return s.handler(best, path, method)
	case method == "OPTIONS":
		return "204 Allow " + strings.Join(slices.Sorted(maps.Keys(allowed)), ", ")
	}
	return "405 Allow " + strings.Join(slices.Sorted(maps.Keys(allowed)), ", ")
}

// file returns the pattern of the file that answers a path, or nil, and the methods that
// any file does, which are nil if none matches.
func (s slowly) file(path []string, method string) (best slowFile, allowed map[string]bool) {
	for _, f := range s.files {
		if !hasURL(f.Pattern, path) {
			continue
		}
		if allowed == nil {
			allowed = map[string]bool{"OPTIONS": true}
		}
		for _, m := range s.methods[f.route] {
			allowed[m] = true
			if m == "GET" {
				allowed["HEAD"] = true
			}
		}
		if s.method(f.route, method) == "" {
			continue
		}
		beats := best.Pattern == nil || moreSpecific(f.Pattern, best.Pattern)
		if best.Pattern != nil && !moreSpecific(f.Pattern, best.Pattern) && !moreSpecific(best.Pattern, f.Pattern) {
			beats = s.method(f.route, method) == method && f.route.Store // beside an ANY
		}
		if beats {
			best = f
		}
	}
	return best, allowed
}

// misread reports whether a handler that cleans the decoded path finds something in it
// that is not one of m below the very prefix, with backslashes for slashes or without.
func (s slowly) misread(m *flow.Mounted, prefix []string, decoded, method string) bool {
	if slices.ContainsFunc(prefix, func(value string) bool { return pattern.EmptyOrDots(value) || strings.ContainsAny(value, `/\`) }) {
		return true
	}
	rest := strings.Join(strings.Split(decoded, "/")[1+len(prefix):], "/")
	slashed := strings.ReplaceAll(rest, `\`, "/")
	if slashed != rest && slices.Contains(strings.Split(slashed, "/"), "..") {
		return true
	}
	for _, rest := range []string{rest, slashed} {
		rest = path.Clean("./" + rest)
		if rest == ".." || strings.HasPrefix(rest, "../") {
			return true
		}
		seen := slices.Clone(prefix)
		if rest != "." {
			seen = append(seen, strings.Split(rest, "/")...)
		}
		if best, _ := s.file(seen, method); s.mount(seen, best.Pattern) != m {
			return true
		}
	}
	return false
}

var dotSegment = regexp.MustCompile(`(?i)^(\.|%2e){1,2}$`)

// respelled returns what is said to a path that a handler would misread.
func (s slowly) respelled(u *url.URL, escaped, query string) string {
	if strings.Contains(u.Path, `\`) || strings.Contains(strings.ToLower(escaped), "%2f") {
		return "404"
	}
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		if dotSegment.MatchString(segment) {
			segments[i] = strings.ReplaceAll(strings.ToLower(segment), "%2e", ".")
		}
	}
	var seen []string
	if plain := path.Clean(u.Path); plain != "/" {
		seen = strings.Split(plain[1:], "/")
	}
	if _, allowed := s.file(seen, ""); allowed == nil && s.mount(seen, nil) == nil {
		return "404"
	}
	return "308 Location " + path.Clean(strings.Join(segments, "/")) + query
}

// mount returns the most specific of what is mounted above a path, or nil. best is the
// file that answers it, if one does.
func (s slowly) mount(path []string, best *pattern.Pattern) (m *flow.Mounted) {
	for _, other := range s.mounts {
		prefix := pattern.New(other.Prefix())
		if len(path) < len(other.Prefix()) || !hasURL(prefix, path[:len(other.Prefix())]) {
			continue
		}
		if m == nil || moreSpecific(other.Below(), m.Below()) {
			m = other
		}
	}
	if m != nil && best != nil && !moreSpecific(m.Below(), best) { // a file for the very prefix wins
		return nil
	}
	return m
}

// mountText is what a handler that is mounted says.
func mountText(m *flow.Mounted, escaped string) string { return "200 " + m.Text() + " has " + escaped }

func (s slowly) handler(best slowFile, path []string, method string) string {
	values := map[string]string{}
	for i, seg := range best.Segments {
		switch seg.Kind {
		case pattern.Param:
			values[seg.Text] = path[i]
		case pattern.Rest:
			values[seg.Text] = strings.Join(path[i:], "|")
		}
	}
	registered := s.method(best.route, method)
	if registered == match.AnyMethod {
		registered = "ANY"
	}
	text := "200 " + best.route.File + " " + registered
	for _, seg := range best.route.Patterns[len(best.route.Patterns)-1].Segments {
		if seg.Kind != pattern.Literal {
			text += " " + seg.Text + "=" + values[seg.Text]
		}
	}
	if method == "HEAD" {
		return "200 " // as HEAD has no body
	}
	return text
}

// fuzzTree builds an application from bytes: route files with handlers. Files
// that would be a fault beside the earlier ones are left out.
func fuzzTree(data []byte) *flow.Router {
	names := []string{"a", "b", "[p]", "[q]", "[[o]]", "(g)", "a", "[p]", "[[n]]", "c d", "50%", "[m=ab]", "[[l=ab]]", "[w=slug]"}
	last := []string{"index", "store", "a", "b", "[r]", "[...s]", "[[...s]]", "[[o]]", "é", "[r=ab]", "[...s=slug]", "[u=slug]"}
	methods := []string{"GET", "POST", "ANY", "HEAD", "OPTIONS", "PUT", "LOCK"}
	tree := fstest.MapFS{}
	verbs := map[string][]string{}
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	for len(data) > 0 && len(tree) < 40 {
		p := ""
		for range next() % 4 {
			p += names[next()%len(names)] + "/"
		}
		p += last[next()%len(last)]
		if verbs[p] != nil {
			continue
		}
		tree["router/"+p+".http"] = &fstest.MapFile{}
		if t := routetree.Parse(tree, nil); len(t.Faults) > 0 {
			delete(tree, "router/"+p+".http")
			continue
		}
		has := next()
		for i, method := range methods {
			if has>>i&1 == 1 {
				verbs[p] = append(verbs[p], method)
			}
		}
		if strings.HasSuffix("/"+p, "/store") {
			verbs[p] = []string{"POST"}
		} else if len(verbs[p]) == 0 {
			verbs[p] = []string{"GET"}
		}
	}
	r := flow.New(tree)
	r.Matchers = map[string]func(string) bool{"ab": func(v string) bool { return v == "a" || v == "b" }}
	// POST beside a store is a fault.
	stores := map[string]bool{}
	for _, rt := range r.Tree().Routes {
		for _, s := range rt.Patterns {
			stores[s.Key()] = stores[s.Key()] || rt.Store
		}
	}
	for _, rt := range r.Tree().Routes {
		beside := !rt.Store && slices.ContainsFunc(rt.Patterns, func(s *pattern.Pattern) bool { return stores[s.Key()] })
		registered := 0
		for _, method := range verbs[rt.Path] {
			if method == "POST" && beside {
				continue
			}
			registered++
			if method == "ANY" {
				r.At(rt.Path).ANY().Do(answers(rt, method))
			} else {
				r.At(rt.Path).Method(method).Do(answers(rt, method))
			}
		}
		if registered == 0 {
			r.At(rt.Path).GET().Do(answers(rt, "GET"))
		}
	}
	return r
}

// judgeOf checks a Router and returns what it is held against: the tree and the
// registrations, which Check forgets.
func judgeOf(t *testing.T, r *flow.Router) slowly {
	t.Helper()
	judge := newSlowly(r)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return judge
}

// checkMatch holds the answer of a Router against slowly.
func checkMatch(t *testing.T, r *flow.Router, judge slowly, method, target string) {
	t.Helper()
	got := says(serve(r, method, target))
	if text := explained(t, r, method, target, got); text != got {
		t.Errorf("%s %s:\n it says %q\n   it is explained as %q", method, target, got, text)
	}
	if want := judge.answer(method, target); got != want {
		var names []string
		for _, rt := range r.Tree().Routes {
			names = append(names, rt.File)
		}
		t.Errorf("%s %s of %q:\n it says %q\n   it is %q", method, target, names, got, want)
	}
}

// explained says what the explanation of a request says, in the words of says. The body
// of an answer is that of says, if it has the file and the values of the explanation.
func explained(t *testing.T, r *flow.Router, method, target, says string) string {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil {
		t.Fatal(err)
	}
	q, err := routemap.NewQuestion(method, target)
	if err != nil {
		t.Fatal(err)
	}
	if asked := q.Request().URL; asked.EscapedPath() != u.EscapedPath() || asked.RawQuery != u.RawQuery || q.Method != method {
		return says // with a "#", which no server sees, or in letters that people mix up
	}
	e := r.Explain(q)
	winners := 0
	for _, c := range e.Candidates {
		if c.Answers {
			winners++
			if c.File != e.Answer.File {
				t.Errorf("%s %s: %s answers, and %s wins", method, target, e.Answer.File, c.File)
			}
		}
	}
	if answered := e.Answer != nil; answered != (winners == 1) {
		t.Errorf("%s %s: %d win", method, target, winners)
	}
	text := fmt.Sprint(e.Status)
	if e.Allow != nil {
		text += " Allow " + strings.Join(e.Allow, ", ")
	}
	if e.Location != "" {
		text += " Location " + e.Location
	}
	if e.Outcome != routemap.Answered {
		return text
	}
	says = strings.TrimPrefix(says, "200 ")
	file, rest, _ := strings.Cut(says, ".http ")
	switch {
	case method == http.MethodHead && says == "":
		return "200 "
	case strings.HasPrefix(e.Answer.File, "Mount("):
		if mount, _, _ := strings.Cut(e.Answer.File, ")"); strings.HasPrefix(says, mount[len(`Mount("`):len(mount)-1]+" has ") {
			return "200 " + says
		}
	case file+".http" == e.Answer.File:
		for _, v := range e.Values {
			if !strings.Contains(" "+strings.ReplaceAll(rest, "|", "/")+" ", " "+v.Name+"="+strings.ReplaceAll(v.Value, "|", "/")+" ") {
				t.Errorf("%s %s: %s has %s=%q", method, target, says, v.Name, v.Value)
			}
		}
		return "200 " + says
	}
	return "200 from " + e.Answer.File
}

// mountAll mounts a handler at each prefix that would be no fault.
func mountAll(r *flow.Router, prefixes string) {
	taken := map[string]bool{}
	for _, rt := range r.Tree().Routes {
		for _, s := range rt.Patterns {
			taken[s.Key()] = true
		}
	}
	for prefix := range strings.FieldsSeq(prefixes) {
		segments, err := routetree.ParsePrefix(prefix)
		key := pattern.New(append(slices.Clip(segments), pattern.Segment{Kind: pattern.Rest})).Key()
		if err != nil || taken[key] {
			continue
		}
		taken[key] = true
		var m *flow.Mounted
		m = r.Mount(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, strings.TrimPrefix(mountText(m, r.URL.EscapedPath()), "200 "))
		}))
	}
}

func FuzzMount(f *testing.F) {
	f.Add([]byte("\x01\x02\x00\x01\x01\x00\x02\x01\x02\x05\x01\x07"), "/a /[p]/b/ /", "GET", "/a/b/")
	f.Add([]byte("\x02\x02\x03\x04\x7f\x01\x00\x02\x03\x00\x05\x01"), "/[x] /[x]/a", "POST", "/a/%2F/../b?x")
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), "/a/b/c /b/", "OPTIONS", "//a/./b")
	f.Fuzz(func(t *testing.T, data []byte, prefixes, method, target string) {
		if forms.CheckMethod(method) != nil || method == "CONNECT" || len(data) > 200 || len(prefixes) > 60 {
			t.Skip()
		}
		if u, err := url.ParseRequestURI(target); err != nil || !strings.HasPrefix(target, "/") || u.Host != "" {
			t.Skip()
		}
		r := fuzzTree(data)
		if r.Tree().Missing {
			t.Skip() // no name that was made is one of a route
		}
		mountAll(r, prefixes)
		checkMatch(t, r, judgeOf(t, r), method, target)
	})
}

func FuzzMatch(f *testing.F) {
	f.Add([]byte("\x01\x02\x00\x01\x01\x00\x02\x01\x02\x05\x01\x07"), "GET", "/a/b/")
	f.Add([]byte("\x02\x02\x03\x04\x7f\x01\x00\x02\x03\x00\x05\x01"), "POST", "/a/%2F/../b?x")
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), "OPTIONS", "//a/./b")
	f.Fuzz(func(t *testing.T, data []byte, method, target string) {
		if forms.CheckMethod(method) != nil || method == "CONNECT" || len(data) > 200 {
			t.Skip()
		}
		if u, err := url.ParseRequestURI(target); err != nil || !strings.HasPrefix(target, "/") || u.Host != "" {
			t.Skip()
		}
		r := fuzzTree(data)
		if r.Tree().Missing {
			t.Skip() // no name that was made is one of a route
		}
		checkMatch(t, r, judgeOf(t, r), method, target)
	})
}

// TestMatchGenerated asks many small trees for every short path over their names.
func TestMatchGenerated(t *testing.T) {
	data := make([]byte, 90)
	state := uint32(1)
	targets := []string{"/"}
	for _, a := range []string{"a", "b", "c%20d", "%2F", "x", "..", ""} {
		targets = append(targets, "/"+a)
		for _, b := range []string{"a", "b", "x", "50%25", ".", "", "%2E%2e", "x%2f..%2fa", "x%5Ca"} {
			targets = append(targets, "/"+a+"/"+b)
			for _, c := range []string{"a", "%C3%A9", "x"} {
				targets = append(targets, "/"+a+"/"+b+"/"+c)
			}
		}
	}
	mounts := []string{"", "/", "/a", "/a/ /[x]", "/[x]/b /a/b/", "/a/[x] / /c%20d"}
	// Files that overlap with all of a tree, as fuzzTree reads them.
	roots := []string{
		"",
		"\x00\x04\x01",             // [r]: GET
		"\x00\x05\x04",             // [...s]: ANY
		"\x00\x06\x03",             // [[...s]]: GET, POST
		"\x01\x04\x02\x05",         // [[o]]/a: GET, ANY
		"\x01\x0c\x03\x01",         // [[l=ab]]/b: GET
		"\x01\x05\x05\x01",         // (g)/[...s]: GET
		"\x00\x0a\x05",             // [...s=slug]: GET, ANY
		"\x00\x05\x01\x00\x04\x02", // [...s]: GET; [r]: POST
	}
	for n := range many(72) { // a few are each of the roots with each of its mounts
		for i := range data {
			state = state*1664525 + 1013904223
			data[i] = byte(state >> 24)
		}
		r := fuzzTree(append([]byte(roots[n%len(roots)]), data...))
		mountAll(r, mounts[n%len(mounts)])
		judge := judgeOf(t, r)
		for _, target := range targets {
			for _, method := range []string{"GET", "POST", "HEAD", "OPTIONS", "LOCK"} {
				checkMatch(t, r, judge, method, target)
			}
		}
	}
}

// shopOf returns an application whose Go code and links say no group. Its tree is the same
// wherever the files lie.
func shopOf(tree map[string]string) *flow.Router {
	r := flow.New(flowtest.Pages(tree))
	r.In("users").Use(mark("users"))
	r.In("").Use(mark("all"))
	r.In("users/[id]").Use(mark("user"))
	r.At("index").GET().Name("home").Do(func(req *flow.Request) (flow.Response, error) { return flow.Page(nil), nil })
	r.At("users/[id]").GET().Do(func(req *flow.Request) (string, error) { return req.Route("users.id.posts", "id", req.Param("id")) })
	r.At("users/[id]/posts").GET().Do(func(req *flow.Request) flow.Response { return flow.View("users/+row", req.Param("id")) })
	r.At("users/index").GET().Do(func(*flow.Request) flow.Response { return flow.Page([]string{"7"}) })
	r.At("users/store").POST().Do(func(*flow.Request) flow.Response { return flow.RedirectTo("users.id", "id", 8) })
	r.At("about").POST().Do(func(*flow.Request) flow.Response { return flow.View("about", "seen") })
	return r
}

var shopTree = map[string]string{
	"+layout.html":          `[{{template "content" .}}]`,
	"+error.html":           `{{.Status}}`,
	"index.html":            `{{route "users.index"}} {{route "about"}} {{template "+foot" .}}`,
	"+foot.html":            `foot`,
	"about.html":            `about {{.}} {{route "home"}}`,
	"users/+layout.html":    `({{template "content" .}})`,
	"users/+row.html":       `<li>{{.}} <a href="{{route "users.id" "id" .}}">`,
	"users/index.html":      `{{range .}}{{template "users/+row" .}}{{end}}`,
	"users/store.http":      "",
	"users/[id].http":       "",
	"users/[id]/posts.http": "",
}

// tour asks an application for everything it has.
func tour(t *testing.T, r *flow.Router) string {
	t.Helper()
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, info := range r.Routes() {
		fmt.Fprintln(&b, info.Method, info.Pattern, info.Name, info.Handler, info.Middleware)
	}
	for _, target := range []string{"GET /", "GET /about", "POST /about", "GET /users", "POST /users", "GET /users/7", "GET /users/7/posts", "PUT /users/7", "GET /users/7/none"} {
		method, url, _ := strings.Cut(target, " ")
		w := serve(r, method, url)
		fmt.Fprintln(&b, target, w.Code, marks(w), w.Header().Get("Location"), w.Header().Get("Allow"), w.Body)
	}
	return b.String()
}

// TestGroupsChangeNothing compares an application whose files and directories lie in groups
// with the same application without groups.
func TestGroupsChangeNothing(t *testing.T) {
	want := tour(t, shopOf(shopTree))
	for _, tt := range []struct{ name, from, to string }{
		{"a file", "about.html", "(site)/about.html"},
		{"a partial", "+foot.html", "(parts)/+foot.html"},
		{"the file of the directory", "index.html", "(site)/index.html"},
		{"a directory", "users/", "(people)/users/"},
		{"a directory, two deep", "users/", "(site)/(people)/users/"},
		{"a group within a directory", "users/[id]", "users/(one)/[id]"},
		{"a group below a parameter", "users/[id]/", "users/[id]/(deep)/"},
		{"everything", "", "(all)/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			moved := map[string]string{}
			n := 0
			for file, text := range shopTree {
				if rest, ok := strings.CutPrefix(file, tt.from); ok && path.Base(file) != "+error.html" {
					file = tt.to + rest
					n++
				}
				moved[file] = text
			}
			is.True(n > 0) // something has moved
			is.Equal(tour(t, shopOf(moved)), want)
		})
	}
}

// TestGroupsThatAreWritten: a path that names a group speaks of that group.
func TestGroupsThatAreWritten(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{
		"(a)/users/x.http": "", "(b)/users/y.http": "", "users/z.http": "", "(c)/(a)/users/w.http": "", "(b)/users.http": "",
	}))
	r.In("(a)/users").Use(mark("a-users"))
	r.In("users").Use(mark("users"))
	r.In("(a)").Use(mark("a"))
	r.In("(b)").Use(mark("b"))
	r.In("users").Use(mark("users-again"))
	for _, path := range []string{"(a)/users/x", "users/y", "users/z", "(a)/users/w", "users"} {
		r.At(path).GET().Do(hello)
	}
	is.NoErr(r.Check())
	for target, want := range map[string]string{
		"/users/x": "a a-users users users-again", // in the order of registration where two are the same directory
		"/users/y": "b users users-again",
		"/users/z": "users users-again",
		"/users/w": "a a-users users users-again",
		"/users":   "b users users-again", // the file beside the directory
	} {
		w := serve(r, "GET", target)
		is.Equal(target+" "+marks(w), target+" "+want)
		is.Equal(w.Code, 200)
	}
}

func TestGroupsThatAreInDoubt(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{
		"(a)/+row.html": "a", "(b)/+row.html": "b", "x.html": `{{template "+row"}}{{template "(a)/+row"}}`,
	}))
	is.Equal(r.Check().Error(), `router/x.html:1: {{template "+row"}}: "+row" may be "(a)/+row" or "(b)/+row": write which group`)

	r = flow.New(flowtest.Pages(map[string]string{"(a)/+row.html": "a", "(b)/+row.html": "b", "x.http": ""}))
	r.At("x").GET().Do(func(req *flow.Request) flow.Response { return flow.View(req.Input("view"), nil) })
	log := logged(r)
	is.Equal(says(serve(r, "GET", "/x?view=(b)/%2Brow")), "200 b")
	is.Equal(says(serve(r, "GET", "/x?view=%2Brow")), "500")
	is.True(strings.Contains(log.String(), `flow: View: \"+row\" may be \"(a)/+row\" or \"(b)/+row\": write which group`))
}

// TestGuardsFollowFiles or are told that they have lost them.
func TestGuardsFollowFiles(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		files    string
		want     string // of GET /u/1/a, or a part of the fault
	}{
		{"a matcher beside", "u/[id]", "u/[id]/b.http: \nu/[id=int]/a.http: ", "403"},
		{"a matcher alone", "u/[id]", "u/[id=int]/a.http: ", "403"},
		{"only the matcher", "u/[id=int]", "u/[id=int]/b.http: \nu/[id]/a.http: ", "200"},
		{"nothing left", "(staff)", "u/[id]/a.http: \n(staff)/+layout.html: {{template \"content\" .}}", `In("(staff)"): no route file is in that directory, so this would guard nothing: have the files been moved?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(pagesOf(tt.files)))
			r.In(tt.in).Use(func(*flow.Request) flow.Response { return flow.Fail(403, "") })
			for _, rt := range r.Tree().Routes {
				r.At(rt.Path).GET().Do(func(*flow.Request) string { return "" })
			}
			if err := r.Check(); err != nil {
				is.True(strings.Contains(err.Error(), tt.want))
				return
			}
			is.Equal(fmt.Sprint(serve(r, "GET", "/u/1/a").Code), tt.want)
		})
	}
}
