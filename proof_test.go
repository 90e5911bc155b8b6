package flow_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/command"
	"example.com/flow/internal/flowtest"
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
		{"an error page", `+error.html: <img>
			a.html: a`, "router/+error.html:1:1" + noAlt},
		{"a fragment", `a.html: a{{define "x"}}<img>{{end}}`, "router/a.html:1:16" + noAlt},
		{"a byte order mark", "a.html: \ufeff<img>", "router/a.html:1:1" + noAlt},
		{"a partial that no template calls", `+p.html: <img>
			a.html: a`, "router/+p.html: warning: no template calls this partial: delete it, unless flow.View renders it\nrouter/+p.html:1:1" + noAlt},
		{"a condition", `a.html: <img {{if request.URL}}alt="a"{{end}}>`, "router/a.html:1:1: warning: <img> has no alt, unless request.URL: describe the image, or write alt=\"\" if it only adorns\n"},
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
