package fault

import (
	"testing"

	"github.com/matryer/is"
)

func TestSuggest(t *testing.T) {
	names := map[string]int{"users": 1, "users.show": 2, "blog": 3, "é": 4}
	for _, tt := range []struct{ misspelt, want string }{
		{"user", `: did you mean "users"?`},
		{"usres", `: did you mean "users"?`},
		{"users.shwo", `: did you mean "users.show"?`},
		{"blöögs", `!`},
		{"blög", `: did you mean "blog"?`},
		{"e", "!"},
		{"", "!"},
		{"something else", "!"},
	} {
		t.Run(tt.misspelt, func(t *testing.T) {
			is := is.New(t)
			is.Equal(Suggest(tt.misspelt, names, "!"), tt.want)
		})
	}
}
