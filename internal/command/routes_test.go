package command_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matryer/is"

	"example.com/flow/internal/command"
)

// TestRoutesFitATerminal: long lines are cut off there, and whole for programs.
func TestRoutesFitATerminal(t *testing.T) {
	is := is.New(t)
	all := []command.Route{
		{Method: "GET", Pattern: "/ä", File: "router/ä.html", Name: "ä"},
		{Method: "DELETE", Pattern: "/" + strings.Repeat("{a}/", 10) + "b", Handler: "app/a.go:1", Name: strings.Repeat("a.", 20) + "b", File: "router/" + strings.Repeat("[a]/", 10) + "b.http"},
	}
	var cut, whole strings.Builder
	is.NoErr(command.Routes{}.Print(&cut, all, nil, 120))
	is.NoErr(command.Routes{}.Print(&whole, all, nil, 0))
	is.True(strings.Contains(whole.String(), all[1].Name+"  "+all[1].File+"\n"))
	lines := strings.SplitAfter(cut.String(), "\n")
	is.Equal(len(lines), 4)
	is.Equal(utf8.RuneCountInString(lines[2]), 121)
	for i, line := range strings.SplitAfter(whole.String(), "\n")[:3] {
		is.True(strings.HasPrefix(line, strings.TrimSuffix(lines[i], "…\n"))) // the columns are the same
	}
	is.True(strings.HasSuffix(lines[2], "…\n"))
}
