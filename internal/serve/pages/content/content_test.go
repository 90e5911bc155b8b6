package content

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/routetree"
)

// pagesOf returns the pages of a tree of route files, without extension. The Front of each is the
// number behind "=" in the list, if there is one.
func pagesOf(files ...string) (pages []Page, faulty bool) {
	fsys, fronts := fstest.MapFS{}, map[string]any{}
	for _, file := range files {
		name, front, _ := strings.Cut(file, "=")
		fsys["router/"+name+".html"] = &fstest.MapFile{}
		if front != "" {
			fronts[name] = int(front[0])
		}
	}
	tree := routetree.Parse(fsys, nil)
	urls := map[string]string{}
	for _, r := range tree.Routes {
		if p := r.Patterns[0]; len(p.Names) == 0 && !r.Store {
			urls[r.Path] = p.URL(nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tree.Templates)) {
		pages = append(pages, Page{Path: name, URL: urls[name], Front: fronts[name]})
	}
	return pages, len(tree.Faults) > 0
}

// byNumber orders pages by what is Front of them, of which none is the smallest.
func byNumber(pages []Page) func(a, b int32) int {
	return func(a, b int32) int {
		x, _ := pages[a].Front.(int)
		y, _ := pages[b].Front.(int)
		return cmp.Compare(x, y)
	}
}

// print returns the tree of an Index: each page with its neighbours, or of another page the one above.
func (x *Index) print(pages []Page) string {
	var b strings.Builder
	name := func(i int32) string {
		if i == None {
			return "-"
		}
		return pages[i].Path
	}
	var visit func(depth int, i int32)
	visit = func(depth int, i int32) {
		n := x.Nodes[i]
		fmt.Fprintf(&b, "%s%s  %s %s\n", strings.Repeat("  ", depth), pages[i].Path, name(n.Prev), name(n.Next))
		for _, child := range n.Children {
			visit(depth+1, child)
		}
	}
	for _, i := range x.lists[""] {
		if x.Nodes[i].Parent == None {
			visit(0, i)
		}
	}
	for i, n := range x.Nodes {
		if pages[i].URL == "" {
			fmt.Fprintf(&b, "%s below %s\n", pages[i].Path, name(n.Parent))
		}
	}
	return b.String()
}

func TestTree(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		want  string
	}{
		{"by path", []string{"index", "docs/index", "docs/b", "docs/a", "about"}, `
index  - -
  about  - -
  docs/index  - docs/a
    docs/a  docs/index docs/b
    docs/b  docs/a -
`},
		{"by what the pages say", []string{"index", "blog/index", "blog/a=3", "blog/b=1", "blog/c=2"}, `
index  - -
  blog/index  - blog/b
    blog/b  blog/index blog/c
    blog/c  blog/b blog/a
    blog/a  blog/c -
`},
		{"a file beside its directory", []string{"docs", "docs/a", "docs/a/x", "docs/b"}, `
docs  - docs/a
  docs/a  docs docs/a/x
    docs/a/x  docs/a docs/b
  docs/b  docs/a/x -
`},
		{"directories without a page", []string{"index", "docs/guide/b", "docs/guide/a", "blog/x=1", "other=2", "blog/y=3"}, `
index  - -
  docs/guide/a  - docs/guide/b
  docs/guide/b  docs/guide/a -
  blog/x  - blog/y
  other  - -
  blog/y  blog/x -
`},
		{"no page at the root", []string{"docs/a", "docs/b", "x"}, `
docs/a  - docs/b
docs/b  docs/a -
x  - -
`},
		{"names that begin alike", []string{"docs/index", "docs/a/index", "docs/a-b", "docs/a/c", "docs-x/y"}, `
docs/index  - docs/a/index
  docs/a/index  docs/index docs/a/c
    docs/a/c  docs/a/index docs/a-b
  docs/a-b  docs/a/c -
docs-x/y  - -
`},
		{"groups", []string{"(site)/index", "(site)/docs/(a)/x", "docs/index", "docs/(b)/a"}, `
(site)/index  - -
  docs/index  - (site)/docs/(a)/x
    (site)/docs/(a)/x  docs/index docs/(b)/a
    docs/(b)/a  (site)/docs/(a)/x -
`},
		{"optional parameters", []string{"[[lang]]/index", "[[lang]]/help/index", "[[lang]]/help/a", "wiki/[[...rest]]"}, `
[[lang]]/index  - -
  [[lang]]/help/index  - [[lang]]/help/a
    [[lang]]/help/a  [[lang]]/help/index -
  wiki/[[...rest]]  - -
`},
		{"what is in no list", []string{"index", "users/index", "users/[id]", "users/[id]/edit", "users/store", "users/+row", "users/+error", "+error", "blog/[...rest]"}, `
index  - -
  users/index  - -
+error below index
blog/[...rest] below index
users/+error below users/index
users/+row below users/index
users/[id] below users/index
users/[id]/edit below users/index
users/store below users/index
`},
		{"in no list, and nothing above", []string{"users/[id]", "+error"}, `
+error below -
users/[id] below -
`},
		{"the error page of a group, and below an optional parameter", []string{"(a)/index", "docs", "docs/(b)/+error", "[[lang]]/help", "[[lang]]/help/[topic]", "[[lang]]/+error"}, `
(a)/index  - -
  [[lang]]/help  - -
  docs  - -
[[lang]]/+error below (a)/index
[[lang]]/help/[topic] below [[lang]]/help
docs/(b)/+error below docs
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			pages, faulty := pagesOf(tt.files...)
			is.True(!faulty)
			is.Equal("\n"+mustIndex(pages, byNumber(pages)).print(pages), tt.want)
		})
	}
}

func TestPagesBelowADirectory(t *testing.T) {
	files := []string{"index", "about", "docs/index", "docs/b", "docs/a/x", "(site)/blog/index", "(site)/blog/(old)/p", "(site)/blog/q", "(site)/docs/c", "empty/index", "[[lang]]/help/z", "users/[id]"}
	for _, tt := range []struct{ dir, want string }{
		{"", "index (site)/blog/index (site)/blog/(old)/p (site)/blog/q [[lang]]/help/z about docs/index (site)/docs/c docs/a/x docs/b empty/index"},
		{"docs", "(site)/docs/c docs/a/x docs/b"},
		{"docs/a", "docs/a/x"},
		{"(site)/docs", "(site)/docs/c"},
		{"(site)", "(site)/blog/index (site)/blog/(old)/p (site)/blog/q (site)/docs/c"},
		{"blog", "(site)/blog/(old)/p (site)/blog/q"},
		{"(site)/blog", "(site)/blog/(old)/p (site)/blog/q"},
		{"(site)/blog/(old)", "(site)/blog/(old)/p"},
		{"help", "[[lang]]/help/z"},
		{"[[lang]]/help", "[[lang]]/help/z"},
		{"empty", ""}, // its own page alone
		{"dosc", `there is no page without parameters below router/dosc/: did you mean "docs"?`},
		{"about", `there is no page without parameters below router/about/`},
		{"docs/b", `there is no page without parameters below router/docs/b/: did you mean "docs/a"?`},
		{"users", `there is no page without parameters below router/users/`},
		{"/docs/", `"/docs/" is no path below router/: write "docs"`},
		{".", `"." is no path below router/: write ""`},
		{"../docs", `"../docs" is no path below router/: write "docs"`},
		{"zzzzzz", `there is no page without parameters below router/zzzzzz/`},
	} {
		t.Run(tt.dir, func(t *testing.T) {
			is := is.New(t)
			pages, faulty := pagesOf(files...)
			is.True(!faulty)
			is.Equal(below(mustIndex(pages, nil), pages, tt.dir), tt.want)
		})
	}
}

func TestPageAtAPath(t *testing.T) {
	pages, _ := pagesOf("index", "docs/index", "(site)/blog", "[[lang]]/help", "users/[id]")
	x := mustIndex(pages, nil)
	for _, tt := range []struct{ place, want string }{
		{"", "index"},
		{"docs", "docs/index"},
		{"blog", "(site)/blog"},
		{"(site)/blog", "(site)/blog"},
		{"help", "[[lang]]/help"},
		{"(site)", `no page without parameters has that path`},
		{"users/[id]", `no page without parameters has that path`},
		{"dosc", `no page without parameters has that path: did you mean "docs"?`},
		{"/docs/", `"/docs/" is no path of a page: write "docs"`},
		{"docs/index", `"docs/index" is no path of a page: write "docs"`},
		{"index", `"index" is no path of a page: write ""`},
	} {
		t.Run(tt.place, func(t *testing.T) {
			got := ""
			if i, err := x.At(tt.place); err != nil {
				got = err.Error()
			} else {
				got = pages[i].Path
			}
			is.New(t).Equal(got, tt.want)
		})
	}
}

// below returns the paths of the pages below a directory, or the error.
func below(x *Index, pages []Page, dir string) string {
	list, err := x.Below(dir)
	if err != nil {
		return err.Error()
	}
	var paths []string
	for _, i := range list {
		paths = append(paths, pages[i].Path)
	}
	return strings.Join(paths, " ")
}

// TestRandomTrees compares the Index of random trees with one that asks every page about every
// other one, by their URLs.
func TestRandomTrees(t *testing.T) {
	dirs := []string{"a", "a-b", "b", "c", "(g)", "(h)", "[[o]]", "[p]"}
	files := []string{"index", "index", "a", "b", "c", "d=1", "e=2", "f=3", "[[q]]", "[r]", "+error", "store"}
	compared := 0
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 33))
		var names []string
		for range 1 + rnd.IntN(14) {
			name := ""
			for range rnd.IntN(4) {
				name += dirs[rnd.IntN(len(dirs))] + "/"
			}
			names = append(names, name+files[rnd.IntN(len(files))])
		}
		pages, faulty := pagesOf(names...)
		if faulty { // two files of one URL, or a parameter twice in one
			continue
		}
		compared++
		if got, want := mustIndex(pages, byNumber(pages)).print(pages), reference(pages).print(pages); got != want {
			t.Fatalf("%q\ngot\n%swant\n%s", names, got, want)
		}
		x := mustIndex(pages, byNumber(pages))
		for _, dir := range []string{"", "a", "b", "a/b", "(g)", "(g)/a", "a/(g)", "[[o]]", "a/[[o]]/b"} {
			want := slowlyBelow(pages, reference(pages), dir)
			if got, err := x.Below(dir); !slices.Equal(got, want) || err != nil && want != nil {
				t.Fatalf("%q below %q: got %v (%v), want %v", names, dir, got, err, want)
			}
		}
	}
	if compared < 500 {
		t.Fatalf("only %d trees had no faults", compared)
	}
}

// reference is New, slowly.
func reference(pages []Page) *Index {
	x := &Index{Nodes: make([]Node, len(pages))}
	segments := func(i int) []string { return strings.FieldsFunc(pages[i].URL, func(c rune) bool { return c == '/' }) }
	for i, p := range pages {
		x.Nodes[i] = Node{Parent: None, Prev: None, Next: None}
		best := -1
		for j, q := range pages {
			isAbove := q.URL != p.URL && strings.HasPrefix(p.URL, strings.TrimSuffix(q.URL, "/")+"/")
			if p.URL == "" { // by what the file would be called without its groups and optional parameters
				dir, file, _ := cutLast("/" + p.Path)
				var known []string
				for _, name := range append(strings.Split(dir, "/"), file) {
					if name != "" && name[0] != '(' && !strings.HasPrefix(name, "[[") && name[0] != '+' && name != "index" && name != "store" {
						known = append(known, name)
					}
				}
				isAbove = strings.HasPrefix("/"+strings.Join(known, "/")+"/", strings.TrimSuffix(q.URL, "/")+"/")
			}
			if q.URL != "" && isAbove && len(segments(j)) > best {
				x.Nodes[i].Parent, best = int32(j), len(segments(j))
			}
		}
	}
	children := func(parent int32) (all []int32) {
		for i, p := range pages {
			if p.URL != "" && x.Nodes[i].Parent == parent {
				all = append(all, int32(i))
			}
		}
		slices.SortFunc(all, func(a, b int32) int {
			return cmp.Or(byNumber(pages)(a, b), slices.Compare(strings.Split(pages[a].Path, "/"), strings.Split(pages[b].Path, "/")))
		})
		return all
	}
	var order []int32
	var visit func(parent int32)
	visit = func(parent int32) {
		for _, i := range children(parent) {
			order = append(order, i)
			x.Nodes[i].Children = children(i)
			visit(i)
		}
	}
	visit(None)
	for at, i := range order {
		for _, j := range order[at+1:] {
			if first := segments(int(i)); len(first) > 0 && len(segments(int(j))) > 0 && first[0] == segments(int(j))[0] {
				x.Nodes[i].Next, x.Nodes[j].Prev = j, i
				break
			}
		}
	}
	x.lists = map[string][]int32{"": order}
	return x
}

func cutLast(path string) (dir, file string, found bool) {
	i := strings.LastIndex(path, "/")
	return path[:i], path[i+1:], i >= 0
}

// slowlyBelow is Below, for one directory of all pages in order.
func slowlyBelow(pages []Page, x *Index, dir string) (list []int32) {
	order := x.lists[""]
	if dir == "" {
		return order
	}
	url := ""
	for name := range strings.SplitSeq(dir, "/") {
		if name[0] != '(' && !strings.HasPrefix(name, "[[") {
			url += "/" + name
		}
	}
	for _, i := range order {
		p := pages[i]
		inside := strings.HasPrefix(p.Path, dir+"/") || !strings.ContainsAny(dir, "([") && strings.HasPrefix(p.URL, url+"/")
		if inside && (p.URL != url || url == "") {
			list = append(list, i)
		}
	}
	return list
}

// BenchmarkMany makes the index of 10,000 pages in 100 directories, and asks for the pages of each
// directory as often as it has pages.
func BenchmarkMany(b *testing.B) {
	var pages []Page
	for dir := range 100 {
		for file := range 100 {
			p := fmt.Sprintf("d%02d/p%02d", dir, file)
			pages = append(pages, Page{Path: p, URL: "/" + p, Front: file})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		x := mustIndex(pages, byNumber(pages))
		n := 0
		for i := range pages {
			list, err := x.Below(fmt.Sprintf("d%02d", i%100))
			if err != nil {
				b.Fatal(err)
			}
			n += len(list)
		}
		if n != 1_000_000 {
			b.Fatal(n)
		}
	}
}

// mustIndex is New for pages whose order does not panic.
func mustIndex(pages []Page, compare func(a, b int32) int) *Index {
	x, err := New(pages, compare)
	if err != nil {
		panic(err)
	}
	return x
}
