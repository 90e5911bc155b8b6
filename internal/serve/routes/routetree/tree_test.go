package routetree

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/testkit/flowtest"
)

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
		{"{x.html", "/%7Bx"},
		{"}x{.html", "/%7Dx%7B"},
		{"a(b).html", "/a%28b%29"},
		{"a.b/+c/d_.html", "/a.b/+c/d_"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			is := is.New(t)
			tree := Parse(flowtest.Row(tt.file), nil)
			is.NoErr(fault.Join(tree.Faults))
			is.Equal(len(tree.Routes), 1)
			route := tree.Routes[0]
			is.Equal(route.File, "router/"+tt.file)
			var patterns []string
			for _, p := range route.Patterns {
				patterns = append(patterns, p.String())
			}
			is.Equal(strings.Join(patterns, " "), tt.want)
		})
	}
}

func TestFilesThatAreNoRoutes(t *testing.T) {
	for _, file := range []string{
		"+layout.html", "+error.html", "users/+row.html", "(g)/+row.html",
		"_draft.html", ".keep", ".hidden.html", "_x/about.html", "_x/[.html", "_x/README", "_?.html",
		"about.html~", "users/4913", "#about.html#", "about.html.swp", "+layout.html~", "about.html___jb_tmp___", "about.html___jb_old___",
		".x/about.html", ".x/go.mod", "a/_b/c.html", ".well-known/.x.http", ".well-known/_x.http", ".well-known",
	} {
		t.Run(file, func(t *testing.T) {
			is := is.New(t)
			tree := Parse(flowtest.Row(file+" & about.html"), nil)
			is.NoErr(fault.Join(tree.Faults))
			is.Equal(len(tree.Routes), 1) // about
		})
	}
}

// Each fault is one line, and all are reported, by file.
func TestFaultsOfNames(t *testing.T) {
	const (
		brackets     = "a parameter is written with brackets%s: write %s in place of %q"
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
		{"{id}.html", "router/{id}.html: " + f(brackets, "", "[id]", "{id}")},
		{"{id}/x.html", "router/{id}: " + f(brackets, "", "[id]", "{id}")},
		{"{rest...}.html", "router/{rest...}.html: " + f(brackets, "", "[...rest]", "{rest...}")},
		{"user-{id}.html", "router/user-{id}.html: " + f(brackets, ", and fills a whole segment", "[id]", "user-{id}")},
		{"{a}{b}.http", "router/{a}{b}.http: " + f(brackets, ", and fills a whole segment", "[a]", "{a}{b}")},
		{"{id}.json.http", "router/{id}.json.http: " + f(brackets, ", and fills a whole segment", "[id]", "{id}.json")},
		{"{}.html", "router/{}.html: " + f(brackets, "", "[id]", "{}")},
		{"{$}.html", "router/{$}.html: " + f(brackets, "", "[id]", "{$}")},
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

		{"README.md", "router/README.md: " + extension + `, and Router.Formats[".md"] would make pages of these`},
		{"about.HTML", "router/about.HTML: " + extension},
		{"about", "router/about: " + extension},
		{"users/style.css", "router/users/style.css: " + extension},
		{"+layout.http", "router/+layout.http: " + f(plusFile, "+layout")},
		{"+row.txt", "router/+row.txt: " + f(plusFile, "+row")},

		{"what?.html", "router/what?.html: " + f(character, "'?'")},
		{"a:b/x.html", "router/a:b: " + f(character, "':'")},
		{"+a*.html", "router/+a*.html: " + f(character, "'*'")},
		{"☃.html", "router/☃.html: " + f(character, "'☃'")},
		{"e\u0301.html", "router/e\u0301.html: the name holds \"e\\u0301\", " + decomposed},
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
			err := fault.Join(Parse(flowtest.Row(tt.tree), nil).Faults)
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
			is.Equal(fmt.Sprint(Parse(flowtest.Row(tt.tree), nil).Faults), "["+tt.want+": rename one of them]")
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
			is.NoErr(fault.Join(Parse(flowtest.Row(tree), nil).Faults))
		})
	}
}

func TestPublicFiles(t *testing.T) {
	is := is.New(t)
	tree := Parse(flowtest.Row("index.html & public/[id].js & public/_next/a b.js & public/.env & public/.git/x & public/(g)/+x & public/.well-known/x & public/.well-known/.y & public/a/.well-known/x & public/store & public/app.css~ & public/4913"), nil)
	is.NoErr(fault.Join(tree.Faults))
	var patterns []string
	for _, p := range tree.Public {
		patterns = append(patterns, p.Pattern.String())
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
	tree := flowtest.Files("router/index.html", "router/a/b.html", "public/a/f.js")
	noSuchDirectory := "router: the files given to flow.New hold no such directory: embed it with //go:embed all:router"
	noFiles := "flow.New got no files: give it the embed.FS that holds router/"
	for _, tt := range []struct {
		name  string
		files fs.FS
		want  string
	}{
		{"nil", nil, noFiles},
		{"empty", fstest.MapFS{}, noSuchDirectory},
		{"public only", flowtest.Files("public/x"), noSuchDirectory},
		{"router is a file", flowtest.Files("router"), noSuchDirectory},
		{"public is a file", flowtest.Files("router/index.html", "public"), "public: is not a directory"},
		{"named pipe", fstest.MapFS{"router/x.html": pipe, "public/x": pipe},
			"public/x: go:embed takes regular files only, and this is none\nrouter/x.html: go:embed takes regular files only, and this is none"},
		{"symbolic link", fstest.MapFS{"router/index.html": {}, "router/x.html": link},
			"router/x.html: go:embed takes regular files only, and this is none"},
		{"router cannot be read", broken{tree, "router"}, "router: cannot be read: open router: disk on fire"},
		{"a directory cannot be read", broken{tree, "router/a"}, "router/a: cannot be read: open router/a: disk on fire"},
		{"public cannot be read", broken{tree, "public"}, "public: cannot be read: open public: disk on fire"},
		{"a public directory cannot be read", broken{tree, "public/a"}, "public/a: cannot be read: open public/a: disk on fire"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			err := fault.Join(Parse(tt.files, nil).Faults)
			is.True(err != nil)
			is.Equal(err.Error(), tt.want)
		})
	}
}

func TestSharedTrees(t *testing.T) {
	is := is.New(t)
	own := flowtest.Files("router/index.html", "router/+layout.html")
	first := flowtest.Files("router/+layout.html", "router/+error.html", "router/page.html", "router/_x/+hidden.html", "router/.x/+hidden.html", "router/a/+row.http")
	second := flowtest.Files("router/+error.html", "router/a/+row.html", "public/x")
	tree := Parse(own, []fs.FS{first, second})
	is.NoErr(fault.Join(tree.Faults))
	is.Equal(slices.Sorted(maps.Keys(tree.Templates)), []string{"+error", "+layout", "a/+row", "index"})
	is.Equal(tree.Templates["+layout"].File, "router/+layout.html")
	for name, files := range map[string]fs.FS{"+layout": own, "+error": first, "a/+row": second} {
		is.Equal(fmt.Sprintf("%p", tree.Templates[name].Files), fmt.Sprintf("%p", files)) // the first that has it
	}
	is.Equal(len(tree.Routes)+len(tree.Public), 1) // index

	err := fault.Join(Parse(flowtest.Files("router/index.html"), []fs.FS{nil, flowtest.Files("public/x")}).Faults)
	is.True(err != nil)
	is.Equal(err.Error(), "flow.New got a shared tree that is nil\nrouter: of a shared tree cannot be read: open router: file does not exist")
}
