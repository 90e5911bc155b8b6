package move

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"

	"example.com/flow/cmd/flow/internal/calls"
	"example.com/flow/internal/serve/routes/routetree"
)

// literals tells of strings and comments that may speak of what moves.
func (p *planner) literals(f *goFile) {
	for _, group := range f.file.Comments {
		for _, c := range group.List {
			if patterns, ok := strings.CutPrefix(c.Text, "//go:embed "); ok && p.isOurs(f.name) {
				p.embed(f, c, patterns)
			}
			p.comment(f, c)
		}
	}
	skip := f.understood()
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				skip[n.Tag] = true
				p.tag(f, n.Tag)
			}
		case *ast.CallExpr:
			p.pathValue(f, n)
		case *ast.BasicLit:
			if lit, value := calls.Literal(n); lit != nil && !skip[n] {
				p.literal(f, n, value)
			}
		}
		return true
	})
}

// understood returns the strings that calls of the API have, whose meaning is known.
func (f *goFile) understood() map[*ast.BasicLit]bool {
	understood := map[*ast.BasicLit]bool{}
	for _, c := range f.calls {
		if c.guessed || c.Kind == calls.Prefix {
			continue
		}
		understood[c.Literal] = true
		for i := 1; i < len(c.Expr.Args) && c.Kind == calls.RouteName; i += 2 {
			key, _ := calls.Literal(c.Expr.Args[i])
			understood[key] = true
		}
	}
	return understood
}

// comment tells of one comment. Links in it lead elsewhere, unless they are to this machine.
func (p *planner) comment(f *goFile, c *ast.Comment) {
	pos, marks := p.code.position(c.Pos()), len("//")
	for _, h := range p.finder.find(c.Text[marks:]) {
		if host, ok := strings.CutPrefix(h.text[strings.Index(h.text, ":")+1:], "//"); ok && !strings.HasPrefix(host, "localhost") {
			continue
		}
		p.hit(f.name, pos.Line+strings.Count(c.Text[:marks+h.offset], "\n"), h)
	}
}

// literal tells of one string.
func (p *planner) literal(f *goFile, lit *ast.BasicLit, value string) {
	if p.testURL(f, lit, value) {
		return
	}
	pos := p.code.position(lit.Pos())
	text := value
	if strings.HasPrefix(text, "//") { // a path that is not clean, or else one with a host, which no file answers
		text = " " + text[1:]
	}
	for _, h := range p.finder.find(text) {
		line := pos.Line
		if lit.Value[0] == '`' {
			line += strings.Count(value[:h.offset], "\n")
		}
		p.hit(f.name, line, h)
	}
	if !p.isOurs(f.name) && !strings.ContainsAny(value, "./[(") { // it may be a word of any program
		return
	}
	p.word(f.name, pos.Line, value)
}

// holes are what was known when it runs only.
var holes = regexp.MustCompile("\x00+")

// hit notes what a finder has found.
func (p *planner) hit(file string, line int, h hit) {
	if o := p.otherOf(file); o != nil && o.has(h, p.finder.prefix) {
		return
	}
	text := fmt.Sprintf("%q may be the old URL: it is %s now", holes.ReplaceAllString(h.text, "…"), h.now)
	if h.file {
		text = fmt.Sprintf("%q is the name of a file that moves: it is %q now", h.text, h.now)
	}
	p.hits[Note{file, line, text}]++
}

// leaveHits tells of what the finder has found. What stands more than once in a line is
// told once, with how often.
func (p *planner) leaveHits() {
	for n, times := range p.hits {
		if times > 1 {
			n.Text += fmt.Sprintf(" (%d times in this line)", times)
		}
		p.moves.Left = append(p.moves.Left, n)
	}
}

// word tells of a string that is just the path or the name of what moves: it may be used
// in a call that is given no literal.
func (p *planner) word(file string, line int, value string) {
	if o := p.otherOf(file); o != nil && (o.names[value] || o.hasPath(value)) {
		return
	}
	if strings.ContainsAny(value, "/[(") {
		for _, in := range []paths{p.c.paths, p.c.templates} {
			if now, v := in.rewrite(value); v == rewritten && strings.Trim(value, "/") == value {
				p.left(file, line, "%q may be the path of what moves: it is %q now", value, now)
				return
			}
		}
	}
	if strings.Contains(value, ".") {
		p.perhapsName(file, line, value)
	}
}

// perhapsName tells of a string that is the name of a route that moves.
func (p *planner) perhapsName(file string, line int, value string) {
	now, v, r := p.nameVerdict(value)
	switch params := r != nil && r.changesParams(); {
	case v == lost:
		p.left(file, line, "%q may be the name of a route that moves: two route files share it now, so that it means none", value)
	case v == rewritten && params:
		p.left(file, line, "%q may be the name of a route that moves: it is %q now, and %s", value, now, r.paramsText())
	case v == rewritten:
		p.left(file, line, "%q may be the name of a route that moves: it is %q now", value, now)
	case v == stays && params:
		p.left(file, line, "%q may be the name of %s: %s", value, r.after.File, r.paramsText())
	}
}

// embed tells of patterns of go:embed that name what moves.
func (p *planner) embed(f *goFile, c *ast.Comment, patterns string) {
	for _, pattern := range strings.Fields(patterns) {
		name := strings.TrimPrefix(strings.Trim(pattern, "\"`"), "all:")
		if name == p.c.from || strings.HasPrefix(name, p.c.from+"/") || strings.HasPrefix(p.c.from, name+"/") && !strings.HasPrefix(p.c.to, name+"/") {
			p.left(f.name, p.code.position(c.Pos()).Line, "go:embed %s: write all:%s, which embeds the tree wherever its files are", pattern, routetree.RouterDir)
		}
	}
}
