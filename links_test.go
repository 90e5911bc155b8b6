package flow_test

import (
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/flow"

	"github.com/matryer/is"
)

// linkTree has the routes that the templates of the tests below link to.
func linkTree(page string) fstest.MapFS {
	tree := fstest.MapFS{"router/page.html": {Data: []byte(page)}}
	for _, name := range []string{
		"router/index.html", "router/imprint.html", "router/users/index.html", "router/users/new.html", "router/users/[id=int]/index.html",
		"router/users/[id=int]/edit.html", "router/users/[id=int]/delete.http", "router/search.html", "router/albums.html", "router/docs/[section]/[page].html",
		"router/api/recipes/[slug].http", "router/[lang=lang]/index.html", "router/[lang=lang]/recipes/[slug].html", "router/files/[...path].http",
		"public/app.css", "public/app.js", "public/img/logo.png", "public/img/logo@2x.png",
	} {
		tree[name] = &fstest.MapFile{Data: []byte("# x")} // in an .http file, a comment
	}
	return tree
}

// linkRouter returns a Router for linkTree, with another one and a handler mounted in it.
func linkRouter(page string) *flow.Router {
	type signup struct {
		Email string `form:"email"`
		Name  string
		Age   int    `form:"age"`
		Next  string `query:"next"`
		Items []struct {
			Name string `json:"name"`
			Qty  int    `json:"qty"`
		} `form:"items"`
		Address struct {
			Street string `json:"street"`
		} `form:"address"`
	}
	type query struct {
		Text string `query:"q"`
		Sort string
		By   struct{ Year int }
	}
	type album struct {
		Title string                  `form:"title"`
		Cover *multipart.FileHeader   `form:"cover"`
		Pages []*multipart.FileHeader `form:"pages"`
	}
	inner := flow.New(fstest.MapFS{
		"router/index.html":                 {},
		"router/invoices/[id=int].html":     {Data: []byte(`<a href="/billing/invoices/9">a</a><a href="/">b</a>`)},
		"router/invoices/[id=int]/pay.http": {}, "public/bill.css": {Data: []byte("x")},
	})
	inner.At("invoices/[id=int]/pay").POST().Do(empty)
	r := flow.New(linkTree(page))
	r.Matchers = map[string]func(string) bool{"lang": func(v string) bool { return len(v) == 2 }}
	r.Mount("/billing", inner)
	r.Mount("/static/", http.HandlerFunc(asked))
	r.At("users/index").POST().Do(func(*flow.Request, flow.Form[signup]) (struct{}, error) { return struct{}{}, nil })
	r.At("users/[id=int]/edit").PUT().Do(empty)
	r.At("albums").ANY().Do(func(*flow.Request, album) (struct{}, error) { return struct{}{}, nil })
	r.At("users/[id=int]/delete").POST().Do(empty)
	r.At("api/recipes/[slug]").GET().Do(empty)
	r.At("files/[...path]").GET().Do(empty)
	r.At("search").GET().Do(func(*flow.Request, query) (struct{}, error) { return struct{}{}, nil })
	return r
}

func empty(*flow.Request) (string, error) { return "", nil }

