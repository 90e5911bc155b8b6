package manifest

import (
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/pattern"
)

func TestURL(t *testing.T) {
	number := &pattern.Matcher{Name: "int"}
	for _, tt := range []struct {
		url      string
		segments []pattern.Segment
	}{
		{"/", nil},
		{"/users", []pattern.Segment{{Text: "users"}}},
		{"/a%20b/%7Bx%7D/%2F", []pattern.Segment{{Text: "a b"}, {Text: "{x}"}, {Text: "/"}}},
		{"/users/{}", []pattern.Segment{{Text: "users"}, {Kind: pattern.Param}}},
		{"/{=int}/edit", []pattern.Segment{{Kind: pattern.Param, Matcher: number}, {Text: "edit"}}},
		{"/docs/{...}", []pattern.Segment{{Text: "docs"}, {Kind: pattern.Rest}}},
		{"/{...=int}", []pattern.Segment{{Kind: pattern.Rest, Matcher: number}}},
	} {
		t.Run(tt.url, func(t *testing.T) {
			is := is.New(t)
			is.Equal(URL(tt.segments), tt.url)
			got, err := parseURL(tt.url)
			is.NoErr(err)
			is.Equal(got, tt.segments)
		})
	}
}

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		by, others string
		want       bool
	}{
		{"/", "/", true}, {"/a", "/", false}, {"/", "/a", false}, {"/a", "/b", false},
		{"/{}", "/a", true}, {"/a", "/{}", false}, {"/{}", "/{}", true}, {"/{}", "/{}/{}", false}, {"/{}/{}", "/{}", false},
		{"/{}", "/{=int}", true}, {"/{=int}", "/{}", false}, {"/{=int}", "/{=int}", true}, {"/{=uuid}", "/{=int}", false},
		{"/{=int}", "/7", true}, {"/{=int}", "/a", false},
		{"/{...}", "/a/b", true}, {"/{...}", "/{}/{=int}", true}, {"/{...}", "/", false}, {"/a/{...}", "/a", false}, {"/a/{...}", "/{}/b", false},
		{"/{...=int}", "/{=int}/7", true}, {"/{...=int}", "/{=int}/a", false}, {"/{...=int}", "/{=int}/{}", false},
	} {
		t.Run(tt.by+" "+tt.others, func(t *testing.T) {
			is := is.New(t)
			by, err := parseURL(tt.by)
			is.NoErr(err)
			for _, seg := range by { // as the matchers of an application have it
				if seg.Matcher != nil {
					seg.Matcher.Fits = pattern.BuiltIn(seg.Matcher.Name)
				}
			}
			others, err := parseURL(tt.others)
			is.NoErr(err)
			is.Equal(covers(by, others), tt.want)
		})
	}
}
