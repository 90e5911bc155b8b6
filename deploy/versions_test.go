//go:build linux

package deploy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow"
	"example.com/flow/internal/testkit/servertest"
)

// A version is one of two of a small application, which lists members. They differ in the
// page, the style sheet, a field of the form and a column of the table.
type version struct {
	page, css string
	columns   []string
}

// versions are the versions by name. The new one fits the old one, as docs/scaling.md tells:
// the column has a default, and a form may lack the field.
var versions = map[string]version{
	"old": {
		page:    `<title>old</title><form method="post" action="/members"><input name="name"></form>{{range .}}<p>{{.name}}</p>{{end}}`,
		css:     "body{color:black}",
		columns: []string{"name"},
	},
	"new": {
		page:    `<title>new</title><form method="post" action="/members"><input name="name"><input name="email"></form>{{range .}}<p>{{.name}} {{.email}}</p>{{end}}`,
		css:     "body{color:navy}",
		columns: []string{"name", "email"},
	},
}

// versionKey and tableKey are the names in the environment of the version that a process is,
// and of the URL of the table.
const versionKey, tableKey = "DEPLOY_TEST_VERSION", "DEPLOY_TEST_TABLE"

// router returns the application, with a table of members at a URL.
func (v version) router(members remoteTable) *flow.Router {
	r := flow.New(fstest.MapFS{
		"router/index.html":         {Data: []byte(`<link rel="stylesheet" href="{{asset "app.css"}}">` + v.page)},
		"router/members/store.http": {},
		"router/readyz.http":        {},
		"public/app.css":            {Data: []byte(v.css)},
	})
	r.Use(flow.Logger(nil))
	r.OnStart(func(ctx context.Context) error { // expand: all processes do it, and once is enough
		for _, column := range v.columns[1:] {
			if err := members.call(ctx, "add", column, nil); err != nil {
				return err
			}
		}
		return nil
	})
	r.At("index").GET().Do(func(req *flow.Request) (flow.Response, error) {
		var rows []map[string]string
		err := members.call(req.Context(), "select", v.columns, &rows)
		return flow.Page(rows), err
	})
	r.At("members/store").POST().Do(func(req *flow.Request) (flow.Response, error) {
		row := map[string]string{}
		for _, column := range v.columns {
			if values := req.Inputs(column); len(values) > 0 {
				row[column] = values[0]
			}
		}
		return flow.Redirect("/"), members.call(req.Context(), "insert", row, nil)
	})
	r.At("readyz").GET().Do(func(req *flow.Request) flow.Response {
		if flow.Draining(req.Context()) {
			return flow.Text("draining").Status(http.StatusServiceUnavailable)
		}
		return flow.Text("ok")
	})
	return r
}

// command returns a command that serves a version at an address: this test again, which
// TestMain takes for the application.
func (members remoteTable) command(version, addr string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-addr", addr)
	cmd.Env = append(cmd.Environ(), versionKey+"="+version, tableKey+"="+string(members))
	return cmd
}

// A table stands for one of a database. As there, a column that it does not have is an error,
// and one that a row does not give is empty.
type table struct {
	mu      sync.Mutex
	columns []string
	rows    []map[string]string
}

// ServeHTTP does what the path says: it adds a column, inserts a row, or sends some columns of
// the last rows.
func (t *table) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var column string
	var columns []string
	var row map[string]string
	body := map[string]any{"/add": &column, "/select": &columns, "/insert": &row}[r.URL.Path]
	if err := json.NewDecoder(r.Body).Decode(body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for name := range row {
		columns = append(columns, name)
	}
	for _, name := range columns {
		if !slices.Contains(t.columns, name) {
			http.Error(w, "there is no column "+name, http.StatusBadRequest)
			return
		}
	}
	switch {
	case column != "" && !slices.Contains(t.columns, column):
		t.columns = append(t.columns, column)
	case row != nil:
		t.rows = append(t.rows, row)
	case columns != nil:
		some := make([]map[string]string, 0, 10)
		for _, row := range t.rows[max(len(t.rows)-10, 0):] {
			part := map[string]string{}
			for _, name := range columns {
				part[name] = row[name]
			}
			some = append(some, part)
		}
		json.NewEncoder(w).Encode(some)
	}
}

// A remoteTable is the URL of a table.
type remoteTable string

// call has the table do something, and stores what it sends.
func (t remoteTable) call(ctx context.Context, what string, with, result any) error {
	b, err := json.Marshal(with)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, string(t)+"/"+what, bytes.NewReader(b))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if b, err = io.ReadAll(resp.Body); err != nil {
		return err
	}
	switch {
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s: %s", what, resp.Status, b)
	case result == nil:
		return nil
	}
	return json.Unmarshal(b, result)
}

// A member is a visitor that loads pages with their style sheets, and sends forms.
type member struct {
	visitor
	name   string
	slow   bool           // it thinks long, and sends the form of the first page that it has seen
	fields []string       // of the form that it sends next
	seen   map[string]int // pages of each version
	mixed  int            // style sheets of another version than the page
	sent   []string       // the names in the forms that were taken
}

