package flow

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
)

// treeOf returns the files that a row names, with " & " between them. Those that
// do not say public/ are below router/.
func treeOf(row string) fstest.MapFS {
	names := strings.Split(row, " & ")
	for i, name := range names {
		if !strings.HasPrefix(name, "public/") {
			names[i] = "router/" + name
		}
	}
	return files(names...)
}

func TestRouteFiles(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"index.html", "/"},
		{"about.html", "/about"},
		{"users/index.http", "/users"},
		{"users/store.http", "/users"},
		{"users/[id].html", "/users/{id}"},
		{"blog/[year]/[slug].html", "/blog/{year}/{slug}"},
		{"shop/[p]/reviews.html", "/shop/{p}/reviews"},
		{"(admin)/users.html", "/users"},
		{"(a)/(b)/index.html", "/"},
		{"[[lang]]/about.html", "/about /{lang}/about"},
		{"[[lang]]/index.html", "/ /{lang}"},
		{"docs/[...rest].html", "/docs/{rest...}"},
		{"docs/[[...rest]].html", "/docs /docs/{rest...}"},
		{"store/index.html", "/store"},
		{"store/store.http", "/store"},
		{"reindex.html", "/reindex"},
		{"index/about.html", "/index/about"},
		{"index.html.html", "/index.html"},
		{"restore.html", "/restore"},
		{"feed.xml.http", "/feed.xml"},
		{".well-known/jwks.json.http", "/.well-known/jwks.json"},
		{"(a)/.well-known/x.http", "/.well-known/x"},

		// A catch-all is last in the URL: index and groups are in none.
		{"docs/[...rest]/index.html", "/docs/{rest...}"},
		{"[...rest]/(g)/store.http", "/{rest...}"},

		// Neighbouring optionals fill from the left.
		{"[[a]]/[[b]].html", "/ /{a} /{a}/{b}"},
		{"[[a]]/(g)/[[b]]/x.html", "/x /{a}/x /{a}/{b}/x"},
		{"[[a]]/[[...rest]].html", "/ /{a} /{a}/{rest...}"},
		{"[[a]]/[b].html", "/{b} /{a}/{b}"},
		{"[a]/[[b]].html", "/{a} /{a}/{b}"},
		{"[[a]]/[[b]]/1/2/3/[[c]]/z.html", "/1/2/3/z /{a}/1/2/3/z /{a}/{b}/1/2/3/z /1/2/3/{c}/z /{a}/1/2/3/{c}/z /{a}/{b}/1/2/3/{c}/z"},
		{"[[a]]/x/y/[[b]].html", "/x/y /{a}/x/y /x/y/{b} /{a}/x/y/{b}"},

		// Names are identifiers of Go, keywords too, and letters of any script.
		{"[type].html", "/{type}"},
		{"[_x1].html", "/{_x1}"},
		{"[größe].html", "/{größe}"},

		// All other names are plain text, never patterns.
		{"%61.html", "/%2561"},
		{"50%.html", "/50%25"},
		{"a b/é.html", "/a%20b/%C3%A9"},
		{"{x}.html", "/%7Bx%7D"},
		{"{rest...}.html", "/%7Brest...%7D"},
		{"a(b).html", "/a%28b%29"},
		{"a.b/+c/d_.html", "/a.b/+c/d_"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			is := is.New(t)
			r := New(treeOf(tt.file))
			is.NoErr(fault.Join(r.tree.faults))
			is.Equal(len(r.tree.routes), 1)
			route := r.tree.routes[0]
			is.Equal(route.file, "router/"+tt.file)
			var patterns []string
			for _, s := range route.shapes {
				patterns = append(patterns, s.pattern())
			}
			is.Equal(strings.Join(patterns, " "), tt.want)

			// And back: a URL of each shape leads to it.
			r.At(route.path).POST().Do(func(*Request) string { return "" })
			is.NoErr(r.Check())
			for _, s := range route.shapes {
				req := httptest.NewRequest(http.MethodPost, sampleURL(s.segments), nil)
				r.ServeHTTP(httptest.NewRecorder(), req)
				is.Equal(req.Pattern, "POST "+s.pattern())
			}
		})
	}
}

