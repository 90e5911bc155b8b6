package prove

import (
	"strings"
	"testing"
	"text/template/parse"

	"github.com/matryer/is"

	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/serve/pages/csp"
)

// strict is a policy as the documents advise.
const strict = "default-src 'self'; script-src 'nonce' 'strict-dynamic'; style-src 'self' 'nonce'; object-src 'none'; base-uri 'none'"

// TestPolicy shows what is said in which words. The tests in browser/ hold what is said against what
// Chromium refuses.
func TestPolicy(t *testing.T) {
	const (
		nonce = " nonce={{nonce}}"
		chain = " (script-src 'nonce' 'strict-dynamic')"
	)
	for _, tt := range []struct{ name, policy, text, want string }{
		{"nothing", strict, `<p>{{.A}}</p>`, ""},
		{"no policy", "", `<p onclick="a()">`, ""},

		{"an event", strict, "<p>\n<button {{.ID}} onclick=\"a()\">", "2:17 the policy refuses onclick of <button>: put the code into a script with addEventListener" + chain},
		{"an event beside 'unsafe-inline'", "script-src 'unsafe-inline'", `<p onclick="a()">`, ""},
		{"'unsafe-inline' beside a nonce", "script-src 'unsafe-inline' 'nonce'", `<p onclick="a()">`, "1:4 the policy refuses onclick of <p>: put the code into a script with addEventListener (script-src 'unsafe-inline' 'nonce')"},
		{"'unsafe-inline' beside a hash", "script-src 'unsafe-inline' 'sha256-YQ=='", `<p onclick="a()">`, "1:4 the policy refuses onclick of <p>: put the code into a script with addEventListener (script-src 'unsafe-inline' 'sha256-YQ==')"},
		{"an event for elements", "script-src-elem 'self'", `<p onclick="a()">`, ""},
		{"an event that hashes may allow", "script-src 'unsafe-hashes' 'sha256-YQ=='", `<p onclick="a()">`, ""},
		{"no event", strict, `<p once onboarding="a" data-onclick="b">`, ""},
		{"a style", strict, `<p style="color: red">`, "1:11 the policy refuses style of <p>: put it into a style sheet (style-src 'self' 'nonce')"},
		{"a style with its own directive", "style-src 'none'; style-src-attr 'unsafe-inline'", `<p style="color: red">`, ""},
		{"'strict-dynamic' means nothing to styles", "style-src 'unsafe-inline' 'strict-dynamic'", `<p style="color: red">`, ""},

		{"a script", strict, `<script>a()</script>`, `1:1 the policy refuses <script>: write nonce="{{nonce}}"` + chain},
		{"a script with a nonce", strict, `<script` + nonce + `>a()</script>`, ""},
		{"a nonce of the page", strict, `<script nonce="{{.Nonce}}">a()</script>`, ""},
		{"a nonce that is no action", strict, `<script nonce="abc">a()</script>`, `1:1 the policy refuses <script>: write nonce="{{nonce}}"` + chain},
		{"a nonce that the policy lacks", "script-src 'self'", `<script` + nonce + `>a()</script>`, `1:1 the policy refuses <script>: put it into a file, or add 'nonce', and write nonce="{{nonce}}" (script-src 'self')`},
		{"a script without script-src", "default-src 'self' https:", `<script>a()</script>`, `1:1 the policy refuses <script>: put it into a file, or add script-src 'self' https: 'nonce', and write nonce="{{nonce}}" (default-src 'self' https:)`},
		{"a script under 'none'", "default-src 'none'", `<script>a()</script>`, `1:1 the policy refuses <script>: add script-src 'nonce', and write nonce="{{nonce}}" (default-src 'none')`},
		{"a script with attributes of an action", strict, `<script {{.A}}>a()</script>`, ""},
		{"data", strict, `<script type="application/json">{"a": 1}</script>`, ""},
		{"a kind that is not known", strict, `<script type="{{.A}}">a()</script>`, ""},
		{"a module", strict, `<script type="module">a()</script>`, `1:1 the policy refuses <script>: write nonce="{{nonce}}"` + chain},
		{"an import map", strict, `<script type="importmap">{}</script>`, `1:1 the policy refuses <script>: write nonce="{{nonce}}"` + chain},
		{"speculation rules", strict, `<script type="speculationrules">{}</script>`, `1:1 the policy refuses <script>: write nonce="{{nonce}}"` + chain},
		{"speculation rules that are allowed", "script-src 'self' 'inline-speculation-rules'", `<script type="speculationrules">{}</script>`, ""},
		{"nothing in a script", strict, `<script></script>`, ""},
		{"something under a condition in a script", strict, `<script>{{if .A}}a(){{end}}</script>`, ""},
		{"a template in a script", strict, `<script>{{template "b"}}</script>{{define "b"}}a(){{end}}`, `1:1 the policy refuses <script>: write nonce="{{nonce}}"` + chain},
		{"a script for old browsers", strict, `<script nomodule>a()</script>`, ""},
		{"the hash of a script", "script-src 'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='", `<script>b()</script>`, ""},
		{"the hash of another script", "script-src 'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='", `<script>c()</script>`, `1:1 the policy refuses <script>: add 'nonce', and write nonce="{{nonce}}" (script-src 'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc=')`},
		{"a hash and a comment", "script-src 'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='", `<script>/* a */b()</script>`, ""},
		{"a style element", strict, `<style>p{}</style>`, `1:1 the policy refuses <style>: write nonce="{{nonce}}" (style-src 'self' 'nonce')`},
		{"an empty style element", strict, `<style></style>`, `1:1 the policy refuses <style>: write nonce="{{nonce}}" (style-src 'self' 'nonce')`},
		{"in a template element", strict, `<template><script>a()</script><p hx-on:click="a()"></template><p onclick="a()">`, `1:66 the policy refuses onclick of <p>: put the code into a script with addEventListener` + chain},
		{"attributes in a template element", strict, `<template><p onclick="a()"></template>`, `1:14 the policy refuses onclick of <p>: put the code into a script with addEventListener` + chain},
		{"without scripts", strict, `<noscript><style>p{}</style></noscript>`, ""},

		{"a javascript: URL", strict, `<a href=" Java&#x53;cript:a()">`, "1:10 the policy refuses the javascript: URL of <a>: put the code into a script with addEventListener" + chain},
		{"a javascript: URL of a form", strict + "; form-action 'self'", `<form action="javascript:a()">`, "1:15 the policy refuses the javascript: URL of <form>: put the code into a script with addEventListener" + chain},

		{"a file", strict, `<script src="{{asset "app.js"}}"></script>`, `1:16 the policy refuses the script {{asset "app.js"}}: write nonce="{{nonce}}"` + chain},
		{"a file with a nonce", strict, `<script src="{{asset "app.js"}}"` + nonce + `></script>`, ""},
		{"a file of the site", "script-src 'self' 'nonce'", `<script src="{{asset "app.js"}}"></script>`, ""},
		{"a file of another site", "script-src 'self'", `<script src="https://x.example/a.js"></script>`, `1:14 the policy refuses the script https://x.example/a.js, unless that is this site: add https://x.example (script-src 'self')`},
		{"a file of data:", "script-src 'self'", `<script src="data:text/javascript,a()"></script>`, `1:14 the policy refuses the script data:text/javascript,a(): put it into a file (script-src 'self')`},
		{"a file with a hash", "script-src 'sha256-YQ=='", `<script src="/a.js" integrity="sha256-YQ=="></script>`, ""},
		{"a style sheet", "style-src 'nonce'", `<link rel="stylesheet" href="/a.css">`, `1:30 the policy refuses the style sheet /a.css: write nonce="{{nonce}}" (style-src 'nonce')`},
		{"a preloaded script", strict, `<link rel=preload as=script href="/a.js">`, `1:35 the policy refuses the script /a.js: write nonce="{{nonce}}"` + chain},
		{"a preloaded module", strict, `<link rel=modulepreload href="/a.js">`, ""},
		{"a preloaded font", strict, `<link rel=preload as=font href="//x.example/a.woff2">`, `1:33 the policy refuses the font //x.example/a.woff2, unless that is this site: add font-src 'self' x.example (default-src 'self')`},
		{"an image", strict, `<img src="https://x.example/{{.A}}.png">`, "1:11 the policy refuses the image https://x.example/{{.A}}.png, unless that is this site: add img-src 'self' https://x.example (default-src 'self')"},
		{"an image that * does not allow", "img-src *", `<img src="data:image/png;base64,AA">`, "1:11 the policy refuses the image data:image/png;base64,AA: add data: (img-src *)"},
		{"an image of an action", strict, `<img src="{{.A}}"><img src="{{.A}}/b.png">`, ""},
		{"an image of an action under 'none'", "img-src 'none'", `<img src="{{.A}}">`, "1:13 the policy refuses the image {{.A}}: the URL needs a source in img-src (img-src 'none')"},
		{"own images", "img-src https://x.example", `<img src="/a.png">`, "1:11 the policy refuses the image /a.png, unless that is this site: add 'self' (img-src https://x.example)"},
		{"a list of images", strict, `<img srcset="{{asset "a.png"}} 1x, https://x.example/{{.A}} 2x,data:a,b 3x" src="">`, "1:16 the policy refuses the image data:a,b: add img-src 'self' data: (default-src 'self')\n" +
			"1:16 the policy refuses the image https://x.example/{{.A}}, unless that is this site: add img-src 'self' https://x.example (default-src 'self')"},
		{"another <base>", "img-src 'none'", `<base href="https://x.example"><img src="/a.png">`, ""},
		{"an object", strict, `<object data="/a"></object>`, "1:15 the policy refuses the object /a: write 'self' in place of 'none' (object-src 'none')"},
		{"a base", strict, `<base href="/a">`, "1:13 the policy refuses the base /a: write 'self' in place of 'none' (base-uri 'none')"},
		{"a base without a directive", "default-src 'none'", `<base href="/a">`, ""},
		{"an inserted document", "frame-src 'none'", `<iframe srcdoc="a" src="/b"></iframe><iframe src="about:blank"></iframe>`, ""},
		{"upgrades", "img-src https://x.example; upgrade-insecure-requests", `<img src="http://x.example/a.png">`, ""},

		{"a form", "form-action 'none'", `<form action="/a">`, "1:15 the policy refuses the form to /a: write 'self' in place of 'none' (form-action 'none')"},
		{"a form without action", "form-action 'none'", `<form>`, "1:1 the policy refuses the form to this page: write 'self' in place of 'none' (form-action 'none')"},
		{"a form of htmx or a dialog", "form-action 'none'", `<form hx-post="/a"><form method=dialog><form {{.A}}>`, ""},
		{"a form without a directive", "default-src 'none'", `<form action="https://x.example">`, ""},

		{"htmx", "default-src 'self'", `<p hx-get="/a" data-hx-post="https://x.example/{{.ID}}">`, "1:30 the policy refuses the request to https://x.example/{{.ID}}, unless that is this site: add connect-src 'self' https://x.example (default-src 'self')"},
		{"a stream", "connect-src 'none'", `<p sse-connect="/a">`, "1:17 the policy refuses the connection to /a: write 'self' in place of 'none' (connect-src 'none')"},
		{"code for htmx", strict, `<p data-hx-on:click="a()">`, "1:4 the policy refuses data-hx-on:click of <p>, which htmx evaluates: put the code into a script with addEventListener" + chain},
		{"values for htmx", strict, `<p hx-vals='js:{a: b()}' hx-headers='{"a": "js:"}'>`, "1:13 the policy refuses hx-vals of <p>, which htmx evaluates: write hx-vals as JSON, or put the value into a hidden input" + chain},
		{"variables for htmx", strict, `<p data-hx-vars="a:b()">`, "1:4 the policy refuses data-hx-vars of <p>, which htmx evaluates: write hx-vals as JSON, or put the value into a hidden input" + chain},
		{"headers for htmx", strict, `<p hx-headers="js:{a: b()}" hx-request='javascript:{c: d}'>`, "1:16 the policy refuses hx-headers of <p>, which htmx evaluates: write hx-headers as JSON" + chain + "\n1:41 the policy refuses hx-request of <p>, which htmx evaluates: write hx-request as JSON" + chain},
		{"a filter", strict, `<p hx-trigger="keyup[key=='a'] from:body">`, "1:16 the policy refuses hx-trigger of <p>, which htmx evaluates: put the code into a script with addEventListener" + chain},
		{"a selector", strict, `<p hx-trigger="change from:[name=a], load delay:1s">`, ""},
		{"code where it is allowed", "script-src 'self' 'unsafe-eval'", `<p hx-on:click="a()" hx-vars="a:b">`, ""},

		{"under a condition", strict, `{{if .A}}<p onclick="a()">{{end}}`, "1:13 the policy refuses onclick of <p>: put the code into a script with addEventListener" + chain},
		{"a nonce under a condition", strict, `<script {{if .A}}nonce="{{nonce}}"{{end}}>a()</script>`, `1:1 the policy refuses <script>, unless .A: write nonce="{{nonce}}"` + chain},
		{"a nonce under the condition around", strict, `{{if .A}}<script {{if .A}}nonce="{{nonce}}"{{end}}>a()</script>{{end}}`, ""},
		{"a nonce in with", strict, `<script {{with .A}}nonce="{{.}}"{{end}}>a()</script>`, ""},
		{"two conditions", strict, `<p {{if .A}}{{if .B}}onclick="a()"{{end}}{{end}}>`, ""},
		{"a condition that does not matter", strict, `<p onclick="a()" {{if .A}}id=b{{end}} {{if .B}}style="c"{{end}}>`, "1:4 the policy refuses onclick of <p>: put the code into a script with addEventListener" + chain + "\n1:55 the policy refuses style of <p>, if .B: put it into a style sheet (style-src 'self' 'nonce')"},
		{"two URLs", strict, `<img src="{{if .A}}/a{{else}}https://x.example/a{{end}}">`, "1:30 the policy refuses the image https://x.example/a, unless .A, unless that is this site: add img-src 'self' https://x.example (default-src 'self')"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			policy, problems := csp.NewTemplate(tt.policy)
			is := is.New(t)
			is.True(len(problems) == 0 || tt.policy == "")
			got := said(pageOf(t, tt.text).Policy(policy.Policy(), false))
			is.Equal(strings.NewReplacer("a.html:", "", ": warning:", "").Replace(got), tt.want)
		})
	}
}

