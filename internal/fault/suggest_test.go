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

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"new", "new", 0}, {"nwe", "new", 1}, {"enw", "new", 1}, {"wen", "new", 2},
		{"usr", "users", 2}, {"usersx", "users", 1}, {"kitten", "sitting", 3}, {"abcd", "badc", 2}, {"é", "e", 1},
	} {
		t.Run(tt.a+" "+tt.b, func(t *testing.T) {
			is := is.New(t)
			is.Equal(Distance([]rune(tt.a), []rune(tt.b)), tt.want)
			is.Equal(Distance([]rune(tt.b), []rune(tt.a)), tt.want)
		})
	}
}

func TestNearCountsTypos(t *testing.T) {
	for _, tt := range []struct {
		written, meant string
		distance       int
		near           bool
	}{
		{"users", "users", 0, true},
		{"Users", "users", 1, true},
		{"usres", "users", 1, true},
		{"user", "users", 1, true},
		{"abc", "xyz", 3, false},
		{"de", "en", 2, false},
		{"müsli", "muesli", 2, true},
		{"a-long-name", "a", 0, false},
	} {
		t.Run(tt.written+" "+tt.meant, func(t *testing.T) {
			is := is.New(t)
			distance, near := Near(tt.written, tt.meant)
			is.Equal(near, tt.near)
			is.Equal(distance, tt.distance)
		})
	}
}
