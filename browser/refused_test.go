package browser

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
	sample "example.com/flow/app"
	htmx "example.com/flow/browser/htmx/app"
	instant "example.com/flow/browser/instant/app"
	"example.com/flow/internal/check/prove"
	"example.com/flow/internal/serve/pages/csp"
)

// A policyCase is a page that the policy of its Router refuses something of, or nothing.
type policyCase struct {
	name, policy string
	html         string // of the page
	fixed        bool   // it is rendered once
	htmx         string // the version that is loaded
	act          string // JavaScript: what a visitor does
	refused      bool   // check says so
	differs      string // why Chromium says the opposite
}

// strict is a policy as docs/middleware.md advises.
const strict = "default-src 'self'; script-src 'nonce' 'strict-dynamic'; style-src 'self' 'nonce'; object-src 'none'; base-uri 'none'"

// The versions of htmx.
const (
	htmx2 = "2.0.11"
	htmx4 = "4.0.1"
)

const (
	click  = `document.querySelector("#it").click()`
	submit = `document.querySelector("#it").requestSubmit()`
)

var policyCases = []policyCase{
	// Attributes.
	{name: "onclick", policy: strict, html: `<button id="it" onclick="a()">a</button>`, refused: true, act: click},
	{name: "onload", policy: strict, html: `<img src="/own.png" alt="" onload="a()">`, refused: true},
	{name: "onclick, 'unsafe-inline' beside a nonce", policy: "script-src 'unsafe-inline' 'nonce'", html: `<button id="it" onclick="a()">a</button>`, refused: true, act: click},
	{name: "onclick, 'unsafe-inline' beside a hash", policy: "script-src 'unsafe-inline' 'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='", html: `<button id="it" onclick="a()">a</button>`, refused: true, act: click},
	{name: "onclick, 'unsafe-inline' beside 'strict-dynamic'", policy: "script-src 'unsafe-inline' 'strict-dynamic'", html: `<button id="it" onclick="a()">a</button>`, refused: true, act: click},
	{name: "onclick, script-src in place of script-src-attr", policy: "script-src 'self'; script-src-elem 'unsafe-inline'", html: `<button id="it" onclick="a()">a</button>`, refused: true, act: click},
	{name: "onclick, default-src in place of script-src", policy: "default-src 'self'", html: `<button id="it" onclick="a()">a</button>`, refused: true, act: click},
	{name: "onclick on a fixed page", policy: strict, html: `<script>var a = 1</script><button id="it" onclick="a = 2">a</button>`, refused: true, act: click, fixed: true},
	{name: "onclick, 'unsafe-inline'", policy: "default-src 'self' 'unsafe-inline'", html: `<button id="it" onclick="window.a = 1">a</button>`, act: click},
	{name: "onclick, script-src-attr", policy: "script-src 'nonce'; script-src-attr 'unsafe-inline'", html: `<button id="it" onclick="window.a = 1">a</button>`, act: click},
	{name: "onclick, 'unsafe-inline' on a fixed page without scripts", policy: "script-src 'nonce' 'unsafe-inline'", html: `<button id="it" onclick="window.a = 1">a</button>`, act: click, fixed: true},
	{name: "onclick in template", policy: strict, html: `<template><button onclick="a()">a</button></template>`, refused: true},
	{name: "style in template", policy: strict, html: `<template><p style="color: red">a</p></template>`, refused: true},
	{name: "no event", policy: strict, html: `<button id="it" once onboarding="a()" data-onclick="a()">a</button>`, act: click},
	{name: "style", policy: strict, html: `<p style="color: red">a</p>`, refused: true},
	{name: "an empty style", policy: strict, html: `<p style="">a</p>`, refused: true},
	{name: "style, style-src-attr", policy: "style-src 'self'; style-src-attr 'unsafe-inline'", html: `<p style="color: red">a</p>`},
	{name: "style, 'unsafe-inline' beside 'strict-dynamic'", policy: "default-src 'unsafe-inline' 'strict-dynamic'", html: `<p style="color: red">a</p>`, refused: true},
	{name: "style, 'unsafe-inline' beside 'strict-dynamic' in style-src", policy: "style-src 'unsafe-inline' 'strict-dynamic'", html: `<p style="color: red">a</p>`},
	{name: "a style element, 'unsafe-inline' beside 'strict-dynamic'", policy: "default-src 'unsafe-inline' 'strict-dynamic'", html: `<style>p { color: red }</style>`, refused: true},
	{name: "an empty style element", policy: strict, html: `<style></style>`, refused: true},
	{name: "style in svg", policy: strict, html: `<svg><rect style="fill: red"/></svg>`, refused: true},

	// Elements.
	{name: "script", policy: strict, html: `<script>a = 1</script>`, refused: true},
	{name: "script of a module", policy: strict, html: `<script type="module">var a = 1</script>`, refused: true},
	{name: "an import map", policy: strict, html: `<script type="importmap">{"imports": {}}</script>`, refused: true},
	{name: "speculation rules", policy: strict, html: `<script type="speculationrules">{"prefetch": []}</script>`, refused: true},
	{name: "script with another nonce", policy: strict, html: `<script nonce="abc">a = 1</script>`, refused: true},
	{name: "script of space", policy: strict, html: `<script> </script>`, refused: true},
	{name: "script of another media type", policy: strict, html: `<script type=" Text/ECMAScript ">a = 1</script>`, refused: true},
	{name: "script in svg", policy: strict, html: `<svg><script>a = 1</script></svg>`, refused: true},
	{name: "script on a fixed page", policy: strict, html: `<script>window.a = 1</script><style>p { color: red }</style>`, fixed: true},
	{name: "style on a fixed page, without a nonce for styles", policy: "script-src 'nonce'; style-src 'self'", html: `<style>p { color: red }</style>`, refused: true, fixed: true},
	{name: "script with a nonce", policy: strict, html: `<script nonce="{{nonce}}">window.a = 1</script><style nonce="{{nonce}}">p { color: red }</style>`},
	{name: "script with a hash", policy: "script-src 'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='", html: `<script>b()</script>`},
	{name: "data", policy: strict, html: `<script type="application/json">{"a": 1}</script><script type="text/plain">a</script>`},
	{name: "an empty script", policy: strict, html: `<script></script>`},
	{name: "script in template", policy: strict, html: `<template><script>a = 1</script><style>p { color: red }</style></template>`},
	{name: "style in noscript", policy: strict, html: `<noscript><style>p { color: red }</style></noscript>`},
	{name: "speculation rules that are allowed", policy: "script-src 'self' 'inline-speculation-rules'", html: `<script type="speculationrules">{"prefetch": []}</script>`},
	{name: "a style element", policy: strict, html: `<style>p { color: red }</style>`, refused: true},
	{name: "a style element of another kind", policy: strict, html: `<style type="text/less">p { color: red }</style>`, refused: true},

	// javascript: URLs.
	{name: "a javascript: URL", policy: strict, html: `<a id="it" href="javascript:a()">a</a>`, refused: true, act: click},
	{name: "a javascript: URL, spelled otherwise", policy: strict, html: `<a id="it" href=" Java&Tab;Script:a()">a</a>`, refused: true, act: click},
	{name: "a javascript: URL of a form", policy: strict, html: `<form id="it" action="javascript:a()"></form>`, refused: true, act: submit},
	{name: "a javascript: URL of a frame", policy: strict, html: `<iframe src="javascript:a()"></iframe>`, refused: true},
	{name: "a javascript: URL that is allowed", policy: "default-src 'self' 'unsafe-inline'", html: `<a id="it" href="javascript:void 0">a</a>`, act: click},

	// Scripts and style sheets of files.
	{name: "own script beside 'strict-dynamic'", policy: strict, html: `<script src="/own.js"></script>`, refused: true},
	{name: "own script beside 'strict-dynamic' and 'self'", policy: "script-src 'self' 'nonce' 'strict-dynamic'", html: `<script src="/own.js"></script>`, refused: true},
	{name: "a script of a host beside 'strict-dynamic'", policy: "script-src https://x.example 'nonce' 'strict-dynamic'", html: `<script src="https://x.example/a.js"></script>`, refused: true},
	{name: "own script, nonces only", policy: "script-src 'nonce'", html: `<script src="{{asset "a.js"}}"></script>`, refused: true},
	{name: "a script of another host", policy: "script-src 'self'", html: `<script src="https://x.example/a.js"></script>`, refused: true},
	{name: "a script of another host, //", policy: "script-src 'self'", html: `<script src="//x.example/a.js"></script>`, refused: true},
	{name: "a preloaded module, nonces only", policy: "script-src 'nonce'", html: `<link rel="modulepreload" href="/own.js">`, refused: true},
	{name: "a preloaded module of another host", policy: "script-src 'self'", html: `<link rel="modulepreload" href="https://x.example/own.js">`, refused: true},
	{name: "a preloaded script", policy: strict, html: `<link rel="preload" as="script" href="/own.js">`, refused: true},
	{name: "a preloaded script, nonces only", policy: "script-src 'nonce'", html: `<link rel="preload" as="script" href="/own.js">`, refused: true},
	{name: "a preloaded style sheet, nonces only", policy: "style-src 'nonce'", html: `<link rel="preload" as="style" href="/own.css">`, refused: true},
	{name: "a preloaded module beside 'strict-dynamic'", policy: strict, html: `<link rel="modulepreload" href="/own.js">`},
	{name: "own script", policy: "script-src 'self' 'nonce'", html: `<script src="{{asset "a.js"}}"></script>`},
	{name: "a script with a nonce", policy: strict, html: `<script src="{{asset "a.js"}}" nonce="{{nonce}}"></script><link rel="preload" as="script" href="/own.js" nonce="{{nonce}}">`},
	{name: "a script that is data", policy: strict, html: `<script src="/own.js" type="text/plain"></script>`},
	{name: "a script for old browsers", policy: strict, html: `<script src="/own.js" nomodule></script>`},
	{name: "a style sheet of another host", policy: strict, html: `<link rel="stylesheet" href="https://x.example/a.css">`, refused: true},
	{name: "own style sheet, nonces only", policy: "style-src 'nonce'", html: `<link rel="stylesheet" href="/own.css">`, refused: true},
	{name: "own style sheet", policy: strict, html: `<link rel="stylesheet" href="/own.css">`},
	{name: "a style sheet with a nonce", policy: "style-src 'nonce'", html: `<link rel="stylesheet" href="/own.css" nonce="{{nonce}}">`},

	// Other files.
	{name: "an image of another host", policy: strict, html: `<img src="https://x.example/a.png" alt="">`, refused: true},
	{name: "an image of another host, //", policy: strict, html: `<img src="//x.example/a.png" alt="">`, refused: true},
	{name: "data: beside *", policy: "img-src *", html: `<img src="data:image/png;base64,AAAA" alt="">`, refused: true},
	{name: "own image under 'none'", policy: "img-src 'none'", html: `<img src="/own.png" alt="">`, refused: true},
	{name: "own image beside another host", policy: "img-src https://x.example", html: `<img src="/own.png" alt="">`, refused: true},
	{name: "an image in srcset", policy: strict, html: `<img srcset="https://x.example/a.png 1x" src="/own.png" alt="">`, refused: true},
	{name: "an image in srcset for other screens", policy: strict, html: `<img srcset="/own.png 1x, https://x.example/a.png 2x" alt="">`, refused: true, differs: "this screen asks for 1x"},
	{name: "an image of a picture", policy: strict, html: `<picture><source srcset="https://x.example/a.png"><img src="/own.png" alt=""></picture>`, refused: true},
	{name: "an image of a button", policy: strict, html: `<input type="image" src="https://x.example/a.png" alt="a">`, refused: true},
	{name: "an image in svg", policy: strict, html: `<svg><image href="https://x.example/a.png"/></svg>`, refused: true},
	{name: "a background", policy: strict, html: `<table background="https://x.example/a.png"><tr><td>a</td></tr></table>`, refused: true},
	{name: "a poster", policy: strict, html: `<video poster="https://x.example/a.png"></video>`, refused: true},
	{name: "an icon", policy: strict, html: `<link rel="icon" href="https://x.example/a.png">`, refused: true},
	{name: "images that are allowed", policy: "default-src 'self'; img-src 'self' data: https://x.example https://*.y.example https://z.example/img/", html: `<img src="/own.png" alt=""><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt=""><img src="https://x.example/a.png" alt=""><img src="https://a.y.example/a.png" alt=""><img src="https://z.example/img/a.png" alt="">`},
	{name: "images of all hosts", policy: "img-src *", html: `<img src="https://x.example/a.png" alt=""><img src="/own.png" alt="">`},
	{name: "images of another path", policy: "img-src https://z.example/img/", html: `<img src="https://z.example/a.png" alt="">`, refused: true},
	{name: "images of another port", policy: "img-src https://z.example", html: `<img src="https://z.example:8443/a.png" alt="">`, refused: true},
	{name: "images with upgrades", policy: "img-src https://x.example; upgrade-insecure-requests", html: `<img src="http://x.example/a.png" alt="">`},
	{name: "sound", policy: strict, html: `<audio src="https://x.example/a.mp3"></audio>`, refused: true},
	{name: "a film", policy: strict, html: `<video><source src="https://x.example/a.mp4" type="video/mp4"></video>`, refused: true},
	{name: "subtitles", policy: "default-src 'self'; media-src 'none'", html: `<video><track default src="/own.vtt"></video>`, refused: true},
	{name: "a frame", policy: strict, html: `<iframe src="https://x.example/"></iframe>`, refused: true},
	{name: "a frame, child-src", policy: "child-src 'none'", html: `<iframe src="/own.txt"></iframe>`, refused: true},
	{name: "a frame of data:", policy: strict, html: `<iframe src="data:text/html,a"></iframe>`, refused: true},
	{name: "frames that are allowed", policy: strict, html: `<iframe src="/own.txt"></iframe><iframe src="about:blank"></iframe><iframe srcdoc="<p>a" src="https://x.example/"></iframe>`},
	{name: "an object", policy: strict, html: `<object data="/own.txt"></object>`, refused: true},
	{name: "an embedded file", policy: strict, html: `<embed src="/own.txt">`, refused: true},
	{name: "a manifest", policy: strict, html: `<link rel="manifest" href="https://x.example/a.json">`, refused: true},
	{name: "a preloaded font", policy: strict, html: `<link rel="preload" as="font" crossorigin href="https://x.example/a.woff2">`, refused: true},
	{name: "a preloaded image", policy: strict, html: `<link rel="preload" as="image" imagesrcset="https://x.example/a.png 1x">`, refused: true},

	// Forms, and other URLs.
	{name: "a form", policy: "form-action 'self'", html: `<form id="it" action="https://x.example/"></form>`, refused: true, act: submit},
	{name: "a form without action", policy: "form-action 'none'", html: `<form id="it"></form>`, refused: true, act: submit},
	{name: "a form for mail", policy: "form-action 'self'", html: `<form id="it" action="mailto:a@x.example"></form>`, refused: true, act: submit},
	{name: "a button with an action", policy: "form-action 'self'", html: `<form><button id="it" formaction="https://x.example/">a</button></form>`, refused: true, act: click},
	{name: "a form without a directive", policy: "default-src 'none'", html: `<form id="it" action="/own.txt"></form>`, act: submit},
	{name: "a form of the site", policy: "form-action 'self'", html: `<form id="it" action="/own.txt"></form>`, act: submit},
	{name: "a form of a dialog", policy: "form-action 'none'", html: `<dialog open><form id="it" method="dialog"></form></dialog>`, act: submit},
	{name: "a base", policy: strict, html: `<base href="/a/">`, refused: true},
	{name: "a base without a directive", policy: "default-src 'none'", html: `<base href="/a/">`},
	{name: "a ping", policy: strict, html: `<a id="it" href="#a" ping="/up https://x.example/">a</a>`, refused: true, act: click},
	{name: "a ping of the site", policy: strict, html: `<a id="it" href="#a" ping="/up">a</a>`, act: click},

	// htmx.
	{name: "a request of htmx 2", policy: "script-src 'nonce'; connect-src 'none'", html: `<button id="it" hx-get="/own.txt">a</button>`, refused: true, act: click, htmx: htmx2},
	{name: "a request of htmx 4", policy: "script-src 'nonce'; connect-src 'none'", html: `<button id="it" hx-get="/own.txt">a</button>`, refused: true, act: click, htmx: htmx4},
	{name: "a request of htmx 2, data-", policy: "script-src 'nonce'; connect-src 'none'", html: `<button id="it" data-hx-get="/own.txt">a</button>`, refused: true, act: click, htmx: htmx2},
	{name: "a request of htmx 2 to another host", policy: "script-src 'nonce'; connect-src 'self'", html: `<button id="it" hx-get="https://x.example/a">a</button>`, refused: true, act: click, htmx: htmx2, differs: "htmx 2 itself asks no other host, unless selfRequestsOnly is false"},
	{name: "requests of htmx 2", policy: "default-src 'self'; script-src 'nonce'", html: `<button id="it" hx-get="/own.txt" hx-trigger="click, change from:[name=a]" hx-vals='{"a": "js:"}'>a</button>`, act: click, htmx: htmx2},
	{name: "requests of htmx 4", policy: "default-src 'self'; script-src 'nonce'", html: `<button id="it" hx-get="/own.txt" hx-trigger="click, change from:[name=a]" hx-vals='{"a": "js:"}'>a</button>`, act: click, htmx: htmx4},
	{name: "the style of htmx 2", policy: "style-src 'self'", html: `<script src="{{"/htmx-2.0.11.js"}}"></script>`, differs: "htmx 2 itself writes a style, unless includeIndicatorStyles is false"},
	{name: "no style of htmx 4", policy: "style-src 'self'", html: `<script src="{{"/htmx-4.0.1.js"}}"></script>`},
	{name: "hx-on of htmx 2", policy: "script-src 'nonce'", html: `<button id="it" hx-on:click="window.a = 1">a</button>`, refused: true, act: click, htmx: htmx2},
	{name: "hx-on of htmx 4", policy: "script-src 'nonce'", html: `<button id="it" hx-on:click="window.a = 1">a</button>`, refused: true, act: click, htmx: htmx4},
	{name: "hx-on of htmx 2, data-", policy: "script-src 'nonce'", html: `<button id="it" data-hx-on-click="window.a = 1">a</button>`, refused: true, act: click, htmx: htmx2},
	{name: "hx-vals of htmx 2", policy: "script-src 'nonce'", html: `<button id="it" hx-get="/own.txt" hx-vals="js:{a: 1}">a</button>`, refused: true, act: click, htmx: htmx2},
	{name: "hx-vals of htmx 4", policy: "script-src 'nonce'", html: `<button id="it" hx-get="/own.txt" hx-vals="js:{a: 1}">a</button>`, refused: true, act: click, htmx: htmx4},
	{name: "hx-headers of htmx 2", policy: "script-src 'nonce'", html: `<button id="it" hx-get="/own.txt" hx-headers="javascript:{a: 1}">a</button>`, refused: true, act: click, htmx: htmx2},
	{name: "hx-vars of htmx 2", policy: "script-src 'nonce'", html: `<button id="it" hx-get="/own.txt" hx-vars="a:1">a</button>`, refused: true, act: click, htmx: htmx2},
	{name: "a filter of htmx 2", policy: "script-src 'nonce'", html: `<button id="it" hx-get="/own.txt" hx-trigger="click[!event.ctrlKey]">a</button>`, refused: true, act: click, htmx: htmx2},
	{name: "a filter of htmx 4", policy: "script-src 'nonce'", html: `<button id="it" hx-get="/own.txt" hx-trigger="click[!event.ctrlKey]">a</button>`, refused: true, act: click, htmx: htmx4},
	{name: "code for htmx 2 that is allowed", policy: "script-src 'nonce' 'unsafe-eval'", html: `<button id="it" hx-get="/own.txt" hx-on:click="window.a = 1" hx-vals="js:{a: 1}" hx-trigger="click[true]">a</button>`, act: click, htmx: htmx2},
	{name: "code for htmx 4 that is allowed", policy: "script-src 'nonce' 'unsafe-eval'", html: `<button id="it" hx-get="/own.txt" hx-on:click="window.a = 1" hx-vals="js:{a: 1}" hx-trigger="click[true]">a</button>`, act: click, htmx: htmx4},
}

