package export_test

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/export"
)

// site makes the Router of a tree: router/ and public/ by their names, and route files without either.
func site(texts map[string]string) *flow.Router {
	m := fstest.MapFS{}
	for name, text := range texts {
		if !strings.HasPrefix(name, "public/") {
			name = "router/" + name
		}
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return flow.New(m)
}

// exported exports a site in a bubble, in which nobody waits for clocks.
func exported(t *testing.T, r *flow.Router, o export.Options) (result export.Result, err error) {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "site")
	}
	synctest.Test(t, func(t *testing.T) { result, err = export.Site(t.Context(), r, o) })
	return result, err
}

var counter atomic.Int64

// page is a handler for pages of HTML that have no template.
func page(text func(*flow.Request) string) func(*flow.Request) flow.Response {
	return func(r *flow.Request) flow.Response {
		return flow.Text(text(r)).Header("Content-Type", "text/html; charset=utf-8")
	}
}

func always(text string) func(*flow.Request) flow.Response {
	return page(func(*flow.Request) string { return text })
}

func guard(r *flow.Request) flow.Response { return flow.Redirect("/login") }

// TestFaults: each mistake is told, and nothing is written.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name    string
		files   map[string]string
		with    func(*flow.Router)
		options export.Options
		want    string // all faults
	}{
		{name: "a link to nothing", files: map[string]string{"index.html": "\n<p><a rel=x href=\"no\">", "b.html": `<a href="../no">`},
			want: `router/index.html:2:19: href of <a>: /no answers 404 (on / and 1 more page)`},
		{name: "an image that is not there", files: map[string]string{"index.html": `<img src="no.png">`},
			want: `router/index.html:1:11: src of <img>: /no.png answers 404 (on /)`},
		{name: "a link to an error", files: map[string]string{"index.html": `<a href="/x">`, "x.http": ""},
			with: func(r *flow.Router) {
				r.At("x").GET().Do(func(*flow.Request) flow.Response { panic("x") })
			},
			want: `router/index.html:1:10: href of <a>: /x answers 500 (on /)`},
		{name: "a link to a page that a guard refuses", files: map[string]string{"index.html": `<a href="/x">`, "x.html": "", "login.html": ""},
			with: func(r *flow.Router) { r.At("x").Use(guard) },
			want: `router/index.html:1:10: href of <a>: /x answers 302, since a guard refuses it: export_test.guard (on /)`},
		{name: "a link to a page that is left out", files: map[string]string{"index.html": `<a href="/x">`, "x.html": ""}, options: export.Options{Not: []string{"/x"}},
			want: `router/index.html:1:10: href of <a>: /x is left out, as the options say (on /)`},
		{name: "what is left out is not there", files: map[string]string{"index.html": ""}, options: export.Options{Not: []string{"/x"}},
			want: `/x: it is to be left out, and nothing leads to it: is it misspelt?`},
		{name: "a URL of the options that is not there", files: map[string]string{"index.html": ""}, options: export.Options{URLs: []string{"/x"}},
			want: `/x: it is to be exported, and answers 404`},
		{name: "a form", files: map[string]string{"index.html": `<form method="post"><button>x</button></form>`}, with: func(r *flow.Router) {
			r.At("index").POST().Do(always(""))
		},
			want: `router/index.html:1:1: <form>: it sends POST, which no file answers (on /)`},
		{name: "a form on a page that is linked", files: map[string]string{"index.html": `<a href="/x">`, "x.html": `<form><button formmethod=POST>x</button></form>`},
			want: `router/x.html:1:7: <button>: it sends POST, which no file answers (on /x)`},
		{name: "a request of htmx", files: map[string]string{"index.html": `<p data-hx-delete="/x">`, "x.http": ""}, with: func(r *flow.Router) {
			r.At("x").DELETE().Do(always(""))
		},
			want: `router/index.html:1:20: data-hx-delete of <p>: it sends DELETE to /x, which no file answers (on /)`},
		{name: "a ping", files: map[string]string{"index.html": `<a href="/" ping="/x">`, "x.http": ""}, with: func(r *flow.Router) {
			r.At("x").POST().Do(always(""))
		},
			want: `router/index.html:1:19: ping of <a>: it sends POST to /x, which no file answers (on /)`},
		{name: "a query", files: map[string]string{"index.html": `<a href="/?page=2">`},
			want: `router/index.html:1:10: href of <a>: /?page=2 has a query, and a file is the same with each of them (on /)`},
		{name: "a cookie", files: map[string]string{"index.html": ""}, with: func(r *flow.Router) {
			r.At("index").GET().Do(func(*flow.Request) flow.Response {
				return flow.Text("").Header("Set-Cookie", "a=b")
			})
		},
			want: `router/index.html: the answer sets a cookie, and a file is the same for everybody (on /)`},
		{name: "a second cookie", files: map[string]string{"index.html": ""}, with: func(r *flow.Router) {
			r.At("index").GET().Do(func(*flow.Request) flow.Response {
				return flow.Text("").Header("Set-Cookie", "a=b").AddHeader("Set-Cookie", fmt.Sprint("c=", counter.Add(1)))
			})
		},
			want: `router/index.html: it is not the same each time, or for each host: Set-Cookie is "a=b, c=1", and then "a=b, c=2" (on /)
router/index.html: the answer sets a cookie, and a file is the same for everybody (on /)`},
		{name: "a redirect to itself", files: map[string]string{"index.html": `<a href="/x">`, "x.http": ""}, with: func(r *flow.Router) {
			r.At("x").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/x") })
		},
			want: `router/x.http: it is a redirect to /x, which leads back to it: their files would repeat that without end (on /x)`},
		{name: "an answer that fails, to which nothing leads", files: map[string]string{"index.html": "", "map.xml.http": "", "x.html": "", "y.html": ""}, with: func(r *flow.Router) {
			r.At("map.xml").GET().Do(func(*flow.Request) flow.Response { panic("x") })
			r.At("x").GET().Do(func(*flow.Request) flow.Response { return flow.Fail(http.StatusBadGateway, "") })
			r.At("y").GET().Do(func(*flow.Request) flow.Response { return flow.Fail(http.StatusGone, "") }) // is left out
		},
			want: `router/map.xml.http: it answers 500: mend it, or leave it out with -not (on /map.xml)
router/x.html: it answers 502: mend it, or leave it out with -not (on /x)`},
		{name: "an application that answers nobody", files: map[string]string{"index.html": "", "x.html": ""}, with: func(r *flow.Router) { r.Use(guard) },
			want: `router/index.html: it answers 302, since a guard refuses it: export_test.guard: mend it, or leave it out with -not (on /)`},
		{name: "a compressed answer", files: map[string]string{"index.html": ""}, with: func(r *flow.Router) {
			r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Text("").Header("Content-Encoding", "br") })
		},
			want: `router/index.html: it is encoded as br, which nobody has asked for: mend it, or leave it out with -not (on /)`},
		{name: "links without an end", files: map[string]string{"index.html": `<a href="/n/1">`, "n/[n].html": ""}, with: func(r *flow.Router) {
			r.At("n/[n]").GET().Do(page(func(r *flow.Request) string {
				n, _ := strconv.Atoi(r.Param("n"))
				return fmt.Sprintf(`<a href="/n/%d">`, n+1)
			}))
		},
			want: `router/n/[n].html: href of <a>: /n/10001 is behind 10001 links, one after the other: if they have no end, leave the first one out with -not or rel="external" (on /n/10000:1:10)`},
		{name: "redirects in a circle", files: map[string]string{"index.html": `<a href="/in">`, "in.http": "", "x.http": "", "y.http": ""}, with: func(r *flow.Router) {
			r.At("in").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/x") })
			r.At("x").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/y#a") })
			r.At("y").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/x") })
		},
			want: `router/x.http: it is a redirect to /y, which leads back to it: their files would repeat that without end (on /x)
router/y.http: it is a redirect to /x, which leads back to it: their files would repeat that without end (on /y)`},
		{name: "URLs on this machine", files: map[string]string{"index.html": `<link rel="canonical" href="http://localhost:8080/"><a rel="external" href="http://localhost/"></a><code>http://localhost/</code>`,
			"sitemap.xml.http": "", "feed.json.http": "", "public/robots.txt": "User-agent: *\nSitemap: http://127.0.0.1/s.xml\n"}, with: func(r *flow.Router) {
			r.At("sitemap.xml").GET().Do(func(*flow.Request) flow.Response {
				return flow.Bytes("application/xml", []byte("<a>\n<p>see http://localhost/ and &lt;code>http://localhost/&lt;/code></p><p><![CDATA[<a href=\"http://localhost/\">]]></p><loc>http://[::1]:80/a</loc></a>"))
			})
			r.At("feed.json").GET().Do(func(*flow.Request) flow.Response {
				return flow.Bytes("application/json", []byte(`{"text": "fetch(\"http://localhost/x\")", "url": "HTTP://localhost"}`))
			})
		},
			want: `public/robots.txt: http://127.0.0.1/s.xml leads to this machine: have the application write its public URL (on /robots.txt:2:10)
router/feed.json.http: HTTP://localhost leads to this machine: have the application write its public URL (on /feed.json:1:51)
router/index.html:1:29: href of <link>: http://localhost:8080/ leads to this machine: have the application write its public URL (on /)
router/sitemap.xml.http: http://[::1]:80/a leads to this machine: have the application write its public URL (on /sitemap.xml:2:122)`},
		{name: "Vary in lower case", files: map[string]string{"index.html": ""}, with: func(r *flow.Router) {
			r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Text("").Header("Vary", "accept, cookie") })
		},
			want: `router/index.html: the answer has Vary: Cookie, and a file is the same for everybody (on /)`},
		{name: "a clock", files: map[string]string{"index.html": ""}, with: func(r *flow.Router) {
			r.At("index").GET().Do(page(func(*flow.Request) string { return "<p>\nnow " + time.Now().UTC().Format(time.TimeOnly) }))
		},
			want: `router/index.html: it is not the same each time, or for each host: line 2, column 12 has "now 00:00:00", and then "now 00:00:01" (on /)`},
		{name: "a clock in a feed", files: map[string]string{"index.html": "", "feed.xml.http": ""}, with: func(r *flow.Router) {
			r.At("feed.xml").GET().Do(func(*flow.Request) flow.Response { return flow.Text(time.Now().UTC().Format(time.TimeOnly)) })
		},
			want: `router/feed.xml.http: it is not the same each time, or for each host: line 1, column 8 has "00:00:00", and then "00:00:01" (on /feed.xml)`},
		{name: "a token", files: map[string]string{"index.html": ""}, with: func(r *flow.Router) {
			r.At("index").GET().Do(page(func(*flow.Request) string { return fmt.Sprint("v", counter.Add(1)%10) }))
		},
			want: `router/index.html: it is not the same each time, or for each host: line 1, column 2 has "v1", and then "v2" (on /)`},
		{name: "the host", files: map[string]string{"index.html": "{{request.Host}}"},
			want: `router/index.html: it is not the same each time, or for each host: line 1, column 1 has "export.example", and then "again.example" (on /)`},
		{name: "a redirect to the host", files: map[string]string{"index.html": `<a href="/x">`, "x.html": ""}, with: func(r *flow.Router) {
			r.At("x").GET().Do(func(r *flow.Request) flow.Response {
				return flow.Text("").Status(302).Header("Location", "https://"+r.Host+"/y")
			})
		},
			want: `router/x.html: it is not the same each time, or for each host: Location is "https://export.example/y", and then "https://again.example/y" (on /x)`},
		{name: "middleware that wants another host", files: map[string]string{"index.html": `<a href="/x">`, "x.html": ""}, with: func(r *flow.Router) {
			r.At("x").GET().Do(func(r *flow.Request) flow.Response {
				return flow.Text("").Status(308).Header("Location", "https://www.example.com/x")
			})
		},
			want: `router/x.html: it is redirected to the same path on another server, https://www.example.com/x: leave out the middleware that does this (on /x)`},
		{name: "many that differ", files: map[string]string{"[n].html": `{{request.Host}}`, "index.html": `{{range list 1 2 3 4 5 6 7 8 9 10 11 12}}<a href="/{{.}}"></a>{{end}}`},
			with: func(r *flow.Router) {
				r.Funcs = map[string]any{"list": func(n ...int) []int { return n }}
			},
			want: `the site: 2 more answers are not the same each time, or for each host`},
		{name: "a page of a 404 that differs", files: map[string]string{"index.html": "", "+error.html": `<p>{{request.URL.Path}}`},
			want: `router/+error.html: it is not the same for each URL, each time or for each host: line 1, column 16 has "<p>/flow-export-nothing", and then "<p>/flow-export/nothing" (on the page of a 404)`},
		{name: "a relative link on the page of a 404", files: map[string]string{"index.html": "", "+error.html": `<a href="a">`, "a.html": ""},
			want: `router/+error.html:1:10: href of <a>: a is relative, and the page of a 404 stands at any URL: begin it with a slash (on the page of a 404)`},
		{name: "a fragment", files: map[string]string{"index.html": `<a href="/x#no">`, "x.html": `<p id="yes"><a href="#nope"><a href="#yes">`},
			want: `router/index.html:1:10: href of <a>: no element of /x has the id "no" (on /)
router/x.html:1:22: href of <a>: no element of /x has the id "nope" (on /x)`},
		{name: "two URLs for a file", files: map[string]string{"index.html": "", "index.html.http": ""}, with: func(r *flow.Router) { r.At("index.html").GET().Do(always("x")) },
			want: `/index.html: its file would be index.html, which is that of /`},
		{name: "a page beside that of a 404", files: map[string]string{"index.html": "", "404.html.http": "", "+error.html": ""}, with: func(r *flow.Router) { r.At("404.html").GET().Do(always("x")) },
			want: `the page of a 404: its file would be 404.html, which is that of /404.html`},
		{name: "a file where a directory must be", files: map[string]string{"index.html": `<a href="/feed">`, "feed.http": "", "feed/x.html": ""}, with: func(r *flow.Router) {
			r.At("feed").GET().Do(func(*flow.Request) flow.Response { return flow.Text("") })
		},
			want: `/feed/x: its file would be feed/x.html, and feed is the file of /feed, which cannot be a directory, too`},
		{name: "names that differ in case", files: map[string]string{"index.html": `<a href="/x/A"></a><a href="/x/a">`, "x/[v].html": ""},
			want: `/x/a: its file would be x/a.html, which differs from x/A.html of /x/A only in case, and not every disk can hold both`},
		{name: "names that no file can have", files: map[string]string{"[v].html": "", "index.html": `<a href="/a%00b"></a><a href="/a:b"></a><a href="/nul"></a><a href="/x."></a><a href="/%ff"></a><a href="/` + strings.Repeat("x", 300) + `">`},
			options: export.Options{Index: true},
			want: `/%FF: its file would be "\xff/index.html", and that is not UTF-8
/a%00b: its file would be "a\x00b/index.html", and no file can have one of <>:"|?*\ or a control character in its name on every system
/a:b: its file would be "a:b/index.html", and no file can have one of <>:"|?*\ or a control character in its name on every system
/nul: its file would be "nul/index.html", and "nul" is a device on Windows
/x.: its file would be "x./index.html", and on Windows, no name ends in a dot or a space
/` + strings.Repeat("x", 300) + `: its file would be "` + strings.Repeat("x", 300) + `/index.html", and a part of it is longer than 250 bytes`},
		{name: "the name of the list", files: map[string]string{"index.html": `<a href="/.flow-export">`, "[v].http": ""}, with: func(r *flow.Router) {
			r.At("[v]").GET().Do(func(*flow.Request) flow.Response { return flow.Text("") })
		},
			want: `/.flow-export: its file would be ".flow-export", and the export has a file of that name`},
		{name: "an escaped slash", files: map[string]string{"index.html": `<a href="/a%2Fb">`, "[v].html": ""},
			want: `router/index.html:1:10: href of <a>: /a%2Fb has an escaped slash, which the name of a file cannot have (on /)`},
		{name: "a broken escape", files: map[string]string{"index.html": "{{html `<a href=\"/a%zz\">`}}"}, with: func(r *flow.Router) {
			r.At("index").GET().Do(always(`<a href="/a%zz">`))
		},
			want: `router/index.html: href of <a>: /a%zz has a broken escape: write %25 for a percent sign (on /:1:10)`},
		{name: "an answer that does not end", files: map[string]string{"index.html": `<a href="/x">`, "x.http": ""}, with: func(r *flow.Router) {
			r.At("x").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, "…")
				<-r.Context().Done()
				fmt.Fprint(w, "too late")
			}))
		},
			want: `router/index.html:1:10: href of <a>: /x did not end within 10s (on /)`},
		{name: "an event stream", files: map[string]string{"index.html": `<p hx-ext=sse sse-connect="/x">`, "x.http": ""}, with: func(r *flow.Router) {
			r.At("x").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(200)
				<-r.Context().Done()
			}))
		},
			want: `router/index.html:1:28: sse-connect of <p>: /x is an event stream, which does not end (on /)`},
		{name: "an answer that is broken off", files: map[string]string{"index.html": `<a href="/x">`, "x.http": ""}, with: func(r *flow.Router) {
			r.At("x").GET().Do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }))
		},
			want: `router/index.html:1:10: href of <a>: /x was broken off (on /)`},
		{name: "an image that is a redirect", files: map[string]string{"index.html": `<img src="/x">`, "x.http": "", "public/a.png": "x"}, with: func(r *flow.Router) {
			r.At("x").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/a.png") })
		},
			want: `router/index.html:1:11: src of <img>: /x is a redirect to /a.png, and its file is a page, which can be no part of another: write the URL that it leads to (on /)`},
		{name: "a redirect to nothing", files: map[string]string{"index.html": `<a href="/x">`, "x.http": ""}, with: func(r *flow.Router) {
			r.At("x").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/y?z=1") })
		},
			want: `router/x.http: Location: /y?z=1 has a query, and a file is the same with each of them (on /x)`},
		{name: "a relative link and -index", files: map[string]string{"index.html": `<a href="a">`, "a.html": `<a href="b">`, "b.html": `<a href="#"></a><a href="/a">`}, options: export.Options{Index: true},
			want: `router/a.html:1:10: href of <a>: b is relative, and with -index browsers ask for it below /a/: begin it with a slash (on /a)`},
		{name: "CSS and scripts below a base", files: map[string]string{"index.html": `<p style="background: url(/a.png)"><style>p { color: red; background: url(/a.png) }</style><script>x = {{asset "a.png"}}</script>`, "public/a.png": "", "public/a.css": "p {\n background: url('/a.png') }"}, options: export.Options{Base: "/b"},
			want: `public/a.css:2:18: url(): /a.png in CSS is not rewritten for the base: write it relative to the style sheet (on /a.css)
router/index.html: <script>: it names /a.oh27y3th5vrsdpbh.png, and scripts are not rewritten for the base: pass the URL in an attribute that holds one (on /)
router/index.html:1:11: style of <p>: /a.png in CSS is not rewritten for the base: move it into a style sheet, relative to that (on /)
router/index.html:1:75: <style>: /a.png in CSS is not rewritten for the base: move it into a style sheet, relative to that (on /)`},
		{name: "CSS that leads nowhere", files: map[string]string{"index.html": `<style>@import "no.css"</style>`, "public/css/a.css": "p { background: url(no.png) }"},
			want: `public/css/a.css:1:21: url(): /css/no.png answers 404 (on /css/a.css)
router/index.html:1:17: <style>: /no.css answers 404 (on /)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			counter.Store(0)
			r := site(tt.files)
			if tt.with != nil {
				tt.with(r)
			}
			tt.options.Dir = filepath.Join(t.TempDir(), "site")
			_, err := exported(t, r, tt.options)
			is.True(err != nil)
			if lines := strings.Split(err.Error(), "\n"); len(lines) > 10 && strings.HasPrefix(tt.want, "the site") {
				is.Equal(lines[len(lines)-1], tt.want)
			} else {
				is.Equal(err.Error(), tt.want)
			}
			_, err = os.Stat(tt.options.Dir)
			is.True(os.IsNotExist(err)) // nothing is written
		})
	}
}

// TestExcused: nothing is wrong about these.
func TestExcused(t *testing.T) {
	for name, text := range map[string]string{
		"another server answers":   `<a rel="external" href="/no">`,
		"other servers":            `<a href="https://a.example/no?x#y"></a><a href="//b.example"></a><a href="mailto:a@b.example"></a><img src="data:image/png;base64,x"><a href="tel:1 2"></a><a href="javascript:void(0)">`,
		"the beginning of a page":  `<a href="#"></a><a href="#top"></a><a href=""></a><a href="/#:~:text=x">`,
		"a form of another server": `<form method="post" action="https://forms.example/x"><button>x</button></form>`,
		"a dialog":                 `<dialog><form method="dialog"><button>x</button></form></dialog>`,
		"a search":                 `<form action="/"><input name="q"></form>`,
		"a fragment of Unicode":    `<p id="über"><a href="#%C3%BCber"></a><a href="/#über">`,
		"a fragment of an image":   `<svg><use href="/i.svg#x"></svg>`,
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			_, err := exported(t, site(map[string]string{"index.html": text, "public/i.svg": "<svg/>"}), export.Options{})
			is.NoErr(err)
		})
	}
}

// TestOptions: what cannot be meant is told before the application is asked.
func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		options export.Options
		want    string
	}{
		{export.Options{}, "export: there is no directory to export to"},
		{export.Options{Dir: "x", URLs: []string{"x"}}, `export: "x" is not the URL of a page: it begins with one slash, and has neither query nor fragment, as in /users/7`},
		{export.Options{Dir: "x", Not: []string{"/x?y"}}, `export: "/x?y" is not the URL of a page: it begins with one slash, and has neither query nor fragment, as in /users/7`},
		{export.Options{Dir: "x", Base: "repo"}, `export: the base "repo" is not a path: it begins with one slash, as in /repo`},
		{export.Options{Dir: "x", Base: "https://a/repo"}, `export: the base "https://a/repo" is not a path: it begins with one slash, as in /repo`},
	} {
		t.Run(tt.want, func(t *testing.T) {
			is := is.New(t)
			_, err := export.Site(context.Background(), site(nil), tt.options)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

// TestPlaces: a fault names the file that has the URL, with its line if it is known.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a page of a format", map[string]string{"docs/a.md": "---\n\n<a href=\"#no\">x</a>"},
			`router/docs/a.md:3:10: href of <a>: no element of /docs/a has the id "no" (on /docs/a)`},
		{"a link between files", map[string]string{"docs/a.md": "\n[b](b.md#no)", "docs/b.md": ""},
			`router/docs/a.md:2:5: href of <a>: no element of /docs/b has the id "no" (on /docs/a)`},
		{"one of several links", map[string]string{"docs/a.md": "\n[b](b.md#no)\n[b](b.md#no)", "docs/b.md": ""},
			`router/docs/a.md:2:5: href of <a>: no element of /docs/b has the id "no" (on /docs/a)`},
		{"a link below code that has it, too", map[string]string{"a.md": "`#no`\n\n<a href=\"#no\">x</a>"},
			`router/a.md:3:10: href of <a>: no element of /a has the id "no" (on /a)`},
		{"a link below code that the page colors", map[string]string{"a.md": "code /a?no\n\n<a href=\"/a?no\">x</a>"},
			`router/a.md: href of <a>: /a?no has a query, and a file is the same with each of them (on /a:3:10)`},
		{"a layout", map[string]string{"+layout.html": "<p>\n<a href=\"#no\">x</a>{{template \"content\" .}}", "a.md": "x", "b.html": "y"},
			`router/+layout.html:2:10: href of <a>: no element of /a has the id "no" (on /a)
router/+layout.html:2:10: href of <a>: no element of /b has the id "no" (on /b)`},
		{"a partial", map[string]string{"+part.html": "{{if true}}\n<a href=\"/a?x=1&amp;y\">x</a>{{end}}", "a.html": `{{template "+part" .}}`, "b.html": `{{template "+part" .}}`},
			`router/+part.html:2:10: href of <a>: /a?x=1&y has a query, and a file is the same with each of them (on /a and 1 more page)`},
		{"a comment of the template", map[string]string{"a.html": "{{/* <a href=\"#no\"> */}}\n{{with \"no\"}}<a href=\"#{{.}}\">x</a>{{end}}"},
			`router/a.html: href of <a>: no element of /a has the id "no" (on /a:2:10)`},
		{"in a list of images", map[string]string{"a.html": `{{"x"}}<img srcset="/a.png 1x, /a.png?x=1 2x">`},
			`router/a.html:1:21: srcset of <img>: /a.png?x=1 has a query, and a file is the same with each of them (on /a)`},
		{"a file with a byte order mark", map[string]string{"a.html": "\ufeff<a href=\"#no\">x</a>"},
			`router/a.html:1:10: href of <a>: no element of /a has the id "no" (on /a)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tt.files["public/a.png"] = ""
			r := site(tt.files)
			link := regexp.MustCompile(`\[(\w+)\]\((.*?)\)`)
			r.Formats = map[string]flow.Format{".md": flow.FormatOf(func(src flow.Source) (template.HTML, struct{}, error) {
				html := link.ReplaceAllStringFunc(src.Text, func(all string) string {
					m := link.FindStringSubmatch(all)
					to, err := src.Link(m[2])
					is.NoErr(err)
					return `<a href="` + to + `">` + m[1] + `</a>`
				})
				html = strings.ReplaceAll(html, "code /a?no", "<i>/a?</i><i>no</i>")
				return template.HTML(html), struct{}{}, nil
			})}
			_, err := exported(t, r, export.Options{})
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}