// Each of these links leads nowhere, or not where it seems to.
func TestDeadLinks(t *testing.T) {
	const external, action = `: if something else does, say so with rel="external"`, ": if something else does, begin it with an action: "
	for _, tt := range []struct{ page, want string }{
		// Every attribute.
		{`<a href="/usrs">x</a>`, `1:10: href of <a>: nothing answers /usrs: did you mean /users?`},
		{"{{/* a comment\nof two lines */}}\n" + `<a href="/usrs">x</a>`, `3:10: href of <a>: nothing answers /usrs: did you mean /users?`},
		{`<map><area href="/serach"></map>`, `1:18: href of <area>: nothing answers /serach: did you mean /search?`},
		{`<link rel="stylesheet" href="/ap.css">`, `1:30: href of <link>: nothing answers /ap.css: did you mean /app.css?`},
		{`<link rel="preload" as="image" imagesrcset="/img/logo.png 1x, /img/logo@3x.png 3x">`, `1:45: imagesrcset of <link>: nothing answers /img/logo@3x.png: did you mean /img/logo@2x.png?`},
		{`<img src="/img/lgo.png">`, `1:11: src of <img>: nothing answers /img/lgo.png: did you mean /img/logo.png?`},
		{`<img srcset="/img/logo.png, /img/log.png 2x">`, `1:14: srcset of <img>: nothing answers /img/log.png: did you mean /img/logo.png?`},
		{`<script src="/app.jsx"></script>`, `1:14: src of <script>: nothing answers /app.jsx: did you mean /app.js?`},
		{`<iframe src="/impint"></iframe>`, `1:14: src of <iframe>: nothing answers /impint: did you mean /imprint?`},
		{`<video poster="/img/logo.jpeg"></video>`, `1:16: poster of <video>: nothing answers /img/logo.jpeg: did you mean /img/logo.png?`},
		{`<video><source src="/video.mp4"></video>`, `1:21: src of <source>: nothing answers /video.mp4` + action + `{{"/video.mp4"}}`},
		{`<object data="/img/logo.pgn"></object>`, `1:15: data of <object>: nothing answers /img/logo.pgn: did you mean /img/logo.png?`},
		{`<svg><use href="/icons.svg#a"/></svg>`, `1:17: href of <use>: nothing answers /icons.svg` + action + `{{"/icons.svg"}}`},
		{`<img srcset="{{.}} 1x, /img/log.png 2x">`, `1:16: srcset of <img>: nothing answers /img/log.png: did you mean /img/logo.png?`},
		{`<table background="/img/lgo.png"></table>`, `1:20: background of <table>: nothing answers /img/lgo.png: did you mean /img/logo.png?`},
		{`<q cite="/impint">x</q>`, `1:10: cite of <q>: nothing answers /impint: did you mean /imprint?`},
		{`<a href="/users" ping="/users /users/7/delte">x</a>`, `1:24: ping of <a>: nothing answers /users/7/delte: did you mean /users/{id}/delete?`},
		{`<div sse-connect="/serach"></div>`, `1:19: sse-connect of <div>: nothing answers /serach: did you mean /search?`},
		{`<div data-ws-connect="/users/7/edti"></div>`, `1:23: data-ws-connect of <div>: nothing answers /users/7/edti: did you mean /users/{id}/edit?`},
		{`<meta http-equiv="Refresh" content="5; URL=/serach?q=1">`, `1:37: content of <meta>: nothing answers /serach: did you mean /search?`},
		{`<meta content="{{.}};'/impint'" http-equiv="refresh">`, `1:18: content of <meta>: nothing answers /impint: did you mean /imprint?`},
		{`<input type="image" src="/img/go.png">`, `1:26: src of <input>: nothing answers /img/go.png: did you mean /img/logo.png?`},
		{`<form action="/user" method="post"></form>`, `1:15: action of <form>: nothing answers /user: did you mean /users?`},
		{`<form action="/users" method="post"><button formaction="/users/7/delte">x</button></form>`, `1:57: formaction of <button>: nothing answers /users/7/delte: did you mean /users/{id}/delete?`},
		{`<div hx-get="/users/7/edti"></div>`, `1:14: hx-get of <div>: nothing answers /users/7/edti: did you mean /users/{id}/edit?`},
		{`<b data-hx-put="/users/7/edti"></b>`, `1:17: data-hx-put of <b>: nothing answers /users/7/edti: did you mean /users/{id}/edit?`},

		// Values that a matcher does not take.
		{`<a href="/users/two">x</a>`, `1:10: href of <a>: nothing answers /users/two, since [id=int] does not take "two"` + external},
		{`<a href="/users/two/{{.}}/x">x</a>`, `1:10: href of <a>: nothing answers /users/two/{{…}}/x` + external},
		{`<img src="/billing/invoices/a">`, `1:11: src of <img>: nothing answers /billing/invoices/a, since [id=int] does not take "a"` + action + `{{"/billing/invoices/a"}}`},

		// How it is written.
		{`<a class='b' href='/usrs'>x</a>`, `1:20: href of <a>: nothing answers /usrs: did you mean /users?`},
		{`<a href=/usrs>x</a>`, `1:9: href of <a>: nothing answers /usrs: did you mean /users?`},
		{"<p>\n<A\n  HREF = \"/usrs\"\n>x</A>", `3:11: href of <a>: nothing answers /usrs: did you mean /users?`},
		{`<a href="/usrs?page=2#top">x</a>`, `1:10: href of <a>: nothing answers /usrs: did you mean /users?`},
		{`<a href="/users&num;a">x</a><a href="/users&amp;#a">x</a>`, `1:38: href of <a>: nothing answers /users&: did you mean /users?`},
		{`<a href="/us&#101;r">x</a>`, `1:10: href of <a>: nothing answers /user: did you mean /users?`},
		{`<a href="/billing%2Finvoices">x</a>`, `1:10: href of <a>: nothing answers /billing%2Finvoices` + external},
		{"<p>{{- /* a comment */ -}}\n\n<a href=\"/usrs\">x</a>", `3:10: href of <a>: nothing answers /usrs: did you mean /users?`},
		{"\ufeff<a href=\"/usrs\">x</a>", `1:10: href of <a>: nothing answers /usrs: did you mean /users?`},

		{`<a href="\impint">x</a>`, `1:10: href of <a>: nothing answers /impint: did you mean /imprint?`}, // to browsers a backslash is a slash
		{`<script src="{{route "imprint"}}/x.js"></script>`, `1:16: src of <script>: nothing answers /imprint/x.js` + action + `{{"/imprint/x.js"}}`},

		// Actions and branches.
		{`<a href="/user/{{.}}">x</a>`, `1:10: href of <a>: nothing answers /user/{{…}}: did you mean /users/{id}?`},
		{`<a href="/users/{{.}}/edti">x</a>`, `1:10: href of <a>: nothing answers /users/{{…}}/edti: did you mean /users/{id}/edit?`},
		{`<a href="/api/recipe/{{.}}">x</a>`, `1:10: href of <a>: nothing answers /api/recipe/{{…}}: did you mean /api/recipes/{slug}?`},
		{`<a href="/users{{if .}}/nwe{{end}}">x</a>`, `1:10: href of <a>: nothing answers /users/nwe: did you mean /users/new?`},
		{`<a href="{{if .}}/users{{else}}/usres{{end}}">x</a>`, `1:32: href of <a>: nothing answers /usres: did you mean /users?`},
		{`<a {{if .}}href="/users"{{else}}href="/usres"{{end}}>x</a>`, `1:39: href of <a>: nothing answers /usres: did you mean /users?`},
		{`{{range .}}<a href="/usres">x</a>{{end}}`, `1:21: href of <a>: nothing answers /usres: did you mean /users?`},
		{`{{define "part"}}<a href="/usres">x</a>{{end}}{{template "part"}}`, `1:27: href of <a>: nothing answers /usres: did you mean /users?`},
		{`{{with .}}<form action="/users/7/delete">{{else}}<form action="/search">{{end}}</form>`, `1:25: action of <form>: /users/7/delete answers POST, and not GET: write method="post" in the form`},

		// The method.
		{`<a href="/users/7/delete">x</a>`, `1:10: href of <a>: /users/7/delete answers POST, and not GET, which a link sends: use a form with method="post"`},
		{`<form method="post" action="/search"></form>`, `1:29: action of <form>: /search answers GET, and not POST`},
		{`<form action="/users" method="post"><input type="submit" formmethod="get" formaction="/users/7/delete"></form>`, `1:87: formaction of <input>: /users/7/delete answers POST, and not GET`},
		{`<a ping="/search">x</a>`, `1:10: ping of <a>: /search answers GET, and not POST`},
		{`<div sse-connect="/users/7/delete"></div>`, `1:19: sse-connect of <div>: /users/7/delete answers POST, and not GET`},
		{`<form method="dialog"><button formmethod="post" formaction="/search">x</button></form>`, `1:61: formaction of <button>: /search answers GET, and not POST`},
		{`<b hx-delete="/users/{{.}}/edit"></b>`, `1:15: hx-delete of <b>: /users/{{…}}/edit answers GET, PUT, and not DELETE`},
		{`<form method="post"></form>`, `1:1: <form>: it has no action, and the page answers GET, and not POST`},
		{`<b hx-post="/users/7/edit"></b><a hx-delete="/users/7/delete">x</a>`, "1:13: hx-post of <b>: /users/7/edit answers GET, PUT, and not POST\n1:46: hx-delete of <a>: /users/7/delete answers POST, and not DELETE"},
		{`<form method="post"><input hx-get="/search"><button form="f" formaction="/users">x</button></form>`, `1:1: <form>: it has no action, and the page answers GET, and not POST`},
		{`<form method="post" action="/search" hx-post="/users"></form>`, `1:29: action of <form>: /search answers GET, and not POST`},
		{`<form method="post" action="/docs/{{.}}"></form>`, `1:29: action of <form>: /docs/{{…}} answers GET, and not POST`},
		{`<form method="post" action=""></form>`, `1:1: <form>: it has no action, and the page answers GET, and not POST`},

		// Mounted Routers.
		{`<a href="/billing/invoices">x</a>`, `1:10: href of <a>: nothing answers /billing/invoices` + external},
		{`<a href="/billing/invoice/{{.}}">x</a>`, `1:10: href of <a>: nothing answers /billing/invoice/{{…}}: did you mean /billing/invoices/{id}?`},
		{`<form action="/billing/invoices/7/pay"></form>`, `1:15: action of <form>: /billing/invoices/7/pay answers POST, and not GET: write method="post" in the form`},
		{`<link rel="icon" href="/bill.css">`, `1:24: href of <link>: nothing answers /bill.css` + action + `{{"/bill.css"}}`},

		{`<a href="/100%">x</a>`, `1:10: href of <a>: /100% has a broken escape: write %25 for a percent sign`},
		{`<a href="/users/{{.}}/posts">x</a>`, `1:10: href of <a>: nothing answers /users/{{…}}/posts` + external},

		// By the name of a route.
		{`<a href="{{route "users.id.delete" "id" 1}}">x</a>`, `1:12: href of <a>: /users/{{…}}/delete answers POST, and not GET, which a link sends: use a form with method="post"`},
		{`<a href="{{7 | route "users.id.delete" "id"}}">x</a>`, `1:12: href of <a>: /users/{{…}}/delete answers POST, and not GET, which a link sends: use a form with method="post"`},
		{`<a href="/" ping="{{route "imprint"}}">x</a>`, `1:21: ping of <a>: /imprint answers GET, and not POST`},
		{`<b hx-delete="{{route "files.path" "path" "a/b"}}"></b>`, `1:17: hx-delete of <b>: /files/{{…}} answers GET, and not DELETE`},
		{`<form action={{route "users.id.delete" "id" 1}}></form>`, `1:16: action of <form>: /users/{{…}}/delete answers POST, and not GET: write method="post" in the form`},
		{`<a href='{{route "users.id.edit" "id" 1}}/more?x=1'>x</a>`, `1:12: href of <a>: nothing answers /users/{{…}}/edit/more` + external},
		{`<form method="post" {{if .}}action="{{route "imprint"}}"{{else}}action="/users"{{end}}></form>`, `1:39: action of <form>: /imprint answers GET, and not POST`},

		// Warnings.
		{`<a href="/users/">x</a>`, `1:10: warning: href of <a>: requests for /users/ are redirected: write /users`},
		{`<a href="/users//{{.}}/edit">x</a>`, `1:10: warning: href of <a>: requests for /users//{{…}}/edit are redirected: write /users/{{…}}/edit`},
		{`<a href="/docs/{{.}}">x</a>`, `1:10: warning: href of <a>: /docs/{{…}} is answered only if the value has a slash in it, or is empty`},
		{`<form method="post" action="/users/{{.}}"></form><b hx-delete="/imprint/{{.}}"></b>`, `1:64: hx-delete of <b>: nothing answers /imprint/{{…}}: if something else does, begin it with an action: {{"/imprint/"}}{{…}}
1:29: warning: action of <form>: POST /users/{{…}} is answered only if the value has a slash in it, or is empty`},
		{`<img src="/imprint">`, `1:11: warning: src of <img>: /imprint is a page`},
		{`<script src="/search?q=x"></script>`, `1:14: warning: src of <script>: /search is a page`}, // with a handler
		{`<a href="/de/recipe/x">x</a>`, `1:10: href of <a>: nothing answers /de/recipe/x: did you mean /{lang}/recipes/{slug}?`},
	} {
		t.Run(tt.page, func(t *testing.T) {
			is := is.New(t)
			is.Equal(strings.ReplaceAll(linkReport(linkRouter(tt.page)), "router/page.html:", ""), tt.want)
		})
	}
}

