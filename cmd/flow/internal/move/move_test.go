package move

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/cmd/flow/internal/files"
	"example.com/flow/internal/serve/routes/routetree"
)

// moved returns the change of a transfer in a tree of these files.
func moved(t *testing.T, from, to string, files ...string) *change {
	t.Helper()
	l := listing{"router": fs.ModeDir}
	for _, file := range files {
		file = "router/" + file
		l[file] = 0
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			l[dir] = fs.ModeDir
		}
	}
	from, to = "router/"+from, "router/"+to
	tr := transfer{from, to, l.isDir(from)}
	before, after := treeOf("", l, nil), treeOf("", l.apply(tr), nil)
	if len(before.Faults)+len(after.Faults) > 0 {
		t.Fatal(before.Faults, after.Faults)
	}
	return newChange(tr, before, after)
}

func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		name, from, to, written string
		files                   []string
		want                    string // "" if the path is not rewritten
	}{
		{"a file", "a.html", "b.html", "a", []string{"a.html"}, "b"},
		{"another file", "a.html", "b.html", "c", []string{"a.html", "c.html"}, ""},
		{"a directory", "a", "b", "a/[id]", []string{"a/[id].html"}, "b/[id]"},
		{"into a group", "a.html", "(g)/a.html", "a", []string{"a.html"}, ""},
		{"into a group, under another name", "a.html", "(g)/b.html", "a", []string{"a.html"}, "b"},
		{"out of a group", "(g)/a.html", "a.html", "(g)/a", []string{"(g)/a.html"}, "a"},
		{"out of a group that is not written", "(g)/a.html", "a.html", "a", []string{"(g)/a.html"}, ""},
		{"from group to group", "(g)", "(h)", "(g)/a", []string{"(g)/a.html"}, "(h)/a"},
		{"a matcher that is not written", "[id=int].html", "[n=int].html", "[id]", []string{"[id=int].html"}, "[n]"},
		{"a matcher", "[id=int].html", "[n=int].html", "[id=int]", []string{"[id=int].html"}, "[n=int]"},
		{"a new matcher", "[id].html", "[id=int].html", "[id]", []string{"[id].html"}, ""},
		{"what is not in the tree", "a.html", "b.html", "nothing", []string{"a.html"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			now, v := moved(t, tt.from, tt.to, tt.files...).paths.rewrite(tt.written)
			is.Equal(v == rewritten, tt.want != "")
			if tt.want != "" {
				is.Equal(now, tt.want)
			}
		})
	}
}

// Two partials of one short name need their groups.
func TestPathsThatWouldMeanAnother(t *testing.T) {
	is := is.New(t)
	c := moved(t, "b/+row.html", "(g)/+row.html", "+row.html", "b/+row.html", "a.html")
	now, v := c.partials.rewrite("b/+row")
	is.Equal(v, rewritten)
	is.Equal(now, "(g)/+row") // "+row" is the other one
	_, v = c.partials.rewrite("+row")
	is.Equal(v, stays)
}

func TestDirectory(t *testing.T) {
	for _, tt := range []struct {
		name, from, to, written string
		files                   []string
		want                    string // what is written then, what is lost, what is gained
	}{
		{"a directory", "a", "b", "a", []string{"a/x.html", "c.html"}, "b [] []"},
		{"with the file beside it", "a", "b", "a", []string{"a/x.html", "a.html"}, "a [router/b/x.html] []"},
		{"a group", "(g)", "(h)", "(g)", []string{"(g)/x.html", "c.html"}, "(h) [] []"},
		{"a directory in one", "(g)", "(h)", "a", []string{"(g)/a/x.html"}, "a [] []"},
		{"a file out of it", "a/x.html", "x.html", "a", []string{"a/x.html", "a/y.html"}, "a [router/x.html] []"},
		{"the last file out of it", "a/x.html", "x.html", "a", []string{"a/x.html", "b.html"}, "x [] []"},
		{"a file into it", "x.html", "a/x.html", "a", []string{"x.html", "a/y.html"}, "a [] [router/a/x.html]"},
		{"below it", "a/b", "a/c", "a", []string{"a/b/x.html"}, "a [] []"},
		{"above it", "a", "c", "a/b", []string{"a/b/x.html"}, "c/b [] []"},
		{"all files", "a", "b", "", []string{"a/x.html"}, " [] []"},
		{"a file called so", "a.html", "b.html", "a", []string{"a.html"}, "b [] []"},
		{"onto another", "a", "b", "a", []string{"a/x.html", "b.html"}, "b [] [router/b.html]"},
		{"one of two", "a", "b", "a", []string{"a/x.html", "(g)/a/y.html"}, "a [router/b/x.html] []"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			cov, ok := moved(t, tt.from, tt.to, tt.files...).directory(tt.written)
			is.True(ok)
			is.Equal(fmt.Sprint(cov.written, " ", cov.lost, " ", cov.gained), tt.want)
			is.True(!cov.none)
		})
	}
	_, ok := moved(t, "a.html", "b.html", "a.html").directory("nothing")
	is.New(t).True(!ok)
}

