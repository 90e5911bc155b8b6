package pages

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"example.com/flow/internal/check/links"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// Links returns the links of the template files, and the fields of forms that the check of types
// has found. urls returns the URLs of a page, by the name of its template, or nil if that has none.
func (c *Checked) Links(urls func(name string) []string) (sources []links.Source, fields links.Named) {
	parsed := c.Views.Parsed
	fields = links.Named{}
	index := sync.OnceValue(parsed.Tree.IndexLinks)
	for _, name := range c.madeNames() {
		for _, f := range c.typesIn(name).fields {
			fields.Add(f.At, f.Name, f.Type)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parsed.Files)) {
		f := parsed.Files[name]
		if !parsed.Used[f] {
			continue
		}
		at := func(offset int) (line, column int) { return position(f, offset) }
		source := links.Source{File: f.File, At: at, Links: c.linksIn.about(f, func() *links.File { return links.Scan(f.Trees(), f.URLs) }), URLs: urls(name), Assets: f.Assets}
		if m := parsed.Made[name]; m != nil {
			source.With = func(file string) bool { return file == f.File || m.Set.Files[file] != nil }
		}
		if f.Conversion != nil {
			source.Missing = func(l links.Link, asked string) string {
				return missing(f.Conversion, index(), parsed.Tree, l, asked)
			}
		}
		sources = append(sources, source)
	}
	return sources, fields
}

// missing says what would be right in place of a link of the HTML whose URL is relative and leads nowhere, or
// returns "". asked is what browsers make of the URL.
func missing(c *templates.Conversion, x *routetree.LinkIndex, t *routetree.Tree, l links.Link, asked string) string {
	right, err := x.URL(c.Path, l.URL)
	switch {
	case err != nil:
		return err.Error()
	case right != l.URL:
		return fmt.Sprintf("write %s, or have the format give the link to Source.Link", right)
	case !l.Loads:
		return ""
	}
	file, _, _ := routetree.Linked(c.Path, l.URL)
	below, ok := strings.CutPrefix(file, routetree.RouterDir+"/")
	written, _, _ := strings.Cut(c.HTML()[l.Offset:], `"`)
	if !c.HasAsked(html.UnescapeString(written)) { // the format does not ask for it, so that only its URL counts
		decoded, _ := url.PathUnescape(asked)
		below, ok = strings.CutPrefix(decoded, strings.TrimSuffix(pattern.New(t.Prefix).URL(nil), "/")+"/")
	}
	if !ok {
		return ""
	}
	names := routetree.InPublic(below) // the last is without groups, as URLs are
	return "a file of that URL would be " + t.Shown(names[len(names)-1])
}
