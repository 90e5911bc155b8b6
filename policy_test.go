package flow_test

import (
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

const strictPolicy = "default-src 'self'; script-src 'nonce' 'strict-dynamic'; style-src 'nonce'"

// nonceSource finds the nonce in a policy.
var nonceSource = regexp.MustCompile(`'nonce-([\w-]{22,})'`)

// policySite has an answer of each kind. It has the policy, unless that is "".
func policySite(policy string) *flow.Router {
	tree := flowtest.Pages(pagesOf(`+error.html: {{.Status}} <script nonce="{{nonce}}">e</script>
		inline.html: <script nonce="{{nonce}}">a</script><style>b</style>
		plain.html: hello
		file.html: <script src="a.js" nonce="{{nonce}}"></script>
		page.html: {{.}} <script nonce="{{nonce}}">a</script>{{block "part" .}}{{nonce}}{{end}}
		both.html: {{request.Nonce}} {{nonce}}
		api/x.http: 
		+view.html: {{nonce}}`))
	for _, name := range []string{"html", "bytes", "image", "json", "text", "redirect", "empty", "nothing", "own", "added", "guarded", "std", "untyped", "stdtext", "notmodified", "stdown", "handler", "view", "twice", "cloned", "wrapped", "fails", "page304", "std204"} {
		tree["router/"+name+".http"] = &fstest.MapFile{}
	}
	tree["public/x.html"] = &fstest.MapFile{Data: []byte("<p>public")}
	r := flow.New(tree)
	r.ContentSecurityPolicy = policy
	html := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, flow.From(r.Context()).Nonce())
	}
	handlers := map[string]any{
		"page": func(*flow.Request) flow.Response { return flow.Page("data") },
		"both": func(*flow.Request) flow.Response { return flow.Page(nil) },
		"html": func(req *flow.Request) flow.Response { return flow.HTML(template.HTML(req.Nonce())) },
		"bytes": func(req *flow.Request) flow.Response {
			return flow.Bytes("Text/HTML ; charset=utf-8", []byte(req.Nonce()))
		},
		"image":    func(*flow.Request) flow.Response { return flow.Bytes("image/svg+xml", []byte("<svg>")) },
		"json":     func(*flow.Request) flow.Response { return flow.JSON(1) },
		"text":     func(*flow.Request) string { return "text" },
		"redirect": func(*flow.Request) flow.Response { return flow.Redirect("/plain") },
		"empty":    func(*flow.Request) flow.Response { return flow.Response{} },
		"nothing":  func(*flow.Request) flow.Response { return flow.HTML("nothing") },
		"own":      func(*flow.Request) flow.Response { return flow.HTML("own").Header("content-security-policy", "own") },
		"added":    func(*flow.Request) flow.Response { return flow.HTML("own").AddHeader("Content-Security-Policy", "own") },
		"guarded":  func(*flow.Request) flow.Response { return flow.HTML("own") },
		"std":      html,
		"untyped":  func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, flow.From(r.Context()).Nonce()) },
		"stdtext": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, "text")
		},
		"notmodified": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(304)
		},
		"stdown": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Security-Policy", "own")
			io.WriteString(w, "own")
		},
		"handler": func(*flow.Request) flow.Response { return flow.Handler(http.HandlerFunc(html)) },
		"view":    func(*flow.Request) flow.Response { return flow.View("+view", nil) },
		"twice": func(req *flow.Request) flow.Response {
			return flow.HTML(template.HTML(req.Clone().Nonce() + req.Nonce()))
		},
		"cloned": func(req *flow.Request) flow.Response {
			return flow.HTML(template.HTML(req.Clone().Nonce() + req.Nonce() + req.Clone().Clone().Nonce()))
		},
		"page304": func(*flow.Request) flow.Response { return flow.View("+view", nil).Status(304) },
		"std204": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(204)
		},
		"wrapped": func(req *flow.Request) flow.Response { return flow.HTML(template.HTML(req.Nonce())) },
		"fails":   func(*flow.Request) string { panic("secret") },
		"api/x":   func(*flow.Request) flow.Response { return flow.JSON(1) },
	}
	for path, h := range handlers {
		v := r.At(path).GET()
		switch path {
		case "guarded":
			v.Use(func(*flow.Request) flow.Response { return flow.Next().Header("Content-Security-Policy", "own") })
		case "wrapped":
			v.Use(wrap)
		case "twice":
			v.Use(func(req *flow.Request) flow.Response { req.Nonce(); return flow.Next() })
		}
		v.Do(h)
	}
	r.At("redirect").POST().Do(hello)
	r.Mount("/mounted", http.HandlerFunc(html))
	inner := flow.New(flowtest.Pages(map[string]string{"a.html": "<script>a</script>"}))
	logged(inner)
	r.Mount("/in", inner)
	owned := flow.New(flowtest.Pages(map[string]string{"a.html": "{{request.URL.Path}} {{nonce}}"}))
	if owned.ContentSecurityPolicy = "script-src 'nonce' inner.example"; policy == "" {
		owned = flow.New(flowtest.Pages(map[string]string{"a.html": ""}))
	}
	r.Mount("/owned", owned)
	logged(r)
	return r
}

