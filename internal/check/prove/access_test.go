package prove

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/matryer/is"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/fault"
)

// pageOf reads a template as a page. Its actions may write HTML if they name a field HTML. What follows
// "-- b.html --" in a line of its own is the partial b.html, and the page is a.html, or what follows
// "-- page.html --" if a.html calls it.
func pageOf(t testing.TB, text string) *Page {
	p, err := parsePage(text)
	is.New(t).NoErr(err)
	return p
}

func parsePage(text string) (*Page, error) {
	trees, texts := map[string]*parse.Tree{}, map[string]string{}
	p := &Page{File: "a.html"}
	name := p.File
	for part := range strings.SplitSeq("a.html --\n"+text, "\n-- ") {
		if file, rest, found := strings.Cut(part, " --\n"); found {
			name, part = file, rest
		}
		if name == "page.html" {
			p.File = name
		}
		if _, again := texts[name]; again {
			return nil, errors.New(name + " is there twice")
		}
		texts[name] = part
		tree := parse.New(name)
		tree.Mode = parse.SkipFuncCheck
		if _, err := tree.Parse(part, "", "", trees); err != nil {
			return nil, err
		}
	}
	if trees["a.html"] == nil {
		trees["a.html"] = &parse.Tree{Name: "a.html", ParseName: "a.html", Root: &parse.ListNode{NodeType: parse.NodeList}}
	}
	p.Nodes = markup.Read(trees["a.html"], markup.Rules, func(_ *parse.Tree, n *parse.TemplateNode) *parse.Tree { return trees[n.Name] })
	p.HTML = func(n *parse.ActionNode) bool { return strings.HasSuffix(n.Pipe.String(), ".HTML") }
	p.Shown = func(n *parse.ActionNode) bool { return strings.HasSuffix(n.Pipe.String(), ".Type") }
	p.At = func(at markup.Place) (line, column int) { return markup.Position(texts[at.File], at.Offset) }
	return p, nil
}

// said returns what is said of a page.
func said(faults []fault.Fault) string {
	if err := fault.Warnings(faults); err != nil {
		return err.Error()
	}
	return ""
}

// place matches what stands in front of each warning about a.html.
var place = regexp.MustCompile(`(?m)^(?:a\.html:)?(\S+) warning: `)

const (
	noAlt   = `: describe the image, or write alt="" if it only adorns`
	noLabel = ": put a <label> around it or give one its id, or write aria-label"
	noName  = ": write text into it, or aria-label"
	noText  = ": write text into it"
	oneOnly = ", and only one of them can be used"
	noLevel = ": a level is left out"
	noTitle = ": define what goes there"
	noLang  = `: write lang="en" or the like`
	noFocus = ` puts the element before all others: write tabindex="0", and put it where it is to be reached`
	leaves  = `: write a link, or content="0", since some people read slowly`
)