// prelude is what stands in front of the HTML of a case.
func (c policyCase) prelude() string {
	text := `<!doctype html><html lang="en"><title>a</title>`
	if c.htmx != "" {
		text += `<meta name="htmx-config" content='{"includeIndicatorStyles":false}'><script nonce="{{nonce}}" src="/htmx-` + c.htmx + `.js"></script>`
	}
	return text
}

// policyRouter returns a Router with one for each case: at "/0", and so on.
func policyRouter(scripts map[string]string) *flow.Router {
	files := fstest.MapFS{"router/up.http": {}}
	for _, ext := range []string{"js", "css", "png", "txt", "vtt"} {
		files["public/own."+ext] = &fstest.MapFile{}
	}
	for version := range htmxVersions {
		files["public/htmx-"+version+".js"] = &fstest.MapFile{Data: []byte(scripts[version])}
	}
	all := flow.New(files)
	all.Logger = slog.New(slog.DiscardHandler)
	all.At("up").POST().Do(func(*flow.Request) flow.Response { return flow.Text("up") })
	for i, c := range policyCases {
		r := flow.New(fstest.MapFS{"router/index.html": {Data: []byte(c.prelude() + c.html)}, "public/a.js": {}})
		r.ContentSecurityPolicy = c.policy
		r.Logger = all.Logger
		if !c.fixed {
			r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
		}
		all.Mount("/"+strconv.Itoa(i), r)
	}
	return all
}

