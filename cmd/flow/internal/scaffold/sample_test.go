package scaffold

import (
	"testing"

	"github.com/matryer/is"

	"example.com/flow/cmd/flow/internal/matchers"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
)

func TestSampleURL(t *testing.T) {
	for _, tt := range []struct{ path, tree, want string }{
		{"index", "a.html", "/"},
		{"a b", "a.html", "/a%20b"},
		{"users/[id]", "a.html", "/users/1"},
		{"users/[userID]/posts/[slug]", "a.html", "/users/1/posts/x"},
		{"[id=int]", "a.html", "/1"},
		{"[day=date]", "a.html", "/2006-01-01"},
		{"[name=slug]", "a.html", "/x"},
		{"[key=uuid]", "a.html", "/f81d4fae-7dec-11d0-a765-00a0c91e6bf1"},
		{"[no=sku]", "a.html", ""},
		{"[...path]", "a.html", "/x"},
		{"[[lang]]/help", "a.html", "/x/help"},
		{"[[lang=lang]]/help", "a.html", "/help"}, // no other is known
		{"[[region=region]]/[[lang]]/help", "a.html", "/help"},
		{"[[lang=lang]]/users/[id]", "a.html", "/users/1"},
		{"[[lang=lang]]/[no=sku]", "a.html", ""},
		{"docs/[[...path=sku]]", "a.html", "/docs"},
		{"[[lang=lang]]/index", "a.html", "/"},
		// Where something else would answer.
		{"[slug]", "x.html & y.html", "/z"},
		{"[slug]", "x/index.html", "/y"},
		{"[slug]", "x/store.http", "/x"},
		{"[id]", "[no=int].html", ""},
		{"[slug]", "[no=int].html", "/x"},
		{"[slug]", "[...path=slug].html", "/x"}, // less specific
		{"[...path]", "[slug].html", "/y/y"},
		{"[...path]", "[slug].html & [a]/[b].html", ""},
		{"users/[id]", "users/1.html & users/[id]/edit.html", "/users/2"},
		{"[a]/b", "x/[b].html", "/y/b"},
	} {
		t.Run(tt.path+" beside "+tt.tree, func(t *testing.T) {
			is := is.New(t)
			tree := routetree.Parse(flowtest.Row(tt.tree), nil)
			added := routetree.Parse(withFiles(tree.Files, []string{"router/" + tt.path + ".html"}), nil)
			for _, r := range added.Routes {
				if r.Path == tt.path {
					is.Equal(sampleURL(tree, r, &matchers.Set{}), tt.want)
					return
				}
			}
			is.Fail() // it is no route
		})
	}
}
