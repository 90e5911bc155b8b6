package language

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestParseNodes fails with a version of Go whose templates have nodes that flow does not know. A
// page with one is rendered by html/template, and checks do not look into it.
func TestParseNodes(t *testing.T) {
	is := is.New(t)
	parse, err := build.Import("text/template/parse", "", build.FindOnly)
	is.NoErr(err)
	files, err := filepath.Glob(filepath.Join(parse.Dir, "*.go"))
	is.NoErr(err)
	if len(files) == 0 {
		t.Skip("the source code of Go is not on this machine")
	}
	nodes := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		is.NoErr(err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		is.NoErr(err)
		for d := range ast.Preorder(file) {
			if spec, ok := d.(*ast.TypeSpec); ok && spec.Name.IsExported() && strings.HasSuffix(spec.Name.Name, "Node") {
				nodes[spec.Name.Name] = true
			}
		}
	}
	is.Equal(slices.Sorted(maps.Keys(nodes)), strings.Fields(`
		ActionNode BoolNode BranchNode BreakNode ChainNode CommandNode CommentNode ContinueNode DotNode FieldNode
		IdentifierNode IfNode ListNode NilNode Node NumberNode PipeNode RangeNode StringNode TemplateNode TextNode
		VariableNode WithNode`))
}
