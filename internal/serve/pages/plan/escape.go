package plan

import (
	"html/template"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"
)

// A chain is the escapers at the end of an action, by which html/template makes a value safe
// for its place in the page.
type chain struct {
	// escape escapes a plain string, nil if html/template does it.
	escape func(dst []byte, s string) []byte
	// html: values of the type template.HTML are printed as they are.
	html  bool
	first string // the escaper that gets the value, for errors
	// printer is a template that prints its dot behind these escapers.
	printer *template.Template
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

// chains are all chains by their words: the escapers, each behind a |. There are as many as
// html/template knows places, which are few.
var chains = struct {
	sync.Mutex
	by map[string]*chain
}{by: map[string]*chain{}}

// chainOf returns the chain of these words. A chain of known that does not escape as
// html/template does, in the version of Go that the program was built with, is left to
// html/template.
func chainOf(words string) *chain {
	chains.Lock()
	defer chains.Unlock()
	c := chains.by[words]
	if c == nil {
		k := known[words]
		c = &chain{first: strings.Split(words, "|")[1], printer: newPrinter(words)}
		if k.escape != nil && c.agrees(k.escape) {
			c.escape = k.escape
		}
		c.html = k.html && c.prints(template.HTML(samples()[0]), samples()[0])
		chains.by[words] = c
	}
	return c
}

// newPrinter returns a template that prints its dot behind escapers. html/template escapes {{.}}
// once, at the first execution. After that, these escapers take the place of its own in the tree
// that it executes.
func newPrinter(words string) *template.Template {
	c := chain{printer: template.Must(template.New("").Parse("{{.}}"))}
	c.printer.Execute(io.Discard, nil)
	c.printer.Tree.Root = parsed("another")
	if !c.prints(nil, "another") {
		panic(unknown("html/template does not execute the tree that it shows"))
	}
	c.printer.Tree.Root = parsed("{{." + words + "}}")
	return c.printer
}

// parsed returns the nodes of a template that may call the escapers of html/template.
func parsed(text string) *parse.ListNode {
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", map[string]*parse.Tree{}); err != nil {
		panic(err) // cannot happen: the words come from a template that was parsed
	}
	return tree.Root
}

// agrees reports whether a function escapes all of samples as html/template does.
func (c *chain) agrees(escape func([]byte, string) []byte) bool {
	return !slices.ContainsFunc(samples(), func(s string) bool { return !c.prints(s, string(escape(nil, s))) })
}

// prints reports whether html/template prints a text for a value.
func (c *chain) prints(v any, text string) bool {
	var b strings.Builder
	return c.printer.Execute(&b, v) == nil && b.String() == text
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

// print prints a value, escaped. The error is that of a method of the value.
func (c *chain) print(s *state, v reflect.Value) error {
	switch {
	case c.escape == nil || !v.IsValid() || !v.CanInterface():
	case v.Kind() == reflect.String && v.Type() == stringType:
		s.out = c.escape(s.out, v.String())
		return nil
	case v.Kind() == reflect.String && v.Type() == htmlType && c.html:
		s.out = append(s.out, v.String()...)
		return nil
	case v.CanInt() && v.NumMethod() == 0:
		s.out = strconv.AppendInt(s.out, v.Int(), 10)
		return nil
	case v.CanUint() && v.NumMethod() == 0:
		s.out = strconv.AppendUint(s.out, v.Uint(), 10)
		return nil
	}
	return cause(c.printer.Execute((*output)(s), v))
}

// An output is a state as a writer.
type output state

func (o *output) Write(b []byte) (int, error) {
	o.out = append(o.out, b...)
	return len(b), nil
}

var (
	stringType = reflect.TypeFor[string]()
	htmlType   = reflect.TypeFor[template.HTML]()
)

// inText has what replaces a byte in text, and in attributes in quotes.
var inText = [256]string{0: "\uFFFD", '"': "&#34;", '&': "&amp;", '\'': "&#39;", '+': "&#43;", '<': "&lt;", '>': "&gt;"}

// appendText escapes for text, and for attributes in quotes.
func appendText(dst []byte, s string) []byte {
	from := 0
	for i := range len(s) {
		if escaped := inText[s[i]]; escaped != "" {
			dst = append(append(dst, s[from:i]...), escaped...)
			from = i + 1
		}
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
