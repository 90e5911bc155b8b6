package csp

import "strings"

// An element is a script or a style in a page.
type element struct {
	name     string // "script" or "style"
	nonce    string // the attribute; "" if there is none
	external bool   // the script has the attribute src
	text     string // between the tags
}

// rawText has the elements whose content is text up to their end tag, by the rules of HTML.
// Browsers without scripts read noscript as HTML, and may find a style there.
var rawText = map[string]bool{"script": true, "style": true, "textarea": true, "title": true, "xmp": true, "iframe": true, "noembed": true, "noframes": true}

// elements returns the scripts and styles of a page, as browsers find them (HTML, section
// 13.2.5). It does not read character references: the attributes that matter have none.
func elements(html string) (all []element) {
	for {
		i := strings.IndexByte(html, '<')
		if i < 0 || i+1 == len(html) {
			return all
		}
		switch html = html[i+1:]; {
		case strings.HasPrefix(html, "!--"):
			html = afterComment(html[len("!--"):])
			continue
		case html[0] == '!' || html[0] == '?' || html[0] == '/':
			_, html, _ = strings.Cut(html, ">") // an end tag, a doctype, or what browsers read as a comment
			continue
		case !isLetter(html[0]):
			continue
		}
		var tag tag
		tag, html = cutTag(html)
		if !rawText[tag.name] {
			continue
		}
		end := endOf(tag.name, html)
		if tag.name == "script" || tag.name == "style" {
			_, external := tag.attributes["src"]
			all = append(all, element{tag.name, tag.attributes["nonce"], external && tag.name == "script", html[:end]})
		}
		html = html[end:]
	}
}

// afterComment returns what follows a comment, given what follows its "<!--".
func afterComment(html string) string {
	for _, end := range []string{">", "->"} { // <!--> and <!---> are whole comments
		if rest, ok := strings.CutPrefix(html, end); ok {
			return rest
		}
	}
	for i := range len(html) {
		for _, end := range []string{"-->", "--!>"} {
			if strings.HasPrefix(html[i:], end) {
				return html[i+len(end):]
			}
		}
	}
	return ""
}

// A tag is a start tag.
type tag struct {
	name       string // in lower case
	attributes map[string]string
}

const space = " \t\n\r\f"

// cutTag returns the tag that html begins with, but for its "<", and what follows it.
func cutTag(html string) (t tag, rest string) {
	t.attributes = map[string]string{}
	t.name, html = cutBefore(html, 0, space+"/>")
	t.name = strings.ToLower(t.name)
	for {
		html = strings.TrimLeft(html, space+"/")
		if html == "" || html[0] == '>' {
			return t, strings.TrimPrefix(html, ">")
		}
		var name, value string
		name, html = cutBefore(html, 1, space+"/>=") // a name may begin with "="
		if after, ok := strings.CutPrefix(strings.TrimLeft(html, space), "="); ok {
			switch html = strings.TrimLeft(after, space); {
			case html != "" && (html[0] == '"' || html[0] == '\''):
				value, html, _ = strings.Cut(html[1:], html[:1])
			default:
				value, html = cutBefore(html, 0, space+">")
			}
		}
		name = strings.ToLower(name)
		if _, taken := t.attributes[name]; !taken {
			t.attributes[name] = value
		}
	}
}

// cutBefore cuts html before the first of the characters in end, at the index min or behind it.
func cutBefore(html string, min int, end string) (before, rest string) {
	i := strings.IndexAny(html[min:], end)
	if i < 0 {
		return html, ""
	}
	return html[:min+i], html[min+i:]
}

// endOf returns the index of the end tag of an element with text in html. A script may hold a
// comment with a script in it, whose end tag does not end the outer one.
func endOf(name, html string) int {
	comment, inner := false, false
	for i := range len(html) {
		rest := html[i:]
		switch {
		case name == "script" && !comment && strings.HasPrefix(rest, "<!--"):
			comment = !strings.HasPrefix(rest, "<!-->") && !strings.HasPrefix(rest, "<!--->")
		case comment && strings.HasPrefix(rest, "-->"):
			comment, inner = false, false
		case comment && !inner && isTag(rest, "<script"):
			inner = true
		case isTag(rest, "</"+name):
			if !inner {
				return i
			}
			inner = false
		}
	}
	return len(html)
}

// isTag reports whether html begins with a tag.
func isTag(html, tag string) bool {
	return len(html) > len(tag) && strings.EqualFold(html[:len(tag)], tag) && strings.IndexByte(space+"/>", html[len(tag)]) >= 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
