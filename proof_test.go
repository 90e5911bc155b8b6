package flow_test

import (
	"html/template"
	"strings"
	"testing"
	"testing/fstest"
	"text/template/parse"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/check/markup"
	"example.com/flow/internal/check/prove"
	"example.com/flow/internal/command"
	"example.com/flow/internal/develop/devpage"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/csp"
	"example.com/flow/internal/testkit/flowtest"
)

const noAlt = `: warning: <img> has no alt: describe the image, or write alt="" if it only adorns` + "\n"

// TestPagesAreJudged: check warns of what is wrong on a page as a whole, once for all pages that have it.
func TestPagesAreJudged(t *testing.T) {
	const layout = `<!doctype html><html lang="en"><title>a</title>{{template "content" .}}</html>`
	for _, tt := range []struct{ name, tree, want string }{
		{"a page", `a.html: <p><img src="{{"/x"}}">`, "router/a.html:1:4" + noAlt},
		{"a layout of two pages", `+layout.html: ` + layout + `<img>
			a.html: a
			b.html: b`, "router/+layout.html:1:79" + noAlt},
		{"a partial of two pages", `+p.html: <img>
			a.html: {{template "+p"}}
			b.html: {{template "+p"}}`, "router/+p.html:1:1" + noAlt},
		{"a title that three pages lack", `+layout.html: <!doctype html><html lang="en"><title>{{block "title" .}}{{end}}</title>{{template "content" .}}</html>
			a.html: a
			b.html: b
			c.html: {{define "title"}}c{{end}}
			d.html: d`, "router/+layout.html:1:32: warning: <title> is empty (on the page of router/a.html and of 2 more): define what goes there\n"},
		{"a title that one page lacks", `+layout.html: <!doctype html><html lang="en"><title>{{block "title" .}}{{end}}</title>{{template "content" .}}</html>
			a.html: {{define "title"}}a{{end}}
			b.html: b`, "router/+layout.html:1:32: warning: <title> is empty (on the page of router/b.html): define what goes there\n"},
		{"an error page", `+error.html: <img>
			a.html: a`, "router/+error.html:1:1" + noAlt},
		{"a fragment", `a.html: a{{define "x"}}<img>{{end}}`, "router/a.html:1:16" + noAlt},
		{"a byte order mark", "a.html: \ufeff<img>", "router/a.html:1:1" + noAlt},
		{"a partial that no template calls", `+p.html: <img>
			a.html: a`, "router/+p.html: warning: no template calls this partial: delete it, unless flow.View renders it\nrouter/+p.html:1:1" + noAlt},
		{"a condition", `a.html: <img {{if request.URL}}alt="a"{{end}}>`, "router/a.html:1:1: warning: <img> has no alt, unless request.URL: describe the image, or write alt=\"\" if it only adorns\n"},
		{"a partial whose calls all decide a condition", `+p.html: <img {{if .alt}}alt="{{.alt}}"{{end}}><button>{{if not .icon}}{{.text}}{{end}}</button>
			a.html: {{template "+p" (dict "alt" "a" "text" "b")}}{{template "+p" (dict "alt" "c" "text" "d")}}`, ""},
		{"a partial whose calls decide a condition differently", `+p.html: <img {{if .alt}}alt="{{.alt}}"{{end}}>
			a.html: {{template "+p" (dict "alt" "a")}}{{template "+p" (dict "text" "b")}}`, "router/+p.html:1:1: warning: <img> has no alt, unless .alt: describe the image, or write alt=\"\" if it only adorns\n"},
		{"what is right", `a.html: <img alt="">`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tree := flowtest.Pages(pagesOf(tt.tree))
			is.Equal(runWith(t.Context(), flow.New(tree), nil, "check").stderr, tt.want)
			is.NoErr(flow.New(tree).Check())
		})
	}
}