// linkReport returns the faults and the warnings of a Router.
func linkReport(r *flow.Router) string {
	return strings.Join(slices.DeleteFunc([]string{errorText(r.Check()), errorText(r.Warnings())}, func(s string) bool { return s == "" }), "\n")
}

// The value "" leaves a parameter out of a URL, and any other value is a hole.
func TestDeadLinksOfOptionalParameters(t *testing.T) {
	const answersPOST = ` answers POST, and not GET, which a link sends: use a form with method="post"`
	for _, tt := range []struct{ page, want string }{
		{`<a href="{{route "lang.pay" "lang" ""}}">x</a>`, `1:12: href of <a>: /pay` + answersPOST},
		{`<a href="{{route "lang.pay" "lang" "" "q" "x"}}">x</a>`, `1:12: href of <a>: /pay` + answersPOST},
		{`<a href="{{route "lang.pay" "lang" "de"}}">x</a>`, `1:12: href of <a>: /{{…}}/pay` + answersPOST},
		{`<a href="{{route "cal.year.day" "year" 2026 "day" ""}}">x</a>`, `1:12: href of <a>: /cal/{{…}}` + answersPOST},
		{`<a href="{{route "lang.index" "lang" ""}}ordrs">x</a>`, `1:12: href of <a>: nothing answers /ordrs: did you mean /orders?`},
		{`<a href="{{route "lang.index" "lang" "de"}}ordrs">x</a>`, ``}, // the hole may be the beginning of a segment
		{`<a href="{{route "lang.index" "lang" ""}}orders">x</a><form method="post" action="{{route "lang.pay" "lang" ""}}"></form>`, ``},
	} {
		t.Run(tt.page, func(t *testing.T) {
			is := is.New(t)
			tree := fstest.MapFS{"router/page.html": {Data: []byte(tt.page)}}
			for _, name := range []string{"orders.html", "[[lang=lang]]/index.html", "[[lang=lang]]/pay.http", "cal/[[year]]/[[day]].http"} {
				tree["router/"+name] = &fstest.MapFile{Data: []byte("# x")}
			}
			r := flow.New(tree)
			r.Matchers = map[string]func(string) bool{"lang": func(v string) bool { return len(v) == 2 }}
			r.At("[[lang=lang]]/pay").POST().Do(empty)
			r.At("cal/[[year]]/[[day]]").POST().Do(empty)
			is.Equal(strings.ReplaceAll(linkReport(r), "router/page.html:", ""), tt.want)
		})
	}
}