func TestFilesThatAreNoRoutes(t *testing.T) {
	for _, file := range []string{
		"+layout.html", "+error.html", "users/+row.html", "(g)/+row.html",
		"_draft.html", ".keep", ".hidden.html", "_x/about.html", "_x/[.html", "_x/README", "_?.html",
		".x/about.html", ".x/go.mod", "a/_b/c.html", ".well-known/.x.http", ".well-known/_x.http", ".well-known",
	} {
		t.Run(file, func(t *testing.T) {
			is := is.New(t)
			tree := treeOf(file + " & about.html")
			if layout := tree["router/+layout.html"]; layout != nil {
				layout.Data = []byte(`{{block "content" .}}{{end}}`)
			}
			r := New(tree)
			is.NoErr(r.Check())
			is.Equal(len(r.tree.routes), 1) // about
		})
	}
}

// Each fault is one line, and all are reported, by file.
func TestFaultsOfNames(t *testing.T) {
	const (
		noIdentifier = "%q is not a parameter's name: a parameter is called by a Go identifier, as in [id], [[id]], [...id], [[...id]]"
		wholeSegment = "a parameter fills a whole segment, and %q is not one of [id], [[id]], [...id], [[...id]]"
		group        = "%q is not the name of a group: one looks like (admin)"
		noGroup      = "parentheses group the files of a directory, and this is a file: make it a directory, or call it by its URL"
		notLast      = "the catch-all [...%s] takes the rest of the URL: nothing can follow it"
		twice        = "the parameter %q stands twice in one path: give each a name of its own"
		twoWays      = "the optional segment makes %s readable in two ways, as %s and as %s: write two files instead, one with the segment and one without"
		extension    = "a route file ends in .html (a page) or .http (an endpoint): other files belong in public/"
		plusFile     = "a file whose name begins with + is a template of its directory: call it %s.html"
		character    = "the name holds %s, which go:embed refuses: rename it"
		device       = "%q is a device on Windows, so go:embed refuses it: rename it"
		onlyCase     = "%s differs only in case: not every disk can hold both, rename one of them"
	)
	f := fmt.Sprintf
	for _, tt := range []struct{ tree, want string }{
		{"[].html", "router/[].html: " + f(noIdentifier, "")},
		{"[[]].html", "router/[[]].html: " + f(noIdentifier, "")},
		{"[...].html", "router/[...].html: " + f(noIdentifier, "")},
		{"[id.html", "router/[id.html: " + f(wholeSegment, "[id")},
		{"id].html", "router/id].html: " + f(wholeSegment, "id]")},
		{"[.html", "router/[.html: " + f(wholeSegment, "[")},
		{"[[id].html", "router/[[id].html: " + f(noIdentifier, "[id")},
		{"[id]].html", "router/[id]].html: " + f(noIdentifier, "id]")},
		{"[[[id]]].html", "router/[[[id]]].html: " + f(noIdentifier, "[id]")},
		{"[a][b].html", "router/[a][b].html: " + f(noIdentifier, "a][b")},
		{"[..a].html", "router/[..a].html: " + f(noIdentifier, "..a")},
		{"[....a].html", "router/[....a].html: " + f(noIdentifier, ".a")},
		{"[…a].html", "router/[…a].html: the name holds '…': write a catch-all with three dots, as in [...rest]"},
		{"[.a].html", "router/[.a].html: " + f(noIdentifier, ".a")},
		{"[a ].html", "router/[a ].html: " + f(noIdentifier, "a ")},
		{"[_].html", "router/[_].html: " + f(noIdentifier, "_")},
		{"[1st].html", "router/[1st].html: " + f(noIdentifier, "1st")},
		{"[b-c].html", "router/[b-c].html: " + f(noIdentifier, "b-c")},
		{"user-[id].html", "router/user-[id].html: " + f(wholeSegment, "user-[id]")},
		{"user-[id]/x.html", "router/user-[id]: " + f(wholeSegment, "user-[id]")},
		{"[id].json.html", "router/[id].json.html: " + f(wholeSegment, "[id].json")},
		{"(g).html", "router/(g).html: " + noGroup},
		{"()/x.html", "router/(): " + f(group, "()")},
		{"(g/x.html", "router/(g: " + f(group, "(g")},
		{"(g)x/x.html", "router/(g)x: " + f(group, "(g)x")},
		{"(a)(b)/x.html", "router/(a)(b): " + f(group, "(a)(b)")},
		{"([g])/x.html", "router/([g]): " + f(group, "([g])")},

		{"[...rest]/x.html", "router/[...rest]/x.html: " + f(notLast, "rest")},
		{"[[...rest]]/x.html", "router/[[...rest]]/x.html: " + f(notLast, "rest")},
		{"docs/[...rest]/(g)/[[a]].html", "router/docs/[...rest]/(g)/[[a]].html: " + f(notLast, "rest")},
		{"[...a]/[...b].html", "router/[...a]/[...b].html: " + f(notLast, "a")},
		{"[id]/[id].html", "router/[id]/[id].html: " + f(twice, "id")},
		{"[id]/id/[id].html", "router/[id]/id/[id].html: " + f(twice, "id")},
		{"[id]/(g)/x/[...id].html", "router/[id]/(g)/x/[...id].html: " + f(twice, "id")},
		{"[[id]]/x/[id]/index.html", "router/[[id]]/x/[id]/index.html: " + f(twice, "id")},

		{"[[a]]/[x]/[[b]].html", "router/[[a]]/[x]/[[b]].html: " + f(twoWays, "/x/x", "/{a}/{x}", "/{x}/{b}")},
		{"[[lang]]/[...rest].html", "router/[[lang]]/[...rest].html: " + f(twoWays, "/x/x", "/{rest...}", "/{lang}/{rest...}")},
		{"[[lang]]/docs/[[...rest]].html", "router/[[lang]]/docs/[[...rest]].html: " + f(twoWays, "/docs/docs", "/{lang}/docs", "/docs/{rest...}")},
		{"[[a]]/x/[[b]].html", "router/[[a]]/x/[[b]].html: " + f(twoWays, "/x/x", "/{a}/x", "/x/{b}")},
		{"[[a]]/x y/[...b].html", "router/[[a]]/x y/[...b].html: " + f(twoWays, "/x%20y/x%20y/x", "/x%20y/{b...}", "/{a}/x%20y/{b...}")},
		{"[[a]]/1/2/[[b]]/3/4/[[c]]/5/6/[[d]]/7/8/[[e]]/9/10/[[f]]/11/12/[[g]].html", "router/[[a]]/1/2/[[b]]/3/4/[[c]]/5/6/[[d]]/7/8/[[e]]/9/10/[[f]]/11/12/[[g]].html: the optional segments give more than 64 URLs: use fewer"},

		{"README.md", "router/README.md: " + extension},
		{"about.HTML", "router/about.HTML: " + extension},
		{"about", "router/about: " + extension},
		{"users/style.css", "router/users/style.css: " + extension},
		{"+layout.http", "router/+layout.http: " + f(plusFile, "+layout")},
		{"+row.txt", "router/+row.txt: " + f(plusFile, "+row")},

		{"what?.html", "router/what?.html: " + f(character, "'?'")},
		{"a:b/x.html", "router/a:b: " + f(character, "':'")},
		{"+a*.html", "router/+a*.html: " + f(character, "'*'")},
		{"☃.html", "router/☃.html: " + f(character, "'☃'")},
		{"e\u0301.html", "router/e\u0301.html: " + f(character, "'\u0301'")},
		{"a./x.html", "router/a.: the name ends in a dot, which go:embed refuses: rename it"},
		{"aux.html", "router/aux.html: " + f(device, "aux")},
		{"Com1/x.html", "router/Com1: " + f(device, "Com1")},
		{"users/go.mod", "router/users/go.mod: a go.mod makes its directory another module, which go:embed leaves out: rename it"},
		{"public/a/Go.Mod & x.html", "public/a/Go.Mod: a go.mod makes its directory another module, which go:embed leaves out: rename it"},
		{"public/a'b.js & x.html", "public/a'b.js: " + f(character, `'\''`)},
		{"Users.html & users.html", "router/users.html: " + f(onlyCase, "router/Users.html")},
		{"a/x.html & A/x.html & A/y.html", "router/a: " + f(onlyCase, "router/A")},
		{"public/ſ.js & public/s.js & x.html", "public/ſ.js: " + f(onlyCase, "public/s.js")},

		{"(z).html & b/[].html & a?.html & b/y.txt & b.html & b/index.html & public/b & (c/d.html & [id.html & _/[.html",
			"router/(c: " + f(group, "(c") +
				"\nrouter/(z).html: " + noGroup +
				"\nrouter/[id.html: " + f(wholeSegment, "[id") +
				"\nrouter/a?.html: " + f(character, "'?'") +
				"\nrouter/b.html and public/b both answer /b: rename one of them" +
				"\nrouter/b.html and router/b/index.html both answer /b: rename one of them" +
				"\nrouter/b/[].html: " + f(noIdentifier, "") +
				"\nrouter/b/y.txt: " + extension},
	} {
		t.Run(tt.tree, func(t *testing.T) {
			is := is.New(t)
			err := New(treeOf(tt.tree)).Check()
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

func TestOneOwner(t *testing.T) {
	for _, tt := range []struct{ tree, want string }{
		{"users.html & users/index.html", "router/users.html and router/users/index.html both answer /users"},
		{"users/[id].html & users/[slug].html", "router/users/[id].html and router/users/[slug].html both answer /users/x"},
		{"[id].html & [id]/index.html", "router/[id].html and router/[id]/index.html both answer /x"},
		{"[a]/x.html & [b]/x.html", "router/[a]/x.html and router/[b]/x.html both answer /x/x"},
		{"[...a].html & [...b].html", "router/[...a].html and router/[...b].html both answer /x"},
		{"(a)/x.html & (b)/x.html", "router/(a)/x.html and router/(b)/x.html both answer /x"},
		{"(a)/index.html & index.html", "router/(a)/index.html and router/index.html both answer /"},
		{"[[lang]]/home.html & home.html", "router/[[lang]]/home.html and router/home.html both answer /home"},
		{"[[lang]]/home.html & [l]/home.html", "router/[[lang]]/home.html and router/[l]/home.html both answer /x/home"},
		{"[[a]]/x.html & [[b]]/x.html", "router/[[a]]/x.html and router/[[b]]/x.html both answer /x"},
		{"docs/[[...rest]].html & docs.html", "router/docs.html and router/docs/[[...rest]].html both answer /docs"},
		{"a b.html & public/a b", "router/a b.html and public/a b both answer /a%20b"},
		{"(a)/x/store.http & x/store.http", "router/(a)/x/store.http and router/x/store.http both answer /x"},
		{"[[l]]/x/store.http & x/store.http", "router/[[l]]/x/store.http and router/x/store.http both answer /x"},
		{"x/store.http & public/x", "router/x/store.http and public/x both answer /x"},
		{"x/store.http & x.html & public/x", "router/x.html and public/x both answer /x"},
		{"[[a]]/f.js.html & public/f.js", "router/[[a]]/f.js.html and public/f.js both answer /f.js"},
		{"public/.well-known/x & .well-known/x.html", "router/.well-known/x.html and public/.well-known/x both answer /.well-known/x"},
		{"x.html & x.http", "router/x.html and router/x.http both answer /x"},
	} {
		t.Run(tt.tree, func(t *testing.T) {
			is := is.New(t)
			is.Equal(fmt.Sprint(readTree(treeOf(tt.tree), nil).faults), "["+tt.want+": rename one of them]")
		})
	}
}

func TestNeighbours(t *testing.T) {
	for _, tree := range []string{
		"users/index.http & users/store.http",
		"users.html & users/store.http",
		"(a)/users/index.html & (b)/users/store.http",
		"users/[id].html & users/[name]/posts.html & users/new.html & users/[...rest].html & users/index.html",
		"[lang]/about.html & blog/[slug].html",
		"[...rest].html & [lang]/[...rest].html & index.html",
		"docs/[[...rest]].html & [lang]/docs/[[...rest]].html",
		"x/[[a]].html & x/y.html",
		"about.html & public/about.html & public/index.html",
		"[file].html & [...rest].html & public/f & public/a/[id].js & public/_next/[.js",
		"x.html & public/.x/x & public/.x.html",
		"public/x & x/y.html",
		"a.b.html & a/b.html", // they share a counterpart, no URL
	} {
		t.Run(tree, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(fault.Join(readTree(treeOf(tree), nil).faults))
		})
	}
}

func TestPublicFiles(t *testing.T) {
	is := is.New(t)
	tree := readTree(treeOf("index.html & public/[id].js & public/_next/a b.js & public/.env & public/.git/x & public/(g)/+x & public/.well-known/x & public/.well-known/.y & public/a/.well-known/x & public/store"), nil)
	is.NoErr(fault.Join(tree.faults))
	var patterns []string
	for _, s := range tree.public {
		patterns = append(patterns, s.pattern())
	}
	is.Equal(strings.Join(patterns, " "), "/%28g%29/+x /.well-known/.y /.well-known/x /%5Bid%5D.js /_next/a%20b.js /a/.well-known/x /store")
}

// broken is a file system in which one file or directory cannot be opened.
type broken struct {
	files fstest.MapFS
	name  string
}

func (b broken) Open(name string) (fs.File, error) {
	if name == b.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("disk on fire")}
	}
	return b.files.Open(name)
}

func TestFaultsOfFileSystems(t *testing.T) {
	pipe := &fstest.MapFile{Mode: fs.ModeNamedPipe}
	link := &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("index.html")}
	tree := files("router/index.html", "router/a/b.html", "public/a/f.js")
	noSuchDirectory := "router: the files given to flow.New hold no such directory: embed it with //go:embed all:router"
	noFiles := "flow.New got no files: give it the embed.FS that holds router/"
	for _, tt := range []struct {
		name  string
		files fs.FS
		want  string
	}{
		{"nil", nil, noFiles},
		{"nil pointer", (*broken)(nil), noFiles},
		{"empty", fstest.MapFS{}, noSuchDirectory},
		{"public only", files("public/x"), noSuchDirectory},
		{"router is a file", files("router"), noSuchDirectory},
		{"public is a file", files("router/index.html", "public"), "public: is not a directory"},
		{"named pipe", fstest.MapFS{"router/x.html": pipe, "public/x": pipe},
			"public/x: go:embed takes regular files only, and this is none\nrouter/x.html: go:embed takes regular files only, and this is none"},
		{"symbolic link", fstest.MapFS{"router/index.html": {}, "router/x.html": link},
			"router/x.html: go:embed takes regular files only, and this is none"},
		{"router cannot be read", broken{tree, "router"}, "router: cannot be read: open router: disk on fire"},
		{"a directory cannot be read", broken{tree, "router/a"}, "router/a: cannot be read: open router/a: disk on fire"},
		{"a page cannot be read", broken{tree, "router/a/b.html"}, "router/a/b.html: cannot be read: open router/a/b.html: disk on fire"},
		{"public cannot be read", broken{tree, "public"}, "public: cannot be read: open public: disk on fire"},
		{"a public directory cannot be read", broken{tree, "public/a"}, "public/a: cannot be read: open public/a: disk on fire"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := New(tt.files).Check()
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

func TestSharedTrees(t *testing.T) {
	is := is.New(t)
	own := files("router/index.html", "router/+layout.html")
	first := files("router/+layout.html", "router/+error.html", "router/page.html", "router/_x/+hidden.html", "router/.x/+hidden.html", "router/a/+row.http")
	second := files("router/+error.html", "router/a/+row.html", "public/x")
	tree := readTree(own, []fs.FS{first, second})
	is.NoErr(fault.Join(tree.faults))
	is.Equal(sortedKeys(tree.templates), []string{"+error", "+layout", "a/+row", "index"})
	is.Equal(tree.templates["+layout"].file, "router/+layout.html")
	for name, files := range map[string]fs.FS{"+layout": own, "+error": first, "a/+row": second} {
		is.Equal(fmt.Sprintf("%p", tree.templates[name].files), fmt.Sprintf("%p", files)) // the first that has it
	}
	is.Equal(len(tree.routes)+len(tree.public), 1) // index

	err := New(files("router/index.html"), nil, files("public/x")).Check()
	is.True(err != nil)
	is.Equal(err.Error(), "flow.New got a shared tree that is nil\nrouter: of a shared tree cannot be read: open router: file does not exist")
}

// goodNames and badNames are names that go:embed takes, and refuses or leaves out.
var (
	goodNames = []string{
		"a", "A9.html", "[id].html", "(g)", "a b", " ", "é", "世界.html", "ªº", "-x", ".x", "_x", "...x", "@me", "{x}",
		"a,b", "a=b", "a&b", "a+b", "a!b", "a#b", "a$b", "a%b", "a^b", "a~1", "~", "%61",
		"con2.html", "com0", "com10", "lpt", "auxiliary.html", "a.con", "xnul", "gömod", "go.modx", "xgo.mod", "go.sum", "vendor", "testdata", "x_test.html",
	}
	badNames = []struct{ name, want string }{
		{`a"b`, `the name holds '"', which go:embed refuses: rename it`},
		{"a*b", "the name holds '*', which go:embed refuses: rename it"},
		{"a<b", "the name holds '<', which go:embed refuses: rename it"},
		{"a>b", "the name holds '>', which go:embed refuses: rename it"},
		{"a?b", "the name holds '?', which go:embed refuses: rename it"},
		{"a'b", `the name holds '\'', which go:embed refuses: rename it`},
		{"a|b", "the name holds '|', which go:embed refuses: rename it"},
		{`a\b`, `the name holds '\\', which go:embed refuses: rename it`},
		{"a:b", "the name holds ':', which go:embed refuses: rename it"},
		{"a;b", "the name holds ';', which go:embed refuses: rename it"},
		{"a`b", "the name holds '`', which go:embed refuses: rename it"},
		{"a\tb", `the name holds '\t', which go:embed refuses: rename it`},
		{"a\x7f", `the name holds '\x7f', which go:embed refuses: rename it`},
		{"a\u00a0b", `the name holds '\u00a0', which go:embed refuses: rename it`},
		{"☃", "the name holds '☃', which go:embed refuses: rename it"},
		{"a…", "the name holds '…': write a catch-all with three dots, as in [...rest]"},
		{"٣", "the name holds '٣', which go:embed refuses: rename it"},
		{"e\u0301", "the name holds '\u0301', which go:embed refuses: rename it"},
		{"\ufffd", "the name holds '\ufffd', which go:embed refuses: rename it"},
		{"a\xff", `"a\xff" is not UTF-8: rename it, go:embed refuses it`},
		{"a.", "the name ends in a dot, which go:embed refuses: rename it"},
		{".html.", "the name ends in a dot, which go:embed refuses: rename it"},
		{"con", `"con" is a device on Windows, so go:embed refuses it: rename it`},
		{"NUL.tar.gz", `"NUL" is a device on Windows, so go:embed refuses it: rename it`},
		{"lpt9.html", `"lpt9" is a device on Windows, so go:embed refuses it: rename it`},
		{"go.mod", "a go.mod makes its directory another module, which go:embed leaves out: rename it"},
	}
)

func TestCheckName(t *testing.T) {
	for _, name := range goodNames {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.NoErr(checkName(name))
		})
	}
	for _, tt := range badNames {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := checkName(tt.name)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
	for _, device := range windowsDevices {
		t.Run(device, func(t *testing.T) {
			is := is.New(t)
			is.True(checkName(strings.ToLower(device)+".html") != nil)
			is.NoErr(checkName(device + "x.html"))
		})
	}
}

// The go command embeds the names that checkName takes, and no others: each name
// is put into a package of its own and the command is asked what that embeds.
func TestCheckNameIsGos(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	is := is.New(t)
	module := t.TempDir()
	write := func(file, text string) error {
		file = filepath.Join(module, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(text), 0o666)
	}
	is.NoErr(write("go.mod", "module example.com/names\n\ngo 1.26\n"))
	names := map[string]string{} // by package
	add := func(name string) {
		dir := fmt.Sprintf("p%d", len(names))
		if err := write(dir+"/router/d/"+name, ""); err != nil {
			t.Logf("not on this disk: %v", err)
			return
		}
		is.NoErr(write(dir+"/p.go", "package p\n\nimport \"embed\"\n\n//go:embed all:router\nvar Files embed.FS\n"))
		is.NoErr(write(dir+"/router/d/beside.html", ""))
		is.NoErr(write(dir+"/router/index.html", ""))
		names[dir] = name
	}
	for _, name := range goodNames {
		add(name)
	}
	for _, bad := range badNames {
		add(bad.name)
	}
	for _, device := range windowsDevices {
		add(device + ".html")
	}

	list := exec.Command("go", "list", "-e", "-f", "{{.Dir}} {{len .EmbedFiles}}", "./...")
	list.Dir = module
	list.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := list.Output()
	is.NoErr(err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	is.Equal(len(lines), len(names))
	for _, line := range lines {
		dir, count, _ := strings.Cut(filepath.Base(line), " ")
		embedded := count == "3" // with the two files that are always there
		if name := names[dir]; embedded != (checkName(name) == nil) {
			t.Errorf("%q: go:embed takes it: %t; checkName: %v", name, embedded, checkName(name))
		}
	}
}

// Names that fold to the same are those that strings.EqualFold calls equal.
func TestFoldCase(t *testing.T) {
	for c := rune(0); c <= unicode.MaxRune; c++ {
		s := string(c)
		for _, other := range []string{strings.ToLower(s), strings.ToUpper(s), strings.ToTitle(s), string(unicode.SimpleFold(c))} {
			if got, want := foldCase(s) == foldCase(other), strings.EqualFold(s, other); got != want {
				t.Errorf("%q and %q: got %t, want %t", s, other, got, want)
			}
		}
	}
}
