package links

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// dumpURLs returns URLs as text: what has each, how it is asked for, and where it begins in the text.
func dumpURLs(text string, urls []URL) string {
	var all []string
	for _, u := range urls {
		loads := ""
		if u.Loads {
			loads = " loads"
		}
		if u.Offset < 0 || u.Offset >= len(text) {
			return fmt.Sprintf("%q: offset %d", u.Text, u.Offset)
		}
		all = append(all, fmt.Sprintf("%s %s %s%s", u.What(), u.Method, u.Text, loads))
	}
	return strings.Join(all, ", ")
}

func TestOfPage(t *testing.T) {
	for _, tt := range []struct{ html, want string }{
		{`<a href="/x?a=1&amp;b=2#c">`, "href of <a> GET /x?a=1&b=2#c"},
		{`<A HREF=/x><area href='y'>`, "href of <a> GET /x, href of <area> GET y"},
		{`<a href=" /x
y ">`, "href of <a> GET /xy"},
		{`<a href="/x\y?a\b">`, `href of <a> GET /x/y?a\b`},
		{`<link rel=canonical href=/x><link rel="stylesheet" href=/y>`, "href of <link> GET /x, href of <link> GET /y loads"},
		{`<img src=/a.png srcset="/b.png 1x, /c,d.png 2x">`, "src of <img> GET /a.png loads, srcset of <img> GET /b.png loads, srcset of <img> GET /c,d.png loads"},
		{`<script src=/a.js></script><iframe src=/f></iframe><video poster=/p><source src=/v><track src=/t>`, "src of <script> GET /a.js loads, src of <iframe> GET /f, poster of <video> GET /p loads, src of <source> GET /v loads, src of <track> GET /t loads"},
		{`<noscript><img src=/n></noscript>`, "src of <img> GET /n loads"},
		{`<svg><use href="/i.svg#x"/><image xlink:href=/j></svg>`, "href of <use> GET /i.svg#x loads, xlink:href of <image> GET /j loads"},
		{`<meta http-equiv=refresh content="5; url=/next">`, "content of <meta> GET /next"},
		{`<p hx-get=/g><p data-hx-get=/h><p hx-post=/p><p data-hx-delete=/d>`, "hx-get of <p> GET /g, data-hx-get of <p> GET /h, hx-post of <p> POST /p, data-hx-delete of <p> DELETE /d"},
		{`<p sse-connect=/s>`, "sse-connect of <p> GET /s"},
		{`<a ping="/p /q" href=/x>`, "ping of <a> POST /p, ping of <a> POST /q, href of <a> GET /x"},
		{`<style>@import "/a.css"; p { background: url(/b.png) }</style>`, "<style> GET /a.css loads, <style> GET /b.png loads"},
		{`<p style="background: url('/c.png')">`, "style of <p> GET /c.png loads"},
		{`<form action=/s><button>`, "action of <form> GET /s"},
		{`<form><button>`, ""},
		{`<form method=POST><button>`, "<form> POST "},
		{`<form method=post action=/p><button formaction=/q></form><button formaction=/r>`, "action of <form> POST /p, formaction of <button> POST /q, formaction of <button> GET /r"},
		{`<form><button formmethod=post>`, "<button> POST "},
		{`<form action=/s><input type=submit formmethod=post>`, "action of <form> GET /s, <input> POST /s"},
		{`<form method=dialog><button>`, ""},
		{`<form method=put action=/x>`, "action of <form> GET /x"}, // as browsers have it
		{`<form hx-post=/h><button>`, "hx-post of <form> POST /h"},
		{`<a href=/x rel=external><form rel=external method=post>`, ""},
		{`<!-- <a href=/x> --><title><a href=/x></title><textarea><a href=/x></textarea>`, ""},
		{`<script>"<a href=/x>"</script>`, ""},
		{`<a href=/x`, ""},
	} {
		t.Run(tt.html, func(t *testing.T) {
			is.New(t).Equal(dumpURLs(tt.html, OfPage(tt.html).URLs), tt.want)
		})
	}
	is := is.New(t)
	p := OfPage(`<base href="/b/"><h1 id="ä&amp;b">x</h1><a name=c></a><input name=d><script>one</script><base href=/c>`)
	is.Equal(p.IDs, []string{"ä&b", "c"})
	is.Equal(p.Base, "/b/")
	is.Equal(p.Scripts, []string{"one"})
}

