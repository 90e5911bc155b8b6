package plan

import (
	"bytes"
	"html/template"
	"reflect"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestChainsThatDifferAreLeftToHTMLTemplate changes what each escaper makes of a single byte,
// as a newer version of Go might: it is not used then.
func TestChainsThatDifferAreLeftToHTMLTemplate(t *testing.T) {
	for words, c := range known {
		t.Run(words, func(t *testing.T) {
			is := is.New(t)
			is.True(chainOf(words).agrees(c.escape))
			is.True(chainOf(words).escape != nil)
			is.Equal(chainOf(words).html, c.html)
			for b := range 256 {
				differs := func(dst []byte, s string) []byte {
					dst = c.escape(dst, s)
					if i := bytes.IndexByte([]byte(s), byte(b)); i >= 0 {
						dst = append(dst, 'x')
					}
					return dst
				}
				is.True(!chainOf(words).agrees(differs)) // b is seen
			}
		})
	}
}

// TestValuesOfOtherTypes prints values that html/template has to print.
func TestValuesOfOtherTypes(t *testing.T) {
	for words, place := range map[string][2]string{
		"|_html_template_htmlescaper":   {"<p>", "</p>"},
		"|_html_template_rcdataescaper": {"<title>", "</title>"},
		"|_html_template_attrescaper":   {`<p title="`, `">`},
		"|_html_template_urlfilter|_html_template_urlnormalizer|_html_template_attrescaper": {`<a href="`, `">`},
		"|_html_template_urlnormalizer|_html_template_attrescaper":                          {`<a href="/`, `">`},
		"|_html_template_urlescaper|_html_template_attrescaper":                             {`<a href="?`, `">`},
		"|_html_template_jsvalescaper":                                                      {"<script>", "</script>"},
	} {
		for _, v := range []any{"s<", 7, int8(-8), uint16(9), 'r', uintptr(3), 1.5, true, nil, []byte("<"), template.HTML("<b>&amp;"), template.URL("javascript:'"), template.JS("'"), template.CSS("'"), template.HTMLAttr("'"), withMethod("<s>"), intWithMethod(5)} {
			t.Run(words, func(t *testing.T) {
				is := is.New(t)
				page := template.Must(template.New("").Parse(place[0] + "{{.}}" + place[1]))
				var want strings.Builder
				is.NoErr(page.Execute(&want, v))
				is.True(strings.Contains(page.Tree.Root.String(), strings.ReplaceAll(words, "|", " | "))) // the place has these escapers
				s := &state{}
				chainOf(words).print(s, reflect.ValueOf(v))
				is.Equal(place[0]+string(s.out)+place[1], want.String())
			})
		}
	}
}

type (
	withMethod    string
	intWithMethod int
)

func (withMethod) String() string   { return "its <String>" }
func (intWithMethod) Error() string { return "its <Error>" }

func BenchmarkChain(b *testing.B) {
	for b.Loop() {
		clear(chains.by)
		questions.Clear()
		for words := range known {
			chainOf(words)
		}
	}
}
