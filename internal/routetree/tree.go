// Package routetree says what the names of files mean. [Read] takes a tree of files,
// as it is embedded or on disk, and returns its routes with the patterns of their
// URLs, its public files, its templates, and a fault for every name that is wrong or
// that two files share. It reads names, not contents, and knows no handlers.
package routetree

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/pattern"
)

// The directories that a tree is made of.
const (
	RouterDir = "router"
	PublicDir = "public"
)

// A Route is one route file of the tree.
//
//	router/users/[id].html         Path "users/[id]", Stem "users.id", a page
//	router/(api)/users/store.http  Path "(api)/users/store", Stem "users.store", a store
type Route struct {
	File     string             // for messages: see Tree.Shown
	Path     string             // below router/, without extension
	Stem     string             // its counterpart is Stem + ".go"; also its automatic name
	Page     bool               // an .html file
	Store    bool               // a file called store: POST on its directory's path
	Patterns []*pattern.Pattern // of its URLs: more than one only if a segment is optional
	Depth    int                // how many segments of each pattern are the prefix of the tree
}

// InTree returns the name of the file in the tree: "router/users/[id].html".
func (r *Route) InTree() string {
	return r.File[len(r.File)-len(RouterDir+"/"+r.Path+".html"):] // or .http
}

// A Public is one public file.
type Public struct {
	File    string // for messages: see Tree.Shown
	InTree  string // "public/css/app.css"
	Pattern *pattern.Pattern
}

// Name returns the path of the file below public/.
func (p *Public) Name() string { return strings.TrimPrefix(p.InTree, PublicDir+"/") }

// A Source is where the text of a template is read from.
type Source struct {
	Files  fs.FS
	File   string // for messages: see Tree.Shown
	InTree string // "router/+layout.html"
	Shared bool   // it is from a further tree
}

// A Tree is what Read found. It does not change.
type Tree struct {
	Dir       string // that holds the tree, for messages; "" if it is not known
	Files     fs.FS
	Shared    []fs.FS                     // further trees, from which +files are taken that Files lacks
	Routes    []*Route                    // in the order of their files
	Public    []*Public                   // in the order of their files
	Templates map[string]Source           // pages and +files, by path without extension
	Dirs      map[string]bool             // directories below router/, by path
	Matchers  map[string]*pattern.Matcher // of parameters, by name
	Prefix    []pattern.Segment           // that all URLs begin with
	Faults    []fault.Fault
	Missing   bool // there is no router/ at all
}

// Read is ReadIn for a tree in a directory that is not known.
func Read(files fs.FS, shared []fs.FS) *Tree { return ReadIn("", files, shared) }

// ReadIn walks files and reports every fault of their names. shared trees
// fill in the +files that files lacks. dir is the directory that holds files, for
// messages.
func ReadIn(dir string, files fs.FS, shared []fs.FS) *Tree {
	t := &Tree{Dir: dir, Files: files, Shared: shared, Templates: map[string]Source{}, Dirs: map[string]bool{}}
	if files == nil {
		t.Missing = true
		t.Faults = append(t.Faults, fault.Fault{Text: "flow.New got no files: give it the embed.FS that holds router/"})
		return t
	}
	if info, err := fs.Stat(files, RouterDir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		t.Missing = true
		t.Faults = append(t.Faults, fault.In(t.Shown(RouterDir), "the files given to flow.New hold no such directory: embed it with //go:embed all:router"))
	} else { // the walk reports any other error
		(&routeWalk{tree: t, elements: map[string][]element{}}).walk()
	}
	// The walk has visited users/index.html before users.html.
	slices.SortFunc(t.Routes, func(a, b *Route) int { return strings.Compare(a.File, b.File) })
	t.readPublic()
	t.findSharedURLs()
	t.tellNeighbours()
	for _, fsys := range shared {
		t.readShared(fsys)
	}
	return t
}

// A routeWalk turns the files below router/ into routes.
type routeWalk struct {
	tree     *Tree
	elements map[string][]element // of each directory's path; none for a malformed one
}

func (w *routeWalk) walk() {
	w.elements[RouterDir] = []element{}
	hidden := func(_ string, d fs.DirEntry) bool { return d.Name()[0] == '_' || hasDot(d) }
	w.tree.walk(RouterDir, hidden, func(file string, d fs.DirEntry) {
		if d.IsDir() {
			w.dir(file)
		} else {
			w.file(file)
		}
	})
}

