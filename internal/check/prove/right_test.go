package prove

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestRightPagesHaveNoWarnings reads pages of which nothing is said: they are right, or it is not sure that they are wrong.
func TestRightPagesHaveNoWarnings(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"nothing", ``},
		{"a page", "<!doctype html><html lang=en><head><title>{{block `title` .}}a{{end}}</title></head><body><h1>{{.A}}</h1><main>{{.B}}</main></body></html>"},

		{"an image with alt", `<img alt="{{.A}}">`},
		{"an image that adorns", `<img alt="">`},
		{"an image with another name", `<img title=a><img aria-label=a><img aria-labelledby=b><b id=b>c</b>`},
		{"an image without a role", `<img role=presentation><img role=none><img role="{{.A}}">`},
		{"an alt in with", `<img {{with .A}}alt="{{.}}"{{end}}>`},
		{"an alt in each side", `<img {{if .A}}alt="a"{{else}}alt=""{{end}}>`},
		{"an alt in each side of two conditions", `<img {{if .A}}{{if .B}}alt="a"{{else}}alt=b{{end}}{{else}}alt=""{{end}}>`},
		{"an alt under the condition of the image", `{{if .A}}<img {{if .A}}alt=""{{end}}>{{end}}`},
		{"an alt of two conditions that exclude each other", `{{if eq .K "a"}}<img {{if ne .K "b"}}{{end}}alt>{{end}}`},
		{"an alt under the opposite condition", `{{if .A}}{{else}}<img {{if not .A}}alt=b{{end}}>{{end}}`},
		{"attributes of an action", `<img {{.A}}><input {{.A}}><button {{.A}}></button><iframe {{.A}}></iframe><html {{.A}}><title>a</title>`},
		{"attributes of a script", `<img :alt="a"><img x-bind:alt="a"><button x-text="a"></button><h2 v-text="a"></h2><a href=/ data-text="$a"></a>`},
		{"images that are hidden", `<img hidden><div aria-hidden=true><img></div><div inert><img></div><template><img></template><noscript><img></noscript>`},
		{"images with a style that hides", `<img style="color: red; DISPLAY : none"><p style="visibility:hidden!important"><img></p><p style="{{.A}}"><img></p><p style="display:{{.A}}"><img>`},
		{"an image in what is hidden in each way", `{{if .A}}<div hidden>{{else}}<div inert>{{end}}<img></div>`},
		{"an image that is hidden where it has no alt", `<img {{if .A}}hidden{{else}}alt=b{{end}}>`},
		{"an image in a comment", `<!-- <img> -->`},
		{"an image in a text", `<textarea aria-label=a><img></textarea><script>"<img>"</script>`},
		{"an image button", `<input type=image alt=a><input type=image title=a>`},

		{"a label around", `<label>a <input></label>`},
		{"a label around, behind", `<label><input type=checkbox><span>{{.A}}</span></label>`},
		{"a label around with an image", `<label><img alt=a><input></label>`},
		{"a label around in a paragraph", `<label><p>a</p><div><input></div></label>`},
		{"a label", `<label for=a>b</label><input id=a>`},
		{"a label behind", `<textarea id=a></textarea><label for=a>{{.A}}</label>`},
		{"a label in a partial", "{{template `b.html`}}<input id=a>\n-- b.html --\n<label for=a>b</label>"},
		{"a field in a partial", "<label>b {{template `b.html`}}</label>\n-- b.html --\n<input>"},
		{"a label in a layout", "<label for=a>b</label>{{template `page.html`}}\n-- page.html --\n<input id=a>"},
		{"other names", `<input aria-label="{{.A}}"><input title=a><input placeholder=a><input aria-labelledby="a"><b id=a>b</b>`},
		{"fields that need no label", `<input type=hidden><input type=submit><input type=RESET><input type=button value=a><input type=image alt=a>`},
		{"a field of a type that an action writes", `<input type="{{.Kind}}"><input type="a{{.F.Type}}"><label for="{{.F.ID}}">b</label><input type="{{.F.Type}}" id="{{.F.ID}}">`},
		{"buttons with a label", `<label>a <input type=button></label><label for=b>c</label><input id=b type=submit value="">`},
		{"a type of an action", `<input type="{{.A}}">`},
		{"a type under a condition", `<input type="{{if .A}}hidden{{else}}text{{end}}" {{if not .A}}aria-label=a{{end}}>`},
		{"computed ids", `<label for="a-{{.A}}">b</label><input id="a-{{.A}}">`},
		{"a computed id and a label that may be for it", `<label for=a-1>b</label><input id="a-{{.A}}">`},
		{"a computed label that may be for an id", `<label for="{{.A}}-b">b</label><input id=a-b>`},
		{"HTML that may have the label", `{{.HTML}}<input id=a>`},
		{"a recursive call that may have the label", "{{template `b.html`}}<input id=c>\n-- b.html --\n<p>{{template `b.html`}}</p>"},
		{"HTML in a label", `<label>{{.HTML}}<input></label>`},
		{"a label in with", `{{with .A}}<label for=a>b</label>{{end}}<input id=a>`},
		{"a label in a loop", `{{range .A}}<label for=a>b</label>{{end}}<input id=a>`},
		{"a label in each side of a condition", `{{if .A}}<label for=a>b</label>{{else}}<label for=a>c</label>{{end}}<input id=a>`},
		{"a label under the condition of the field", `{{if .A}}<label for=a>b</label>{{end}}{{if .A}}<input id=a>{{end}}`},
		{"a label under a condition and another name otherwise", `{{if .A}}<label for=a>b</label>{{end}}<input id=a {{if not .A}}aria-label=c{{end}}>`},
		{"a label around or another name", `{{if .A}}<label>b{{end}}<input {{if not .A}}aria-label=c{{end}}>{{if .A}}</label>{{end}}`},
		{"a label that one of two conditions empties", `<label for=a>{{if .A}}b{{end}}{{if .B}}c{{end}}</label><input id=a>`},
		{"a text of a loop in a label", `<label for=a>{{range .A}}b{{end}}</label><input id=a>`},
		{"a field of which it is not known what it stands in", `{{if .A}}<label>b{{else}}</label>{{end}}<input>`},
		{"a label whose end is not known", `<label>{{if .A}}</label>{{end}}<input></label>`},
		{"a label under another condition than the field", `{{if ne .K "a"}}<label for=a>b</label>{{end}}{{if eq .K "b"}}<input id=a>{{end}}`},
		{"a label under a condition that says the same", `{{if and .A .B}}<label for=a>b</label>{{end}}{{if .A}}{{if .B}}<input id=a>{{end}}{{end}}`},
		{"a label under the condition of a loop", `{{if .A}}<label for=a>b</label>{{end}}{{range .A}}<input id=a>{{break}}{{end}}`},
		{"a label in a loop with a text under a condition", `{{range .A}}<label for=a>{{if .B}}c{{end}}</label>{{end}}<input id=a>`},
		{"a label around with a text under another condition than the field", `<label>{{if ne .K "a"}}b{{end}}{{if eq .K "b"}}<input>{{end}}</label>`},
		{"what names a field under another condition", `{{if ne .K "a"}}<b id=a>c</b>{{end}}{{if eq .K "b"}}<input aria-labelledby=a>{{end}}`},
		{"a hidden label", `<label for=a hidden>b</label><input id=a>`},

		{"a button", `<button>a</button><button>{{.A}}</button><button><b><i>a</i></b></button>`},
		{"a button with an image", `<button><img alt=a></button><button><svg><title>a</title></svg></button><button><svg aria-label=a></svg></button>`},
		{"a button with another name", `<button aria-label=a></button><button title=a></button>`},
		{"a button with an image without alt", `<button><img {{with .A}}alt="{{.}}"{{end}}></button>`},
		{"a button with what is not known", `<button>{{.HTML}}</button><button><my-icon></my-icon></button><button><object></object></button><button><{{.A}}></{{.A}}></button>`},
		{"a button with a text in each side", `<button>{{if .A}}a{{else}}b{{end}}</button>`},
		{"a button with two conditions", `<button>{{if .A}}a{{end}}{{if .B}}b{{end}}</button>`},
		{"a button with a user", `<a href=/>{{with user}}{{.Name}}{{end}}</a>`},
		{"a button with a loop", `<button>{{range .A}}{{.}}{{end}}</button>`},
		{"a button that shows what is selected", `<select aria-label=a><button><selectedcontent></selectedcontent></button><option>b</select>`},
		{"a button with a label", `<label>a<button></button></label><label for=b>c</label><button id=b></button>`},
		{"a button that is filled later", `<button hx-get=/a hx-trigger=load></button><button data-hx-post=/a data-hx-trigger="click, every 2s"></button><button hx-get=/a hx-trigger="{{.A}}"></button><button sse-swap=a></button>`},
		{"a button that is filled when another element is used", `<button hx-get=/a hx-trigger="change from:#b"></button>`},
		{"what is filled later in a button, a link and a heading", `<button><b hx-get=/a hx-trigger=revealed></b></button><a href=/ hx-get=/a hx-trigger="intersect once"></a><h1 hx-get=/a hx-trigger=load></h1><h2><b hx-get=/a hx-trigger="load delay:1s"></b></h2>`},
		{"a label that is filled later", `<label for=a hx-get=/a hx-trigger=load></label><input id=a><label><b hx-get=/a hx-trigger=load></b><input></label>`},
		{"an empty button under a condition that hides it", `<button {{if not .A}}hidden{{end}}>{{if .A}}a{{end}}</button>`},
		{"no link", `<a></a><a name=b></a><a id=c></a>`},
		{"no link under a condition", `<a {{if .A}}href=/{{end}}>{{if .A}}b{{end}}</a>`},
		{"a summary elsewhere", `<summary></summary>`},
		{"a link with a text under the condition of the link", `{{if .A}}<a href=/>{{if .A}}b{{end}}</a>{{end}}`},
		{"a link over a block", `<a href=/><div><h2>a</h2></div></a>`},

		{"headings", `<h1>a</h1><h2>b</h2><h3>c</h3><h2>d</h2><h3>e</h3><h1>f</h1>`},
		{"the first heading", `<h3>a</h3>`},
		{"a heading with what is not known", `<h1>{{.HTML}}</h1><h1><img alt=a></h1>`},
		{"no heading", `<h1 role=presentation></h1><div role=heading aria-level=2></div>`},
		{"a heading of a role", `<h1>a</h1><div role=heading aria-level=2>b</div><h3>c</h3>`},
		{"a heading of another level", `<h1>a</h1><h3 aria-level=2>b</h3><h3>c</h3>`},
		{"a computed heading", `<h1>a</h1><h{{.A}}>b</h{{.A}}><h3>c</h3>`},
		{"a heading in HTML", `<h1>a</h1>{{.HTML}}<h3>c</h3>`},
		{"a heading in with", `<h1>a</h1>{{with .A}}<h2>b</h2>{{end}}<h3>c</h3>`},
		{"a heading in a loop", `<h1>a</h1>{{range .A}}<h2>b</h2>{{end}}<h3>c</h3>`},
		{"headings in a loop", `<h1>a</h1>{{range .A}}<h2>b</h2><h3>c</h3>{{end}}<h2>d</h2>`},
		{"headings of two conditions", `{{if .A}}<h1>a</h1>{{end}}{{if .B}}<h2>b</h2>{{end}}`},
		{"headings under one condition", `<h1>a</h1>{{if .A}}<h2>b</h2>{{end}}{{if .A}}<h3>c</h3>{{end}}`},
		{"headings under conditions that exclude each other", `{{if eq .K "a"}}<h1>a</h1>{{end}}{{if eq .K "b"}}<h3>b</h3>{{end}}`},
		{"a heading of a list", `<h1>a</h1>{{if .A}}<h2>b</h2>{{end}}{{range .A}}<h3>c</h3>{{end}}`},
		{"a heading of each side of another condition", `{{if eq .K "a"}}<h1>a</h1>{{else}}<h2>b</h2>{{end}}{{if eq .K "b"}}<h3>c</h3>{{end}}`},
		{"headings in two sides", `<h1>a</h1>{{if .A}}<h2>b</h2><h3>c</h3>{{else}}<h2>d</h2>{{end}}<h3>e</h3>`},
		{"a heading in a partial", "<h1>a</h1>{{template `b.html`}}<h3>c</h3>\n-- b.html --\n<h2>b</h2>"},
		{"a heading in a dialog", `<h1>a</h1><dialog><h3>b</h3></dialog><div popover><h4>c</h4></div><h2>d</h2>`},
		{"a hidden heading", `<h1>a</h1><div hidden><h3>b</h3></div><template><h4>c</h4></template><h2>d</h2>`},
		{"a heading of a custom element", `<h1>a</h1><my-title></my-title><h3>b</h3>`},

		{"a language", `<html lang="{{.A}}"><title>a</title><html xml:lang=de>`},
		{"a language in each side", `<html {{if .A}}lang=de{{else}}lang=en{{end}}><title>a</title>`},
		{"a title", `<html lang=de><title>{{.A}}</title>`},
		{"a title in each side", `<html lang=de>{{if .A}}<title>b</title>{{else}}<title>c</title>{{end}}`},
		{"a title in with", `<html lang=de>{{with .A}}<title>{{.}}</title>{{end}}`},
		{"a title in HTML", `<html lang=de><head>{{.HTML}}</head><body>`},
		{"a title behind another one", `<title>a</title><title></title>`},
		{"a title in a picture", `<svg><title></title></svg>`},
		{"no page", `<p>a</p>`},

		{"ids", `<p id=a></p><p id=b></p><p id=A></p><p id=""></p><p id></p>`},
		{"ids in two sides", `{{if .A}}<p id=a></p>{{else}}<p id=a></p>{{end}}`},
		{"ids under two conditions", `{{if eq .K "a"}}<p id=a></p>{{end}}{{if eq .K "b"}}<p id=a></p>{{end}}`},
		{"ids of two ways", `<p id="{{if .A}}a{{else}}b{{end}}">{{if .A}}<b id=b></b>{{else}}<b id=a></b>{{end}}</p>`},
		{"ids of one element", `<p {{if .A}}id=a{{else if .B}}id=a class=b{{end}}></p>`},
		{"computed ids of a loop", `{{range .A}}<p id="a-{{.}}"></p>{{end}}<p id="a-{{.B}}"></p>`},
		{"an id under a condition in a loop", `{{range $i, $x := .A}}{{if not $i}}<p id=a></p>{{end}}{{end}}`},
		{"an id in one way in a loop", `{{range $i, $x := .A}}<p {{if not $i}}id=a{{end}}></p>{{end}}`},
		{"an id in a loop that ends", `{{range .A}}<p id=a></p>{{break}}{{end}}`},
		{"an id in the other side of a loop", `{{range .A}}{{else}}<p id=a></p>{{end}}`},
		{"ids in two loops", `{{range .A}}{{if .X}}<p id=a></p>{{end}}{{end}}{{range .B}}{{if .X}}<p id=a></p>{{end}}{{end}}`},
		{"ids in what is hidden", `<template><p id=a></p></template><p id=a></p>`},

		{"references", `<label for=a>b</label><input id=a aria-describedby="c d" list=e><p id=c></p><p id=d></p><datalist id=e></datalist>`},
		{"references to computed ids", `<label for=a-1>b</label><p id="a-{{.A}}"></p><p aria-describedby="x-{{.A}}"></p>`},
		{"references to HTML", `<label for=a>b</label>{{.HTML}}`},
		{"references to attributes of an action", `<label for=a>b</label><input {{.A}}>`},
		{"a label under another condition than the id", `{{if eq .K "a"}}<label for=a>b</label>{{end}}{{if ne .K "b"}}<p id=a></p>{{end}}`},
		{"a reference under the condition of the id", `{{if .A}}<p id=a></p>{{end}}<input aria-label=b {{if .A}}aria-describedby=a{{end}}>`},
		{"a description under a condition", `{{if .A}}<p id=a></p>{{end}}<input aria-label=b aria-describedby=a>`},
		{"a reference to what is hidden", `<p id=a hidden></p><input aria-label=b aria-describedby=a>`},
		{"other references", `<output for=a></output><button aria-controls=b>c</button><ul list=d></ul>`},

		{"a label in a link", `<a href=/>b<span>c</span><input type=hidden></a>`},
		{"a button in no link", `<a><button>b</button></a><label>a<button>b</button></label>`},
		{"a button in a link under another condition", `{{if .A}}<a href=/>{{else}}<span>{{end}}a{{if not .A}}<button>b</button>{{end}}{{if .A}}</a>{{else}}</span>{{end}}`},
		{"a button in a link under a condition that excludes its own", `{{if eq .K "a"}}<a href=/>{{else}}<span>{{end}}a{{if eq .K "b"}}<button>b</button>{{end}}{{if eq .K "a"}}</a>{{else}}</span>{{end}}`},
		{"a button that is hidden in a link", `<a href=/>b<button hidden>c</button></a>`},
		{"links in a list of a loop", `{{range .A}}<a href=/>{{.}}</a>{{end}}`},
		{"a link in a summary", `<details><summary>a<a href=/>b</a></summary></details>`},
		{"a link whose end is not known", `<a href=/>b{{if .A}}</a>{{end}}<button>c</button></a>`},

		{"a frame", `<iframe title="{{.A}}"></iframe><iframe aria-label=b></iframe><iframe tabindex=-1></iframe><iframe hidden></iframe>`},
		{"tabindexes", `<p tabindex=0><p tabindex=-1><p tabindex="{{.A}}"><p tabindex=a><p tabindex>`},
		{"viewports", `<meta name=viewport content="width=device-width, initial-scale=1, maximum-scale=5, user-scalable=yes"><meta name=viewport content="{{.A}}"><meta name=a content="user-scalable=no">`},
		{"refreshes", `<meta http-equiv=refresh content="0; url=/a"><meta http-equiv=refresh content="72001"><meta http-equiv=refresh content="{{.A}}; url=/"><meta http-equiv=refresh content="">`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is.New(t).Equal(said(pageOf(t, tt.text).Accessibility()), "")
		})
	}
}

