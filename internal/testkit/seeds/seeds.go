// Package seeds has small applications with one mistake each, and others that look suspicious and
// are right. Tests show them to the check of pages, and to a browser.
package seeds

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
)

// A Seed is a small application. Its page is router/page.html, which links to a few others that
// are always there, and gets a Data.
type Seed struct {
	About  string            // which rule is broken and how, or why it looks broken and is right
	Policy string            // the Content-Security-Policy, if the seed has one
	Files  map[string]string // by path; a § stands at the beginning of what is wrong
	Silent string            // why the check says nothing of the mistake, if that is on purpose
}

// mark stands in the text of a Seed at the beginning of what is wrong.
const mark = "§"

// Tree returns the files of the Seed without marks, with the pages and public files that seeds
// link to.
func (s Seed) Tree() fstest.MapFS {
	tree := fstest.MapFS{"router/index.html": {Data: []byte("<h1>Home</h1>\n")}}
	if _, ok := s.Files["router/+layout.html"]; !ok {
		s.Files = maps.Clone(s.Files)
		s.Files["router/+layout.html"] = Layout
	}
	for _, name := range []string{"logo.png", "app.css", "app.js", "film.mp4"} {
		tree["public/"+name] = &fstest.MapFile{}
	}
	for name, text := range s.Files {
		if text == "" {
			delete(tree, name)
			continue
		}
		tree[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, mark, ""))}
	}
	return tree
}

// Places returns the place of each mistake, "router/page.html:2", in order.
func (s Seed) Places() []string {
	var places []string
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		for i, line := range strings.Split(s.Files[name], "\n") {
			if strings.Contains(line, mark) {
				places = append(places, name+":"+strconv.Itoa(i+1))
			}
		}
	}
	return places
}

// Rule returns the rule of axe-core, or the directive of the policy, that the Seed breaks. It is ""
// for one that is right.
func (s Seed) Rule() string {
	if len(s.Places()) == 0 {
		return ""
	}
	rule, _, _ := strings.Cut(s.About, ":")
	return rule
}

// Layout is that of all seeds that bring none, and of the home page.
const Layout = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{block "title" .}}Shop{{end}}</title></head>
<body>
<header><a href="/">Shop</a></header>
<main>
{{template "content" .}}
</main>
</body>
</html>
`

// Data is that of the page of each Seed.
type Data struct {
	A, B  bool
	Kind  string // "a" or "b"
	Name  string
	Note  string
	Items []Item
	Any   any
}

// An Item is one of a list.
type Item struct {
	ID   int
	Name string
	Path string
	Done bool
}

// Samples are the data that pages are rendered with: both outcomes of each condition, and lists
// with none and with two.
func Samples() []Data {
	var all []Data
	two := []Item{{1, "Tea", "/logo.png", true}, {2, "Cup", "/logo.png", false}}
	for i := range 8 {
		d := Data{A: i&1 != 0, B: i&2 != 0, Kind: "a", Name: "Ada", Note: "early", Any: "any"}
		if i&4 != 0 {
			d.Kind, d.Items = "b", two
		}
		all = append(all, d)
	}
	return all
}

// page is a Seed of a page in the Layout.
func page(about, text string) Seed {
	return Seed{About: about, Files: map[string]string{"router/page.html": text}}
}

// files is a Seed of the files whose names and texts alternate.
func files(about string, namesAndTexts ...string) Seed {
	s := Seed{About: about, Files: map[string]string{}}
	for i := 0; i < len(namesAndTexts); i += 2 {
		s.Files[namesAndTexts[i]] = namesAndTexts[i+1]
	}
	return s
}

// silent is a Seed of which the check says nothing on purpose.
func silent(why string, s Seed) Seed {
	s.Silent = why
	return s
}
