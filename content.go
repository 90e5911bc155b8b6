package flow

import (
	"fmt"
	"html/template"
	"reflect"

	"example.com/flow/internal/serve/pages/content"
	"example.com/flow/internal/serve/pages/templates"
)

// A Format converts the pages with an extension of their own, such as ".md", to HTML: see
// Router.Formats. FormatOf makes one.
type Format struct {
	made    templates.Format
	entry   reflect.Type // see templates.Lists
	entries func([]content.Page) (templates.Entries, error)
}

// FormatOf returns the Format of a function that converts the text of a page to HTML. F is the
// type of what else it finds in the text, such as the struct of the front matter. That is the
// data of the page and of its layouts, and Check holds them against the type.
//
// What convert returns is trusted, and literal: {{ in it is text. An error of it is a fault of
// the page. It is one for each error that is joined in it, with the line if Source.ErrorAt has
// made the error. convert is called at start-up, and in development when the text has changed.
// It must be safe for concurrent use. It cannot call Entries, since it is called to make them.
func FormatOf[F any](convert func(Source) (template.HTML, F, error)) Format {
	if convert == nil {
		return Format{}
	}
	return Format{
		made: templates.Format{
			Front: reflect.TypeFor[F](),
			Convert: func(c *templates.Conversion) (template.HTML, any, error) {
				return convert(Source{c.Path, c.Text, c})
			},
		},
		entry:   reflect.TypeFor[*Entry[F]](),
		entries: entriesOf[F],
	}
}

// A Source is the text of a page that a Format converts.
type Source struct {
	Path string // of the file below router/, without extension: "docs/intro"
	Text string // of the file, in UTF-8, without a byte order mark

	of *templates.Conversion // nil for a Source that the application has made, in a test
}

// Link returns the URL of what the text links to. A relative path is one from the directory of the
// file, as editors and forges read it: in docs/intro.md, the link "../routes.md#names" leads to
// "/routes#names". The path of a public file stands for its URL, as if the file stood in the route
// tree: with public/docs/a.png, "a.png" is "/docs/a.png", in (site)/docs/intro.md, too. Link returns
// anything else unchanged.
//
// It is an error if a relative path with the extension of a route file is that of no file, or of a
// page whose URL has a parameter. It is also one if the function of the format has returned; until
// then its goroutines may call Link, too. A Source that a test has made knows no files: Link returns
// everything unchanged.
func (s Source) Link(to string) (string, error) {
	if s.of == nil {
		return to, nil
	}
	return s.of.Link(to)
}

// ErrorAt returns an error for a line of the text, from 1, or for the file if line is 0.
func (s Source) ErrorAt(line int, format string, args ...any) error {
	file := s.Path
	if s.of != nil {
		file = s.of.File
	}
	return &templates.Mistake{File: file, Line: line, Text: fmt.Sprintf(format, args...)}
}

// formats returns the formats of a Router for its templates.
func (r *Router) formats() map[string]templates.Format {
	all := map[string]templates.Format{}
	for ext, f := range r.Formats {
		all[ext] = f.made
	}
	return all
}
