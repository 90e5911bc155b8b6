package ondisk

import (
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/check/links"
	"example.com/flow/internal/check/pages"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/routetree"
)

// A memory is a directory in memory that counts which files are read.
type memory struct {
	fstest.MapFS
	clock time.Time // of the files that are written; long ago, so that they are settled
	reads int
}

func newMemory() *memory {
	return &memory{MapFS: fstest.MapFS{}, clock: time.Now().Add(-time.Hour)}
}

func (m *memory) ReadFile(name string) ([]byte, error) {
	m.reads++
	return m.MapFS.ReadFile(name)
}

func (m *memory) write(name, text string) {
	m.clock = m.clock.Add(time.Second)
	m.MapFS[name] = &fstest.MapFile{Data: []byte(text), ModTime: m.clock}
}

// move renames a file, or a directory and what is in it.
func (m *memory) move(from, to string) {
	for name, f := range maps.Clone(m.MapFS) {
		if below, ok := strings.CutPrefix(name+"/", from+"/"); ok {
			delete(m.MapFS, name)
			m.MapFS[strings.TrimSuffix(to+"/"+below, "/")] = f
		}
	}
}

// source returns a Source that reads a directory in memory, and what it is asked with: built
// is the tree of the binary, with further trees.
func source(m *memory, built fs.FS, further ...fs.FS) (*Source, Binary) {
	tree := routetree.Parse(built, further)
	s := &Source{watch: disk.NewWatcher(m, routetree.RouterDir, routetree.PublicDir)}
	b := Binary{Tree: tree, Log: slog.New(slog.DiscardHandler), Host: templates.Host{
		Route: func(_ any, name string, _ []any) (string, error) { return "/" + name, nil },
		Asset: func(_ any, name string) (string, error) {
			if _, err := m.Stat("public/" + name); err != nil {
				return "", fmt.Errorf("no public file is called %q", name)
			}
			return "/" + name, nil
		},
		User: func(any) any { return nil },
	}}
	return s, b
}

// viewsOf returns the templates as they are now.
func viewsOf(s *Source, b Binary) (*templates.Views, error) {
	checked, err := s.Checked(b, disk.Now())
	return checked.Views, err
}

// manyPages returns a directory of sections with 20 pages each.
func manyPages(sections int) *memory {
	m := newMemory()
	m.write("router/+layout.html", `<!doctype html><link href="{{asset "app.css"}}">{{template "+nav" .}}<main>{{template "content" .}}</main>`)
	m.write("router/+nav.html", `<a href="{{route "index"}}">Home</a>`)
	m.write("router/+error.html", `{{.Status}}`)
	m.write("router/index.html", `home`)
	m.write("public/app.css", `body{}`)
	for s := range sections {
		dir := fmt.Sprintf("router/s%02d/", s)
		m.write(dir+"+row.html", `<li>{{.}}</li>`)
		for p := range 20 {
			m.write(fmt.Sprintf("%sp%02d.html", dir, p), fmt.Sprintf(`<h1>%d</h1>{{template "s%02d/+row" .}}`, p, s))
		}
	}
	return m
}