// walk calls visit for the directories and files below root that are not hidden,
// and reports those that go:embed would refuse or leave out.
func (t *Tree) walk(root string, hidden func(string, fs.DirEntry) bool, visit func(file string, d fs.DirEntry)) {
	var names sameNames
	// WalkDir returns the error of the function, which never returns one.
	_ = fs.WalkDir(t.Files, root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			t.fault(file, "cannot be read: %v", err)
			return nil
		case file == root:
			return nil
		case hidden(file, d):
			return skip(d)
		}
		if err := names.check(t.Shown(file)); err != nil {
			t.fault(file, "%v", err)
			return skip(d)
		}
		if !d.IsDir() && !d.Type().IsRegular() {
			t.fault(file, "go:embed takes regular files only, and this is none")
			return nil
		}
		visit(file, d)
		return nil
	})
}

func (t *Tree) fault(file, format string, args ...any) {
	t.Faults = append(t.Faults, fault.In(t.Shown(file), format, args...))
}

// Shown returns the name of a file of the tree as messages have it, with the directory
// that holds the tree, so that a terminal finds it.
func (t *Tree) Shown(file string) string {
	if t.Dir == "" {
		return file
	}
	return path.Join(t.Dir, file)
}

// hasDot reports whether a name is hidden because it begins with a dot.
func hasDot(d fs.DirEntry) bool {
	wellKnown := d.IsDir() && d.Name() == ".well-known" // RFC 8615
	return d.Name()[0] == '.' && !wellKnown
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// parse is parseElement with the matcher of the tree.
func (w *routeWalk) parse(name string, dir bool) (element, error) {
	e, err := parseElement(name, dir)
	if err == nil && e.Matcher != nil {
		e.Matcher = w.tree.matcher(e.Matcher.Name)
	}
	return e, err
}

func (w *routeWalk) dir(file string) {
	w.tree.Dirs[BelowRouter(file)] = true
	e, err := w.parse(path.Base(file), true)
	if err != nil {
		w.tree.fault(file, "%v", err)
		return
	}
	if parent, ok := w.elements[path.Dir(file)]; ok {
		w.elements[file] = append(slices.Clip(parent), e)
	}
}

func (w *routeWalk) file(file string) {
	name := path.Base(file)
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	switch {
	case name[0] == '+' && ext == ".html":
		w.tree.Templates[BelowRouter(strings.TrimSuffix(file, ext))] = w.tree.source(file)
		return
	case name[0] == '+':
		w.tree.fault(file, "a file whose name begins with + is a template of its directory: call it %s.html", stem)
		return
	case ext != ".html" && ext != ".http":
		w.tree.fault(file, "a route file ends in .html (a page) or .http (an endpoint): other files belong in %s/", PublicDir)
		return
	}
	e, err := w.parse(stem, false)
	if err != nil {
		w.tree.fault(file, "%v", err)
		return
	}
	dir, ok := w.elements[path.Dir(file)]
	if !ok {
		return // the directory is malformed, and reported
	}
	shapes, err := expand(append(slices.Clip(dir), e))
	if err != nil {
		w.tree.fault(file, "%v", err)
		return
	}
	shown := w.tree.Shown(file)
	r := &Route{
		File:  shown,
		Path:  BelowRouter(strings.TrimSuffix(shown[len(shown)-len(file):], ext)), // shares the memory of File
		Page:  ext == ".html",
		Store: stem == "store",
	}
	r.Stem = counterpart(r.Path)
	for _, segments := range shapes {
		r.Patterns = append(r.Patterns, pattern.New(segments))
	}
	if err := ambiguity(r.Patterns); err != nil {
		w.tree.fault(file, "%v", err)
		return
	}
	w.tree.Routes = append(w.tree.Routes, r)
	if r.Page {
		w.tree.Templates[r.Path] = w.tree.source(file)
	}
}

func (t *Tree) source(file string) Source { return Source{t.Files, t.Shown(file), file, false} }

// BelowRouter returns the path of a file below router/.
func BelowRouter(file string) string { return strings.TrimPrefix(file, RouterDir+"/") }

// readPublic gives each file below public/ a pattern of literal segments.
func (t *Tree) readPublic() {
	info, err := fs.Stat(t.Files, PublicDir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil && !info.IsDir() {
		t.fault(PublicDir, "is not a directory")
		return
	}
	hidden := func(file string, d fs.DirEntry) bool { return hasDot(d) && !strings.Contains(file, "/.well-known/") }
	t.walk(PublicDir, hidden, func(file string, d fs.DirEntry) {
		if d.IsDir() {
			return
		}
		p := &Public{File: t.Shown(file), InTree: file}
		var segments []pattern.Segment
		for text := range strings.SplitSeq(p.Name(), "/") {
			segments = append(segments, pattern.Segment{Kind: pattern.Literal, Text: text})
		}
		p.Pattern = pattern.New(segments)
		t.Public = append(t.Public, p)
	})
}

// readShared adds the +files of a further tree that are missing so far.
func (t *Tree) readShared(files fs.FS) {
	if files == nil {
		t.Faults = append(t.Faults, fault.Fault{Text: "flow.New got a shared tree that is nil"})
		return
	}
	err := fs.WalkDir(files, RouterDir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if name[0] == '_' || hasDot(d) {
			return skip(d)
		}
		if d.IsDir() || name[0] != '+' || path.Ext(name) != ".html" {
			return nil
		}
		key := BelowRouter(strings.TrimSuffix(file, ".html"))
		if _, ok := t.Templates[key]; !ok {
			t.Templates[key] = Source{files, file, file, true}
		}
		return nil
	})
	if err != nil {
		t.Faults = append(t.Faults, fault.In(RouterDir, "of a shared tree cannot be read: %v", err))
	}
}

// findSharedURLs reports each pair of files that answer one URL, other than a
// store beside the file that answers the other methods.
func (t *Tree) findSharedURLs() {
	type owners struct{ main, store string } // files
	byKey := map[string]*owners{}
	reported := map[[2]string]bool{}
	claim := func(file string, p *pattern.Pattern, public, store bool) {
		o := byKey[p.Key()]
		if o == nil {
			o = &owners{}
			byKey[p.Key()] = o
		}
		slot := &o.main
		if store {
			slot = &o.store
		}
		first := *slot
		if public {
			first = cmp.Or(first, o.store)
		}
		if first == "" {
			*slot = file
			return
		}
		if pair := [2]string{first, file}; !reported[pair] {
			reported[pair] = true
			t.Faults = append(t.Faults, fault.Fault{File: first, Text: fmt.Sprintf("%s and %s both answer %s: rename one of them", first, file, pattern.Sample(p.Segments))})
		}
	}
	for _, r := range t.Routes {
		for _, p := range r.Patterns {
			claim(r.File, p, false, r.Store)
		}
	}
	for _, p := range t.Public {
		claim(p.File, p.Pattern, true, false)
	}
}

// Below returns a copy of the tree in which all URLs begin with a prefix.
func (t *Tree) Below(prefix []pattern.Segment) *Tree {
	if len(prefix) == 0 {
		return t
	}
	below := *t
	below.Prefix = prefix
	below.Routes, below.Public, below.Faults = nil, nil, slices.Clip(t.Faults)
	above := pattern.New(prefix)
	for _, r := range t.Routes {
		moved := *r
		moved.Depth = len(prefix)
		moved.Patterns = nil
		for _, p := range r.Patterns {
			moved.Patterns = append(moved.Patterns, p.Below(prefix))
		}
		below.Routes = append(below.Routes, &moved)
		for _, name := range r.Patterns[len(r.Patterns)-1].Names {
			if slices.Contains(above.Names, name) {
				below.fault(r.InTree(), "the parameter %q is one of %s too, where the Router is mounted: call it otherwise", name, above)
			}
		}
	}
	for _, p := range t.Public {
		below.Public = append(below.Public, &Public{p.File, p.InTree, p.Pattern.Below(prefix)})
	}
	return &below
}

// Layers returns the directories that a file of router/ lies in, from the
// outermost, "", to the innermost. A file called like a directory beside it counts
// as in it.
//
//	admin/users/[id]  => "", "admin", "admin/users", "admin/users/[id]"
//	admin             => "", "admin"
//	admin/index       => "", "admin"
//	admin/+error      => "", "admin"
func Layers(name string) []string {
	dirs := []string{""}
	for i, c := range name {
		if c == '/' {
			dirs = append(dirs, name[:i])
		}
	}
	if base := path.Base(name); base != "index" && base != "store" && base[0] != '+' {
		dirs = append(dirs, name)
	}
	return dirs
}
