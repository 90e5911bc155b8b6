package app

import (
	"cmp"
	"errors"
	"html/template"
	"strings"
	"time"

	"example.com/flow"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"go.yaml.in/yaml/v4"
)

// A front is the front matter of a page. It is the dot of the page's layouts. A page without a
// title there begins with a heading that is it.
type front struct {
	Title, Summary string
	Date           time.Time // of a post
	Order          uint      // of another page: the place among those beside it, the last one if 0
	TOC            []heading `yaml:"-"`
}

// A heading is one of the second or the third level.
type heading struct {
	ID, Text string
	Level    int
}

// Compare puts the newest post first, and other pages in their order.
func (f front) Compare(other front) int {
	return cmp.Or(other.Date.Compare(f.Date), cmp.Compare(f.Order-1, other.Order-1)) // 0-1 is the largest uint
}

// converter leaves out raw HTML and links such as javascript:…, as goldmark does by default.
// With html.WithUnsafe, whoever writes a page could put a script into it. Columns of tables are
// aligned by an attribute, since the policy of the site refuses styles in attributes.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.Linkify, extension.Strikethrough,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithAttribute()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(highlighter{}, 0))),
)

// markdown converts a page, or tells everything that is wrong with it.
func markdown(src flow.Source) (template.HTML, front, error) {
	f, body, err := readFront(src)
	errs, source := []error{err}, []byte(body)
	wrong := func(n ast.Node, text string) {
		errs = append(errs, src.ErrorAt(1+strings.Count(body[:max(0, n.Pos())], "\n"), "%s", text))
	}
	link := func(to []byte) []byte {
		url, err := src.Link(string(to))
		errs = append(errs, err) // which knows its line
		return []byte(url)
	}
	page := converter.Parser().Parse(text.NewReader(source))
	if h, ok := page.FirstChild().(*ast.Heading); ok && h.Level == 1 && f.Title == "" {
		f.Title = textOf(h, source)
		page.RemoveChild(page, h) // the layout shows the title
	}
	switch {
	case err != nil:
	case f.Title == "":
		wrong(page, "the page has no title: begin it with # and the title, or write title: in front matter, between two lines of ---")
	case f.Date.IsZero() && strings.HasPrefix(src.Path, "blog/"):
		wrong(page, "a post needs a date in its front matter, as in date: 2026-01-31")
	}
	err = ast.Walk(page, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = link(n.Destination)
		case *ast.Image:
			n.Destination = link(n.Destination)
		case *ast.Heading:
			if n.Level == 1 {
				wrong(n, "the title is the heading of the first level: write ## for others")
			}
			if id, ok := n.AttributeString("id"); ok && (n.Level == 2 || n.Level == 3) {
				f.TOC = append(f.TOC, heading{string(id.([]byte)), textOf(n, source), n.Level})
			}
		case *ast.Text:
			if t := string(n.Value(source)); n.Parent().Kind() != ast.KindCodeSpan && (strings.Contains(t, "{{<") || strings.Contains(t, "{{%")) {
				wrong(n, "this is a shortcode, of which the converter knows none: write Markdown, or the text as code")
			}
		case *ast.RawHTML, *ast.HTMLBlock:
			wrong(n, "this is raw HTML, which the converter leaves out: write Markdown")
		}
		return ast.WalkContinue, nil
	})
	var html strings.Builder
	errs = append(errs, err, converter.Renderer().Render(&html, source, page))
	return template.HTML(html.String()), f, errors.Join(errs...)
}

// textOf returns the text of a node without its markup.
func textOf(n ast.Node, source []byte) (s string) {
	if t, ok := n.(*ast.Text); ok {
		return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(t.Value(source)))))
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		s += textOf(child, source)
	}
	return s
}

// readFront reads the front matter: YAML between two lines of ---, if the text begins with one.
// In the text that it returns, empty lines stand in its place, so that all others keep their
// numbers.
func readFront(src flow.Source) (f front, body string, err error) {
	whole := strings.ReplaceAll(src.Text, "\r\n", "\n")
	rest, ok := strings.CutPrefix(whole, "---\n")
	if !ok {
		return f, whole, nil
	}
	head, body, ok := strings.Cut("\n"+rest+"\n", "\n---\n")
	if !ok {
		return f, "", src.ErrorAt(1, "the front matter does not end: write another line of --- below it")
	}
	err = yaml.Load([]byte(head), &f, yaml.WithKnownFields())
	if e, ok := errors.AsType[*yaml.LoadErrors](err); ok {
		err = nil
		for _, e := range e.Errors {
			err = errors.Join(err, src.ErrorAt(max(1, e.Mark.Line), "%s", e.Message))
		}
	} else if e, ok := errors.AsType[*yaml.LoadError](err); ok { // it is no YAML
		err = src.ErrorAt(max(1, e.Mark.Line), "%s", e.Message)
	}
	return f, strings.Repeat("\n", strings.Count(head, "\n")+2) + body, err
}
