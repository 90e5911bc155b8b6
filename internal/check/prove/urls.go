package prove

import (
	"regexp"
	"strings"
	"text/template/parse"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/routes/pattern"
)

// An attrURL is a URL in an attribute.
type attrURL struct {
	text  string // with a pattern.Hole for each action
	shown string // with the actions
}

// listItem matches an item of srcset, with what describes it.
var listItem = regexp.MustCompile(`[\s,]*(\S*[^\s,])(,|\s*[^,(]*(\([^)]*\)[^,(]*)*)`)

var word = regexp.MustCompile(`\S+`)

// urls returns the URLs in an attribute. A URL that {{asset}} or {{route}} writes is one of the site.
func urls(a markup.Attr) (all []attrURL) {
	one := func(begin, end int) {
		first, part := strings.Count(a.Value[:begin], pattern.Hole), a.Value[begin:end]
		url := attrURL{text: part, shown: part}
		for _, hole := range a.Holes[first : first+strings.Count(part, pattern.Hole)] {
			text := "{{…}}"
			if action, ok := hole.(*parse.ActionNode); ok {
				text = action.String()
			}
			url.shown = strings.Replace(url.shown, pattern.Hole, text, 1)
		}
		if runes := []rune(url.shown); len(runes) > 100 { // as of data:
			url.shown = string(runes[:100]) + "…"
		}
		if strings.HasPrefix(part, pattern.Hole) && isOwn(a.Holes[first]) {
			url.text = "/" + part
		}
		all = append(all, url)
	}
	switch a.Name {
	case "srcset", "imagesrcset":
		for _, at := range listItem.FindAllStringSubmatchIndex(a.Value, -1) {
			one(at[2], at[3])
		}
	case "ping":
		for _, at := range word.FindAllStringIndex(a.Value, -1) {
			one(at[0], at[1])
		}
	default:
		one(0, len(a.Value))
		if text := trimURL(a.Value); text == "" && !ownIfEmpty[htmxName(a.Name)] || strings.HasPrefix(text, "#") {
			return nil
		}
	}
	return all
}

// isOwn reports whether an action writes a URL of the site.
func isOwn(n parse.Node) bool {
	action, ok := n.(*parse.ActionNode)
	if !ok || len(action.Pipe.Cmds) != 1 {
		return false
	}
	name, ok := action.Pipe.Cmds[0].Args[0].(*parse.IdentifierNode)
	return ok && (name.Ident == "asset" || name.Ident == "route")
}
