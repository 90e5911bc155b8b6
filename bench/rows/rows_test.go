package rows

import (
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// Each contestant of each row answers what it has to. What is measured is checked before
// it is measured, too, but here it is a matter of seconds.
func TestContestantsAnswerRightly(t *testing.T) {
	for _, row := range All() {
		t.Run(row.Name, func(t *testing.T) {
			is := is.New(t)
			if strings.HasPrefix(row.Name, "serve/") && runtime.GOOS != "linux" {
				t.Skip("what a process takes is read on Linux only")
			}
			g := row.Build()
			is.NoErr(g.Check())
			is.True(len(g.Contestants) >= 2) // there is something to compare
			base, names := 0, map[string]bool{}
			for _, c := range g.Contestants {
				is.True(!names[c.Name]) // each has a name of its own
				names[c.Name] = true
				if c.Name == g.Base {
					base++
				}
			}
			is.Equal(base, 1) // what the others are compared to
		})
	}
}

func TestNamesOfRows(t *testing.T) {
	is := is.New(t)
	seen := map[string]bool{}
	for _, row := range All() {
		is.True(!seen[row.Name]) // each row has a name of its own
		is.True(row.Title != "")
		seen[row.Name] = true
		is.Equal(Named(row.Name).Title, row.Title)
	}
	defer func() { is.True(recover() != nil) }()
	Named("nothing")
}

func TestGitHubHasAllRoutes(t *testing.T) {
	is := is.New(t)
	is.Equal(len(githubRoutes()), 203)
	is.Equal(len(Named("github/static").Build().Calls), 36)
	is.Equal(len(Named("github/params").Build().Calls), 167)
}

func TestNotations(t *testing.T) {
	for _, tt := range []struct{ pattern, flow, mux, chi, echo string }{
		{"/users", "users", "/users", "/users", "/users"},
		{"/users/:id/posts", "users/[id]/posts", "/users/{id}/posts", "/users/{id}/posts", "/users/:id/posts"},
		{"/docs/*path", "docs/[...path]", "/docs/{path...}", "/docs/*", "/docs/*"},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			is := is.New(t)
			is.Equal(flowPath(tt.pattern), tt.flow)
			is.Equal(muxPattern(tt.pattern), tt.mux)
			is.Equal(chiPattern(tt.pattern), tt.chi)
			is.Equal(echoPattern(tt.pattern), tt.echo)
		})
	}
}
