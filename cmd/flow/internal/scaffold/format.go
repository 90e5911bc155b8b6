package scaffold

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/flow/internal/serve/routes/routetree"
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

// formatText returns a page of a format: the front matter that the page nearest to it has, or else
// a heading, which is written as in Markdown if that is the format. What looks like an action would
// be text.
func formatText(t *routetree.Tree, r *routetree.Route) []byte {
	var near *routetree.Route
	shared := func(other *routetree.Route) (n int) {
		for _, dir := range routetree.Layers(other.Path) {
			if strings.HasPrefix(r.Path, dir+"/") {
				n++
			}
		}
		return n
	}
	for _, other := range t.Routes {
		if other.Ext() == r.Ext() && other.InTree() != r.InTree() && (near == nil || shared(other) > shared(near)) {
			near = other
		}
	}
	if near != nil {
		text, _ := fs.ReadFile(t.Files, near.InTree()) // Check says what is wrong about it
		if front := frontMatter(string(text), title(r), time.Now()); front != "" {
			return []byte(front)
		}
	}
	if routetree.IsMarkdown(r.Ext()) {
		return []byte("# " + title(r) + "\n")
	}
	return []byte(title(r) + "\n")
}

// A frontField is a line of front matter, in YAML or in TOML, with what is written around its value.
var frontField = regexp.MustCompile(`^(?i:(title)|date)\s*[:=]\s*(["']?)`)

// plainTitle matches a title that needs no quotes in YAML.
var plainTitle = regexp.MustCompile(`^\pL[\pL\pN ._-]*$`)

// frontMatter returns front matter as a text begins with it: the fields title and date, the latter of
// today. It is "" if the text has no front matter with a title.
func frontMatter(text, title string, today time.Time) string {
	lines := strings.Split(strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff"), "\n")
	mark := lines[0]
	end := slices.Index(lines[1:], mark)
	if mark != "---" && mark != "+++" || end < 0 {
		return ""
	}
	front, titled := mark+"\n", false
	for _, line := range lines[1 : 1+end] {
		m := frontField.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] == "":
			front += m[0] + today.Format(time.DateOnly) + m[2] + "\n"
		default:
			value := title
			if m[2] != "" || mark == "+++" || !plainTitle.MatchString(title) {
				value = strconv.Quote(title)
			}
			front, titled = front+strings.TrimSuffix(m[0], m[2])+value+"\n", true
		}
	}
	if !titled {
		return ""
	}
	return front + mark + "\n"
}