// The directories that Entries is given.
func TestList(t *testing.T) {
	for _, tt := range []struct {
		name, from, to, written string
		files                   []string
		want                    string
		verdict                 verdict
	}{
		{"a directory", "a", "b", "a", []string{"a/x.html"}, "b", rewritten},
		{"below it", "a", "b/c", "a/d", []string{"a/d/x.html"}, "b/c/d", rewritten},
		{"in a group that is not written", "(g)/a", "(g)/b", "a", []string{"(g)/a/x.html"}, "b", rewritten},
		{"in a group", "(g)/a", "(h)/a", "(g)/a", []string{"(g)/a/x.html"}, "(h)/a", rewritten},
		{"into a group", "a", "(g)/a", "a", []string{"a/x.html"}, "a", stays},
		{"a file of it", "a/x.html", "x.html", "a", []string{"a/x.html", "a/y.html"}, "a", stays},
		{"the last page of it", "a/x.html", "x.html", "a", []string{"a/x.html", "a/[id].html"}, "", lost},
		{"one of two", "(g)/a", "b", "a", []string{"(g)/a/x.html", "a/y.html"}, "", lost},
		{"none of two", "c.html", "d.html", "a", []string{"(g)/a/x.html", "a/y.html", "c.html"}, "a", stays},
		{"what is not there", "a", "b", "c", []string{"a/x.html"}, "", unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			now, v := moved(t, tt.from, tt.to, tt.files...).list(tt.written)
			is.Equal(v, tt.verdict)
			is.Equal(now, tt.want)
		})
	}
}

func TestInGroups(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"(team)/projects", "boards", "(team)/boards"},
		{"(team)/projects/(all)/new.html", "projects/add", "(team)/projects/(all)/add"},
		{"(team)/projects/(all)/new.html", "boards/new", "(team)/boards/new"},
		{"(team)/projects/(all)/new.html", "projects", "(team)/projects"},
		{"(team)/(all)/x.html", "a/b/c", "(team)/(all)/a/b/c"},
		{"a/(all)/x.html", "b", "b"},
	} {
		t.Run(tt.from+" "+tt.to, func(t *testing.T) {
			is := is.New(t)
			is.Equal(inGroups("router/"+tt.from, "router/"+tt.to), "router/"+tt.want)
		})
	}
}

func TestParameters(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"[id].html", "[user].html", `"id" is called "user" now, "user" is needed now`},
		{"[id].html", "a/[id].html", ""},
		{"[a]/[b].html", "[b]/[c].html", `"a" is called "c" now`},
		{"[id].html", "[org]/[id].html", `"org" is new`},
		{"[org]/[id].html", "[id].html", `"org" is gone`},
		{"[[id]].html", "[id].html", `"id" is needed now`},
	} {
		t.Run(tt.from+" "+tt.to, func(t *testing.T) {
			is := is.New(t)
			is.Equal(strings.TrimSuffix(moved(t, tt.from, tt.to, tt.from).routes[0].paramsText(), `, "user" is needed now`), strings.TrimSuffix(tt.want, `, "user" is needed now`))
		})
	}
}

