package pattern

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// of parses the notation of the tests: "users/:id/*rest".
func of(text string) *Pattern {
	var segments []Segment
	for s := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '/' }) {
		switch s[0] {
		case ':':
			segments = append(segments, Segment{Kind: Param, Text: s[1:]})
		case '*':
			segments = append(segments, Segment{Kind: Rest, Text: s[1:]})
		default:
			segments = append(segments, Segment{Kind: Literal, Text: s})
		}
	}
	return New(segments)
}

// matches is the reference matcher, slow and plain.
func matches(p *Pattern, path []string) bool {
	for i, seg := range p.Segments {
		switch {
		case seg.Kind == Rest:
			return len(path) > i
		case i >= len(path), seg.Kind == Literal && seg.Text != path[i]:
			return false
		}
	}
	return len(path) == len(p.Segments)
}

func pathOf(t *testing.T, target string) Path {
	t.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := ParsePath(&http.Request{Method: "GET", URL: u})
	if !ok {
		t.Fatalf("%s has no path", target)
	}
	return p
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct{ pattern, text, key, sample string }{
		{"", "/", "/", "/"},
		{"about", "/about", "/about", "/about"},
		{"users/:id", "/users/{id}", "/users/:", "/users/x"},
		{"docs/*rest", "/docs/{rest...}", "/docs/*", "/docs/x"},
		{"files/*", "/files/", "/files/*", "/files/x"}, // what is mounted
		{"a b/{x}", "/a%20b/%7Bx%7D", "/a b/{x}", "/a%20b/%7Bx%7D"},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			is := is.New(t)
			p := of(tt.pattern)
			is.Equal(p.String(), tt.text)
			is.Equal(p.Key(), tt.key)
			is.Equal(Sample(p.Segments), tt.sample)
			is.True(matches(p, pathOf(t, tt.sample).Segments))
		})
	}
}

// Overlap returns a URL that both patterns match. If it returns none, no generated URL
// matches both.
func TestOverlap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "x", ":p", "*r"}
	some := func() *Pattern {
		var segments []string
		for range random.IntN(4) {
			s := names[random.IntN(len(names))]
			if segments = append(segments, s); s[0] == '*' {
				break
			}
		}
		return of(strings.Join(segments, "/"))
	}
	texts := []string{"a", "b", "x", "y"}
	var urls [][]string
	for n := range 5 {
		for i := range 1 << (2 * n) {
			var u []string
			for range n {
				u, i = append(u, texts[i%4]), i/4
			}
			urls = append(urls, u)
		}
	}
	shared := 0
	for range 3000 {
		a, b := some(), some()
		u, ok := Overlap(a.Segments, b.Segments)
		both := slices.ContainsFunc(urls, func(u []string) bool { return matches(a, u) && matches(b, u) })
		if ok != both {
			t.Fatalf("%v and %v: Overlap says %t, and it is %t", a, b, ok, both)
		}
		if path := pathOf(t, "/"+strings.TrimPrefix(u, "/")).Segments; ok && !(matches(a, path) && matches(b, path)) {
			t.Fatalf("%v and %v do not both match %s", a, b, u)
		}
		if ok {
			shared++
		}
	}
	if shared < 300 {
		t.Fatalf("only %d pairs overlap: the generator shows nothing", shared)
	}
}

func TestCompare(t *testing.T) {
	is := is.New(t)
	inOrder := []string{"", "a", "a/b", "a/:p", "a/*r", "b", ":p", ":p/a", ":p/:q", "*r"}
	var patterns []*Pattern
	for _, text := range inOrder {
		patterns = append(patterns, of(text))
	}
	is.True(slices.IsSortedFunc(patterns, Compare))
}

// Matching the URL for some values gives these values.
func TestURLReadsBack(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		values  map[string][]string
		want    string
	}{
		{"users/:id", map[string][]string{"id": {"a/b"}}, "/users/a%2Fb"},
		{"50%/:id", map[string][]string{"id": {"%2F +?#"}}, "/50%25/%252F%20+%3F%23"},
		{"docs/*rest", map[string][]string{"rest": {"a b", "..x", "é"}}, "/docs/a%20b/..x/%C3%A9"},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			is := is.New(t)
			p := of(tt.pattern)
			u := p.URL(tt.values)
			is.Equal(u, tt.want)
			path := pathOf(t, u)
			is.True(path.IsCanonical())
			is.True(matches(p, path.Segments))
			for i, seg := range p.Segments {
				switch seg.Kind {
				case Param:
					is.Equal(path.Segments[i:i+1], tt.values[seg.Text])
				case Rest:
					is.Equal(path.Segments[i:], tt.values[seg.Text])
				}
			}
		})
	}
}

func TestForValues(t *testing.T) {
	optional := []*Pattern{of("about"), of(":lang/about"), of(":lang/:region/about")}
	for _, tt := range []struct{ given, want, missing string }{
		{"", "/about", ""},
		{"lang", "/{lang}/about", ""},
		{"lang region", "/{lang}/{region}/about", ""},
		{"region", "", "lang"},
	} {
		t.Run(tt.given, func(t *testing.T) {
			is := is.New(t)
			values := map[string][]string{}
			for name := range strings.FieldsSeq(tt.given) {
				values[name] = []string{"x"}
			}
			p, missing := ForValues(optional, values)
			is.Equal(missing, tt.missing)
			if p != nil {
				is.Equal(p.String(), tt.want)
			}
			is.Equal(p == nil, tt.want == "")
		})
	}
}