// A refusedPart is what check says that a policy refuses.
type refusedPart struct{ router, what, directive string }

// refusedBy finds a warning about a policy: the prefix of a mounted Router, what is refused, and by which
// directive.
var refusedBy = regexp.MustCompile(`^\s*(?:Mount\("/(\d+)"\): )?\S+ warning: the policy refuses (.*) \(([a-z-]+)[^()]*\)$`)

// checked runs the command check of an application, and returns what it says of policies.
func checked(t *testing.T, name string) (all []refusedPart) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), checkVariable+"="+name)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if m := refusedBy.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			all = append(all, refusedPart{m[1], m[2], m[3]})
		} else if strings.Contains(line, "the policy refuses") {
			t.Errorf("not understood: %s", line)
		}
	}
	return all
}

// TestRefused holds what the command check says of pages against what Chromium reports of them.
func TestRefused(t *testing.T) {
	scripts := map[string]string{}
	for version := range htmxVersions {
		text, err := npmFile("htmx.org", version, "dist/htmx.min.js")
		if err != nil {
			missing(t, err.Error())
		}
		scripts[version] = text
	}
	r := policyRouter(scripts)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Security-Policy-Report-Only", "worker-src 'none'") // see below
		r.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	warnings := checked(t, "cases")
	for i, tt := range policyCases {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			said := slices.DeleteFunc(slices.Clone(warnings), func(r refusedPart) bool { return r.router != strconv.Itoa(i) })
			if (len(said) > 0) != tt.refused {
				t.Errorf("check says %q", said)
			}
			tb := newTab(t)
			tb.watchPolicy()
			tb.open(server.URL + "/" + strconv.Itoa(i))
			tb.until("it is there", `document.readyState === "complete"`)
			// Code that a timer calls may evaluate no more than that of the page.
			tb.do("window.first = true; setTimeout(() => { " + tt.act + " }); setTimeout(() => { try { new Worker('/own.js') } catch {} }, 100)")
			reports := tt.refused == (tt.differs == "")
			if reports {
				tb.until("Chromium reports it", `refused.length > 0`)
			}
			tb.until("Chromium has reported everything", `!window.first || refused.some((r) => r.startsWith("worker-src"))`)
			var refused []string
			is.NoErr(json.Unmarshal([]byte(tb.do(`return refused.filter((r) => !r.startsWith("worker-src"))`)), &refused))
			if (len(refused) > 0) != reports {
				t.Errorf("check says %q, and Chromium %q", said, refused)
			}
			if tt.differs != "" {
				return
			}
			for _, r := range refused { // by a directive that check names
				directive, _, _ := strings.Cut(r, " ")
				by := prove.Deciding(csp.Parse(tt.policy), directive).Name
				if !slices.ContainsFunc(said, func(s refusedPart) bool { return s.directive == by }) {
					t.Errorf("check says %q, and Chromium %q", said, r)
				}
			}
			if testing.Verbose() {
				t.Logf("check: %q, Chromium: %q", said, refused)
			}
		})
	}
}