// TestOnlyWhatChanged counts the files that are read after a change, and the pages that are
// made anew. The tree has 1,000 pages in 50 sections, one partial for each section, an error
// page, and a layout with a partial for all.
func TestOnlyWhatChanged(t *testing.T) {
	m := manyPages(50)
	s, b := source(m, maps.Clone(m.MapFS))
	before, err := viewsOf(s, b)
	is.New(t).NoErr(err)
	names := slices.Sorted(maps.Keys(b.Tree.Templates))
	is.New(t).Equal(m.reads, 1000+50+4)
	for _, tt := range []struct {
		name   string
		change func()
		reads  int
		made   int // of the templates that were there before
		faults string
	}{
		{"nothing", func() {}, 0, 0, ""},
		{"a page", func() { m.write("router/s07/p03.html", "new") }, 1, 1, ""},
		{"a page, with the same text", func() { m.write("router/s07/p03.html", "new") }, 1, 0, ""},
		{"a partial of a section", func() { m.write("router/s08/+row.html", "<li>") }, 1, 21, ""},
		{"the partial of the layout", func() { m.write("router/+nav.html", "<nav>") }, 1, 1000 + 3, ""},
		{"the layout of all", func() { m.write("router/+layout.html", `<body>{{template "content" .}}`) }, 1, 1000 + 2, ""},
		{"a new layout of a section", func() { m.write("router/s09/+layout.html", `<b>{{template "content" .}}</b>`) }, 1, 20, ""},
		{"it is gone", func() { delete(m.MapFS, "router/s09/+layout.html") }, 0, 20, ""},
		{"a new page", func() { m.write("router/s10/new.html", "new") }, 1, 0, ""},
		{"a new partial", func() { m.write("router/s10/+new.html", "new") }, 1, 0, ""},
		{"a new public file", func() { m.write("public/new.css", "p{}") }, 0, 0, ""},
		{"a public file that is saved", func() { m.write("public/app.css", "p{}") }, 0, 0, ""},
		{"a page with a fault", func() { m.write("router/s11/p00.html", "{{if}}") }, 1, 0, "router/s11/p00.html:1: missing value for if"},
		{"another page, beside it", func() { m.write("router/s11/p01.html", "new") }, 1, 1, "router/s11/p00.html:1: missing value for if"},
		{"it is mended", func() { m.write("router/s11/p00.html", "good") }, 1, 1, ""},
		{"a section has moved", func() { m.move("router/s12", "router/z12") }, 21, 0, `no partial is called "s12/+row"`},
		{"and back", func() { m.move("router/z12", "router/s12") }, 21, 21, ""},
		{"a file that is none", func() { m.write("router/s12/notes.txt", "") }, 0, 0, "router/s12/notes.txt: a route file ends in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tt.change()
			m.reads = 0
			now, err := viewsOf(s, b)
			made := 0
			for _, name := range names {
				old, _ := before.View(name)
				v, _ := now.View(name)
				if v != nil && v != old {
					made++
				}
			}
			before = now
			is.Equal(m.reads, tt.reads)
			is.Equal(made, tt.made)
			is.Equal(err == nil, tt.faults == "")
			is.True(err == nil || strings.Contains(err.Error(), tt.faults))
		})
	}
}

// TestSavedTwiceWithinATick: a file that has just been written is read each time, since a
// second save may leave its size and its time as they are.
func TestSavedTwiceWithinATick(t *testing.T) {
	synctest.Test(t, savedTwiceWithinATick) // where no time passes
}

func savedTwiceWithinATick(t *testing.T) {
	is := is.New(t)
	m := manyPages(1)
	s, b := source(m, maps.Clone(m.MapFS))
	m.clock = time.Now().Add(-2 * time.Second)
	m.write("router/index.html", "one")
	now := m.clock
	for _, text := range []string{"one", "two", "six", "six"} {
		m.write("router/index.html", text)
		m.MapFS["router/index.html"].ModTime = now
		m.reads = 0
		views, err := viewsOf(s, b)
		is.NoErr(err)
		is.True(strings.Contains(render(t, views, "index"), text))
		is.True(m.reads > 0)
	}
	m.MapFS["router/index.html"].ModTime = time.Now().Add(time.Hour) // of a clock that is ahead
	for _, text := range []string{"ten", "new"} {
		m.MapFS["router/index.html"].Data = []byte(text)
		views, err := viewsOf(s, b)
		is.NoErr(err)
		is.True(strings.Contains(render(t, views, "index"), text))
	}
}

// render returns a template as it is rendered with data of its own, or what is wrong.
func render(t *testing.T, views *templates.Views, name string) string {
	t.Helper()
	v, err := views.View(name)
	if err != nil {
		return err.Error()
	}
	return rendered(views, v, "data")
}

// rendered returns a view as it is rendered, or the error.
func rendered(views *templates.Views, v *templates.View, data any) string {
	page, err := views.Render(v, nil, "", data)
	if err != nil {
		return err.Error()
	}
	defer page.Free()
	return string(page.HTML())
}

