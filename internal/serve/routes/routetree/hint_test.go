package routetree

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

func TestHint(t *testing.T) {
	tree := Parse(flowtest.Row("users/[id].html & (admin)/reports.html & docs/index.http"), nil)
	for _, tt := range []struct{ path, want string }{
		{"users/id", `: router/users/[id].html is called "users/[id]"`},
		{"/router/Users/[id].html", `: router/users/[id].html is called "users/[id]"`},
		{"docs", `: router/docs/index.http is called "docs/index"`},
		{"admin", `: router/(admin) is called "(admin)"`},
		{"nothing", ": write the path below router/"},
		{".well-known/security.txt", ": if it is there, embed it by //go:embed all:router,"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			is.True(strings.HasPrefix(tree.Hint(tt.path), tt.want))
		})
	}
}

func TestHintOfWhatIsEmbedded(t *testing.T) {
	is := is.New(t)
	tree := Parse(flowtest.Row(".well-known/jwks.json.http"), nil)
	is.True(strings.HasPrefix(tree.Hint(".well-known/security.txt"), ": write the path below router/"))
}

func TestHintOfNearPaths(t *testing.T) {
	tree := Parse(flowtest.Row("users/[id].html & (admin)/reports/new.html & docs/index.http"), nil)
	for _, tt := range []struct{ path, ofDir, ofFile string }{
		{"(admim)", `: did you mean "(admin)"?`, ": write the path below router/"},
		{"docz", `: did you mean "docs"?`, ": write the path below router/"},
		{"users/[ids]", `: did you mean "users/[id]"?`, `: did you mean "users/[id]"?`},
		{"report/new", `: did you mean "reports/new"?`, `: did you mean "reports/new"?`},
		{"users/id", `: router/users/[id].html is called "users/[id]"`, `: router/users/[id].html is called "users/[id]"`},
		{"far/away", ": write the path below router/", ": write the path below router/"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			is := is.New(t)
			is.True(strings.HasPrefix(tree.HintDir(tt.path), tt.ofDir))
			is.True(strings.HasPrefix(tree.HintFile(tt.path), tt.ofFile))
		})
	}
}

func TestCovers(t *testing.T) {
	is := is.New(t)
	tree := Parse(flowtest.Row("admin.html & admin/users.html & blog/index.html & x/store.http & (g)/y/(h)/z.html"), nil)
	for _, dir := range []string{"", "admin", "admin/users", "blog", "x", "(g)", "(g)/y", "y", "y/(h)", "y/z"} {
		is.True(tree.Covers(dir)) // dir
	}
	for _, dir := range []string{"blog/index", "x/store", "users", "/admin", "(h)", "(h)/y", "(g)/admin"} {
		is.True(!tree.Covers(dir)) // no dir
	}
}
