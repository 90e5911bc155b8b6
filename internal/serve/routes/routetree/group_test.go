package routetree

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestPathsThatMeanAFile(t *testing.T) {
	for _, tt := range []struct {
		written, path string
		want          bool
	}{
		{"users/[id]", "users/[id]", true},
		{"users/[id]", "(admin)/users/[id]", true},
		{"users/[id]", "users/(all)/[id]", true},
		{"users/[id]", "(a)/users/(b)/(c)/[id]", true},
		{"(b)/users", "(a)/(b)/users", true},
		{"(a)/users", "(a)/(b)/users", true},
		{"(a)/users", "(a)/(a)/users", true},
		{"(b)/(a)/users", "(a)/(b)/users", false},
		{"(admin)/users", "users", false}, // a group that is written has to be there
		{"(admin)/users", "(staff)/users", false},
		{"users", "users/[id]", false},
		{"users/[id]", "users", false},
		{"user", "(a)/users", false},
		{"users", "(a)/user", false},
		{"", "", true},
		{"", "(a)", true},
		{"", "(a)/users", false},
		{"a(b)", "(c)/a(b)", true}, // no group
		{"a", "a/a(b)", false},
		{"users/", "(a)/users", false},
		{"/users", "(a)/users", false},
	} {
		t.Run(tt.written+" means "+tt.path, func(t *testing.T) {
			is := is.New(t)
			is.Equal(Means(tt.written, tt.path), tt.want)
		})
	}
}

func TestFindLeavesGroupsOut(t *testing.T) {
	all := map[string]int{"x": 1, "(a)/x": 2, "(a)/y": 3, "(b)/y": 4, "(c)/(d)/z": 5}
	for _, tt := range []struct{ written, want string }{
		{"x", "x"}, // it is there, so the other is not meant
		{"(a)/x", "(a)/x"},
		{"y", "(a)/y (b)/y"},
		{"(d)/z", "(c)/(d)/z"},
		{"none", ""},
	} {
		t.Run(tt.written, func(t *testing.T) {
			is := is.New(t)
			is.Equal(strings.Join(Find(all, tt.written), " "), tt.want)
		})
	}
}

func TestLayer(t *testing.T) {
	for _, tt := range []struct {
		dir, path string
		want      int
	}{
		{"", "users/[id]", 0},
		{"", "(a)/index", 0}, // of the two, the outermost
		{"users", "users/[id]", 1},
		{"users", "users/(all)/[id]", 1},
		{"users", "(a)/users/[id]", 2},
		{"users", "(a)/users", 2}, // the file beside a directory
		{"(a)", "(a)/users", 1},
		{"(a)", "(b)/(a)/users", 2},
		{"(a)/users", "users/[id]", -1},
		{"users/index", "users/index", -1},
		{"admin", "users/[id]", -1},
	} {
		t.Run(tt.dir+" of "+tt.path, func(t *testing.T) {
			is := is.New(t)
			is.Equal(Layer(tt.dir, tt.path), tt.want)
		})
	}
}

// TestLayerIndex asks for all paths of up to three names: the index finds what Means says.
func TestLayerIndex(t *testing.T) {
	is := is.New(t)
	names := []string{"a", "b", "(g)", "(h)", "[id]", "[id=int]"}
	paths := []string{""}
	for from, length := 0, 1; length <= 3; length++ {
		for _, p := range paths[from:] {
			for _, name := range names {
				paths = append(paths, path.Join(p, name))
			}
			from++
		}
	}
	is.Equal(len(paths), 1+6+36+216)
	tree := &Tree{}
	for _, p := range paths {
		tree.Routes = append(tree.Routes, &Route{Path: path.Join(p, "index")})
	}
	index := tree.IndexLayers()
	for _, written := range append(paths, "/a", "a/", "a//b", "c", "a/index") {
		want := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !Means(written, p) })
		is.Equal(slices.Sorted(slices.Values(index.Meant(written))), append([]string(nil), slices.Sorted(slices.Values(want))...)) // written
	}
}