// TestPolicyOfFixedPages: on a page that is rendered once, hashes stand for the nonce.
func TestPolicyOfFixedPages(t *testing.T) {
	for _, tt := range []struct {
		name, policy, text string
		fixed, other       bool // something is refused
	}{
		{"a script", "script-src 'nonce'", `<script>a()</script>`, false, true},
		{"a style", "default-src 'nonce'", `<style>p{}</style>`, false, true},
		{"a style without a nonce in the policy", "script-src 'nonce'; style-src 'self'", `<style>p{}</style>`, true, true},
		{"a file", "script-src 'nonce'", `<script src="/a.js"></script>`, true, true},
		{"an attribute", "script-src 'nonce'", `<p onclick="a()">`, true, true},
		{"an attribute where 'unsafe-inline' may be left", "script-src 'nonce' 'unsafe-inline'", `<p onclick="a()">`, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			policy, _ := csp.NewTemplate(tt.policy)
			p := pageOf(t, tt.text)
			is.Equal(len(p.Policy(policy.Policy(), true)) > 0, tt.fixed)
			is.Equal(len(p.Policy(policy.Policy(), false)) > 0, tt.other)
		})
	}
}

func TestScripts(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Scripts
	}{
		{`<p>{{.A}}<a href="/{{.A}}" {{if .A}}download{{end}}>`, NoScript},
		{`<script type="application/json">{"a": {{.HTML}}}</script><style>{{.HTML}}</style>`, NoScript},
		{`<template><script>a()</script>{{.HTML}}</template>`, NoScript},
		{`<script></script>`, NoScript},
		{`{{.HTML}}`, MaybeScript},
		{`{{if .A}}{{range .B}}{{.HTML}}{{end}}{{end}}`, MaybeScript},
		{`<p title="{{.HTML}}">`, NoScript},
		{`<p {{.A}}>`, MaybeScript},
		{`<script type="{{.A}}">{}</script>`, MaybeScript},
		{`<iframe srcdoc="<script>a()</script>"></iframe>`, MaybeScript},
		{`{{.HTML}}<script>a()</script>`, HasScript},
		{`<script src="{{asset "a.js"}}"></script>`, HasScript},
		{`<script type="importmap">{}</script>`, HasScript},
		{`{{if .A}}<p onclick="a()">{{end}}`, HasScript},
		{`<p {{if .A}}onclick="a()"{{end}}>`, HasScript},
		{`<a href="javascript:a()">`, HasScript},
		{`<a href="/javascript:a()" data-onclick="b">`, NoScript},
	} {
		t.Run(tt.text, func(t *testing.T) { is.New(t).Equal(pageOf(t, tt.text).Scripts(), tt.want) })
	}
}

