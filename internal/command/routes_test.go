package command

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matryer/is"
)

// TestRoutesFitATerminal: long lines are cut off there, and whole for programs.
func TestRoutesFitATerminal(t *testing.T) {
	is := is.New(t)
	name, file := strings.Repeat("a.", 20)+"b", "router/"+strings.Repeat("[a]/", 10)+"b.http"
	all := [][]string{
		{"METHOD", "URL", "GUARDS", "HANDLER", "NAME", "FILE"},
		{"GET", "/ä", "public", "-", "ä", "router/ä.html"},
		{"DELETE", "/" + strings.Repeat("{a}/", 10) + "b", "public", "app/a.go:1", name, file},
	}
	var cut, whole strings.Builder
	is.NoErr(printTable(&cut, all, 120))
	is.NoErr(printTable(&whole, all, 0))
	is.True(strings.Contains(whole.String(), name+"  "+file+"\n"))
	lines := strings.SplitAfter(cut.String(), "\n")
	is.Equal(len(lines), 4)
	is.Equal(utf8.RuneCountInString(lines[2]), 121)
	for i, line := range strings.SplitAfter(whole.String(), "\n")[:3] {
		is.True(strings.HasPrefix(line, strings.TrimSuffix(lines[i], "…\n"))) // the columns are the same
	}
	is.True(strings.HasSuffix(lines[2], "…\n"))
}