func TestURLs(t *testing.T) {
	c := moved(t, "users", "people", "users/[id].html", "users/index.html", "users/new/[n=int].html", "about.html")
	f := newFinder(c, map[string]string{"users.id.go": "people.id.go"}, [][]string{{"orgs", "[org]"}})
	for _, tt := range []struct{ text, want string }{
		{"/users", "/users=/people"},
		{"GET /users/7?q=1 HTTP/1.1", "/users/7?q=1=/people/{id}"},
		{"http://localhost:8080/users", "http://localhost:8080/users=/people"},
		{"/orgs/7/users", "/orgs/7/users=/orgs/[org]/people"},
		{"/users/", "/users/=/people"},
		{"/users/%d", "/users/%d=/people/{id}"},
		{"/users/{id}", "/users/{id}=/people/{id}"},
		{"/users/\x00\x00", "/users/\x00\x00=/people/{id}"},
		{"/users/new/7", "/users/new/7=/people/new/{n}"},
		{"/users//7", "/users//7=/people/{id}"},        // which redirects
		{"/users/new/x/y", "/users/new/x/y=/people/…"}, // by the directory
		{"see router/users/[id].html.", "router/users/[id].html=router/people/[id].html"},
		{"users.id.go", "users.id.go=people.id.go"},
		{"/about /other </users> app/users //users ../users /users-x", ""},
		{"/search?u=http://x", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			var got []string
			for _, h := range f.find(tt.text) {
				is.Equal(tt.text[h.offset:h.offset+len(h.text)], h.text)
				got = append(got, h.text+"="+h.now)
			}
			is.Equal(strings.Join(got, " "), tt.want)
		})
	}
}

func TestNewURL(t *testing.T) {
	for _, tt := range []struct {
		name, from, to, files, url string
		want                       string // "" if it is not sure
	}{
		{"a file", "a.html", "b.html", "a", "/a", "/b"},
		{"to the root", "a.html", "index.html", "a", "/a", "/"},
		{"from the root", "index.html", "a.html", "index", "/", ""}, // which may be the path of a cookie
		{"another file", "a.html", "b.html", "a c", "/c", ""},
		{"a name that is escaped", "a.html", "b c.html", "a", "/a", "/b%20c"},
		{"with a query", "a.html", "b.html", "a", "/a?x=1&y=/a#z", "/b?x=1&y=/a#z"},
		{"no path", "a.html", "b.html", "a", "http://localhost/a", ""},
		{"another host", "a.html", "b.html", "a", "//example.org/a", ""},
		{"in a sentence", "a.html", "b.html", "a", "/a is moved", ""},
		{"with a slash", "a.html", "b.html", "a", "/a/", ""},
		{"not clean", "a", "b", "a/[id]", "/a//x", ""},
		{"with a verb", "a", "b", "a/[id]", "/a/%d", ""},
		{"a pattern", "a", "b", "a/[id]", "/a/{id}", ""},
		{"below a directory", "a", "b", "a/x", "/a/y", ""},
		{"a value", "a", "b", "a/[id]", "/a/1%2F%41", "/b/1%2F%41"},
		{"a parameter with another name", "a/[id].html", "b/[n].html", "a/[id]", "/a/1", "/b/1"},
		{"parameters in another order", "[x]/[y]/a.html", "a/[y]/[x].html", "[x]/[y]/a", "/1/2/a", "/a/2/1"},
		{"a new parameter", "a.html", "[b].html", "a", "/a", ""},
		{"a parameter that is gone", "a/[id].html", "a/b.html", "a/[id]", "/a/1", ""},
		{"the URL stays", "a/[id].html", "a/[n].html", "a/[id]", "/a/1", ""},
		{"a catch-all", "a/[...path].html", "b/[...path].html", "a/[...path]", "/a/1/%2e%2e", "/b/1/%2e%2e"},
		{"a catch-all that becomes one segment", "a/[...path].html", "a/b/[path].html", "a/[...path]", "/a/1/2", ""},
		{"an optional one", "a/[[id]].html", "b/[[id]].html", "a/[[id]]", "/a/1", "/b/1"},
		{"an optional one that is left out", "a/[[id]].html", "b/[[id]].html", "a/[[id]]", "/a", "/b"},
		{"one that is needed now", "a/[[id]].html", "b/[id].html", "a/[[id]]", "/a", ""},
		{"a matcher that takes it", "a/[id].html", "b/[id=int].html", "a/[id]", "/a/1", "/b/1"},
		{"a matcher that does not", "a/[id].html", "b/[id=int].html", "a/[id]", "/a/x", ""},
		{"a matcher that did not", "a/[id=int].html", "b/[id].html", "a/[id=int]", "/a/x", ""},
		{"the matcher of a catch-all", "a/[...p=int].html", "b/[...p].html", "a/[...p=int]", "/a/1/x", ""},
		{"what the matcher of another catch-all does not take", "a/[...q].html", "b/[...q].html", "a/[...q] a/[...p=int]", "/a/1/x", "/b/1/x"},
		{"a matcher of the application", "a/[id=sku].html", "b/[id=sku].html", "a/[id=sku]", "/a/x", "/b/x"},
		{"a new one of the application", "a/[id].html", "b/[id=sku].html", "a/[id]", "/a/x", ""},
		{"another file answers it then", "a.html", "b.html", "a [x]", "/a", ""},
		{"another file might, by its matcher", "a.html", "b.html", "a [x=sku]", "/a", ""},
		{"another file has answered it", "[x].html", "b/[x].html", "[x] a", "/a", ""},
		{"another file answers the new one", "[x].html", "b/[x].html", "[x] b/a", "/a", ""},
		{"the other methods stay", "a/index.html", "b/index.html", "a/index a/store", "/a", ""},
		{"all methods move", "a", "b", "a/index a/store", "/a", "/b"},
		{"what is mounted", "orgs", "firms", "orgs/[org]/users", "/orgs/7/users", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var files []string
			for _, name := range strings.Fields(tt.files) {
				ext := ".html"
				if strings.HasSuffix(name, "store") {
					ext = ".http"
				}
				files = append(files, name+ext)
			}
			now, ok := newFinder(moved(t, tt.from, tt.to, files...), nil, [][]string{{"orgs", "[org]"}}).newURL(tt.url)
			is.Equal(now, tt.want)
			is.Equal(ok, tt.want != "")
		})
	}
}