func TestOfStyle(t *testing.T) {
	for _, tt := range []struct{ css, want string }{
		{`a { b: url(/x.png) }`, "/x.png"},
		{`a { b: URL( "/x y.png" ) }`, "/x y.png"},
		{`a { b: url('x.png?v=1#f') url(y) }`, "x.png?v=1#f y"},
		{`/* url(/no) */ a { b: url(/x) }`, "/x"},
		{`a { content: "url(/no)" }`, ""},
		{`@import '/a.css' screen; @import url(b.css);`, "/a.css b.css"},
		{`@charset "utf-8"; @font-face { src: url(f.woff2) format("woff2") }`, "f.woff2"},
		{`a { b: -webkit-image-set("a.png" 1x, url(b.png) 2x) } c { content: "no" }`, "a.png b.png"},
		{`a { b: url(/x\)y.png) }`, "/x)y.png"},
		{`a { b: url("\2f x.png") }`, "/x.png"},
		{`a { b: myurl(/no) }`, ""},
		{`a { b: url(/x`, "/x"},
		{`a { b: "`, ""},
		{`a \`, ""},
	} {
		t.Run(tt.css, func(t *testing.T) {
			var urls []string
			for _, u := range OfStyle(tt.css) {
				urls = append(urls, u.Text)
			}
			is.New(t).Equal(strings.Join(urls, " "), tt.want)
		})
	}
}

func TestBelowPrefixesTheURLsOfAPage(t *testing.T) {
	for _, tt := range []struct{ html, want string }{
		{`<p>/a <a href="/a?b#c" id="x">`, `<p>/a <a href="/b/a?b#c" id="x">`},
		{`<a href=/a><a href='/b'>`, `<a href=/b/a><a href='/b/b'>`},
		{`<a href=" /a"><a href="a"><a href="//h/a"><a href="https://h/a"><a href="#a">`, `<a href=" /b/a"><a href="a"><a href="//h/a"><a href="https://h/a"><a href="#a">`},
		{`<a href="/?x=1&amp;y=2">`, `<a href="/b/?x=1&amp;y=2">`},
		{`<a href="&#47;x">`, `<a href="/b/x">`},
		{`<img srcset="/a.png 1x, b.png 2x, /c.png 3x">`, `<img srcset="/b/a.png 1x, b.png 2x, /b/c.png 3x">`},
		{`<base href="/d/"><form action="/s"><button formaction="/t">`, `<base href="/b/d/"><form action="/b/s"><button formaction="/b/t">`},
		{`<meta http-equiv="refresh" content="0; url='/n'"><p data-hx-get="/g">`, `<meta http-equiv="refresh" content="0; url='/b/n'"><p data-hx-get="/b/g">`},
		{`<a rel="external" href="/a">`, `<a rel="external" href="/a">`},
		{`<script>x = "/a"</script><style>a { b: url(/a) }</style><p style="b: url(/a)" title="/a">`, `<script>x = "/a"</script><style>a { b: url(/a) }</style><p style="b: url(/a)" title="/a">`},
		{`<a href="" x>/`, `<a href="" x>/`},
	} {
		t.Run(tt.html, func(t *testing.T) {
			is.New(t).Equal(Below("/b", tt.html), tt.want)
		})
	}
}

func FuzzPage(f *testing.F) {
	f.Add(`<a href=/a style="b: url(/c" srcset="/d 1x,/e"><style>@import "\2f`, `a{b:url(\`)
	f.Fuzz(func(t *testing.T, html, css string) {
		OfStyle(css)
		is := is.New(t)
		before, after := OfPage(html), OfPage(Below("/b", html))
		is.Equal(len(after.URLs), len(before.URLs))
		for i, u := range before.URLs {
			want := u.Text
			if u.IsPath() && !u.Style && u.Element != u.Attr {
				want = "/b" + want
			}
			is.Equal(after.URLs[i].Text, want)
			is.True(0 <= u.Offset && u.Offset <= len(html))
		}
	})
}
