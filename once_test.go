package flow_test

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/flowtest"
)

// The tests of this file render what can be read only once. A page that fails must not be
// rendered again, since it may then succeed with its data missing.

// A query is data that can be read once: rows as those of a database, in all ways in which a
// template reads them. Each way fails at one of its rows.
type query struct {
	rows  int
	read  int
	fails int    // the row that cannot be read, counted from 1
	how   string // one of failures
	calls []string
}

var failures = []string{"error", "panic", "panic with an error", "nil pointer"}

func (q *query) note(call string) { q.calls = append(q.calls, fmt.Sprint(call, " ", q.read)) }

// fail fails at the row that cannot be read.
func (q *query) fail() error {
	err := fmt.Errorf("row <%d> is lost", q.read)
	switch {
	case q.read != q.fails:
		return nil
	case q.how == "panic":
		panic(err.Error())
	case q.how == "panic with an error":
		panic(err)
	case q.how == "nil pointer":
		var none *query
		return errors.New(none.how)
	}
	return err
}

// Next goes to the next row.
func (q *query) Next() bool { q.read++; q.note("Next"); return q.read <= q.rows }

// Show returns the current row.
func (q *query) Show() (string, error) { q.note("Show"); return fmt.Sprintf("<%d>", q.read), q.fail() }

// Row goes to the next row and returns it.
func (q *query) Row(...any) (string, error) { q.Next(); return q.Show() }

// Rest goes through the rest of the rows.
func (q *query) Rest() iter.Seq[*query] {
	return func(yield func(*query) bool) {
		for q.Next() && yield(q) {
		}
	}
}

// Numbered goes through the rest of the rows, and panics at the one that cannot be read.
func (q *query) Numbered() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for q.Next() {
			row, err := q.Show()
			if err != nil {
				panic(err)
			}
			if !yield(q.read, row) {
				return
			}
		}
	}
}

// Sent sends the rows.
func (q *query) Sent() <-chan *query {
	c := make(chan *query, q.rows)
	for range q.rows {
		c <- q
	}
	close(c)
	return c
}

// Some returns the query if there is another row, for {{with}}.
func (q *query) Some() *query {
	if !q.Next() {
		return nil
	}
	return q
}

// queryReaders are templates that read from a query, which is the dot. In place of # they get
// one of queryPlaces.
var queryReaders = []string{
	`#`, `{{range .Rest}}#{{else}}You have no orders.{{end}}`, `{{range $q := .Rest}}{{with $q}}#{{end}}{{end}}`,
	`{{range $i, $row := .Numbered}}<li>{{$i}} {{$row}}{{else}}<li>none{{end}}`, `{{range .Sent}}{{if .Next}}#{{else}}last{{end}}{{else}}none{{end}}`,
	`{{with .Some}}#{{else}}none{{end}}`, `{{if .Next}}#{{else}}#{{end}}`, `{{if and .Next .Show}}#{{end}}`, `{{with $.Show}}{{.}}{{end}}`,
	`{{template "+row" .Some}}`, `{{template "+row" (dict "Row" .Row)}}`, `{{range .Rest}}{{template "+row" .}}{{else}}none{{end}}`,
	`{{block "rows" .}}#{{end}}`, `{{range $i := 3}}{{if eq $i 1}}{{continue}}{{end}}{{$.Row}}{{end}}`, `{{range .Rest}}{{if eq .Show "<2>"}}{{break}}{{end}}{{end}}#`,
	`{{$x := .Row}}{{$x}}`, `{{$x := ""}}{{range .Rest}}{{$x = .Show}}{{end}}{{$x}}`, `{{if false}}{{else if .Row}}#{{end}}`, `{{range .Rest}}{{else}}{{$.Row}}{{end}}`,
}

// queryPlaces are the places that a row is shown in.
var queryPlaces = []string{
	`<p>{{.Row}}</p>`, `{{.Show}}`, `<p title="{{.Row}}" data-x={{.Row}}>`, `<a href="https://x.example/{{.Row}}?q={{.Show}}">x</a>`, `<script>x = {{.Row}}; y = "{{.Show}}"</script>`,
	`<p onclick="f({{.Row}})" style="color: {{.Row}}">`, `{{printf "%s-%s" .Row .Row}}`, `{{.Row | printf "%s!"}}`, `{{len .Row}}{{slice .Row 1}}`, `{{first .}}`, `{{third .}}`,
	`{{if eq (first .) .Show}}x{{end}}`, `{{html .Row}}`, `<textarea>{{.Row}}</textarea>`, `{{.Row .Row .Row}}`, `{{(.Some).Show}}`, `{{with .Some}}{{.Show}}{{end}}`, `{{.Wrong}}`, ``,
}

// onceTree returns the files of a random site, each of whose templates reads from a query.
func onceTree(random *rand.Rand) map[string]string {
	pick := func(of []string) string { return of[random.IntN(len(of))] }
	blocks := 0
	reads := func(n int) string {
		text := ""
		for range 1 + random.IntN(n) {
			blocks++
			text += strings.NewReplacer("#", pick(queryPlaces), `"rows"`, fmt.Sprintf(`"rows%d"`, blocks)).Replace(pick(queryReaders)) + "\n"
		}
		return text
	}
	place := func() string { return pick(queryPlaces) }
	row := strings.ReplaceAll(pick([]string{`{{with .}}#{{end}}`, `#`, `{{range .Rest}}#{{else}}none{{end}}`}), "#", place())
	return map[string]string{
		"+layout.html":      pick([]string{"", "{{third .}}"}) + `{{template "content" .}}` + pick([]string{"", "{{once}}"}),
		"+error.html":       pick([]string{"<h1>{{.Title}}</h1>", "<h1>{{.Status}}{{once}}</h1>", "{{.Title}}{{request.Method}}{{once}}"}),
		"+row.html":         row,
		"shop/+layout.html": `<title>{{block "title" .}}x{{end}}</title>` + pick([]string{"", "{{with .}}" + place() + "{{end}}"}) + `{{template "content" .}}` + pick([]string{"", place()}),
		"shop/index.html":   `{{define "title"}}{{` + pick([]string{".Row", ".Show", "first .", ".Wrong", "1"}) + `}}{{end}}` + reads(3) + `{{define "list"}}` + reads(2) + `{{end}}`,
	}
}