// TestPolicy: each answer that is HTML has the policy, with the nonce that the body has.
func TestPolicy(t *testing.T) {
	hashed := `default-src 'self'; script-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=' 'strict-dynamic'; style-src 'sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0='`
	for _, use := range []string{"", "middleware", "buffering"} {
		t.Run(use, func(t *testing.T) {
			r := policySite(strictPolicy)
			switch use {
			case "middleware":
				r.Use(wrap)
			case "buffering":
				r.Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Minute, "late") })
			}
			is.New(t).NoErr(r.Check())
			for _, tt := range []struct{ target, want string }{
				{"/page", "nonce"},
				{"/both", "nonce"},
				{"/file", "nonce"}, // no hash replaces the nonce
				{"/html", "nonce"},
				{"/bytes", "nonce"},
				{"/view", "nonce"},
				{"/std", "nonce"},
				{"/untyped", "nonce"},
				{"/handler", "nonce"},
				{"/twice", "nonce"},
				{"/cloned", "nonce"},
				{"/wrapped", "nonce"},
				{"/mounted/x", "nonce"},
				{"/none", "nonce"},
				{"/fails", "nonce"},
				{"/owned/a", "nonce"},
				{"/owned/none", "unused"},
				{"/nothing", "unused"}, // a nonce that the body does not have
				{"/inline", hashed},
				{"/plain", "default-src 'self'; script-src 'strict-dynamic'; style-src 'none'"},
				{"/own", "own"},
				{"/added", "own"},
				{"/guarded", "own"},
				{"/stdown", "own"},
				{"/image", ""},
				{"/json", ""},
				{"/text", ""},
				{"/redirect", ""},
				{"/empty", ""},
				{"/stdtext", ""},
				{"/notmodified", ""},
				{"/page304", ""},
				{"/std204", ""},
				{"/x.html", ""}, // a public file
				{"/in/a", ""},   // of a Router that has no policy
				{"/in/none", ""},
			} {
				t.Run(tt.target, func(t *testing.T) {
					is := is.New(t)
					seen := map[string]bool{}
					for _, method := range []string{"GET", "GET", "HEAD"} {
						w := serve(r, method, tt.target, "Accept: text/html")
						policies := w.Header()["Content-Security-Policy"]
						policy := strings.Join(policies, " AND ")
						if tt.want != "nonce" && tt.want != "unused" {
							is.Equal(policy, tt.want)
							continue
						}
						is.Equal(len(policies), 1)
						nonces := nonceSource.FindAllStringSubmatch(policy, -1)
						is.True(len(nonces) > 0)
						nonce := nonces[0][1]
						want := strings.ReplaceAll(strictPolicy, "'nonce'", "'nonce-"+nonce+"'")
						if strings.HasPrefix(tt.target, "/owned/") {
							want = "script-src 'nonce-" + nonce + "' inner.example"
						}
						is.Equal(policy, want)
						is.True(!seen[nonce]) // each answer has its own
						seen[nonce] = true
						if method == "GET" {
							want := map[string]int{"/twice": 2, "/cloned": 3, "/both": 2, "/page": 2}[tt.target]
							if want == 0 && tt.want == "nonce" {
								want = 1
							}
							is.Equal(strings.Count(w.Body.String(), nonce), want)
						}
					}
				})
			}
		})
	}
}

// TestNoPolicy: a Router without one sends none.
func TestNoPolicy(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{"a.html": "<script>a</script>", "b.html": "{{request.URL.Path}}"}))
	r.At("b").GET().Do(func(req *flow.Request) flow.Response { return flow.HTML(template.HTML("[" + req.Nonce() + "]")) })
	is.Equal(serve(r, "GET", "/a").Header()["Content-Security-Policy"], nil)
	w := serve(r, "GET", "/b")
	is.Equal(w.Header()["Content-Security-Policy"], nil)
	is.Equal(w.Body.String(), "[]")
	is.Equal(flow.NewRequest(httptest.NewRequest("GET", "/", nil)).Nonce(), "")
}

// TestPolicyOfPagesRenderedOnce: their entity tag stands for body and policy, in each coding.
func TestPolicyOfPagesRenderedOnce(t *testing.T) {
	page := `<p>` + strings.Repeat("hello ", 100) + `<script nonce="{{nonce}}">a("+</&")</script>`
	tags := map[string]bool{}
	for _, policy := range []string{"script-src 'nonce'", "script-src 'self' 'nonce'"} {
		for _, coding := range []string{"", "gzip"} {
			t.Run(policy+" "+coding, func(t *testing.T) {
				is := is.New(t)
				r := flow.New(flowtest.Pages(map[string]string{"a.html": page}))
				r.ContentSecurityPolicy = policy
				req := request("GET", "/a")
				req.Header.Set("Accept-Encoding", coding)
				w := do(r, req)
				is.Equal(w.Code, 200)
				is.Equal(w.Header().Get("Content-Encoding"), coding)
				tag, sent := w.Header().Get("Etag"), w.Header().Get("Content-Security-Policy")
				is.True(!tags[tag])
				tags[tag] = true
				is.True(strings.Contains(sent, "'sha256-"))
				is.True(!strings.Contains(sent, "nonce"))
				is.True(coding != "" || strings.Contains(w.Body.String(), `<script nonce="">`))
				req.Header.Set("If-None-Match", tag)
				w = do(r, req)
				is.Equal(w.Code, 304)
				is.Equal(w.Header().Get("Etag"), tag)
				is.Equal(w.Header().Get("Content-Security-Policy"), sent)
			})
		}
	}
}