// FuzzPolicy: whatever a template and a policy are, the rules end, and say things about the template.
func FuzzPolicy(f *testing.F) {
	f.Add(`<img srcset="{{.A}} 1x,/a{{if .B}}b{{end}} 2x"><a ping="/a {{route "b"}}"><script {{if .C}}src=/a{{end}}>{{.D}}</script>`, strict)
	f.Add(`<template><p style=a {{if .A}}hx-on:a=b{{end}}></template><base href="{{.A}}"><link rel="preload icon" as=image href=a>`, "img-src x.example:*/a/ 'sha256-YQ=='")
	f.Fuzz(func(t *testing.T, text, policy string) {
		trees := map[string]*parse.Tree{}
		tree := parse.New("a.html")
		tree.Mode = parse.SkipFuncCheck
		if _, err := tree.Parse(text, "", "", trees); err != nil || trees["a.html"] == nil {
			return
		}
		p := &Page{
			Nodes: markup.Read(trees["a.html"], markup.Rules, func(_ *parse.Tree, n *parse.TemplateNode) *parse.Tree { return trees[n.Name] }),
			HTML:  func(*parse.ActionNode) bool { return true },
			At: func(at markup.Place) (line, column int) {
				if at.Offset < 0 || at.Offset > len(text) {
					t.Errorf("%d in %q", at.Offset, text)
				}
				return 1, 1
			},
		}
		for _, fixed := range []bool{false, true} {
			p.Policy(csp.Parse(policy), fixed)
		}
		p.Scripts()
	})
}