// None of these is a fault.
func TestLinksThatLeadSomewhere(t *testing.T) {
	for _, page := range []string{
		`<a href="/users">x</a><a href="/">x</a><a href="/users?x=1#y">x</a><a href="/users/7/edit">x</a>`,
		`<a href="/{{.}}">x</a><a href="/{{.}}/{{.}}">x</a><a href="/users/{{.}}">x</a><a href="/users/new{{.}}">x</a>`,
		`<a href="/search{{.}}">x</a><a href="/files/{{.}}">x</a><a href="/files/a/{{.}}/b">x</a>`,
		`<a href="{{route "users.id.edit" "id" 1}}?x=1#y">x</a><form method="post" action="{{route "users.id.delete" "id" 1}}"></form><a href="{{route "lang.recipes.slug" "lang" "de" "slug" "x"}}">x</a>`,
		`<a href="{{route "users.id.delete" (print "id") 1}}">x</a><a href="{{route "users.id.delete" "id" 1 (print "q") 2}}">x</a>`,
		`<a href="{{route "users.id.edit" "id" 1 | print}}x">x</a><a href="x{{route "imprint"}}/no">x</a><a href="{{$u := route "imprint"}}{{$u}}/no">x</a>`,
		`<a href="/users/{{with .}}{{.}}{{end}}/edit">x</a><a href="/users{{if .}}/{{.}}{{end}}">x</a>`,
		`<a href="{{.}}/nothing">x</a><a href="{{"/nothing"}}">x</a><a href="{{if .}}{{.}}{{end}}">x</a>`,
		`<a href="nothing">x</a><a href="./nothing">x</a><a href="#nothing">x</a><a href="?nothing">x</a><a href="">x</a><a href>x</a><a>x</a>`,
		`<a href="//example.com/nothing">x</a><a href="https://example.com/nothing">x</a><a href="mailto:a@example.com">x</a><a href="/\example.com">x</a>`,
		`<a rel="external" href="/nothing">x</a><a href="/nothing" rel="nofollow External">x</a><a rel="{{.}}" href="/nothing">x</a>`,
		`<form rel="external" method="post"></form><form rel="external" action="/nothing"></form>`,
		`<!-- <a href="/nothing"> --><a href="/users">x</a><!--><a href="/users">--><!---->`,
		`<script>const a = '<a href="/nothing">'</script><style>a { background: url(/nothing) }</style>`,
		`<textarea><a href="/nothing"></textarea><title><a href="/nothing"></title><script>"</b>" + '<a href="/nothing">'</script>`,
		`<div data-href="/nothing" title="<a href=/nothing>" x-href="/nothing" :href="/nothing"></div><div href="/nothing"></div>`,
		`<a href="/users/${id}/x">x</a><a href="/nothing/{id}">x</a>`,
		`<a href="/static/anything">x</a><a href="/static/">x</a><a href="/static">x</a><form method="post" action="/static/a/b"></form>`,
		`<a href="/billing">x</a><a href="/billing/invoices/7">x</a><a href="/billing/invoices/{{.}}">x</a><link rel="stylesheet" href="/billing/bill.css">`,
		`<form action="/users/7/delete" method="{{.}}"></form><form {{if .}}method="post"{{end}} {{.}} action="/users/7/delete"></form>`,
		`<form action="/users/7/edit" method="post"><input type="hidden" name="_method" value="PUT"></form>`,
		`<form action="/users/7/delete" method="put"></form><form method="dialog"><button formaction="">x</button></form>`,
		`<form method="dialog" action="/nothing"><input name="other"><button formaction="/nothing">x</button></form>`,
		`<form method="post" action="/users"><button formmethod="dialog" formaction="/nothing">x</button></form>`,
		`<form method="{{.}}" action="/users"><button formmethod="Dialog">x</button></form><form {{if .}}method="dialog"{{else}}method="post"{{end}} action="/users"></form>`,
		`<a href="\\example.com/nothing">x</a><a href="a\b">x</a><a href="/users?\x">x</a>`,
		`<meta http-equiv="refresh" content="30"><meta http-equiv="refresh" content="0;https://example.com/nothing"><meta name="x" content="0;/nothing"><meta http-equiv="refresh" content="{{.}}">`,
		`<a href="/users" ping="https://example.com/nothing {{.}} /users">x</a><i ping="/nothing">x</i><i sse-connect="{{.}}" ws-connect="wss://example.com/nothing">x</i>`,
		`<q cite="https://example.com/nothing">x</q><table background="/img/logo.png"></table><div background="/nothing"></div>`,
		`<button formaction="/users/7/delete">x</button><button form="f" formaction="/users/7/delete">x</button>`,
		`<form {{if .}}action="/users" method="post"{{else}}action="/search"{{end}}></form>`,
		`<form action="/search"><button formaction="/users" formmethod="POST">x</button><button formmethod="dialog">x</button></form>`,
		`<form method="post" onsubmit="x()"></form><form method="post" hx-post="/users"></form><form method="post" @submit="x"></form>`,
		`<form></form><form method="get" action></form>`,
		`<form method="post" action="/users" hx-put="/users/7/edit"></form><form action="/search" hx-post="/users"><input name="q"></form>`,
		`<form hx-post="/users"><button formaction="/users/7/delete">x</button></form><form hx-post="/users" method="get"><button formaction="/search">x</button></form>`,
		`<form method="post"><button formaction="/users">x</button><input type="submit" formaction="/users/7/delete"></form>`,
		`<form method="post"><button hx-post="/users">x</button></form><form method="post"><button onclick="x()">x</button></form><form method="post"><button {{.}}>x</button></form>`,
		`{{define "b"}}<button formaction="/users">x</button>{{end}}<form method="post">{{template "b"}}</form>`,
		`{{define "attrs"}}action="/nothing"{{end}}<form {{template "attrs"}} method="post"></form>`,
		`{{define "html"}}<a href="/nothing">x</a>{{end}}<script>const a = {{.}}; /*{{template "html"}}*/</script>`,
		`<a href="{{range .}}/nothing{{end}}">x</a><a href="/users{{range .}}/{{.}}{{end}}">x</a>`,
		`{{range .Rows}}{{if .}}{{continue}}{{else}}<script>{{end}}const a = '<a href="/nothing">'</script>{{end}}`,
		`<a href={{.}}>x</a><a {{.}}="/nothing">x</a><a href="/users"href="/nothing">x</a>`,
		`<img src="/img/logo.png" srcset="/img/logo.png 1x, /img/logo@2x.png 2x"><img src="data:image/png;base64,AA"><img srcset="/img/logo.png,">`,
		`<a href="/files/100%{{.}}">x</a>`,
		`<a href="/use{{if .}}rs{{else}}rs/new{{end}}">x</a>`,
		`<a href="/x{{if .A}}1{{end}}{{if .B}}2{{end}}{{if .C}}3{{end}}{{if .D}}4{{end}}{{if .E}}5{{end}}">x</a>`, // too many forms
		`<a href="/users?x{{if .A}}1{{end}}{{if .B}}2{{end}}{{if .C}}3{{end}}{{if .D}}4{{end}}{{if .E}}5{{end}}">x</a>`,
	} {
		t.Run(page, func(t *testing.T) {
			is := is.New(t)
			is.Equal(linkReport(linkRouter(page)), "")
		})
	}
}