// TestPagesUnderThePolicy: what the policy of its Router refuses on a page is a warning. A page that is
// rendered once has hashes for inline scripts.
func TestPagesUnderThePolicy(t *testing.T) {
	const (
		script = `<script>a()</script>`
		policy = "script-src 'nonce'"
		said   = `: warning: the policy refuses <script>: write nonce="{{nonce}}" (` + policy + ")\n"
	)
	page := func(*flow.Request) flow.Response { return flow.Page(nil) }
	for _, tt := range []struct {
		name, policy, tree string
		handle             func(*flow.Router)
		want               string
	}{
		{"no policy", "", "a.html: " + script, nil, ""},
		{"rendered once", policy, "a.html: " + script, nil, ""},
		{"rendered for each request", policy, "a.html: {{request.URL}} " + script, nil, "router/a.html:1:17" + said},
		{"with a nonce for which no hash can stand", policy, "a.html: {{nonce}} " + script, nil, "router/a.html:1:11" + said},
		{"a handler for GET", policy, "a.html: " + script, func(r *flow.Router) { r.At("a").GET().Do(page) }, "router/a.html:1:1" + said},
		{"a handler that shows the page again", policy, "a.html: " + script, func(r *flow.Router) { r.At("a").POST().Do(page) }, "router/a.html:1:1" + said},
		{"a name for the page", policy, "a.html: " + script, func(r *flow.Router) { r.At("a").GET().Name("b") }, ""},
		{"a layout of both kinds", policy, "+layout.html: " + script + `{{template "content" .}}
			a.html: a
			b.html: b`, func(r *flow.Router) { r.At("b").GET().Do(page) }, "router/+layout.html:1:1" + said},
		{"a layout of pages that are rendered once", policy, "+layout.html: " + script + `{{template "content" .}}
			a.html: a
			b.html: b`, nil, ""},
		{"an error page", policy, "+error.html: " + script + `
			a.html: a`, nil, "router/+error.html:1:1" + said},
		{"a fragment of a page that is rendered once", policy, `a.html: a{{define "x"}}` + script + `{{end}}`, nil, "router/a.html:1:16" + said},
		{"what no hash allows", policy, `a.html: <p onclick="a()">`, nil, "router/a.html:1:4: warning: the policy refuses onclick of <p>: put the code into a script with addEventListener (script-src 'nonce')\n"},
		{"a Router inside, which has none", policy, "b.html: b", func(r *flow.Router) {
			r.Mount("/in", flow.New(flowtest.Pages(map[string]string{"a.html": `<p onclick="a()">`})))
		}, ""},
		{"a Router inside, which has one", "", "b.html: b", func(r *flow.Router) {
			inner := flow.New(flowtest.Pages(map[string]string{"a.html": "{{request.URL}} " + script}))
			inner.ContentSecurityPolicy = policy
			r.Mount("/in", inner)
		}, `Mount("/in"): router/a.html:1:17` + said},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(flowtest.Pages(pagesOf(tt.tree)))
			r.ContentSecurityPolicy = tt.policy
			if tt.handle != nil {
				tt.handle(r)
			}
			got := runWith(t.Context(), r, nil, "check")
			is.Equal(got.code, command.OK)
			is.Equal(got.stderr, tt.want)
		})
	}
}

// TestPagesInside: those of Routers inside are judged too, with what says whose they are.
func TestPagesInside(t *testing.T) {
	is := is.New(t)
	bad := func() *flow.Router { return flow.New(flowtest.Pages(map[string]string{"a.html": "<img>"})) }
	r, inner := bad(), bad()
	inner.Mount("/deep", bad())
	r.Mount("/in", inner)
	r.Mount("/", flow.Hosts{"b.example": bad(), "": bad()})
	got := runWith(t.Context(), r, nil, "check")
	want := ""
	for _, before := range []string{`Mount("/"): Hosts[""]: `, `Mount("/"): Hosts["b.example"]: `, `Mount("/in"): Mount("/deep"): `, `Mount("/in"): `, ""} {
		want += before + "router/a.html:1:1" + noAlt
	}
	is.Equal(got.code, command.OK)
	is.Equal(got.stderr, want)
}

// TestPagesJudgedAgain: in a program that has called Check before, and for two commands in turn.
func TestPagesJudgedAgain(t *testing.T) {
	is := is.New(t)
	r := flow.New(flowtest.Pages(map[string]string{"a.html": "<img>"}))
	is.NoErr(r.Check())
	for range 2 {
		is.Equal(runWith(t.Context(), r, nil, "check").stderr, "router/a.html:1:1"+noAlt)
	}
	is.Equal(runWith(t.Context(), r, nil, "routes").stderr, "") // no other command judges
}

// TestWarningsFail has the command check fail where there are warnings.
func TestWarningsFail(t *testing.T) {
	bad, good := fstest.MapFS(flowtest.Pages(map[string]string{"a.html": "<img>"})), flowtest.Pages(map[string]string{"a.html": "a"})
	usage := func(text string) result {
		return result{command.Usage, "", "app: " + text + "\n\"app -h\" tells the commands and their flags.\n"}
	}
	const warning = "router/a.html:1:1" + noAlt
	for _, tt := range []struct {
		args string
		tree fstest.MapFS
		want result
	}{
		{"check", bad, result{command.OK, "no faults in 1 routes\n", warning}},
		{"check -warnings=fail", bad, result{command.Failure, "", warning}},
		{"check -warnings fail", bad, result{command.Failure, "", warning}},
		{"check -warnings=fail", good, result{command.OK, "no faults in 1 routes\n", ""}},
		{"check -json -warnings=fail", good, result{command.OK, "[]\n", ""}},
		{"check -warnings=show", good, usage(`invalid value "show" for flag -warnings: must be fail`)},
		{"check -warnings", good, usage(`flag needs an argument: -warnings`)},
		{"routes -warnings=fail", good, usage(`flag provided but not defined: -warnings`)},
	} {
		t.Run(tt.args, func(t *testing.T) {
			is.New(t).Equal(runWith(t.Context(), flow.New(tt.tree), nil, tt.args), tt.want)
		})
	}
	got := runWith(t.Context(), flow.New(bad), nil, "check -json -warnings=fail")
	is := is.New(t)
	is.Equal(got.code, command.Failure)
	is.True(strings.Contains(got.stdout, `"line": 1,
		"column": 1,
		"severity": "warning",
		"text": "<img> has no alt:`))
}

