// Package content puts the pages of a Router in order. [New] takes what is known of each page,
// and returns an [Index]: the page above each page, those directly below it, the one before it
// and the one after it, and the pages of each directory.
//
// A page stands at a place, which is its URL below the prefix of the Router, without the slash
// in front. The path of its file tells the place:
//
//	docs/intro       "docs/intro"
//	docs/index       "docs"
//	(site)/docs      "docs": a group is no part of a URL
//	[[lang]]/help    "help": an optional parameter may be left out
//	users/[id]       no URL without parameters, so no list has it; the page above it is "users"
//	docs/+error      no URL either; the page above it is "docs"
package content

import (
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/routes/routetree"
)

// A Page is what is known of a page.
type Page struct {
	Path    string        // below router/, without extension
	URL     string        // the one without parameters; "" if there is none, and no list has the page
	Title   string        // of its {{define "title"}}
	Front   any           // what its format has made of the file, beside HTML; nil if it is no file of a format
	HTML    template.HTML // without layouts
	Guarded bool          // a guard decides who gets it
}

// An Index is the order of pages, which it calls by their numbers in the list that New got. It is
// read-only.
type Index struct {
	Nodes []Node
	at    map[string]int32   // the listed pages by their places, and by those with all groups
	lists map[string][]int32 // the pages below each directory, by its path with all of its groups and without them
}

// A Node is where a page stands among the others.
type Node struct {
	Parent     int32   // the nearest page above; None if there is none
	Prev, Next int32   // its neighbours in the order of all pages, below the same first directory; or None
	Children   []int32 // the pages whose Parent it is, in order
}

// None is the number of no page.
const None = -1

// New returns the Index of pages. The order of all pages is that of a tree in which each page
// stands before its children. Children of one page are ordered by compare, which gets the numbers of
// two pages, and then by their paths. compare may be nil. If it panics, as code of the application
// may, New returns the panic as an error, and the Index in the order of the paths alone.
func New(pages []Page, compare func(a, b int32) int) (x *Index, err error) {
	defer func() {
		if v := recover(); v != nil {
			x, _ = New(pages, nil)
			err = fmt.Errorf("has panicked: %v", v)
		}
	}()
	x = &Index{Nodes: make([]Node, len(pages)), at: make(map[string]int32, len(pages)), lists: map[string][]int32{"": nil}}
	places := make([]string, len(pages))
	for i, p := range pages {
		own := ownLayer(p.Path)
		places[i] = place(own)
		for _, key := range []string{places[i], own} {
			if _, taken := x.at[key]; p.URL != "" && !taken {
				x.at[key] = int32(i)
			}
		}
	}
	var roots []int32
	for i, p := range pages {
		listed := p.URL != ""
		parent := nearest(x.at, places[i], !listed)
		n := &x.Nodes[i] // which may have children already
		n.Parent, n.Prev, n.Next = parent, None, None
		switch {
		case !listed:
		case parent == None:
			roots = append(roots, int32(i))
		default:
			x.Nodes[parent].Children = append(x.Nodes[parent].Children, int32(i))
		}
	}
	order := func(a, b int32) int {
		if compare != nil {
			if c := compare(a, b); c != 0 {
				return c
			}
		}
		return comparePaths(pages[a].Path, pages[b].Path)
	}
	last := map[string]int32{} // the page before, by the first directory
	var visit func(siblings []int32)
	visit = func(siblings []int32) {
		slices.SortFunc(siblings, order)
		for _, i := range siblings {
			x.list(i, pages[i].Path)
			first, _, _ := strings.Cut(places[i], "/")
			if before, ok := last[first]; ok {
				x.Nodes[before].Next, x.Nodes[i].Prev = i, before
			}
			last[first] = i
			visit(x.Nodes[i].Children)
		}
	}
	visit(roots)
	return x, nil
}

// ownLayer returns the directory that is the page's own: "docs" for docs/index, and "docs/intro" for
// docs/intro.
func ownLayer(file string) string {
	layers := routetree.Layers(file)
	return layers[len(layers)-1]
}

// place returns the place of a path that has no matter of its own at the end: see the comment of
// the package.
func place(path string) string {
	if !strings.ContainsAny(path, "([") {
		return path
	}
	names := slices.DeleteFunc(strings.Split(path, "/"), func(name string) bool {
		return routetree.IsGroup(name) || strings.HasPrefix(name, "[[")
	})
	return strings.Join(names, "/")
}

// nearest returns the page at the nearest place above one, or at that itself if itself is set.
func nearest(at map[string]int32, place string, itself bool) int32 {
	for {
		if i, ok := at[place]; ok && itself {
			return i
		}
		if place == "" {
			return None
		}
		place, itself = place[:max(strings.LastIndexByte(place, '/'), 0)], true
	}
}

// comparePaths compares paths name by name, so that "a/b" stands before "a-b", as in a tree.
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		var nameA, nameB string
		nameA, a, _ = strings.Cut(a, "/")
		nameB, b, _ = strings.Cut(b, "/")
		if c := strings.Compare(nameA, nameB); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// list adds a page to the lists of the directories around it: of all but the one whose own page it
// is, and of the root in any case.
func (x *Index) list(i int32, file string) {
	layers := routetree.Layers(file)
	own := layers[len(layers)-1]
	at := place(own)
	for _, dir := range layers {
		if dir == own && path.Base(file) != "index" {
			return // it is no directory: a file belongs to one of its own name, too
		}
		for _, key := range []string{dir, place(dir)} {
			list, known := x.lists[key]
			switch n := len(list); {
			case place(dir) == at && at != "":
				if !known {
					x.lists[key] = nil
				}
			case n == 0 || list[n-1] != i:
				x.lists[key] = append(list, i)
			}
		}
	}
}

// At returns the page at a place, which may be written with all of its groups. It returns an error if no
// list has such a page.
func (x *Index) At(place string) (int32, error) {
	if i, ok := x.at[place]; ok {
		return i, nil
	}
	wanted := ownLayer(path.Clean("/" + place)[1:])
	if _, ok := x.at[wanted]; ok {
		return None, fmt.Errorf("%q is no path of a page: write %q", place, wanted)
	}
	return None, fmt.Errorf("no page without parameters has that path%s", fault.Suggest(wanted, x.at, ""))
}

// Below returns the pages below a directory, in the order of all pages, without the page of the
// directory itself. dir is its path below router/, with all of its groups or without any; "" stands
// for all pages. Below returns an error if the directory has no page.
func (x *Index) Below(dir string) ([]int32, error) {
	list, ok := x.lists[dir]
	if ok {
		return list, nil
	}
	wanted := path.Clean("/" + dir)[1:]
	if _, ok := x.lists[wanted]; ok {
		return nil, fmt.Errorf("%q is no path below %s/: write %q", dir, routetree.RouterDir, wanted)
	}
	return nil, fmt.Errorf("there is no page without parameters below %s/%s/%s", routetree.RouterDir, wanted, fault.Suggest(wanted, x.lists, ""))
}
