package pages_test

import (
	"errors"
	"fmt"
	"html/template"
	"iter"
	"strings"
	"testing"

	"example.com/flow"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/apptest"
	"example.com/flow/internal/testkit/flowtest"
)

// The tests of this file render what can be read only once. A page that fails must not be
// rendered again, since it may then succeed with its data missing.

// A query is data that can be read once: rows as those of a database, in the ways in which a
// template reads them. Each way fails at one of its rows.
type query struct {
	rows  int
	read  int
	fails int    // the row that cannot be read, counted from 1
	how   string // one of failures
}

var failures = []string{"error", "panic", "panic with an error", "nil pointer"}

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
func (q *query) Next() bool { q.read++; return q.read <= q.rows }

// Show returns the current row.
func (q *query) Show() (string, error) { return fmt.Sprintf("<%d>", q.read), q.fail() }

// Row goes to the next row and returns it.
func (q *query) Row() (string, error) { q.Next(); return q.Show() }

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

// TestRowsThatFail is the page of orders whose third row cannot be read, in a layout, as a block
// and as a partial by itself. Its error page fails as well.
func TestRowsThatFail(t *testing.T) {
	t.Setenv("FLOW_PLANS", "") // a comparison renders twice
	for _, how := range failures {
		for _, rows := range []string{
			`<table>{{range .Rest}}<tr><td>{{.Show}}{{else}}<p>You have no orders.{{end}}</table>`,
			`<table>{{range $i, $row := .Numbered}}<tr><td>{{$row}}{{else}}<p>You have no orders.{{end}}</table>`,
			`<table>{{range .Sent}}<tr><td>{{.Row}}{{else}}<p>You have no orders.{{end}}</table>`,
			`{{if .Row}}{{if .Row}}{{if .Row}}{{end}}{{end}}{{else}}<p>You have no orders.{{end}}`,
		} {
			r := flow.New(flowtest.Pages(map[string]string{
				"+layout.html": `<title>Shop</title>{{template "content" .}}`,
				"+error.html":  `{{failing}}`,
				"index.html":   rows + `{{define "list"}}` + rows + `{{end}}`,
				"+row.html":    rows,
			}))
			log := apptest.JournalOf(r)
			var q *query
			failing := 0
			r.Funcs = template.FuncMap{"failing": func() (string, error) { failing++; return "", errors.New("no error page") }}
			r.At("index").GET().Do(func(*flow.Request) flow.Response { return flow.Page(q) })
			r.At("index").POST().Do(func(*flow.Request) flow.Response { return flow.Page(q).Block("list") })
			r.At("index").PUT().Do(func(*flow.Request) flow.Response { return flow.View("+row", q) })
			is.New(t).NoErr(r.Check())
			for _, method := range []string{"GET", "POST", "PUT"} {
				t.Run(how+" "+method+" "+rows, func(t *testing.T) {
					is := is.New(t)
					before := strings.Count(log.String(), "\n")
					q, failing = &query{rows: 4, fails: 3, how: how}, 0
					w := apptest.Serve(r, method, "/", "Accept: text/html")
					is.Equal(w.Code, 500)
					is.True(!strings.Contains(w.Body.String(), "orders"))
					is.Equal(q.read, 3) // nothing was read again
					is.Equal(failing, 1)
					is.Equal(strings.Count(log.String(), "\n")-before, 1)
				})
			}
		}
	}
}