// A form whose handler has a type is held against the fields of that.
func TestFormFields(t *testing.T) {
	for _, tt := range []struct{ page, want string }{
		{`<form action="/users" method="post"><input name="email"><input name="NAME"><select name="age"></select></form>`, ""},
		{`<form action="/users" method="post"><input name="emial"></form>`, `1:50: warning: the handler of POST /users reads no field "emial": did you mean "email"?`},
		{`<form action="/users" method="post"><p><textarea name="about"></textarea></form>`, `1:56: warning: the handler of POST /users reads no field "about"`},
		{`<form action="/users" method="post"><input name="next"></form>`, `1:50: warning: the handler of POST /users reads no field "next"`},
		{`<form action="/users" method="post"><input type="hidden" name="csrf"><input name="_charset_" type="hidden"></form>`, ""},
		{`<form action="/users" method="post"><input type="hidden" name="agee"></form>`, `1:64: warning: the handler of POST /users reads no field "agee": did you mean "age"?`},
		{`<form action="/users" method="post"><button name="save">x</button><input type="submit" name="more"><input name="{{.}}"><input></form>`, ""},
		{`<form action="/users" method="post"></form><input name="other"><form action="/search"><input name="q"><input name="sort"></form>`, ""},
		{`<form action="/users" method="post"><input form="f" name="other"></form>`, ""},
		{`<form action="/search"><input name="p"></form>`, `1:37: warning: the handler of GET /search reads no field "p"`},
		{`<form action="{{route "users.index"}}" method="post"><input name="emial"></form>`, `1:67: warning: the handler of POST /users reads no field "emial": did you mean "email"?`},
		{`<form hx-post="/users"><input name="emial"></form>`, `1:37: warning: the handler of POST /users reads no field "emial": did you mean "email"?`},
		{`<form action="/users" method="post"><input type="file" name="photo"></form>`, `1:62: warning: a form sends files only with enctype="multipart/form-data"`},
		{`<form action="/users/7/delete" method="post"><input type="file" name="photo"></form>`, `1:71: warning: a form sends files only with enctype="multipart/form-data"`},
		{`<form action="{{.}}" method="post"><input type="file" name="photo"></form>`, `1:61: warning: a form sends files only with enctype="multipart/form-data"`},
		{`<form action="/users" method="post" enctype="multipart/form-data"><input type="file" name="photo"></form>`, ""},
		{`<form action="/users" method="post"><input type="file" name="photo"><button formenctype="multipart/form-data"></button></form>`, ""},
		{`<form action="/users" method="post" enctype="multipart/form-data"><input type="file" name="email"></form>`, `1:92: warning: the handler of POST /users reads "email" as text: give its field the type *multipart.FileHeader`},
		{`<form action="/albums" method="post" enctype="multipart/form-data"><input name="title"><input type="file" name="cover"><input type="FILE" name="pages" multiple></form>`, ""},
		{`<form action="/albums" method="post" enctype="multipart/form-data"><input type="file" name="title"></form>`, `1:93: warning: the handler of POST /albums reads "title" as text: give its field the type *multipart.FileHeader`},
		{`<form action="/albums" method="post" enctype="multipart/form-data"><input type="file" name="page"></form>`, `1:93: warning: the handler of POST /albums reads no field "page": did you mean "pages"?`},
		{`<form action="/albums" method="post" enctype="multipart/form-data"><input name="cover"><input type="hidden" name="pages"></form>`, `1:81: warning: the handler of POST /albums reads "cover" as a file: write type="file"`},
		{`<form action="/albums" method="post"><input type="file" name="cover"></form>`, `1:63: warning: a form sends files only with enctype="multipart/form-data"`},
		{`<form action="/albums" method="post"><input name="cover"></form>`, `1:51: warning: a form sends files only with enctype="multipart/form-data"`},
		{`<form action="/albums" method="post"><input name="title">{{.}}</form>`, `1:1: warning: <form>: the handler of POST /albums reads "cover" as a file, and a form sends files only with enctype="multipart/form-data"`},
		{`<form action="/albums"><input type="file" name="cover"><input name="title"></form>`, `1:49: warning: a form sends files only with enctype="multipart/form-data" and method="post"`},
		{`<form action="/search"><input type="file" name="other"></form>`, ""}, // sends the name
		{`<form action="/albums" method="post"{{if .}} enctype="multipart/form-data"{{end}}><input type="file" name="cover"></form>`, ""},
		{`<form action="/albums" method="post"{{if .}} enctype="multipart/form-data"{{end}}>{{if .}}<input type="file" name="cover">{{end}}<input name="title"></form>`, ""},
		{`<form {{if .}}action="/users" method="post"{{else}}action="/search"{{end}}><input name="other"></form>`, `1:89: warning: the handler of POST /users reads no field "other"`},
		{`<form action="/users/7/delete" method="post"><input name="anything"></form>`, ""},
		{`<form action="/users" method="post">{{range $i, $item := .}}<input name="items.{{$i}}.name"><input name="items.{{$i}}.qty">{{end}}<input name="items.0.name"><input name="address.street"></form>`, ""},
		{`<form action="/users" method="post">{{range $i, $item := .}}<input name="items.{{$i}}.nmae">{{end}}</form>`, `1:74: warning: the handler of POST /users reads no field "items.{{…}}.nmae": did you mean "items.{{…}}.name"?`},
		{`<form action="/users" method="post"><input name="itmes.{{.}}.name"></form>`, `1:50: warning: the handler of POST /users reads no field "itmes.{{…}}.name": did you mean "items.{{…}}.name"?`},
		{`<form action="/users" method="post"><input name="items.name"></form>`, `1:50: warning: the handler of POST /users reads no field "items.name": did you mean "items.0.name"?`},
		{`<form action="/users" method="post"><input name="address.steet"></form>`, `1:50: warning: the handler of POST /users reads no field "address.steet": did you mean "address.street"?`},
		{`<form action="/users" method="post"><input name="address"></form>`, `1:50: warning: the handler of POST /users reads no field "address": did you mean "address.street"?`},
		{`<form action="/users" method="post"><input name="items"></form>`, `1:50: warning: the handler of POST /users reads no field "items": did you mean "items.0.name"?`},
		{`<form action="/users" method="post"><input name="items.{{.}}"><input name="items.0"></form>`, `1:76: warning: the handler of POST /users reads no field "items.0": did you mean "items.0.name"?`},
		{`<form action="/users" method="post"><input name="email.{{.}}.x"></form>`, `1:50: warning: the handler of POST /users reads no field "email.{{…}}.x"`},
		{`<form action="/users" method="post"><input name="address.{{.}}.x"><input name="items.0.{{.}}"><input name="{{.}}.name"><input name="a{{.}}.name"></form>`, ""},
		{`<form action="/search"><input name="By.Year"><input name="by.month"></form>`, `1:59: warning: the handler of GET /search reads no field "by.month"`},
		{`<form {{if .}}action="/users" method="post"{{else}}action="/search"{{end}}>{{if .}}<input name="email">{{end}}<input name="q"></form>`, ""},
	} {
		t.Run(tt.page, func(t *testing.T) {
			is := is.New(t)
			is.Equal(strings.ReplaceAll(linkReport(linkRouter(tt.page)), "router/page.html:", ""), tt.want)
		})
	}
}

