package scaffold

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/matryer/is"
)

func TestInsOf(t *testing.T) {
	for _, tt := range []struct {
		src, want string
		known     bool
	}{
		{`flow.In("admin").Use(g)`, `In("admin") at b.go:5`, true},
		{`flow.In(dir).Use(g).OnError(f)`, "In(dir) at b.go:5", true},
		{`flow.In("ad" + "min").Use(g)`, `In("admin") at b.go:5`, true},
		{`router.In("admin")`, `In("admin") at b.go:5`, true}, // which may be kept
		{"flow.In(unknown).Use(g)", "In(unknown) at b.go:5", false},
		{"flow.In(unknown())", "", false},
		{`flow.In("admin").OnError(f)`, "", false},
		{"now.In(time.UTC)", "", false},
	} {
		t.Run(tt.src, func(t *testing.T) {
			is := is.New(t)
			fset := token.NewFileSet()
			var files []*ast.File
			for _, file := range []struct{ name, src string }{
				{"a.go", "//go:build ignore\n\npackage main\n\nfunc main() {}\n"}, // a generator, say
				{"b.go", "package app\n\nconst dir = \"admin\"\n\nfunc init() { " + tt.src + " }\n"},
			} {
				f, err := parser.ParseFile(fset, file.name, file.src, parser.SkipObjectResolution)
				is.NoErr(err)
				files = append(files, f)
			}
			ins := insOf(fset, files, typesOf(fset, files))
			if tt.want == "" {
				is.Equal(len(ins), 0)
				return
			}
			is.Equal(len(ins), 1)
			is.Equal(ins[0].text, tt.want)
			is.Equal(ins[0].known, tt.known)
			is.Equal(ins[0].dir == "admin", tt.known)
		})
	}
}
