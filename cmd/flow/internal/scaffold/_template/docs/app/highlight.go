package app

import (
	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// A highlighter writes blocks of code with classes, whose colors are in app.css.
type highlighter struct{}

var codeFormatter = chromahtml.New(chromahtml.WithClasses(true), chromahtml.PreventSurroundingPre(true))

func (h highlighter) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindCodeBlock, h.render)
	r.Register(ast.KindFencedCodeBlock, h.render)
}

func (highlighter) render(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	lexer := lexers.Fallback
	if fenced, ok := n.(*ast.FencedCodeBlock); ok {
		if known := lexers.Get(string(fenced.Language(source))); known != nil {
			lexer = known
		}
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, string(n.Lines().Value(source)))
	if err != nil {
		return ast.WalkStop, err
	}
	w.WriteString(`<pre tabindex="0"><code>`) // the keyboard scrolls what is too wide
	err = codeFormatter.Format(w, styles.Fallback, tokens)
	w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, err
}
