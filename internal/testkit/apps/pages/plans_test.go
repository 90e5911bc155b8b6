package pages_test

import (
	"errors"
	"fmt"
	"html/template"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// planSite has a page with a plan and one that html/template renders, and a Router inside.
func planSite() *flow.Router {
	r := flow.New(flowtest.Pages(map[string]string{
		"+layout.html": `<title>{{block "title" .}}site{{end}}</title>{{template "content" .}}`,
		"index.html":   `{{define "title"}}{{.}}{{end}}<p>{{.}}</p>`,
		"odd.html":     "<p>\n{{$x := 1}}{{and false ($x := 2)}}{{$x}}</p>",
	}))
	r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Page("<x>") })
	r.Mount("/in", flow.New(flowtest.Pages(map[string]string{"odd.html": `{{and false ($x := 2)}}`})))
	return r
}

func TestCheckTellsWhatHasNoPlan(t *testing.T) {
	for _, tt := range []struct{ args, plans, want string }{
		{"check", "", ""},
		{"check -v=false", "", ""},
		{"check -v", "", `plans render 1 of 3 templates
router/odd.html: rendered by html/template: router/odd.html:2: ($x := 2) declares a variable in parentheses
router/odd.html: rendered by html/template: router/odd.html:1: ($x := 2) declares a variable in parentheses
`},
		{"check -v", "off", `plans render 0 of 3 templates
router/index.html: rendered by html/template: FLOW_PLANS=off
router/odd.html: rendered by html/template: FLOW_PLANS=off
router/odd.html: rendered by html/template: FLOW_PLANS=off
`},
	} {
		t.Run(tt.args+" "+tt.plans, func(t *testing.T) {
			is := is.New(t)
			t.Setenv("FLOW_PLANS", tt.plans)
			got := apptest.Run(t.Context(), planSite(), tt.args)
			got.Stdout, _, _ = strings.Cut(got.Stdout, "2 of 3 pages run no script") // which is another subject
			is.Equal(got, apptest.Result{Stdout: "no faults in 3 routes\n" + tt.want})
		})
	}
}

func TestPlansAreTurnedOff(t *testing.T) {
	for _, plans := range []string{"", "off", "compare"} {
		t.Run(plans, func(t *testing.T) {
			is := is.New(t)
			t.Setenv("FLOW_PLANS", plans)
			r := planSite()
			is.NoErr(r.Check())
			is.Equal(apptest.Says(apptest.Serve(r, "GET", "/")), "200 <title>&lt;x&gt;</title><p>&lt;x&gt;</p>")
			is.Equal(apptest.Says(apptest.Serve(r, "GET", "/odd")), "200 <title>site</title><p>\nfalse1</p>")
		})
	}
	is := is.New(t)
	t.Setenv("FLOW_PLANS", "no")
	is.Equal(apptest.ErrorText(planSite().Check()), `FLOW_PLANS is "no": set it to off or compare, or leave it out`)
}

// TestComparedPagesAreTheSame has functions that do something else the second time, as none
// may do in a page that is compared.
func TestComparedPagesAreTheSame(t *testing.T) {
	for name, next := range map[string]func(n int) (int, error){
		"another value":  func(n int) (int, error) { return n, nil },
		"then an error":  func(n int) (int, error) { return 1, []error{nil, errors.New("second")}[n-1] },
		"first an error": func(n int) (int, error) { return 1, []error{errors.New("first"), nil}[n-1] },
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			t.Setenv("FLOW_PLANS", "compare")
			r := flow.New(flowtest.Pages(map[string]string{"index.html": `{{next}}`}))
			n := 0
			r.Funcs = template.FuncMap{"next": func() (int, error) { n++; return next(n) }}
			is.NoErr(r.Check())
			is.Equal(apptest.Serve(r, "GET", "/").Code, 500)
			is.Equal(n, 2)
		})
	}
}

// TestPageWithoutEnd: a page of data that contain themselves fails at once.
func TestPageWithoutEnd(t *testing.T) {
	type tree struct{ Replies []*tree }
	root := &tree{}
	root.Replies = []*tree{root}
	for _, plans := range []string{"", "compare"} {
		is := is.New(t)
		t.Setenv("FLOW_PLANS", plans)
		r := flow.New(flowtest.Pages(map[string]string{
			"index.html":  `{{template "+reply" .}}`,
			"+reply.html": `<p>{{range .Replies}}{{template "+reply" .}}{{end}}</p>`,
		}))
		log := apptest.JournalOf(r)
		r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Page(root) })
		is.NoErr(r.Check())
		is.Equal(apptest.Serve(r, "GET", "/").Code, 500)
		is.True(strings.Contains(log.String(), "exceeded maximum template depth: do the data contain themselves?"))
	}
}

// TestPartialInSeveralPlaces: pages share the plan of a partial only where html/template escapes
// it in the same way.
func TestPartialInSeveralPlaces(t *testing.T) {
	const value = `javascript:"</script>" & 'x'`
	tree := map[string]string{"+x.html": `{{.}}{{if .}}{{.}}{{end}}`}
	places := []string{`<p>#</p>`, `<p title="#">`, `<a href="#">x</a>`, `<a href="?q=#">x</a>`, `<script>x = "#"</script>`, `<title>#</title>`, `<p>#</p># and #`, `<p onclick="f('#')">`}
	for i, place := range places {
		tree[fmt.Sprintf("page%d.html", i)] = strings.ReplaceAll(place, "#", `{{template "+x" .}}`)
	}
	answers := map[string][]string{}
	for _, plans := range []string{"", "off"} {
		t.Setenv("FLOW_PLANS", plans)
		r := flow.New(flowtest.Pages(tree))
		for i := range places {
			r.At(fmt.Sprintf("page%d", i)).GET().Do(func(*flow.Request) flow.Response { return flow.Page(value) })
		}
		is.New(t).NoErr(r.Check())
		for i := range places {
			answers[plans] = append(answers[plans], apptest.Says(apptest.Serve(r, "GET", fmt.Sprintf("/page%d", i))))
		}
	}
	is := is.New(t)
	is.Equal(answers[""], answers["off"])
	seen := map[string]bool{}
	for _, answer := range answers[""] {
		is.True(strings.HasPrefix(answer, "200 ") && !seen[answer])
		seen[answer] = true
	}
}