// TestHTMXWithoutEval: the script of docs/recipes/htmx.md decides what attributes must not.
func TestHTMXWithoutEval(t *testing.T) {
	for version := range htmxVersions {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			script, err := npmFile("htmx.org", version, "dist/htmx.min.js")
			if err != nil {
				missing(t, err.Error())
			}
			recipe, err := os.ReadFile("../docs/recipes/htmx.md")
			is.NoErr(err)
			_, recipeText, found := strings.Cut(string(recipe), "## Code in attributes")
			is.True(found)
			_, html, _ := strings.Cut(recipeText, "```html\n")
			html, _, _ = strings.Cut(html, "```")
			page := policyCase{htmx: version}.prelude() + html + `<p id="out"></p>`
			var asked []string
			r := flow.New(fstest.MapFS{"router/index.html": {Data: []byte(page)}, "router/list.http": {}, "public/htmx-" + version + ".js": {Data: []byte(script)}})
			r.ContentSecurityPolicy = "default-src 'self'; script-src 'nonce'; object-src 'none'; base-uri 'none'"
			r.Logger = slog.New(slog.DiscardHandler)
			r.At("list").GET().Do(func(req *flow.Request) flow.Response {
				asked = append(asked, req.Input("zone"))
				return flow.HTML("all")
			})
			is.NoErr(r.Check())
			server := httptest.NewServer(r)
			defer server.Close()
			tb := newTab(t)
			tb.watchPolicy()
			tb.open(server.URL)
			tb.until("htmx is there", `document.readyState === "complete" && !!window.htmx`)
			for _, ctrl := range []string{"false", "true"} {
				tb.do(`setTimeout(() => document.querySelector("#send").dispatchEvent(new MouseEvent("click", {ctrlKey: ` + ctrl + `})))`)
			}
			tb.until("the list is there", `document.querySelector("#out").textContent === "all"`)
			is.Equal(tb.do("return refused"), "[]")
			is.Equal(len(asked), 1) // and not for the click without the key
			is.True(asked[0] != "") // the zone of the browser
		})
	}
}

