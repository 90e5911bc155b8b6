package app

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// nodes renders what differs from goldmark: headings have a link to themselves, wide tables
// and code scroll, and code has colors.
type nodes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, around(func(n ast.Node, source []byte) (string, string) {
		level, id, text := n.(*ast.Heading).Level, html.EscapeString(anchorOf(n)), html.EscapeString(plain(n, source))
		if level == 1 {
			return "<h1>", "</h1>\n"
		}
		return fmt.Sprintf(`<div class="heading"><h%d id="%s">`, level, id),
			fmt.Sprintf("</h%d><a href=\"#%s\" aria-label=\"Link to “%s”\">#</a></div>\n", level, id, text)
	}))
	r.Register(tables.KindTable, around(func(ast.Node, []byte) (string, string) {
		return `<div class="table" tabindex="0"><table>`, "</table></div>\n"
	}))
	r.Register(tables.KindTableCell, around(func(n ast.Node, _ []byte) (string, string) {
		if n.Parent().Kind() == tables.KindTableHeader && n.HasChildren() {
			return "<th>", "</th>\n"
		}
		return "<td>", "</td>\n" // a header cell without text is none
	}))
	r.Register(ast.KindFencedCodeBlock, around(func(n ast.Node, source []byte) (string, string) {
		return code(n.(*ast.FencedCodeBlock), source), ""
	}))
}

// around renders a node as what stands before and behind its children.
func around(tags func(n ast.Node, source []byte) (before, behind string)) renderer.NodeRendererFunc {
	return func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		before, behind := tags(n, source)
		if !entering {
			before = behind
		}
		_, err := w.WriteString(before)
		return ast.WalkContinue, err
	}
}

// anchors makes the ids of headings as forges do, so that the links of documents lead to them.
type anchors struct{ used map[string]bool }

// Generate implements parser.IDs.
func (a *anchors) Generate(text []byte, _ ast.NodeKind) []byte {
	anchor := strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, string(text))
	unique := anchor
	for n := 1; a.used[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", anchor, n)
	}
	a.Put([]byte(unique))
	return []byte(unique)
}

// Put implements parser.IDs.
func (a *anchors) Put(id []byte) {
	if a.used == nil {
		a.used = map[string]bool{}
	}
	a.used[string(id)] = true
}

// anchorOf returns the id of a heading.
func anchorOf(n ast.Node) string {
	id, _ := n.AttributeString("id")
	text, _ := id.([]byte)
	return string(text)
}

// fileLine is the first line of the code of a file: a comment that holds its path.
var fileLine = regexp.MustCompile(`^(?://|<!--|/\*|--|#) (\S+\.\w+)(?: -->| \*/)?\n\n?`)

// fileOf returns the path of a file whose code a block is, or "".
func fileOf(n *ast.FencedCodeBlock, source []byte) string {
	if m := fileLine.FindSubmatch(n.Lines().Value(source)); m != nil {
		return string(m[1])
	}
	return ""
}

// fileID returns the id of the code of a file.
func fileID(name string) string { return "file-" + noName.ReplaceAllString(name, "-") }

var noName = regexp.MustCompile(`[^\w.]+`)

// code renders a block of code. That of a file has the path above it.
func code(n *ast.FencedCodeBlock, source []byte) string {
	text := string(n.Lines().Value(source))
	var b strings.Builder
	b.WriteString("<figure>")
	if name := fileOf(n, source); name != "" {
		text = fileLine.ReplaceAllString(text, "")
		fmt.Fprintf(&b, `<figcaption id="%s">%s</figcaption>`, fileID(name), html.EscapeString(name))
	}
	b.WriteString(`<pre tabindex="0"><code>`)
	highlight(&b, string(n.Language(source)), text)
	b.WriteString("</code></pre></figure>\n")
	return b.String()
}

// classes are those of code, by what a token is. Other tokens look like text.
var classes = map[chroma.TokenType]string{
	chroma.Comment: "c", chroma.CommentPreproc: "p", chroma.Keyword: "k", chroma.LiteralString: "s", chroma.LiteralNumber: "n",
	chroma.NameFunction: "f", chroma.NameTag: "t", chroma.NameAttribute: "a", chroma.NameBuiltin: "k",
}

// highlight writes code with its colors, which are classes.
func highlight(b *strings.Builder, language, text string) {
	if language == "html" {
		language = "go-html-template"
	}
	lexer := lexers.Get(language)
	if lexer == nil {
		lexer = lexers.Fallback
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, text)
	if err != nil { // the code has no colors then
		b.WriteString(html.EscapeString(text))
		return
	}
	for _, t := range tokens.Tokens() {
		class := classes[t.Type]
		for _, kind := range []chroma.TokenType{t.Type.SubCategory(), t.Type.Category()} {
			if class == "" {
				class = classes[kind]
			}
		}
		if class == "" {
			b.WriteString(html.EscapeString(t.Value))
		} else {
			fmt.Fprintf(b, `<span class="%s">%s</span>`, class, html.EscapeString(t.Value))
		}
	}
}
