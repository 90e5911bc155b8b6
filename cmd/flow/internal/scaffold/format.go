package scaffold

import (
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/routes/routetree"
)

// extensionNear returns the extension of a new page that needs no handler: that of the other
// pages of its directory, or of the next directory around that has any. Pages with parameters do
// not count, and an index only if it is alone. Where they have several extensions, it is .html.
func extensionNear(t *routetree.Tree, file string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		var index, found []string
		for _, r := range t.Routes {
			switch base := path.Base(r.Path); {
			case !r.Page || path.Dir(r.Path) != dir || strings.Contains(base, "["):
			case base == "index":
				index = append(index, r.Ext())
			default:
				found = append(found, r.Ext())
			}
		}
		if len(found) == 0 {
			found = index
		}
		slices.Sort(found)
		switch found = slices.Compact(found); {
		case len(found) == 1:
			return found[0]
		case len(found) > 1 || dir == ".":
			return pageExt
		}
	}
}

// formatText returns a page of a format: its heading, which is written as in Markdown if that is
// the format. What looks like an action would be text.
func formatText(r *routetree.Route) []byte {
	if isMarkdown(r.File) {
		return []byte("# " + title(r) + "\n")
	}
	return []byte(title(r) + "\n")
}

// isMarkdown reports whether a file is one of Markdown by its name.
func isMarkdown(file string) bool {
	return slices.Contains([]string{".md", ".markdown", ".mdx"}, path.Ext(file))
}