// A path in an example may have references, which stand for values of parameters.
func TestNewPath(t *testing.T) {
	for _, tt := range []struct{ from, to, files, path, want string }{
		{"a/[id].http", "b/[id].http", "a/[id]", "/a/{{id}}", "/b/{{id}}"},
		{"a/[id=int].http", "b/[key=int].http", "a/[id=int]", "/a/{{x.response.body.$.id}}", "/b/{{x.response.body.$.id}}"},
		{"a/[id=int].http", "b/[id].http", "a/[id=int]", "/a/{{$randomInt 1 9}}", "/b/{{$randomInt 1 9}}"},
		{"a/[id].http", "b.http", "a/[id]", "/a/{{id}}", ""},
		{"a.http", "b.http", "a", "/{{name}}", ""},
		{"a/[id].http", "b/[id].http", "a/[id] a/[id=int]/x", "/a/{{id}}", "/b/{{id}}"},
		{"a/[id].http", "b/[id].http", "a/[id] a/[k=slug]", "/a/{{id}}", ""},
		{"a", "b", "a/index", "/a", "/b"},
	} {
		t.Run(tt.from+" "+tt.path, func(t *testing.T) {
			is := is.New(t)
			var files []string
			for _, name := range strings.Fields(tt.files) {
				files = append(files, name+".http")
			}
			now, ok := newFinder(moved(t, tt.from, tt.to, files...), nil, nil).newPath(tt.path)
			is.Equal(now, tt.want)
			is.Equal(ok, tt.want != "")
		})
	}
}

func TestReadTemplate(t *testing.T) {
	const text = "\ufeff" + `{{/* route "no" }} */}}<a href="/x/{{.ID}}/y">{{define "t"}}{{template "a/+b" .}}{{end}}
{{- block "c" . }}{{ route ` + "`d`" + ` "k" .V (route "e") | printf "%s }}" }}{{end}}{{if request.Param "f"}}{{else}}{{.Route "g"}}{{.X | route}}{{asset "h"}}{{end}}`
	is := is.New(t)
	src, err := readTemplate(text)
	is.NoErr(err)
	var got []string
	for _, m := range src.references {
		piece := "-"
		if m.size > 0 {
			piece = text[m.offset : m.offset+m.size]
		}
		for _, k := range m.keys {
			piece += " " + text[k.offset:k.offset+k.size]
		}
		got = append(got, fmt.Sprintf("%s %s %v", m.name, piece, m.sure))
	}
	slices.Sort(got)
	// The key behind (route "e") is none, but what is at its place is not known.
	is.Equal(strings.Join(got, "\n"), strings.Join([]string{
		`Param "f" true`, `Route "g" false`, `asset "h" true`, `route "e" true`, "route - true", "route `d` \"k\"  true",
		`template "a/+b" true`, `template "c" true`,
	}, "\n"))
	is.Equal(len(src.plain), len(text))
	plain, passages := string(src.plain), fmt.Sprint(src.passages)
	is.True(!strings.Contains(plain, "{"))
	is.True(strings.Contains(holes.ReplaceAllString(plain, "_"), `<a href="/x/_/y">`))
	is.True(strings.Contains(passages, `route "no" }}`))
	is.True(!strings.Contains(passages, "href"))
	_, err = readTemplate(`{{if}}`)
	is.True(err != nil)
}