// found returns what checks find that is no fault: about pages as a whole, and which links there are.
func found(c *pages.Checked) (all []string) {
	for _, f := range c.Warnings(func(string) bool { return false }) {
		all = append(all, f.Error())
	}
	sources, fields := c.Links(func(name string) []string { return []string{"/" + name} })
	for _, r := range links.Requests(sources, fields) {
		all = append(all, fmt.Sprint(r.File, r.Method, r.URL))
	}
	return all
}

// TestAsMadeAtOnce changes files at random. Templates that are made of what has changed are
// those that are made of all files at once, and so are the faults and what checks find.
func TestAsMadeAtOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	// What calls others is no partial that they call, so that none calls itself without end.
	names := [][]string{
		{"+a", "x/+a", "(g)/+a"},
		{"+b", "(g)/x/+c"},
		{"+layout", "+error", "index", "x", "x/+layout", "x/+error", "x/y", "(g)/+layout", "(g)/z", "x/[id]", "(g)/+error"},
	}
	texts := [][]string{
		{`A {{.}}`, `{{define "t"}}mine{{end}}page`, `{{asset "a.css"}}`, `{{if}}`, `{{none}}`, `<a href="`, `{{template "t"}}`, `<a href="/x">x</a><input>`},
		{`B {{template "+a" .}}`, `{{template "x/+a" .}}`, `<a href="{{template "+a" .}}">`},
		{
			`{{template "+b" .}}{{block "t" .}}t{{end}}`, `{{template "x/+c" .}}`, `{{template "+shared"}}`, `[{{template "content" .}}]`, `{{define "u"}}<b>{{end}}{{template "+b"}}`,
			`<title>{{block "t" .}}T{{end}}</title>{{template "+a" .}}{{template "content" .}}`,
		},
	}
	for round := range 40 {
		m, further := newMemory(), newMemory()
		further.write("router/+shared.html", "{{none}}")
		m.write("router/index.html", "home")
		built := maps.Clone(m.MapFS)
		s, b := source(m, built, further)
		for step := range 40 {
			for range 1 + random.IntN(3) {
				level := random.IntN(3)
				name, other := names[level][random.IntN(len(names[level]))], names[level][random.IntN(len(names[level]))]
				switch random.IntN(9) {
				case 0:
					delete(m.MapFS, "router/"+name+".html")
				case 1:
					m.move("router/"+name+".html", "router/"+other+".html")
				case 2:
					m.move("router/x", "router/w")
				case 3:
					m.move("router/w", "router/x")
				case 4:
					if random.IntN(2) == 0 {
						m.write("public/a.css", "")
					} else {
						delete(m.MapFS, "public/a.css")
					}
				case 5:
					further.write("router/+shared.html", []string{"{{none}}", "shared"}[random.IntN(2)])
				default:
					some := slices.Concat(texts[:level+1]...)
					m.write("router/"+name+".html", some[random.IntN(len(some))])
				}
			}
			checked, err := s.Checked(b, disk.Now())
			fresh, b := source(m, built, further)
			atOnce, want := fresh.Checked(b, disk.Now())
			views, all := checked.Views, atOnce.Views
			if got, want := found(checked), found(atOnce); !slices.Equal(got, want) {
				t.Fatalf("round %d, step %d: the checks find\n%q\nwant\n%q", round, step, got, want)
			}
			if fmt.Sprint(err) != fmt.Sprint(want) {
				t.Fatalf("round %d, step %d: got the faults\n%v\nwant\n%v", round, step, err, want)
			}
			for _, name := range slices.Concat(names...) {
				if got, want := render(t, views, name), render(t, all, name); got != want {
					t.Fatalf("round %d, step %d: %s: got %q, want %q", round, step, name, got, want)
				}
			}
			for _, path := range [][]string{nil, {"x"}, {"x", "y"}, {"z"}} {
				got, want := views.ErrorPage(nil, path), all.ErrorPage(nil, path)
				if (got == nil) != (want == nil) || views.Lost() != all.Lost() {
					t.Fatalf("round %d, step %d: the error page of %q", round, step, path)
				}
				if got == nil {
					continue
				}
				if a, b := rendered(views, got, nil), rendered(all, want, nil); a != b {
					t.Fatalf("round %d, step %d: the error page of %q: got %q, want %q", round, step, path, a, b)
				}
			}
		}
	}
}