// A link that a parameter answers is told if it is nearly a literal segment beside it.
func TestLinksNearLiterals(t *testing.T) {
	for _, tt := range []struct{ page, want string }{
		{`<a href="/imprnt">x</a>`, `router/page.html:1:10: warning: href of <a>: /imprnt is answered by /{lang}: did you mean /imprint?`},
		{`<a href="/imprint">x</a><a href="/de">x</a><a href="/{{.}}">x</a><a href="/teams">x</a><a href="/neu">x</a>`, ""},
	} {
		t.Run(tt.page, func(t *testing.T) {
			is := is.New(t)
			is.Equal(linkReport(flow.New(fstest.MapFS{"router/[lang].html": {}, "router/imprint.html": {}, "router/new.html": {}, "router/page.html": {Data: []byte(tt.page)}})), tt.want)
		})
	}
}

// Links are reported in the order of files and lines, each once, for the Routers inside, too.
func TestLinksInOrder(t *testing.T) {
	is := is.New(t)
	inner := flow.New(fstest.MapFS{"router/index.html": {Data: []byte(`<a href="/inner/x">x</a><a href="/page">x</a>`)}})
	r := flow.New(fstest.MapFS{
		"router/+layout.html": {Data: []byte(`<a href="/nothing">x</a>{{template "content" .}}`)},
		"router/index.html":   {Data: []byte(strings.Repeat("\n", 8) + `<a href="/a"></a><a href="/b"></a>` + "\n" + `<a href="/c"></a>`)},
		"router/page.html":    {Data: []byte(`<a href="/inner">x</a>`)},
	})
	r.Mount("/inner", inner)
	is.Equal(errorText(r.Check()), strings.TrimSpace(`
router/+layout.html:1:10: href of <a>: nothing answers /nothing: if something else does, say so with rel="external"
Mount("/inner"): router/index.html:1:10: href of <a>: nothing answers /inner/x: if something else does, say so with rel="external"
router/index.html:9:10: href of <a>: nothing answers /a: if something else does, say so with rel="external"
router/index.html:9:27: href of <a>: nothing answers /b: if something else does, say so with rel="external"
router/index.html:10:10: href of <a>: nothing answers /c: if something else does, say so with rel="external"`))
}

// While another fault may keep a route out, no link is reported that may lead to it.
func TestLinksBesideOtherFaults(t *testing.T) {
	is := is.New(t)
	tree := fstest.MapFS{"router/users/[id.html": {}, "router/index.html": {Data: []byte(`<a href="/users/7">x</a>{{nothing}}`)}}
	is.True(!strings.Contains(errorText(flow.New(tree).Check()), "/users/7"))
	delete(tree, "router/users/[id.html")
	is.True(strings.Contains(errorText(flow.New(tree).Check()), "/users/7")) // the fault of a template keeps no route out
}

// A <base> may lead all URLs to another server.
func TestLinksWithBase(t *testing.T) {
	for base, told := range map[string]bool{`<base target="_top">`: true, `<base href="/app/">`: true, `<base href="https://example.com">`: false, `<base href="{{.}}">`: false} {
		t.Run(base, func(t *testing.T) {
			is := is.New(t)
			is.Equal(linkReport(linkRouter("<head>"+base+`</head><a href="/nothing">x</a>`)) != "", told)
		})
	}
}