var (
	titleOf  = regexp.MustCompile(`<title>(\w+)</title>`)
	sheetOf  = regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)">`)
	fieldsOf = regexp.MustCompile(`<input name="(\w+)">`)
)

// visit loads the page with its style sheet. Each third time it also sends the form.
func (m *member) visit(n int) error {
	page, err := m.send("GET /", "", http.StatusOK)
	if err != nil {
		return err
	}
	title, sheet := titleOf.FindStringSubmatch(page), sheetOf.FindStringSubmatch(page)
	if title == nil || sheet == nil {
		return fmt.Errorf("the page is %.200q", page)
	}
	m.seen[title[1]]++
	if m.fields == nil || !m.slow {
		m.fields = nil
		for _, field := range fieldsOf.FindAllStringSubmatch(page, -1) {
			m.fields = append(m.fields, field[1])
		}
	}
	css, err := m.send("GET "+sheet[1], "", http.StatusOK)
	if err != nil {
		return err
	}
	switch css {
	case versions[title[1]].css:
	case versions["old"].css, versions["new"].css:
		m.mixed++
	default:
		return fmt.Errorf("the style sheet is %.200q", css)
	}
	if n%3 != 0 {
		return nil
	}
	form := url.Values{}
	for _, field := range m.fields {
		form.Set(field, fmt.Sprintf("%s %s %d", m.name, field, n))
	}
	if _, err := m.send("POST /members", form.Encode(), http.StatusSeeOther); err != nil {
		return err
	}
	m.sent = append(m.sent, form.Get("name"))
	return nil
}

// send sends a request, wants a status, and returns the body of the answer.
func (m *member) send(head, body string, want int) (string, error) {
	status, text, err := m.exchange(head, body)
	if err != nil {
		m.leave()
		return "", fmt.Errorf("%s: %w", head, err)
	}
	if status != want {
		return "", fmt.Errorf("%s: %d, want %d: %.200q", head, status, want, text)
	}
	return text, nil
}

// TestTwoVersions replaces three processes of the old version by those of the new one, one after
// the other, and then back again. Meanwhile all pages, style sheets and forms are answered.
func TestTwoVersions(t *testing.T) {
	servertest.Slow(t)
	for _, p := range proxies {
		t.Run(p.program, func(t *testing.T) {
			needs(t, p.program)
			t.Parallel()
			members := &table{columns: []string{"name"}}
			database := httptest.NewServer(members)
			t.Cleanup(database.Close)
			at := remoteTable(database.URL)

			addrs := freeAddrs(t, 4)
			var servers []*process
			for _, addr := range addrs[1:] {
				servers = append(servers, serving(t, at.command("old", addr)))
			}
			p.started(t, addrs[0], addrs[1:])
			var sent []string
			for _, next := range []string{"new", "old"} {
				sent = append(sent, rollOut(t, next, addrs, servers, at)...)
			}

			is := is.New(t)
			members.mu.Lock()
			defer members.mu.Unlock()
			var kept []string
			emails := 0
			for _, row := range members.rows {
				kept = append(kept, row["name"])
				if row["email"] != "" {
					emails++
				}
			}
			slices.Sort(sent)
			slices.Sort(kept)
			is.True(slices.Equal(kept, sent)) // each form once
			is.Equal(members.columns, []string{"name", "email"})
			is.True(emails > 0 && emails < len(kept)) // forms of both versions were taken
		})
	}
}

// rollOut replaces each process by one of another version, under load, and returns what was
// sent.
func rollOut(t *testing.T, next string, addrs []string, servers []*process, at remoteTable) (sent []string) {
	t.Helper()
	l := &load{stop: make(chan struct{})}
	t.Cleanup(l.end)
	var all []*member
	for i := range visitors {
		m := &member{name: fmt.Sprint("to ", next, " ", i), slow: i%4 < 2, seen: map[string]int{}}
		m.visitor = visitor{addr: addrs[0], session: fmt.Sprint("X-Visitor: ", i), keep: i%2 == 0}
		all = append(all, m)
		l.done.Go(func() { l.visit(&m.visitor, m.visit) })
	}
	for i, addr := range addrs[1:] {
		l.goesOn(t)
		servers[i].stop(t)
		servers[i] = serving(t, at.command(next, addr))
		servers[i].logs(t, "path=/members") // which no check of health asks for
	}
	l.goesOn(t)
	l.check(t)
	seen, mixed := map[string]int{}, 0
	for _, m := range all {
		sent = append(sent, m.sent...)
		mixed += m.mixed
		for version, n := range m.seen {
			seen[version] += n
		}
	}
	t.Logf("to the %s version: pages %v, %d of them with the style sheet of the other version, %d forms", next, seen, mixed, len(sent))
	is.New(t).True(seen["old"] > 0 && seen["new"] > 0)
	return sent
}
