package app

import (
	"bytes"
	"cmp"
	"errors"
	"html/template"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"example.com/flow"
	"example.com/flow/docs"
)

// A front is what the layouts and the search know of a page, besides its HTML.
type front struct {
	Title    string    // its first heading
	Summary  string    // its first paragraph
	Group    string    // the list in which index.md or recipes.md has it
	Headings []heading // below the first
	Files    []heading // the code of files: an application, if the page is a recipe
	Sections []section // what is searched

	order int
}

// Compare sorts documents as index.md and recipes.md list them.
func (f front) Compare(o front) int { return cmp.Compare(f.order, o.order) }

// A heading is a place on a page.
type heading struct {
	ID, Text string
	Level    int
}

// A section is the text below a heading.
type section struct{ ID, Heading, Text string }

// repository is where the files of flow are that the site does not show.
const repository = "https://example.com/flow/"

var goldmarks = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(
		html.WithUnsafe(), // documents have <a id="…">
		renderer.WithNodeRenderers(util.Prioritized(nodes{}, 0)),
	),
)

// markdown converts a document.
func markdown(src flow.Source) (template.HTML, front, error) {
	var f front
	if name, ok := strings.CutPrefix(src.Path, "docs/"); ok {
		place, ok := listed[name]
		if !ok {
			return "", f, src.ErrorAt(1, "neither index.md nor recipes.md leads to it")
		}
		f.Group, f.order = place.group, place.order
	}
	source := []byte(src.Text)
	doc := goldmarks.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{}))))
	var wrong []error
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Heading:
			f.begin(heading{anchorOf(n), plain(n, source), n.Level})
		case *ast.Paragraph, *ast.TextBlock, *tables.TableCell:
			f.add(plain(n, source))
		case *ast.FencedCodeBlock:
			if name := fileOf(n, source); name != "" {
				f.Files = append(f.Files, heading{fileID(name), name, 2})
			}
		case *ast.Link:
			n.Destination, err = destination(src, n.Destination)
		case *ast.Image:
			n.Destination, err = destination(src, n.Destination)
		}
		wrong = append(wrong, err)
		return ast.WalkContinue, nil
	})
	var out bytes.Buffer
	wrong = append(wrong, goldmarks.Renderer().Render(&out, source, doc))
	return template.HTML(out.String()), f, errors.Join(wrong...)
}

// begin begins the text below a heading.
func (f *front) begin(h heading) {
	if f.Title == "" && h.Level == 1 {
		f.Title = h.Text
		f.Sections = append(f.Sections, section{})
		return
	}
	f.Headings = append(f.Headings, h)
	f.Sections = append(f.Sections, section{ID: h.ID, Heading: h.Text})
}

// add adds text below the last heading.
func (f *front) add(text string) {
	if len(f.Sections) == 0 {
		f.Sections = append(f.Sections, section{})
	}
	f.Summary = cmp.Or(f.Summary, text)
	last := &f.Sections[len(f.Sections)-1]
	last.Text = strings.TrimSpace(last.Text + " " + text)
}

// destination returns where a link of a document leads to on the site. What is no page of it
// is in the repository.
func destination(src flow.Source, to []byte) ([]byte, error) {
	link := string(to)
	if strings.HasPrefix(link, "#") || strings.HasPrefix(link, "/") || strings.Contains(link, ":") {
		return to, nil
	}
	file := path.Join(path.Dir(src.Path), link)
	if inDocs := file == "docs" || strings.HasPrefix(file, "docs/"); strings.HasPrefix(src.Path, "docs/") && !inDocs {
		return []byte(repository + file), nil
	}
	url, err := src.Link(link)
	if url == link {
		url = repository + file
	}
	return []byte(url), err
}

// plain returns the text of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// A place is where a list has a document.
type place struct {
	group string
	order int
}

// listed has the places of documents by their names, such as "recipes/forms".
var listed = readLists()

var (
	listName = regexp.MustCompile(`^## (.+)|^\| ([^|\[]+) \| \|$`) // a heading, or the first row of a table
	listLink = regexp.MustCompile(`\]\(([\w/-]+)\.md(?:#[^)]*)?\)`)
)

// readLists reads index.md and recipes.md. A document stands where the first link leads to it.
func readLists() map[string]place {
	listed := map[string]place{"index": {}}
	for _, name := range []string{"index.md", "recipes.md"} {
		text, err := docs.Files.ReadFile(name)
		if err != nil {
			panic(err) // which the embedded files do not return
		}
		group := ""
		for line := range strings.Lines(string(text)) {
			if m := listName.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				group = m[1] + m[2]
			}
			for _, m := range listLink.FindAllStringSubmatch(line, -1) {
				if _, ok := listed[m[1]]; !ok {
					listed[m[1]] = place{group, len(listed)}
				}
			}
		}
	}
	return listed
}
