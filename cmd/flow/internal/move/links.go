package move

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/routetree"
)

// links rewrites the relative links in a page of a format that would lead elsewhere after the
// move, or nowhere: those to a file that moves, and all of a page that moves itself. What may be
// such a link in a format whose links are not known, it lists, and returns.
func (p *planner) links(name string) (listed []textLink) {
	text := p.plainText(p.path(name))
	find := linksIn
	if !isMarkdown(name) {
		find = perhapsLinksIn
	}
	for _, l := range find(text) {
		now := p.linkAfter(name, l.to)
		switch {
		case now == l.to:
		case isMarkdown(name):
			p.edit(p.path(name), l.offset, len(l.to), now)
		default:
			p.left(p.path(name), lineAt(text, l.offset), "%q may be a link to a file of the tree: it is %q now", l.to, now)
			listed = append(listed, l)
		}
	}
	return listed
}

// linkAfter returns a relative link in a file of the tree as it is to be written after the move. A
// public file may be named as if it stood beside the route file: see routetree.LinkIndex.
func (p *planner) linkAfter(name, to string) string {
	file, rest, ok := routetree.Linked(routetree.BelowRouter(name), to)
	if !ok {
		return to
	}
	meant := []string{file}
	if below, inRouter := strings.CutPrefix(file, routetree.RouterDir+"/"); inRouter {
		meant = append(meant, routetree.InPublic(below)...)
	}
	i := slices.IndexFunc(meant, p.l.isFile)
	if i < 0 {
		return to
	}
	from, after := p.c.new(name), p.c.new(meant[i])
	now, _, _ := routetree.Linked(routetree.BelowRouter(from), to)
	if below, inPublic := strings.CutPrefix(after, routetree.PublicDir+"/"); i > 0 && inPublic {
		if slices.Contains(routetree.InPublic(routetree.BelowRouter(now)), after) {
			return to
		}
		after = path.Join(routetree.RouterDir, below)
	}
	if now == after {
		return to
	}
	written, _ := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(after)) // both are names in the tree
	return escaped(filepath.ToSlash(written)) + rest
}

// escaped returns a relative path as a link has it.
func escaped(name string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		if strings.ContainsAny(s, " ()<>%?#") {
			s = strings.NewReplacer("(", "%28", ")", "%29").Replace(url.PathEscape(s))
		}
		segments[i] = s
	}
	if name = strings.Join(segments, "/"); strings.Contains(segments[0], ":") {
		return "./" + name // and no scheme
	}
	return name
}

// A textLink is a link in a text.
type textLink struct {
	offset int
	to     string
}

// isMarkdown reports whether the links of a page are written as in Markdown.
func isMarkdown(name string) bool {
	return routetree.IsMarkdown(strings.ToLower(path.Ext(name)))
}

// markdownLinks match the destinations of links and images in a line of Markdown, and those of
// HTML in it.
var markdownLinks = regexp.MustCompile(`\]\(\s*(?:<([^<>]*)>|((?:[^\s()<>]|\([^\s()]*\))+))` +
	`|^ {0,3}\[[^\]]+\]:\s*(?:<([^<>]*)>|([^\s<>]+))` +
	`|\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')`)

// linksIn returns the links of a text in Markdown. What stands in code is none.
func linksIn(text string) (links []textLink) {
	offset, fence := 0, ""
	for line := range strings.Lines(text) {
		mark := fences.FindStringSubmatch(line)
		switch {
		case fence == "" && mark == nil:
			bare := codeSpans.ReplaceAllStringFunc(line, func(s string) string { return strings.Repeat(" ", len(s)) })
			for _, m := range markdownLinks.FindAllStringSubmatchIndex(bare, -1) {
				for i := 2; i < len(m); i += 2 {
					if m[i] >= 0 {
						links = append(links, textLink{offset + m[i], line[m[i]:m[i+1]]})
					}
				}
			}
		case fence == "":
			fence = mark[1]
		case mark != nil && strings.HasPrefix(mark[1], fence) && strings.TrimSpace(mark[2]) == "":
			fence = ""
		}
		offset += len(line)
	}
	return links
}

// codeSpans match code in a line of Markdown.
var codeSpans = regexp.MustCompile("```+[^`]*```+|``.*?``|`[^`]*`")

// fences match a line that begins or ends a block of code, in a list or quotation, too: the marks,
// and the language behind them.
var fences = regexp.MustCompile("^(?:[ \t>]|[-*+][ \t]|\\d+[.)][ \t])*(```+|~~~+)([^`]*)$")

// perhapsLinks match what may be the relative path of a file.
var perhapsLinks = regexp.MustCompile(`[^\s"'` + "`" + `<>()\[\]{}|,;:=]+\.\w+`)

// perhapsLinksIn returns what may be links in a text of any format.
func perhapsLinksIn(text string) (links []textLink) {
	for _, m := range perhapsLinks.FindAllStringIndex(text, -1) {
		links = append(links, textLink{m[0], text[m[0]:m[1]]})
	}
	return links
}