// TestAccessibility shows what is said of pages with a fault.
func TestAccessibility(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"an image", "<p>\n<img src=/a>", "2:1: <img> has no alt" + noAlt},
		{"an image under a condition", `{{if .A}}<img>{{end}}`, "1:10: <img> has no alt" + noAlt},
		{"an image in else", `{{if .A}}{{else}}<img>{{end}}`, "1:18: <img> has no alt" + noAlt},
		{"an image in a loop", `{{range .A}}<img>{{end}}`, "1:13: <img> has no alt" + noAlt},
		{"an image under two conditions", `{{if .A}}{{if .B}}<img>{{end}}{{end}}`, "1:19: <img> has no alt" + noAlt},
		{"an image in a partial", "{{template `b.html`}}\n-- b.html --\n\n<img>", "b.html:2:1: <img> has no alt" + noAlt},
		{"an image in a partial that is called twice", "{{template `b.html`}}{{template `b.html`}}\n-- b.html --\n<img>", "b.html:1:1: <img> has no alt" + noAlt},
		{"an alt under a condition", `<img {{if .A}}alt="a"{{end}}>`, "1:1: <img> has no alt, unless .A" + noAlt},
		{"an alt unless", `<img {{if not .A}}alt="a"{{end}}>`, "1:1: <img> has no alt, if .A" + noAlt},
		{"an alt in else", `<img {{if .A}}class=b{{else}}alt=c{{end}}>`, "1:1: <img> has no alt, if .A" + noAlt},
		{"an alt under two conditions", `<img {{if .A}}{{if .B}}alt=""{{end}}{{end}}>`, "1:1: <img> has no alt, unless .B" + noAlt},
		{"an alt in with and else", `<img {{with .A}}alt="{{.}}"{{else}}class=b{{end}}>`, "1:1: <img> has no alt, unless .A" + noAlt},
		{"an alt under another condition than the image", `{{if .A}}<img {{if .B}}alt=""{{end}}>{{end}}`, "1:10: <img> has no alt, unless .B" + noAlt},
		{"two images", `{{if .A}}<img src=a{{else}}<img src=b{{end}}>`, "1:10: <img> has no alt" + noAlt},
		{"an image that is hidden under a condition", `<div {{if .A}}hidden{{end}}><img></div>`, "1:29: <img> has no alt" + noAlt},
		{"an image behind what is not known", `{{if .A}}<div>{{end}}<img>`, "1:22: <img> has no alt" + noAlt},
		{"an image with an empty name", `<img title=" " aria-label="">`, "1:1: <img> has no alt" + noAlt},
		{"an image as a button", `<input type=image src=a alt="">`, `1:1: <input type="image"> has no alt: write what the button does`},

		{"a field", `<p><input name=a></p>`, "1:4: <input> has no label" + noLabel},
		{"a select", `<select><option>a</select>`, "1:1: <select> has no label" + noLabel},
		{"a textarea", `<textarea>{{.A}}</textarea>`, "1:1: <textarea> has no label" + noLabel},
		{"a field with text beside it", `Name: <input id=a> <label for=b>b</label><input id=b>`, "1:7: <input> has no label" + noLabel},
		{"a field of a type", `<input type=CHECKBOX id=a>`, "1:1: <input> has no label" + noLabel},
		{"a field beside HTML", `{{.HTML}}<input name=a>`, "1:10: <input> has no label" + noLabel},
		{"a computed id", `<label for="b-{{.A}}">b</label><input id="a-{{.A}}">`, "1:32: <input> has no label" + noLabel},
		{"a field of a type that is shown", `<p>a</p><input type="{{.F.Type}}" id="{{.F.ID}}">`, "1:9: <input> has no label" + noLabel},
		{"a label under a condition", `{{if .A}}<label for=a>b</label>{{end}}<input id=a>`, "1:39: <input> has no label, unless .A" + noLabel},
		{"a label unless", `{{if not .A}}<label for=a>b</label>{{end}}<input id=a>`, "1:43: <input> has no label, if .A" + noLabel},
		{"a label around under a condition", `{{if .A}}<label>b{{end}}<input>{{if .A}}</label>{{end}}`, "1:25: <input> has no label, unless .A" + noLabel},
		{"a label in the other side of a condition", `{{if .A}}<label for=a>b</label>{{else}}<input id=a>{{end}}`, "1:21: for of <label>: nothing on the page has the id \"a\"\n1:40: <input> has no label" + noLabel},
		{"an aria-label under a condition", `<input {{if .A}}aria-label=b{{end}}>`, "1:1: <input> has no label, unless .A" + noLabel},
		{"an id under a condition", `<label for=a>b</label><input {{if .A}}id=a{{end}}>`, "1:12: for of <label>: nothing on the page has the id \"a\", unless .A\n1:23: <input> has no label, unless .A" + noLabel},
		{"an empty label around", `<label><input><span> </span></label>`, "1:8: <input> has no name: the <label> around it is empty"},
		{"a label around with the options", `<label><select><option>a</select></label>`, "1:8: <select> has no name: the <label> around it is empty"},
		{"a label around that is empty under a condition", `<label>{{if .A}}b{{end}}<input></label>`, "1:25: <input> has no name, unless .A: the <label> around it is empty"},
		{"an empty label", `<label for=a><b></b></label><input id=a>`, "1:29: <input> has no name: the <label> for it is empty"},
		{"a label that is empty under a condition", `<label for=a>{{if .A}}b{{end}}</label><input id=a>`, "1:39: <input> has no name, unless .A: the <label> for it is empty"},
		{"what names a field under a condition", `{{if .A}}<b id=a>c</b>{{end}}<input aria-labelledby=a>`, "1:30: <input> has no label, unless .A" + noLabel},
		{"a button of input", `<input type=button>`, `1:1: <input type="button"> has no name: write a value`},
		{"a button to send with an empty name", `<input type=submit value="">`, `1:1: <input type="submit"> has no name: write a value`},
		{"a label under a condition below that of the field", `{{if .A}}{{if .B}}<label for=a>b</label>{{end}}<input id=a>{{end}}`, "1:48: <input> has no label, unless .B" + noLabel},
		{"a label in a loop with the field", `{{range .A}}{{if .B}}<label for=a>b</label>{{end}}<input id=a>{{break}}{{end}}`, "1:51: <input> has no label, unless .B" + noLabel},
		{"a label in a partial", "{{template `b.html`}}<input id=a>\n-- b.html --\n{{if .A}}<label for=a>b</label>{{end}}", "1:22: <input> has no label, unless .A" + noLabel},
		{"a label in a layout", "<label>{{template `page.html`}}</label>\n-- page.html --\n<input>", "page.html:1:1: <input> has no name: the <label> around it is empty"},

		{"a button", `<button> </button>`, "1:1: <button> has no name" + noName},
		{"a button with an icon", `<button><svg><path d="a"/></svg><i class=b></i></button>`, "1:1: <button> has no name" + noName},
		{"a button with hidden text", `<button><span aria-hidden="true">x</span></button>`, "1:1: <button> has no name" + noName},
		{"a button that is empty under a condition", `<button>{{if not .Saved}}Save{{end}}</button>`, "1:1: <button> has no name, if .Saved" + noName},
		{"a button that is empty in else", `<button>{{if .A}}a{{else}} {{end}}</button>`, "1:1: <button> has no name, unless .A" + noName},
		{"a button with a loop", `<button>{{range .A}}<br>{{end}}</button>`, "1:1: <button> has no name" + noName},
		{"a button under a condition", `{{if .A}}<button>{{if .A}}{{else}}b{{end}}</button>{{end}}`, "1:10: <button> has no name" + noName},
		{"a link", `<a href=/>&nbsp;</a>`, "1:1: <a> has no name" + noName},
		{"a link with an image", `<a href=/><img alt=""></a>`, "1:1: <a> has no name" + noName},
		{"a link under a condition", `{{if .A}}<a href=/>{{else}}<span>{{end}}{{if .B}}c{{end}}{{if .A}}</a>{{else}}</span>{{end}}<a {{if .A}}href=/{{end}}></a>`, "1:93: <a> has no name, if .A" + noName},
		{"a summary", `<details><summary></summary>a</details>`, "1:10: <summary> has no name" + noName},
		{"a link without an end", `<p><a href=/></p>b`, "1:4: <a> has no name" + noName},

		{"a heading", `<h1></h1>`, "1:1: <h1> is empty" + noText},
		{"a heading that is empty under a condition", `<h2>{{if .A}}b{{end}}</h2>`, "1:1: <h2> is empty, unless .A" + noText},
		{"a level", `<h2>a</h2><h4>b</h4>`, "1:11: <h4> follows <h2>" + noLevel},
		{"a level with another end", `<h2>a</h3><h4>b</h2>`, "1:11: <h4> follows <h2>" + noLevel},
		{"a level under a condition", `<h1>a</h1>{{if .A}}<h2>b</h2>{{end}}<h3>c</h3>`, "1:37: <h3> follows <h1>, unless .A" + noLevel},
		{"a level under a condition in front of another one", `<h1>a</h1>{{if .A}}<h2>b</h2>{{end}}{{if .B}}<p>c</p>{{end}}<h3>d</h3>`, "1:61: <h3> follows <h1>, unless .A" + noLevel},
		{"a level under a condition below another one", `{{if .A}}<h1>a</h1>{{if .B}}<h2>b</h2>{{end}}<h3>c</h3>{{end}}`, "1:46: <h3> follows <h1>, unless .B" + noLevel},
		{"a level in each turn", `{{range .A}}<h1>a</h1>{{if .B}}<h2>b</h2>{{end}}<h3>c</h3>{{end}}`, "1:49: <h3> follows <h1>, unless .B" + noLevel},
		{"a level in both sides of a condition", `<h1>a</h1>{{if .A}}<h2>b</h2>{{else}}<h2>c</h2>{{end}}<h4>d</h4>`, "1:55: <h4> follows <h2>" + noLevel},
		{"a level in one side of a condition", `{{if .A}}<h1>b</h1>{{else}}<h2>c</h2>{{end}}<h3>d</h3>`, "1:45: <h3> follows <h1>, if .A" + noLevel},
		{"a level behind a loop", `<h1>a</h1>{{range .A}}<h2>b</h2>{{end}}<h4>d</h4>`, "1:40: <h4> follows <h2>" + noLevel},
		{"a level in a loop", `<h1>a</h1>{{range .A}}<h3>b</h3>{{end}}`, "1:23: <h3> follows <h1>" + noLevel},
		{"a level of two conditions", `<{{if .A}}h1{{else}}h2{{end}}>a</h1><h3>b</h3>`, "1:37: <h3> follows <h1>, if .A" + noLevel},
		{"a level of two ways", `{{if .A}}<h1>{{else}}<h2>{{end}}a{{if .A}}</h1>{{else}}</h2>{{end}}<h3>b</h3>`, "1:68: <h3> follows <h1>, if .A" + noLevel},
		{"a level around what is hidden", `<h1>a</h1><div hidden><h2>b</h2></div><h3>c</h3>`, "1:39: <h3> follows <h1>" + noLevel},
		{"a level around a dialog", `<h1>a</h1><dialog><h2>b</h2></dialog><h3>c</h3>`, "1:38: <h3> follows <h1>" + noLevel},
		{"a level in a layout", "<h1>a</h1>{{template `page.html`}}<h3>b</h3>\n-- page.html --\n<h2>c</h2>", ""},
		{"a level in a layout behind the page", "{{template `page.html`}}<h3>b</h3>\n-- page.html --\n<h1>c</h1>", "1:25: <h3> follows <h1>" + noLevel + " (on the page of page.html)"},

		{"a page without a language", `<html><title>a</title></html>`, "1:1: <html> has no lang" + noLang},
		{"a language under a condition", `<html {{if .A}}lang=de{{end}}><title>a</title></html>`, "1:1: <html> has no lang, unless .A" + noLang},
		{"an empty language", `<html lang=""><title>a</title></html>`, "1:1: <html> has no lang" + noLang},
		{"a page without a title", `<html lang=de><svg><title>a</title></svg></html>`, "1:1: <html>: the page has no <title>"},
		{"a title under a condition", `<html lang=de>{{if .A}}<title>a</title>{{end}}</html>`, "1:1: <html>: the page has no <title>, unless .A"},
		{"a page without a title in a layout", "<html lang=de>{{template `page.html`}}</html>\n-- page.html --\n<p>", "1:1: <html>: the page has no <title> (on the page of page.html)"},
		{"an empty title", `<title> </title>`, "1:1: <title> is empty" + noTitle},
		{"an empty title under a condition", `<title>{{if .A}}b{{end}}</title>`, "1:1: <title> is empty, unless .A" + noTitle},
		{"an empty title in a layout", "<title>{{block `title` .}}{{end}}</title>{{template `page.html`}}\n-- page.html --\n<p>", "1:1: <title> is empty (on the page of page.html)" + noTitle},

		{"an id twice", "<p id=a></p>\n<b id=a></b>", `2:7: the page has the id "a" twice: see a.html:1`},
		{"an id under a condition", `{{if .A}}<p id=a></p>{{end}}<b id=a></b>`, `1:16: the page has the id "a" twice: see a.html:1`},
		{"an id twice under a condition", `{{if .A}}<p id=a></p>{{end}}{{if .A}}{{if .B}}<b id=a></b>{{end}}{{end}}`, `1:53: the page has the id "a" twice: see a.html:1`},
		{"an id in two ways", `<p {{if .A}}id=a{{end}}></p><p id=a></p>`, `1:16: the page has the id "a" twice: see a.html:1`},
		{"an id in a layout", "<p id=a></p>{{template `page.html`}}\n-- page.html --\n<p id=a></p>", `page.html:1:7: the page has the id "a" twice: see a.html:1`},
		{"an id in two calls", "{{template `b.html`}}{{template `b.html`}}\n-- b.html --\n<p id=a></p>", `b.html:1:7: the page has the id "a" more than once: this is written for each call of the template`},
		{"an id in a loop", `{{range .Rows}}<p><b id=a></b></p>{{end}}`, `1:25: the page has the id "a" more than once: this is written for each element of {{range .Rows}}`},
		{"an id in a loop of calls", "{{range .Rows}}{{template `b.html`}}{{end}}\n-- b.html --\n<p id=a></p>", `b.html:1:7: the page has the id "a" more than once: this is written for each element of {{range .Rows}}`},
		{"an id in a loop and beside it", `{{range .Rows}}{{if .A}}<b id=a></b>{{end}}{{end}}<p id=a>`, `1:31: the page has the id "a" twice: see a.html:1`},

		{"a label for nothing", `<label for=emial>a</label><input id=email aria-label=b>`, `1:12: for of <label>: nothing on the page has the id "emial": did you mean "email"?`},
		{"a name of nothing", `<section aria-labelledby="a b" id=a></section>`, `1:27: aria-labelledby of <section>: nothing on the page has the id "b"`},
		{"a description of nothing", `<input aria-label=a {{if .A}}aria-describedby=b{{end}}>`, `1:47: aria-describedby of <input>: nothing on the page has the id "b", if .A`},
		{"a list of nothing", `<input aria-label=a list=b>`, `1:26: list of <input>: nothing on the page has the id "b"`},
		{"a label for another computed id", `<label for=a>b</label><p id="b-{{.A}}">`, `1:12: for of <label>: nothing on the page has the id "a"`},

		{"a button in a link", `<a href=/>b<button>c</button></a>`, "1:12: <button> stands in <a>" + oneOnly},
		{"a link in a button", `<button><span><a href=/>b</a></span></button>`, "1:15: <a> stands in <button>" + oneOnly},
		{"a link in a link", `<a href=/>b<a href=/b>c</a></a>`, "1:12: <a> stands in <a>" + oneOnly},
		{"a field in a button", `<button>a<input aria-label=b></button>`, "1:10: <input> stands in <button>" + oneOnly},
		{"a button in a link under a condition", `{{if .A}}<a href=/>{{end}}<button>b</button>{{if .A}}</a>{{end}}`, "1:27: <button> stands in <a>, if .A" + oneOnly},
		{"a button in a link of a layout", "<a href=/>{{template `page.html`}}</a>\n-- page.html --\n<button>b</button>", "page.html:1:1: <button> stands in <a>" + oneOnly},

		{"a frame", `<iframe src=/></iframe>`, "1:1: <iframe> has no title: say what it shows"},
		{"a frame with an empty title", `<iframe title="{{if .A}}b{{end}}"></iframe>`, "1:1: <iframe> has no title, unless .A: say what it shows"},
		{"a tabindex", `<p tabindex=3>`, `1:1: tabindex="3"` + noFocus},
		{"a tabindex under a condition", `<p {{if .A}}tabindex=" 1 "{{end}}>`, `1:1: tabindex="1" puts the element before all others, if .A: write tabindex="0", and put it where it is to be reached`},
		{"a viewport", `<meta name=viewport content="width=device-width, user-scalable=no">`, "1:1: the viewport forbids zoom: leave user-scalable=no out"},
		{"a viewport with a scale", `<meta name=Viewport content="initial-scale=1,maximum-scale=1.0">`, "1:1: the viewport forbids zoom: leave maximum-scale=1.0 out"},
		{"a viewport with a number", `<meta name=viewport content="user-scalable=0">`, "1:1: the viewport forbids zoom: leave user-scalable=0 out"},
		{"fields and images with attributes of htmx", `<body><input hx-get=/a hx-trigger=change><select hx-trigger=load hx-get=/a></select><textarea data-hx-trigger=load></textarea><img hx-get=/a hx-trigger=revealed><iframe hx-trigger=load></iframe>`,
			"1:7: <input> has no label" + noLabel + "\n1:42: <select> has no label" + noLabel + "\n1:85: <textarea> has no label" + noLabel + "\n1:127: <img> has no alt" + noAlt + "\n1:162: <iframe> has no title: say what it shows"},
		{"a button that htmx fills when it is pressed", `<button hx-get=/a></button><button hx-post=/a hx-trigger="click, keyup[key=='a'] delay:1s"></button>`, "1:1: <button> has no name" + noName + "\n1:28: <button> has no name" + noName},
		{"a button with a trigger and no request", `<button hx-trigger=load></button>`, "1:1: <button> has no name" + noName},
		{"a refresh", `<meta http-equiv=refresh content=5>`, "1:1: the page leaves by itself" + leaves},
		{"a refresh to another page", `{{if .A}}<meta http-equiv=Refresh content="72000; url=/b">{{end}}`, "1:10: the page leaves by itself" + leaves},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is.New(t).Equal(place.ReplaceAllString(said(pageOf(t, tt.text).Accessibility()), "$1 "), tt.want)
		})
	}
}