// onceSite returns a Router of a tree, and a function that gives its handlers another query.
func onceSite(tree map[string]string) (r *flow.Router, log *journal, give func(*query)) {
	r = flow.New(flowtest.Pages(tree))
	log = journalOf(r)
	var q *query
	called := 0 // of first and third, since the query was given
	fails := func(n int) error {
		called++
		q.note("function")
		if called == n {
			q.read = q.fails
			return cmp.Or(q.fail(), errors.New("function"))
		}
		return nil
	}
	r.Funcs = template.FuncMap{
		"first": func(any) (string, error) { return "first", fails(1) },
		"third": func(any) (string, error) { return "third", fails(3) },
		"once":  func() (string, error) { return "once", fails(1) },
	}
	page := r.At("shop/index")
	page.GET().Do(func(*flow.Request) flow.Response { return flow.Page(q) })
	page.POST().Do(func(*flow.Request) flow.Response { return flow.Page(q).Block("list") })
	page.PUT().Do(func(*flow.Request) flow.Response { return flow.View("+row", q) })
	return r, log, func(next *query) { q, called = next, 0 }
}

// TestWhatCanBeReadOnce renders random sites with plans and with html/template, each time with
// a query of its own: pages in layouts with partials and blocks, blocks and partials by
// themselves, and error pages that fail as well. The answers and the calls must be the same,
// and each failure is logged once.
func TestWhatCanBeReadOnce(t *testing.T) {
	sites := 150
	if os.Getenv("FLOW_SLOW") != "" {
		sites = 1500
	}
	pages, failed := 0, 0
	for seed := range uint64(sites) {
		random := rand.New(rand.NewPCG(seed, 5))
		tree := onceTree(random)
		t.Setenv("FLOW_PLANS", "")
		planned, plannedLog, givePlanned := onceSite(tree)
		is.New(t).NoErr(planned.Check())
		t.Setenv("FLOW_PLANS", "off")
		plain, _, givePlain := onceSite(tree)
		is.New(t).NoErr(plain.Check())
		for range 6 {
			method, target := []string{"GET", "GET", "POST", "PUT"}[random.IntN(4)], "/shop"
			q := query{rows: random.IntN(4), fails: 1 + random.IntN(5), how: failures[random.IntN(len(failures))]}
			one, other := q, q
			givePlanned(&one)
			givePlain(&other)
			before := strings.Count(plannedLog.String(), "\n")
			got, want := serve(planned, method, target), serve(plain, method, target)
			records := strings.Count(plannedLog.String(), "\n") - before
			if got.Code != want.Code || got.Body.String() != want.Body.String() || !slices.Equal(one.calls, other.calls) || records != min(1, got.Code/500) {
				t.Fatalf("seed %d: %s %s of %+v\n%v\nplan: %d %s\n%q\nhtml/template: %d %s\n%q\nrecords: %d\n%s", seed, method, target, q, tree, got.Code, got.Body, one.calls, want.Code, want.Body, other.calls, records, plannedLog)
			}
			if got.Code == 200 {
				pages++
			} else {
				failed++
			}
		}
	}
	t.Logf("%d pages, %d that failed", pages, failed)
	if pages < sites || failed < sites {
		t.Error("too few of one kind")
	}
}

// TestRowsThatFail is the page of orders whose third row cannot be read.
func TestRowsThatFail(t *testing.T) {
	t.Setenv("FLOW_PLANS", "") // a comparison renders twice
	for _, how := range failures {
		for _, page := range []string{
			`<table>{{range .Rest}}<tr><td>{{.Show}}{{else}}<p>You have no orders.{{end}}</table>`,
			`<table>{{range $i, $row := .Numbered}}<tr><td>{{$row}}{{else}}<p>You have no orders.{{end}}</table>`,
			`<table>{{range .Sent}}<tr><td>{{.Row}}{{else}}<p>You have no orders.{{end}}</table>`,
			`{{if .Row}}{{if .Row}}{{if .Row}}{{end}}{{end}}{{else}}<p>You have no orders.{{end}}`,
		} {
			t.Run(how+" "+page, func(t *testing.T) {
				is := is.New(t)
				r := flow.New(flowtest.Pages(map[string]string{"+layout.html": `<title>Shop</title>{{template "content" .}}`, "index.html": page}))
				log := journalOf(r)
				q := &query{rows: 4, fails: 3, how: how}
				r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Page(q) })
				is.NoErr(r.Check())
				w := serve(r, "GET", "/")
				is.Equal(w.Code, 500)
				is.True(!strings.Contains(w.Body.String(), "orders"))
				is.Equal(q.read, 3) // nothing was read again
				is.Equal(strings.Count(log.String(), "\n"), 1)
			})
		}
	}
}
