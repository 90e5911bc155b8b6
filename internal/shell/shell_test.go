package shell_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/shell"
)

func TestQuote(t *testing.T) {
	for _, tt := range []struct{ arg, want string }{
		{"about", "about"},
		{"./about.html", "./about.html"},
		{"users/[id]", `"users/[id]"`},
		{"(site)/", `"(site)/"`},
		{"my app", `"my app"`},
		{"it's", `"it's"`},
		{"", `""`},
		{"[a]$HOME", `'[a]$HOME'`},
		{"a!b", `'a!b'`},
		{"`a`", "'`a`'"},
		{`a"b`, `'a"b'`},
		{`a\b`, `'a\b'`},
		{`it's $x`, `'it'\''s $x'`},
	} {
		t.Run(tt.arg, func(t *testing.T) {
			is := is.New(t)
			is.Equal(shell.Quote(tt.arg), tt.want)
		})
	}
}

func TestCheckQuotes(t *testing.T) {
	for _, tt := range []struct {
		args []string
		use  string // what the error says to use; "" if there is no error
	}{
		{[]string{"'users/[id]'"}, `"users/[id]"`},
		{[]string{"users", "'users/[id]'"}, `"users/[id]"`},
		{[]string{"-explain", "'POST", "/users/new'", "-json"}, `"POST /users/new"`},
		{[]string{"'a", "b", "c'"}, `"a b c"`},
		{[]string{"'", "x'"}, `" x"`},
		{[]string{"''"}, `""`},
		{[]string{"users/[id]"}, ""},
		{[]string{"it's"}, ""},
		{[]string{"'tis"}, ""},
		{[]string{"'"}, ""},
		{[]string{"dogs'", "'tis"}, ""},
		{nil, ""},
	} {
		t.Run(strings.Join(tt.args, "_"), func(t *testing.T) {
			is := is.New(t)
			err := shell.CheckQuotes(tt.args)
			is.Equal(err != nil, tt.use != "")
			if err != nil {
				is.True(strings.HasSuffix(err.Error(), ". Use double quotes: "+tt.use))
			}
		})
	}
}
