package checks_test

import (
	"html/template"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/seeds"
)

// seedRouter returns the Router of a Seed.
func seedRouter(s seeds.Seed) *flow.Router {
	r := flow.New(s.Tree())
	r.ContentSecurityPolicy = s.Policy
	r.Funcs = template.FuncMap{"lang": func() string { return "en" }}
	r.Authenticate = func(*flow.Request) (any, error) { return nil, nil }
	r.At("page").GET().Do(func(*flow.Request) (seeds.Data, error) { return seeds.Data{}, nil })
	r.At("page").POST().Do(func(*flow.Request) flow.Response { return flow.Redirect("/page") })
	return r
}

// warnedLine is the place of a warning of the command check.
var warnedLine = regexp.MustCompile(`(?m)^(.*?:\d+):\d+: warning: `)

// TestSeeds: the command check says what is wrong with each Seed, at its line, and nothing else. It says
// nothing of those that are right.
func TestSeeds(t *testing.T) {
	for _, list := range [][]seeds.Seed{seeds.Inaccessible, seeds.Accessible, seeds.Refused, seeds.Allowed} {
		for _, s := range list {
			t.Run(s.About, func(t *testing.T) {
				is := is.New(t)
				said := apptest.Run(t.Context(), seedRouter(s), "check").Stderr
				var places []string
				for _, m := range warnedLine.FindAllStringSubmatch(said, -1) {
					places = append(places, m[1])
				}
				want := s.Places()
				if s.Silent != "" {
					want = nil
				}
				if !slices.Equal(slices.Compact(places), want) {
					t.Errorf("check says this, and not something at %v:\n%s", want, said)
				}
				is.Equal(strings.Count(said, "the policy refuses"), strings.Count(said, "\n")*min(len(s.Policy), 1)) // it is about the policy if the Seed is
			})
		}
	}
}
