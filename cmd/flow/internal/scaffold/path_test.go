package scaffold

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
)

var extensions = []string{".html", ".http", ".md"}

func TestReadPath(t *testing.T) {
	for _, tt := range []struct{ arg, path, ext string }{
		{"about", "about", ""},
		{"/about", "about", ""},
		{"./about", "about", ""},
		{"/", "index", ""},
		{"about.html", "about", ".html"},
		{"feed.xml.http", "feed.xml", ".http"},
		{"blog/opening.md", "blog/opening", ".md"},
		{"blog/opening.markdown", "blog/opening.markdown", ""}, // no format
		{"feed.xml", "feed.xml", ""},
		{"users/[id]", "users/[id]", ""},
		{"/users/[id].html", "users/[id]", ".html"},
		{"router/users/[id].http", "users/[id]", ".http"},
		{"app/router/users/[id].html", "users/[id]", ".html"},
		{"./app/router/index.html", "index", ".html"},
		{"app/users", "app/users", ""}, // it is /app/users
		{"/router/users", "router/users", ""},
		{"app/router/router/users", "router/users", ""},
		{"(admin)/[[lang]]/[...rest]", "(admin)/[[lang]]/[...rest]", ""},
		{"[id=int]", "[id=int]", ""},
		{"users/+row.html", "users/+row", ".html"},
		{".well-known/jwks.json", ".well-known/jwks.json", ""},
		{"a b", "a b", ""},
	} {
		t.Run(tt.arg, func(t *testing.T) {
			is := is.New(t)
			path, ext, exact, err := readPath(tt.arg, "app/router", extensions)
			is.NoErr(err)
			is.Equal(path, tt.path)
			is.Equal(ext, tt.ext)
			is.Equal(exact, strings.HasPrefix(tt.arg, "./") || strings.HasPrefix(tt.arg, "app/router/") || strings.HasPrefix(tt.arg, "router/"))
			again, _, exact, err := readPath("app/router/"+path+".html", "app/router", extensions)
			is.NoErr(err)
			is.Equal(again, path) // the file that is made of it means the same
			is.True(exact)
		})
	}
	for _, tt := range []struct{ arg, want string }{
		{"users/{id}", `a parameter is written with brackets: flow add "users/[id]"`},
		{"/users/{id}.html", `flow add "users/[id]"`},
		{"users/:id/posts/:post", `flow add "users/[id]/posts/[post]"`},
		{"docs/{path...}", `flow add "docs/[...path]"`},
		{"docs/{*path}", `flow add "docs/[...path]"`},
		{"docs/*path", `flow add "docs/[...path]"`},
		{"users/<int:id>", `flow add "users/[id]"`},
		{"users/", "users/ ends in a slash, and URLs do not: write users/index for /users"},
		{"", "flow add index"},
		{"//a", `it has the element ""`},
		{"a//b", `a//b is no path below router/: it has the element ""`},
		{"../users", `it has the element ".."`},
		{"users/./x", `it has the element "."`},
		{".html", `it has the element ""`},
		{"_draft", "names that begin with _ are never routes"},
		{"_x/users", "names that begin with _ are never routes"},
		{".git/config", "names that begin with . are never routes"},
		{".well-known", "names that begin with . are never routes"},
	} {
		t.Run(tt.arg, func(t *testing.T) {
			is := is.New(t)
			_, _, _, err := readPath(tt.arg, "app/router", extensions)
			is.True(err != nil)
			is.True(strings.Contains(err.Error(), tt.want))
		})
	}
}

func TestPathWithoutBracketsFindsTheFile(t *testing.T) {
	tree := routetree.Parse(flowtest.Row("users/[id].html & users/[id]/posts/[post].html & docs/[...path].html & [[lang]]/about.html & plain.html"), nil)
	for _, tt := range []struct{ path, want string }{
		{"users/id", "users/[id]"},
		{"users/id/edit", "users/[id]/edit"},
		{"users/id/posts/post", "users/[id]/posts/[post]"},
		{"users/id/posts/x", "users/[id]/posts/x"},
		{"docs/path", "docs/[...path]"},
		{"lang/help", "[[lang]]/help"},
		{"users/new", ""},
		{"plain", ""},
		{"plain/x", ""},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			is.Equal(bracketed(tree, tt.path), tt.want)
		})
	}
}

// FuzzReadPath reads paths twice: that of the file which is made of a path means the same.
func FuzzReadPath(f *testing.F) {
	for _, arg := range []string{"/", "users/[id]", "./app/router/a.html", "router/router/x", "a.html.http", "x/{id}", ".well-known/a", "//a", "+x/a"} {
		f.Add(arg)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		path, ext, _, err := readPath(arg, "app/router", extensions)
		if err != nil {
			return
		}
		if ext == "" {
			ext = pageExt
		}
		again, extAgain, _, err := readPath("app/router/"+path+ext, "app/router", extensions)
		if err != nil || again != path || extAgain != ext {
			t.Errorf("%q is %q, and that file is %q%s, %v", arg, path, again, extAgain, err)
		}
	})
}