// TestWarningsOnDisk: development warns of the templates as they are on disk, whatever else is wrong.
func TestWarningsOnDisk(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf(`once.html: <script>a()</script>
		page.html: page`))
	dir := onDisk(t, tree)
	r, inner := flow.New(tree), flow.New(tree)
	for _, r := range []*flow.Router{r, inner} {
		r.ContentSecurityPolicy = "script-src 'nonce'"
		r.At("page").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
	}
	r.Dev(dir)
	r.Mount("/in", inner) // which is not in development
	journalOf(r)
	is.NoErr(r.Check())
	for _, step := range []struct{ file, text, faults, warnings string }{
		{"router/page.html", "page", "", ""},
		{"router/page.html", "\n<script>b()</script><img>", "", "router/page.html:2:1: warning: the policy refuses <script>: write nonce=\"{{nonce}}\" (script-src 'nonce')\n" +
			"router/page.html:2:21" + noAlt},
		{"router/once.html", "{{end}}", "router/once.html:1: unexpected {{end}}\n", "router/page.html:2:1: warning: the policy refuses <script>: write nonce=\"{{nonce}}\" (script-src 'nonce')\n" +
			"router/page.html:2:21" + noAlt},
		{"router/+p.html", "{{template `+q`}}", "router/+p.html:1: no partial is called \"+q\": did you mean \"+p\"?\nrouter/once.html:1: unexpected {{end}}\n", "router/+p.html: warning: no template calls this partial: delete it, unless flow.View renders it\n" +
			"router/page.html:2:1: warning: the policy refuses <script>: write nonce=\"{{nonce}}\" (script-src 'nonce')\nrouter/page.html:2:21" + noAlt},
		{"router/page.html", "good", "router/+p.html:1: no partial is called \"+q\": did you mean \"+p\"?\nrouter/once.html:1: unexpected {{end}}\n", "router/+p.html: warning: no template calls this partial: delete it, unless flow.View renders it\n"},
	} {
		write(t, dir, step.file, step.text)
		said := func(faults []devpage.Fault) (text string) {
			for _, f := range faults {
				text += f.String() + "\n"
			}
			return text
		}
		faults, warnings := r.WrongOnDisk()
		is.Equal(said(faults), step.faults)
		is.Equal(said(warnings), step.warnings)
	}
}

// TestPagesThatAreCounted: check -v says of all pages which run no script, and which are judged in part.
func TestPagesThatAreCounted(t *testing.T) {
	is := is.New(t)
	tree := flowtest.Pages(pagesOf(`+layout.html: {{if user}}{{user.Name}}{{end}}{{shout "a"}}{{template "content" .}}
		+error.html: {{.Title}} <script>a()</script>
		+row.html: {{.}}
		+uncalled.html: {{.}}
		+pick.html: {{.label}}{{range .options}}{{.}}{{end}}
		typed.html: {{.Name}} {{template "+row" .Name}} {{template "+pick" (dict "label" .Name)}}
		untyped.html: {{.}} {{template "+row" .}}
		html.html: <b>{{safe}}</b>
		script.html: <p onclick="a()">
		data.html: <script type="application/json">1</script>{{define "x"}}<script>a()</script>{{end}}`))
	r, inner := flow.New(tree), flow.New(flowtest.Pages(map[string]string{"in.html": "in", "api.http": ""}))
	r.Funcs = template.FuncMap{"shout": strings.ToUpper, "safe": func() template.HTML { return "<i>" }}
	r.At("typed").GET().Do(func(*flow.Request) (struct{ Name string }, error) { return struct{ Name string }{}, nil })
	r.At("untyped").GET().Do(func(*flow.Request) flow.Response { return flow.Page("a") })
	inner.At("api").GET().Do(func(*flow.Request) flow.Response { return flow.Text("a") })
	r.Mount("/in", inner)
	got := runWith(t.Context(), r, nil, "check -v")
	is.Equal(got.code, command.OK)
	_, pages, _ := strings.Cut(got.stdout, "templates\n")
	is.Equal(pages, `
3 of 7 pages run no script
router/data.html: runs no script
router/typed.html: runs no script
Mount("/in"): router/in.html: runs no script
2 of 7 pages are judged in part: an action of unknown type stands in them
router/html.html: judged in part: {{safe}} in router/html.html:1:6 may write HTML
router/untyped.html: judged in part: {{.}} in router/untyped.html:1:3 may write HTML
`[1:])
	api := flow.New(flowtest.Pages(map[string]string{"a.http": ""}))
	api.At("a").GET().Do(func(*flow.Request) flow.Response { return flow.Text("a") })
	is.True(!strings.Contains(runWith(t.Context(), api, nil, "check -v").stdout, "pages")) // it has none
}