// FuzzAccessibility judges any page. What is said has a place in the text, is said the same each time, and
// a part of a page has no more said about it than a page.
func FuzzAccessibility(f *testing.F) {
	for _, text := range []string{
		`<label {{if .A}}for=a{{end}}>{{.B}}</label>{{range .C}}<input id=a {{.D}}>{{end}}`,
		`{{if .A}}<a href=/>{{else}}<span>{{end}}<button></button>{{if .A}}</a>{{else}}</span>{{end}}<p id=a><p id=a>`,
		`<html><title>{{.A}}</title><h1>a</h1>{{with .B}}<h2>b</h2>{{else}}{{.HTML}}{{end}}<h4>c</h4><img alt="{{if .A}}b{{end}}">`,
		"{{template `b.html` .A}}<h3></h3>\n-- b.html --\n{{range .}}<li>{{if .}}{{break}}{{end}}<h{{.}} id=a>{{end}}{{template `b.html`}}",
		`<meta http-equiv=refresh content=5><meta name=viewport content="maximum-scale=1"><iframe tabindex=1><p style=display:none aria-labelledby="a b">`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePage(text)
		if err != nil {
			t.Skip()
		}
		found := p.Accessibility()
		for _, w := range found {
			if w.Line < 1 || w.Column < 1 || w.Line > 1+strings.Count(text, "\n") || !w.Warning {
				t.Errorf("%q: %+v", text, w)
			}
		}
		again, err := parsePage(text)
		if err != nil || said(again.Accessibility()) != said(found) {
			t.Errorf("%q: not the same twice", text)
		}
		if p.Part = true; len(p.Accessibility()) > len(found) {
			t.Errorf("%q: more is said of a part", text)
		}
		p.Unknown()
	})
}

func TestExpressionsWhoseHTMLIsUnknown(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{{.A}}`, ""},
		{"<p>\n{{.A}} {{.B.HTML}} {{.HTML}}", "{{.B.HTML}} in a.html:2:10"},
		{`{{if .A}}<p>{{.HTML}}</p>{{end}}`, "{{.HTML}} in a.html:1:15"},
		{`<title>{{.HTML}}</title><p title="{{.HTML}}" {{.HTML}}><!-- {{.HTML}} --><script>{{.HTML}}</script>`, ""},
		{"{{template `b.html`}}\n-- b.html --\n{{.HTML}}", "{{.HTML}} in b.html:1:3"},
		{"{{template `b.html`}}\n-- b.html --\n{{template `b.html` .A}}", "{{template \"b.html\" .A}} in b.html:1:12"},
		{"{{template `b.html`}}\n-- b.html --\n<p title=\"{{template `b.html`}}\">", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is.New(t).Equal(pageOf(t, tt.text).Unknown(), tt.want)
		})
	}
}