// TestPolicyOfMiddleware goes before that of the Router, also for pages that are rendered once
// and for errors.
func TestPolicyOfMiddleware(t *testing.T) {
	r := policySite(strictPolicy)
	r.Use(sets("Content-Security-Policy", "own"))
	for _, target := range []string{"/inline", "/page", "/html", "/std", "/none", "/fails", "/handler", "/in/a", "/owned/a"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			is.Equal(serve(r, "GET", target, "Accept: text/html").Header()["Content-Security-Policy"], []string{"own"})
		})
	}
}

// TestPolicyOfMiddlewareThatAnswers: HTML that middleware writes has the policy, too.
func TestPolicyOfMiddlewareThatAnswers(t *testing.T) {
	is := is.New(t)
	r := policySite(strictPolicy)
	r.Use(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(503)
			io.WriteString(w, "closed")
		})
	})
	for _, target := range []string{"/page", "/none", "/json"} {
		is.Equal(len(nonceSource.FindAllString(serve(r, "GET", target).Header().Get("Content-Security-Policy"), -1)), 2)
	}
}

func TestPolicyFaults(t *testing.T) {
	for _, tt := range []struct{ name, policy, page, want string }{
		{"fine", "script-src 'nonce'", "{{nonce}}", ""},
		{"no nonce", "default-src 'self'", "hello", ""},
		{"a nonce without a policy", "", "\n<p>{{if true}}{{nonce}}{{end}}", "router/a.html:2: {{nonce}} has no value: set Router.ContentSecurityPolicy, with 'nonce' in script-src or style-src"},
		{"a nonce that the policy lacks", "script-src 'self'", "{{nonce}}", "router/a.html:1: {{nonce}} has no value: Router.ContentSecurityPolicy has no 'nonce': write it in script-src or style-src"},
		{"a policy of two lines", "script-src 'nonce';\nstyle-src 'self'", "{{nonce}}", `Router.ContentSecurityPolicy: it has the character '\n': a policy is one line of ASCII`},
		{"a nonce for pictures", "img-src 'nonce'", "{{nonce}}", "Router.ContentSecurityPolicy: img-src has 'nonce', which allows scripts and styles only: write it in script-src or style-src"},
		{"a field of the nonce", "script-src 'nonce'", "{{nonce.Value}}", "router/a.html:1:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(map[string]string{"a.html": tt.page}))
			r.ContentSecurityPolicy = tt.policy
			err := r.Check()
			is.Equal(err == nil, tt.want == "")
			is.True(err == nil || strings.HasPrefix(err.Error(), tt.want))
			is.True(err == nil || tt.name == "a field of the nonce" || err.Error() == tt.want)
		})
	}
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{"a.html": "x"}))
	r.Funcs = template.FuncMap{"nonce": func() string { return "" }}
	is.Equal(fmt.Sprint(r.Check()), `Router.Funcs: "nonce" is a function of every template already: call this one otherwise`)
}

// TestPolicyInDevelopment: pages that are rendered once in production have the policy that
// they have there, and the script for reloading runs.
func TestPolicyInDevelopment(t *testing.T) {
	dir := onDisk(t, flowtest.Pages(map[string]string{
		"fixed.html": "<script nonce=\"{{nonce}}\">a</script><style>b</style>", "file.html": `<script src="a.js" nonce="{{nonce}}"></script>`, "wrong.html": "{{.A.B}}",
	}))
	r := flow.New(flowtest.Files("router/fixed.html", "router/file.html", "router/wrong.html"))
	r.ContentSecurityPolicy = strictPolicy
	r.Logger = slog.New(slog.DiscardHandler)
	r.Dev(dir)
	r.At("wrong").GET().Do(func(*flow.Request) flow.Response { return flow.Page(1) })
	for _, tt := range []struct{ target, want string }{
		{"/fixed", `^default-src 'self'; script-src 'sha256-\S+' 'strict-dynamic' 'nonce-(\w+)'; style-src 'sha256-\S+'$`},
		{"/file", `^default-src 'self'; script-src 'nonce-(\w+)' 'strict-dynamic'; style-src 'nonce-\w+'$`},
		{"/wrong", "default-src 'none'; style-src 'sha256-"}, // the page of faults has its own
	} {
		t.Run(tt.target, func(t *testing.T) {
			is := is.New(t)
			w := serve(r, "GET", tt.target, "Accept: text/html")
			found := regexp.MustCompile(tt.want).FindStringSubmatch(w.Header().Get("Content-Security-Policy"))
			is.True(found != nil)
			is.True(len(found) < 2 || strings.Contains(w.Body.String(), ` nonce="`+found[1]+`" defer></script>`))
		})
	}
}