// TestOwnPages: the rules for pages of applications have nothing to say of the pages of flow itself.
func TestOwnPages(t *testing.T) {
	tree := flowtest.Pages(pagesOf("index.html: home\n\t\tusers/[id].html: user"))
	dir := onDisk(t, tree)
	newSite := func() *flow.Router {
		r := flow.New(tree)
		journalOf(r)
		r.At("users/[id]").GET().Do(func(req *flow.Request) flow.Response { panic(req.Param("id")) })
		return r
	}
	production, development, faulty := newSite(), newSite(), newSite()
	development.Dev(dir)
	faulty.Dev(dir)
	faulty.At("nothing").GET().Do(func(*flow.Request) flow.Response { return flow.Page(nil) })
	write(t, dir, "router/index.html", "\n{{.Nme.A}}\n{{template `x`}}")
	write(t, dir, "router/+p.html", "<img>")
	for _, tt := range []struct {
		name   string
		router *flow.Router
		target string
		has    string
	}{
		{"an error in production", production, "/none", "Not Found"},
		{"a panic in production", production, "/users/1", "Internal Server Error"},
		{"a panic", development, "/users/1?q=a", "panicked"},
		{"a template", development, "/", "no template is called"},
		{"a miss", development, "/usres", "Not Found"},
		{"the application", faulty, "/", "nothing"},
		{"the route map", development, "/_flow", "3 warnings"},
		{"the route map explains", development, "/_flow?method=GET&path=/users/1", "answers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			w := visit(tt.router, tt.target)
			html := w.Body.String()
			is.True(strings.Contains(html, tt.has))
			is.True(strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"))
			page := prove.Page{
				File:  tt.name,
				Nodes: markup.Page(html, markup.Rules),
				HTML:  func(*parse.ActionNode) bool { return false },
				At:    func(at markup.Place) (line, column int) { return markup.Position(html, at.Offset) },
			}
			found := append(page.Accessibility(), page.Policy(csp.Parse(w.Header().Get(csp.Header)), false)...)
			is.NoErr(fault.Warnings(found))
		})
	}
}

// TestFieldsOfForms: a partial for the fields of forms is judged as one for fields that people see, unless
// one of them may be hidden.
func TestFieldsOfForms(t *testing.T) {
	const label = `<label for="{{.of.ID}}">{{.label}}</label>`
	for _, tt := range []struct{ name, old, new, want string }{
		{"a label", "", "", ""},
		{"no label", label, `<p>{{.label}}</p>`, "<input> has no label"},
		{"a label for nothing", label, `<label>{{.label}}</label>`, "<input> has no label"},
		{"no id", ` id="{{.of.ID}}"`, ``, "<input> has no label"},
		{"a field that is hidden", `<button>`, `{{template "+field" (dict "of" ((.Form.Field "lang").As "hidden") "label" "")}}<button>`, ""},
		{"a field of a type that is not known", `<button>`, `{{template "+field" (dict "of" ((.Form.Field "lang").As .Form.Value.Title) "label" "")}}<button>`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			field := strings.ReplaceAll(signingField, tt.old, tt.new)
			if strings.HasSuffix(tt.new, "<button>") {
				field = strings.ReplaceAll(signingField, label, "")
			}
			page := strings.ReplaceAll(signingPage, tt.old, tt.new)
			r := flow.New(fstest.MapFS{"router/new.html": {Data: []byte(page)}, "router/+field.html": {Data: []byte(field)}})
			r.At("new").GET().Do(func(*flow.Request) (signingData, error) { return signingData{}, nil })
			r.At("new").POST().Do(func(*flow.Request, flow.Form[signing]) (flow.Response, error) { return flow.Redirect("/new"), nil })
			var said []string
			for line := range strings.Lines(runWith(t.Context(), r, nil, "check").stderr) {
				if what, ok := strings.CutPrefix(line, "router/+field.html:"); ok {
					said = append(said, what)
				}
			}
			is.Equal(len(said), min(len(tt.want), 1)) // once for all calls of the partial
			is.True(strings.Contains(strings.Join(said, ""), tt.want))
		})
	}
}
