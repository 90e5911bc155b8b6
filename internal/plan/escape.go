package plan

import (
	"html/template"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A chain is the escapers at the end of an action, by which html/template makes a value safe
// for its place in the page.
type chain struct {
	// words are the escapers, each behind a |.
	words string
	// escape escapes a plain string, nil if html/template does it.
	escape func(dst []byte, s string) []byte
	// html: values of the type template.HTML are printed as they are.
	html bool
}

// The chains whose escapers are written here, for strings and integers: of text, of a title
// or textarea, of an attribute, and of an attribute that holds a URL: the whole of it, a
// part of its path, and a part of its query.
var known = map[string]chain{
	"|_html_template_htmlescaper":   {escape: appendText, html: true},
	"|_html_template_rcdataescaper": {escape: appendText},
	"|_html_template_attrescaper":   {escape: appendText},
	"|_html_template_urlfilter|_html_template_urlnormalizer|_html_template_attrescaper": {escape: appendURL},
	"|_html_template_urlnormalizer|_html_template_attrescaper":                          {escape: appendPath},
	"|_html_template_urlescaper|_html_template_attrescaper":                             {escape: appendQuery},
}

// chains are all chains by their words. Those of known that do not escape as html/template
// does, in the version of Go that the program was built with, are left to html/template.
var chains = struct {
	sync.Mutex
	by map[string]*chain
}{by: map[string]*chain{}}

// chainOf returns the chain of these words.
func chainOf(words string) *chain {
	chains.Lock()
	defer chains.Unlock()
	c := chains.by[words]
	if c == nil {
		k := known[words]
		c = &chain{words: words}
		if k.escape != nil && agrees(words, k.escape) {
			*c = chain{words, k.escape, k.html && keepsHTML(words)}
		}
		chains.by[words] = c
	}
	return c
}

// agrees reports whether a function escapes all of samples as html/template does.
func agrees(words string, escape func([]byte, string) []byte) bool {
	for _, s := range samples() {
		if string(escape(nil, s)) != ask(words, reflect.ValueOf(s)).value.String() {
			return false
		}
	}
	return true
}

// keepsHTML reports whether html/template prints values of the type template.HTML as they are.
func keepsHTML(words string) bool {
	return !slices.ContainsFunc(samples(), func(s string) bool {
		return ask(words, reflect.ValueOf(template.HTML(s))).value.String() != s
	})
}

// samples are strings with all 256 bytes, with UTF-8 that is cut off, with escapes of URLs
// that are whole and cut off, and with schemes of URLs.
var samples = sync.OnceValue(func() []string {
	var all strings.Builder
	for b := range 256 {
		all.WriteByte(byte(b))
		all.WriteByte('a')
	}
	for _, s := range []string{"é€😀", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xff", "\ufdd0\ufffd\uffff", "%4", "%41", "%zz", "%%4f", "++<<&&"} {
		all.WriteString(s + "/" + s)
	}
	return []string{all.String(), "", "%", "%4", "\xe2\x82", ":", "a:b", "http:b", "HTTPS:b", "mailto:b", "\u212a:b", "/:", "a?:", "a:/", "javascript:/"}
})

// append appends a value, escaped.
func (c *chain) append(dst []byte, v reflect.Value) []byte {
	if c.escape != nil && v.IsValid() && v.CanInterface() {
		switch k := v.Kind(); {
		case k == reflect.String:
			switch t := v.Type(); {
			case t == stringType:
				return c.escape(dst, v.String())
			case t == htmlType && c.html:
				return append(dst, v.String()...)
			}
		case v.CanInt() && v.NumMethod() == 0:
			return strconv.AppendInt(dst, v.Int(), 10)
		case k != reflect.Uintptr && v.CanUint() && v.NumMethod() == 0:
			return strconv.AppendUint(dst, v.Uint(), 10)
		}
	}
	return append(dst, ask(c.words, v).value.String()...)
}

var (
	stringType = reflect.TypeFor[string]()
	htmlType   = reflect.TypeFor[template.HTML]()
)

// appendText escapes for text, and for attributes in quotes.
func appendText(dst []byte, s string) []byte {
	from := 0
	for i := range len(s) {
		escaped := ""
		switch s[i] {
		case 0:
			escaped = "\uFFFD"
		case '"':
			escaped = "&#34;"
		case '&':
			escaped = "&amp;"
		case '\'':
			escaped = "&#39;"
		case '+':
			escaped = "&#43;"
		case '<':
			escaped = "&lt;"
		case '>':
			escaped = "&gt;"
		default:
			continue
		}
		dst = append(append(dst, s[from:i]...), escaped...)
		from = i + 1
	}
	return append(dst, s[from:]...)
}

// appendURL escapes a whole URL. One of an unsafe scheme is replaced, as html/template does.
func appendURL(dst []byte, s string) []byte {
	scheme, _, found := strings.Cut(s, ":")
	if found && !strings.Contains(scheme, "/") && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "mailto") {
		s = "#ZgotmplZ"
	}
	return appendPath(dst, s)
}

// appendPath escapes a part of a URL before its query, for an attribute in quotes. It keeps
// delimiters and escapes.
func appendPath(dst []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case isUnreserved(c) || strings.IndexByte("!#$*,/:;=?@[]", c) >= 0:
			dst = append(dst, c)
		case c == '&':
			dst = append(dst, "&amp;"...)
		case c == '+':
			dst = append(dst, "&#43;"...)
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			dst = append(dst, c)
		default:
			dst = appendPercent(dst, c)
		}
	}
	return dst
}

// appendQuery escapes a part of the query of a URL.
func appendQuery(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; isUnreserved(c) {
			dst = append(dst, c)
		} else {
			dst = appendPercent(dst, c)
		}
	}
	return dst
}

func appendPercent(dst []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '%', digits[c>>4], digits[c&15])
}

// isUnreserved reports whether a byte stands for itself anywhere in a URL (RFC 3986, section 2.3).
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
