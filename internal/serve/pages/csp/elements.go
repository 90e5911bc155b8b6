package csp

import "example.com/flow/internal/check/markup"

// An element is a script or a style in a page.
type element struct {
	name     string // "script" or "style"
	nonce    string // the attribute; "" if there is none
	external bool   // the script has the attribute src
	text     string // between the tags
}

// elements returns the scripts and styles of a page, as browsers find them.
func elements(html string) (all []element) {
	for _, n := range markup.Page(html, markup.Rules) {
		switch n := n.(type) {
		case *markup.Tag:
			tag := n.Ways[0]
			if tag.Name != "script" && tag.Name != "style" {
				continue
			}
			all = append(all, element{name: tag.Name, nonce: tag.Value("nonce"), external: tag.Name == "script" && tag.Has("src")})
		case *markup.Text:
			if n.In.Element == "script" || n.In.Element == "style" {
				all[len(all)-1].text = n.Text
			}
		}
	}
	return all
}
