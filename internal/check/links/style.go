package links

import (
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// OfStyle returns the URLs of a style sheet, or of a style attribute: in url(), in image-set() and behind
// @import.
func OfStyle(css string) (urls []URL) {
	add := func(text string, at int) {
		urls = append(urls, URL{Text: clean(text), Offset: at, Method: http.MethodGet, Attr: "url()", Loads: true, Style: true})
	}
	depth := 0 // of brackets inside of image-set()
	word := "" // the identifier that ends here
	for at := 0; at < len(css); {
		rest := css[at:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "/*"):
			_, after, _ := strings.Cut(rest[len("/*"):], "*/")
			at, word = len(css)-len(after), ""
		case c == '"' || c == '\'':
			text, n := cssString(rest)
			if word == "@import" || depth > 0 {
				add(text, at+1)
			}
			at, word = at+n, ""
		case c == '(' && word == "url":
			at++
			at += len(css[at:]) - len(strings.TrimLeft(css[at:], space))
			text, n := cssURL(css[at:])
			add(text, at)
			at, word = at+n, ""
		case c == '(':
			if depth > 0 || strings.HasSuffix(word, "image-set") {
				depth++
			}
			at, word = at+1, ""
		case c == ')':
			depth = max(depth-1, 0)
			at, word = at+1, ""
		case strings.IndexByte(space, c) >= 0:
			if at++; word != "@import" {
				word = ""
			}
		case isWord(c):
			n := 1
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			word = strings.ToLower(rest[:n])
			at += n
		case c == '\\': // an escape belongs to an identifier, which is none of those above
			at, word = min(at+2, len(css)), ""
		default:
			at, word = at+1, ""
		}
	}
	return urls
}

func isWord(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '@' || c >= utf8.RuneSelf
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// cssURL returns the URL behind "url(", and the length of what it has read.
func cssURL(css string) (url string, length int) {
	if css != "" && (css[0] == '"' || css[0] == '\'') {
		return cssString(css)
	}
	end := indexAny(css, ")"+space)
	for end > 0 && end < len(css) && css[end-1] == '\\' {
		end += 1 + indexAny(css[end+1:], ")"+space)
	}
	return unescapeCSS(css[:end]), end
}

// cssString returns the text of a string at the beginning of CSS, and its length with the quotes.
func cssString(css string) (text string, length int) {
	for i := 1; i < len(css); i++ {
		switch css[i] {
		case css[0]:
			return unescapeCSS(css[1:i]), i + 1
		case '\n': // it is no string
			return "", i
		case '\\':
			i++
		}
	}
	return unescapeCSS(css[1:]), len(css)
}

// unescapeCSS replaces escapes: \2f and \/ are slashes.
func unescapeCSS(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		digits := i + 1
		for digits < min(len(text), i+7) && strings.IndexByte("0123456789abcdefABCDEF", text[digits]) >= 0 {
			digits++
		}
		if digits == i+1 {
			if i++; text[i] != '\n' {
				b.WriteByte(text[i])
			}
			continue
		}
		code, _ := strconv.ParseUint(text[i+1:digits], 16, 32)
		b.WriteRune(rune(code))
		if i = digits - 1; digits < len(text) && strings.IndexByte(space, text[digits]) >= 0 {
			i++
		}
	}
	return b.String()
}
