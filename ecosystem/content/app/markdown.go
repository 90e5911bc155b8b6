package app

import (
	"errors"
	"html/template"
	"strings"
	"time"

	"example.com/flow"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v4"
)

type front struct {
	Title, Summary string
	Date           time.Time
	Tags           []string
}

// Compare puts the newest page first. Pages without a date are in the order of their names.
func (f front) Compare(other front) int { return other.Date.Compare(f.Date) }

var converter = goldmark.New(goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// markdown converts a page that begins with YAML between two lines of ---.
func markdown(src flow.Source) (html template.HTML, f front, err error) {
	all := strings.ReplaceAll(src.Text, "\r\n", "\n")
	head, body, ok := strings.Cut(strings.TrimPrefix(all, "---\n"), "\n---\n")
	if !ok {
		return "", f, src.ErrorAt(1, "begin with a line of ---, then title: and other fields, then another line of ---")
	}
	err = yaml.Load([]byte(head), &f, yaml.WithKnownFields()) // a field that front does not have is an error
	if e, ok := errors.AsType[*yaml.LoadError](err); ok {
		err = src.ErrorAt(1+e.Mark.Line, "%s", e.Message) // below the first ---
	}
	errs, source := []error{err}, []byte(body)
	page := converter.Parser().Parse(text.NewReader(source))
	link := func(to []byte) []byte {
		url, err := src.Link(string(to))
		errs = append(errs, err)
		return []byte(url)
	}
	ast.Walk(page, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = link(n.Destination)
		case *ast.Image:
			n.Destination = link(n.Destination)
		}
		return ast.WalkContinue, nil
	})
	var b strings.Builder
	errs = append(errs, converter.Renderer().Render(&b, source, page))
	return template.HTML(b.String()), f, errors.Join(errs...)
}