func TestHashedURLs(t *testing.T) {
	is := is.New(t)
	l := listing{"router": fs.ModeDir, "public": fs.ModeDir, "public/app.css": 0}
	tr := transfer{"public/app.css", "public/css/app.css", false}
	f := newFinder(newChange(tr, treeOf("", l, nil), treeOf("", l.apply(tr), nil)), nil, nil)
	for _, text := range []string{"/app.css", "/app.4ugmjvqtcgfftyxn.css", `/app\.\w+\.css`, `public/app.css`} {
		hits := f.find(text)
		is.Equal(len(hits), 1)
		is.Equal(hits[0].text, text)
	}
	is.Equal(len(f.find("/apples.css /css/app.css /app.js")), 0)
}

// The text of a template is as long as the template, whatever is in it, and the passages are where they stand.
func FuzzReadTemplate(f *testing.F) {
	for _, seed := range []string{"", "{{", "{{/*", "{{- /* }} */ -}}x", "{{\"}}\"}}", "{{`}}`}}y", "{{'", "{{\"\\", "a{{b}}c{{d", "\ufeff{{`a`}}", " {{- \"a\" -}} ", "{{1}}  {{- 2}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src, _ := readTemplate(text)
		if len(src.plain) != len(text) {
			t.Errorf("%q: got %q", text, src.plain)
		}
		for _, passage := range src.passages {
			if !strings.HasPrefix(text[passage.offset:], passage.text) {
				t.Errorf("%q: %q is not at %d", text, passage.text, passage.offset)
			}
		}
	})
}

// URLs stand anywhere in a template, and in pieces where a condition writes one of them.
func TestInTemplate(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`<a href="/a/{{.ID}}?x=1"> <a href=/a/1> <a href="/a/{{ .ID }}/x">`, "/a/_?x=1 /a/1"},
		{`<script>fetch("/a/" + id)</script><style>a{background:url(/a/1)}</style><i data-x="/a/2" hx-get="/a/3">`, "/a/ /a/1 /a/2 /a/3"},
		{`<!-- /a/1 --> {{/* /a/2 */}} {{- /* /a/3*/ -}} {{"/a/4" | f}} {{if eq "}} /a/5" .X}}/a/6 {{end}}`, "/a/1 /a/6 /a/2 /a/3 /a/4 /a/5"},
		{"/a/1 {{- .X}} {{.X -}} /a/2 {{- .X -}}\n/a/3", "/a/1 /a/2 /a/3"},
		{`<a href="/{{if .X}}a/1{{else}}c{{end}}"> <a href="{{if .X}}/a/2{{else}}/c{{end}}">`, "/a/1 /a/2"},
		{`<a href="&#47;a/1"> <img srcset="/c 1x, /a/2 2x">`, "/a/2 /a/1"},
		{"\ufeff{{`\n`}}\n<a href=/{{if .X}}a{{end}}/1>", "/a/1"},
		{`<a href="/a/{{.ID}}"> {{/* "/a/1" */}} {{if}}`, "/a/_ /a/1"}, // it cannot be parsed
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			src, _ := readTemplate(tt.text)
			var got []string
			for _, h := range newFinder(moved(t, "a/[id].html", "b/[id].html", "a/[id].html", "c.html"), nil, nil).inTemplate(src) {
				got = append(got, holes.ReplaceAllString(h.text, "_"))
			}
			is.Equal(strings.Join(got, " "), tt.want)
		})
	}
}