// checkVariable is the environment variable that has this program run the command check of an
// application.
const checkVariable = "FLOW_BROWSER_CHECK"

// checkedRouter returns the application that the variable names, or nil.
func checkedRouter(name string) *flow.Router {
	switch name {
	case "cases":
		return policyRouter(nil)
	case "sample":
		return sample.New(&sample.App{})
	case "htmx":
		return htmx.Router
	case "instant":
		return instant.Router
	case "board":
		return boardRouter()
	}
	return nil
}

// boardRouter serves the page of ecosystem/board, whose Router has no policy, under one.
func boardRouter() *flow.Router {
	r := flow.New(os.DirFS("../ecosystem/board/app"))
	r.ContentSecurityPolicy = strict
	r.Logger = slog.New(slog.DiscardHandler)
	nothing := func(*flow.Request) flow.Response { return flow.Text("") }
	r.At("index").GET().Do(func(*flow.Request) flow.Response {
		return flow.Page(map[string]any{"Posts": nil, "Last": 0, "Form": map[string]any{"Value": map[string]any{"Text": ""}, "Wrong": nil}})
	})
	r.At("index").POST().Do(nothing)
	r.At("events").GET().Name("events").Do(nothing)
	r.At("login").POST().Name("login").Do(nothing)
	r.At("logout").POST().Name("logout").Do(nothing)
	r.At("files/index").POST().Do(nothing)
	r.At("files/[key]").GET().Do(nothing)
	return r
}

// TestPoliciesOfApplications: check is silent about the pages of which TestPolicyOfTheSample, TestHTMX and
// TestInstantPages show that Chromium refuses nothing.
func TestPoliciesOfApplications(t *testing.T) {
	for _, name := range []string{"sample", "htmx", "instant"} {
		t.Run(name, func(t *testing.T) { is.New(t).Equal(len(checked(t, name)), 0) })
	}
	t.Run("board", func(t *testing.T) {
		is := is.New(t)
		is.Equal(checked(t, "board"), []refusedPart{{"", `<script>: write nonce="{{nonce}}"`, "script-src"}})
		server := httptest.NewServer(boardRouter())
		t.Cleanup(server.Close)
		tb := newTab(t)
		tb.watchPolicy()
		tb.open(server.URL)
		tb.until("Chromium refuses it", `document.readyState === "complete" && refused.length > 0`)
		is.Equal(tb.do(`return refused`), `["script-src-elem inline "]`)
	})
}
