package plan_test

import (
	"fmt"
	"html/template"
	"slices"
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/pages/plan"
	"example.com/flow/internal/race"
	"example.com/flow/internal/servertest"
)

// ownPlaces are those where a Plan escapes by itself.
var ownPlaces = []string{
	`{{.}}`,
	`<p title="{{.}}">`,
	`<title>{{.}}</title>`,
	`<a href="{{.}}">`,
	`<a href="/a/{{.}}">`,
	`<a href="/a?b={{.}}">`,
}

// places are all others that html/template knows.
var places = []string{
	`<p>a {{.}} b</p>`,
	`<p title='{{.}}'>`,
	`<p title={{.}}>`,
	`<p title="a {{.}} b">`,
	`<textarea>{{.}}</textarea>`,
	`<title>a {{.}} b</title>`,
	`<a href='{{.}}'>`,
	`<a href={{.}}>`,
	`<a href="{{.}}/b">`,
	`<a href='/a/{{.}}'>`,
	`<a href=/a/{{.}}>`,
	`<a href="?{{.}}={{.}}">`,
	`<a href='/a?b={{.}}'>`,
	`<a href=/a?{{.}}>`,
	`<a href="/a#{{.}}">`,
	`<img src="{{.}}">`,
	`<img srcset="{{.}}">`,
	`<img srcset="/a 1x, {{.}} 2x">`,
	`<img srcset={{.}}>`,
	`<form action="{{.}}">`,
	`<p data-a="{{.}}" data-href="{{.}}">`,
	`<p style="color: {{.}}">`,
	`<p style='background: url({{.}})'>`,
	`<p style="background: url('/a/{{.}}')">`,
	`<style>p { color: {{.}} }</style>`,
	`<style>p { content: "{{.}}" }</style>`,
	`<style>p { background: url("/a?{{.}}") } /* {{.}} */</style>`,
	`<script>a = {{.}}</script>`,
	`<script>a = "{{.}}", b = '{{.}}'</script>`,
	"<script>a = `{{.}}`, b = `${ {{.}} }`</script>",
	`<script>a = /{{.}}/</script>`,
	`<script>// {{.}}` + "\n" + `a /* {{.}} */</script>`,
	`<script type="application/json">{"a": {{.}}}</script>`,
	`<script type="text/template"><p title="{{.}}">{{.}}</p></script>`,
	`<p onclick="a({{.}})">`,
	`<p onclick='a("{{.}}")'>`,
	`<p onclick=a({{.}})>`,
	`<p {{.}}>`,
	`<p {{.}}="a">`,
	`<!-- {{.}} -->{{.}}`,
	`<meta http-equiv="refresh" content="0;url={{.}}">`,
	`<svg><a xlink:href="{{.}}">{{.}}</a></svg>`,
	`<iframe srcdoc="{{.}}"></iframe>`,
}

// dangerous are bytes that end something, begin something, or are a part of a character.
const dangerous = "\x00\t\n\v\f\r \"#%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\x8d\xa0\xa8\xa9\xbf\xc2\xe2\xed\xef\xf0\xf4\xff"

// hard are texts that a single byte or two do not show.
var hard = []string{
	"", "plain", "javascript:alert(1)", "JavaScript:alert(1)", " javascript:a", "java\nscript:a", "https://a.example/b?c=d&e#f",
	"mailto:a@b.example", "http:a", "/a:b", "a:b", "?a:b", "#a:b", "//a.example", "%", "%4", "%41", "%zz", "%%41", "100%", "a%20b c",
	"&amp;", "&lt", "&#34;", "&amp;amp;", "<b>bold</b>", "</title>", "</textarea>", "</script>", "<!--", "-->", "]]>", "<script", "/>",
	"\u2028", "\u2029", "\ufffd", "\ufeff", "\x00", "a\x00b", "é", "日本", "😀", "\u0085", "\u00a0", "\U0010ffff",
	"\xff", "\xc2", "\xe2\x80", "\xe2\x80a", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\xaf", "a\xe2", "\xe2\x80\xa8", "\xe2\x80\x28",
	"expression(a)", "a;b", "url(a)", `\3c`, "\\", "\\'", "'\\\"", "`${a}`", "${a}", "a,b 2x", "a b,c", "onclick", "style", "a=b", "zGotmplZ",
}

var numbers = []any{0, -1, 1 << 62, int8(-128), uint8(255), uint64(1<<64 - 1), 'x', 1.5, float32(0.1), 1e21, 1i, true, false, uintptr(7)}

// typed returns a text as the types that html/template trusts, and others.
func typed(s string) []any {
	return []any{
		s, &s, []byte(s), template.HTML(s), template.URL(s), template.JS(s), template.JSStr(s), template.CSS(s),
		template.HTMLAttr(s), template.Srcset(s), label(s), word(s), fmt.Errorf("%s", s), []string{s, s}, map[string]string{s: s}, any(nil),
	}
}

// show renders a text alone and inside others.
func (b *both) show(t *testing.T, s string) {
	b.render(t, always(s))
	b.render(t, always("a"+s+"z"))
}

// TestBytes renders each byte, hard texts and other values in all places, and pairs of
// dangerous bytes where a Plan escapes by itself. The race detector would see nothing.
func TestBytes(t *testing.T) {
	if race.Enabled {
		t.Skip("nothing runs at the same time")
	}
	for i, place := range append(slices.Clone(ownPlaces), places...) {
		t.Run(place, func(t *testing.T) {
			is := is.New(t)
			b, err := newBoth(place, plan.Funcs{})
			is.NoErr(err)
			is.NoErr(b.reason)
			for c := range 256 {
				b.show(t, string([]byte{byte(c)}))
			}
			for _, s := range hard {
				b.show(t, s)
				for _, v := range typed(s) {
					b.render(t, always(v))
				}
			}
			for _, n := range numbers {
				b.render(t, always(n))
			}
			if i < len(ownPlaces) {
				for _, c := range []byte(dangerous) {
					for _, d := range []byte(dangerous) {
						b.show(t, string([]byte{c, d}))
						b.render(t, always(template.HTML([]byte{c, d})))
					}
				}
			}
		})
	}
}

// TestAllPairsOfBytes renders each pair of bytes in all places.
func TestAllPairsOfBytes(t *testing.T) {
	servertest.Slow(t)
	if race.Enabled {
		t.Skip("nothing runs at the same time")
	}
	for _, place := range append(slices.Clone(ownPlaces), places...) {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			b, err := newBoth(place, plan.Funcs{})
			is.NoErr(err)
			for c := range 1 << 16 {
				b.show(t, string([]byte{byte(c >> 8), byte(c)}))
			}
		})
	}
}