// Whatever stands in a string, the finder finds places of it, and a new URL only of a path.
func FuzzFinder(f *testing.F) {
	for _, seed := range []string{"", "/", "://", "a://", "http://localhost", "https://example.com?q=/a", "http:///a", "http://x/a", "//a", "/a//7", "/a/7/", `\/a\/`, "/a/%", "/a/%2F", "/a/{id}", "${x}/a", "/orgs//a", "/orgs/7/a/8", "#/a", "?://"} {
		f.Add(seed)
	}
	files := []string{"a/[id=int].html", "a/index.html", "a/[[lang]]/x.html", "docs/[...path].html"}
	var finders []*finder
	for _, to := range [][2]string{{"a", "b"}, {"a/[id=int].html", "[id=int].html"}, {"docs/[...path].html", "[...all].html"}} {
		t := &testing.T{}
		finders = append(finders, newFinder(moved(t, to[0], to[1], files...), map[string]string{"a.id.go": "b.id.go"}, [][]string{{"orgs", "[org]"}, {"x", "", "y"}}))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, finder := range finders {
			for _, h := range finder.find(text) {
				if !strings.HasPrefix(text[h.offset:], h.text) {
					t.Errorf("%q: %q is not at %d", text, h.text, h.offset)
				}
			}
			if now, ok := finder.newURL(text); ok && (text[0] != '/' || now[0] != '/') {
				t.Errorf("%q became %q", text, now)
			}
			finder.newPath(text)
		}
	})
}

func TestChangedLines(t *testing.T) {
	is := is.New(t)
	text, edits := "one two\nthree\nfour two", []files.Edit{{From: 14, To: 18, Text: "4"}, {From: 0, To: 3, Text: "1"}, {From: 4, To: 7, Text: "zwei"}}
	is.Equal(files.Edited(text, edits), "1 zwei\nthree\n4 two")
	is.Equal(fmt.Sprint(changedLines(text, edits)), "[{1 one two 1 zwei} {3 four two 4 two}]")
}

func TestInOrder(t *testing.T) {
	is := is.New(t)
	is.Equal(inOrder([]Rename{{"a", "b"}, {"b", "c"}, {"c", "d"}}), []Rename{{"c", "d"}, {"b", "c"}, {"a", "b"}})
}

// If anything fails, all that was done is taken back.
func TestApplyTakesBack(t *testing.T) {
	_, notFound := os.Stat("no")
	for _, tt := range []struct {
		name  string
		spoil func(dir string, p *Moves)
		want  string
	}{
		{"a file stands where one is to go", func(dir string, p *Moves) { write(t, dir, "z.go", "") }, "z.go exists already, and is not overwritten"},
		{"a file is gone", func(dir string, p *Moves) {
			p.Renames = append(p.Renames, Rename{filepath.Join(dir, "no"), filepath.Join(dir, "yes")})
		}, errors.Unwrap(notFound).Error()},
		{"a file has changed", func(dir string, p *Moves) { write(t, dir, "x.go", "four") }, "x.go was changed in the meantime"},
		{"a directory is not empty", func(dir string, p *Moves) { write(t, dir, "old/late", "") }, "old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			dir := t.TempDir()
			write(t, dir, "old/a.html", "one")
			write(t, dir, "a.go", "two")
			write(t, dir, "x.go", "three")
			at := func(name string) string { return filepath.Join(dir, name) }
			p := &Moves{
				Renames: []Rename{{at("old/a.html"), at("new/deep/b.html")}, {at("a.go"), at("z.go")}},
				Edits:   map[string][]files.Edit{at("a.go"): {{From: 0, To: 3, Text: "2"}}, at("x.go"): {{From: 0, To: 5, Text: "3"}}},
				Emptied: []string{at("old")},
				texts:   map[string]string{at("a.go"): "two", at("x.go"): "three"},
			}
			tt.spoil(dir, p)
			before := snapshot(t, dir)
			err := p.Apply()
			is.True(err != nil)
			is.True(strings.HasPrefix(err.Error(), "nothing was moved: "))
			is.True(strings.Contains(err.Error(), tt.want))
			is.Equal(snapshot(t, dir), before)
		})
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// snapshot returns what is in a directory, as text.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Fprintln(&b, name)
			return err
		}
		text, err := fs.ReadFile(os.DirFS(dir), name)
		fmt.Fprintln(&b, name, d.Type(), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The tree of a listing is the one that the files themselves make.
func TestTreeOf(t *testing.T) {
	is := is.New(t)
	files := fstest.MapFS{"router/a/[id].html": {}, "router/_x/y.html": {}, "router/a/+row.html": {}, "public/app.css": {}}
	l := listing{}
	for name := range files {
		l[name] = 0
	}
	got, want := treeOf("", l, nil), routetree.Parse(files, nil)
	is.Equal(filesByPath(got), filesByPath(want))
	is.Equal(len(got.Public), 1)
	is.Equal(len(got.Faults), len(want.Faults))
}
