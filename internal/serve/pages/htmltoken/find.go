package htmltoken

import "strings"

// nextTag returns the index of the first "<" in a text that begins a tag or a comment, or the length of
// the text. In a template, an action may follow a "<" at the end of the text, and html/template
// escapes each "<" that begins neither a tag, nor a comment, nor a doctype.
func nextTag(text string, finished bool) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], '<')
		if i < 0 {
			return len(text)
		}
		at += i
		rest := text[at+len("<"):]
		name := strings.TrimPrefix(rest, "/")
		switch {
		case name == "":
			if !finished {
				return at
			}
		case isLetter(name[0]), strings.HasPrefix(rest, "!--"), isDoctype(rest), finished && strings.IndexByte("/!?", rest[0]) >= 0:
			return at
		}
	}
}

func isDoctype(text string) bool {
	const doctype = "!doctype"
	return len(text) >= len(doctype) && Lower(text[:len(doctype)]) == doctype
}

// endOfRaw returns the index of the end tag of an element in its content, or the length of the text.
// On a finished page, a script may hold a comment with a script in it, whose end tag does not end the outer
// one.
func endOfRaw(element, text string, finished bool) int {
	comment, inner := false, false
	for i := range len(text) {
		if text[i] != '<' && text[i] != '-' {
			continue
		}
		rest := text[i:]
		switch {
		case finished && element == "script" && !comment && strings.HasPrefix(rest, "<!--"):
			comment = !strings.HasPrefix(rest, "<!-->") && !strings.HasPrefix(rest, "<!--->")
		case comment && strings.HasPrefix(rest, "-->"):
			comment, inner = false, false
		case comment && !inner && isTag(rest, "<script"):
			inner = true
		case isTag(rest, "</"+element):
			if !inner {
				return i
			}
			inner = false
		}
	}
	return len(text)
}

// isTag reports whether a text begins with a tag.
func isTag(text, tag string) bool {
	return len(text) > len(tag) && text[0] == '<' && Lower(text[:len(tag)]) == tag && endsTagName[text[len(tag)]]
}
