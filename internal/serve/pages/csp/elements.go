package csp

import (
	"html"

	"example.com/flow/internal/serve/pages/htmltoken"
)

// An element is a script or a style in a page.
type element struct {
	name     string // "script" or "style"
	nonce    string // the attribute; "" if there is none
	external bool   // the script has the attribute src
	text     string // between the tags
}

// elements returns the scripts and styles of a page, as browsers find them.
func elements(page string) (all []element) {
	var state htmltoken.State
	var tag, attr, value string
	attrs := map[string]string{} // of the tag
	for at := 0; at < len(page); {
		kind, from, to := state.Next(page, at, true)
		at = to
		switch token := page[from:to]; kind {
		case htmltoken.TagName:
			tag = htmltoken.Lower(token)
		case htmltoken.AttrName:
			attr, value = htmltoken.Lower(token), ""
		case htmltoken.Value:
			value = html.UnescapeString(token)
		case htmltoken.AttrEnd:
			if _, isRepeated := attrs[attr]; !isRepeated { // the first one counts
				attrs[attr] = value
			}
		case htmltoken.TagEnd:
			if !state.IsEnd && (tag == "script" || tag == "style") {
				_, external := attrs["src"]
				all = append(all, element{name: tag, nonce: attrs["nonce"], external: external && tag == "script"})
			}
			state.Close(tag)
			clear(attrs)
		case htmltoken.Text:
			if in := state.Element(); in == "script" || in == "style" {
				all[len(all)-1].text = token
			}
		}
	}
	return all
}
