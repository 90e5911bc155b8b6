package flow

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"example.com/flow/internal/fault"
)

// The directories that a tree is made of.
const (
	routerDir = "router"
	publicDir = "public"
)

// A route is one route file of the tree.
//
//	router/users/[id].html         path "users/[id]", stem "users.id", a page
//	router/(api)/users/store.http  path "(api)/users/store", stem "api.users.store", a store
type route struct {
	file   string   // for messages
	path   string   // what At takes
	stem   string   // its counterpart is stem + ".go"; also its automatic name
	page   bool     // an .html file
	store  bool     // a file called store: POST on its directory's path
	shapes []*shape // the URLs it answers: more than one only if a segment is optional
	depth  int      // how many segments of them are the prefix that its Router is mounted at
}

// A tree is what New found in the files it was given. It is not changed after,
// unless its Router is mounted.
type tree struct {
	files     fs.FS
	shared    []fs.FS           // what +files are taken from that files lacks
	routes    []*route          // in the order of their files
	public    []*shape          // public files, each with its literal URL
	templates map[string]source // pages and +files, by path without extension
	dirs      map[string]bool   // directories below router/, by path
	prefix    []segment         // that the Router is mounted at
	faults    []fault.Fault
	missing   bool // there is no router/ at all
}

// A source is where the text of a template is read from.
type source struct {
	files  fs.FS
	file   string
	shared bool // it is from a further tree of New
}

// readTree walks files and reports every fault of their names. shared trees
// fill in the +files that files lacks.
func readTree(files fs.FS, shared []fs.FS) *tree {
	t := &tree{files: files, shared: shared, templates: map[string]source{}, dirs: map[string]bool{}}
	if isNil(files) {
		t.missing = true
		t.faults = append(t.faults, fault.Fault{Text: "flow.New got no files: give it the embed.FS that holds router/"})
		return t
	}
	if info, err := fs.Stat(files, routerDir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		t.missing = true
		t.faults = append(t.faults, fault.In(routerDir, "the files given to flow.New hold no such directory: embed it with //go:embed all:router"))
	} else { // the walk reports any other error
		(&routeWalk{tree: t, elements: map[string][]element{}}).walk()
	}
	// The walk takes users/index.html before users.html.
	slices.SortFunc(t.routes, func(a, b *route) int { return strings.Compare(a.file, b.file) })
	t.readPublic()
	t.findSharedURLs()
	for _, fsys := range shared {
		t.readShared(fsys)
	}
	return t
}

// A routeWalk turns the files below router/ into routes.
type routeWalk struct {
	tree     *tree
	elements map[string][]element // of each directory's path; none for a malformed one
}

func (w *routeWalk) walk() {
	w.elements[routerDir] = []element{}
	hidden := func(_ string, d fs.DirEntry) bool { return d.Name()[0] == '_' || hasDot(d) }
	w.tree.walk(routerDir, hidden, func(file string, d fs.DirEntry) {
		if d.IsDir() {
			w.dir(file)
		} else {
			w.file(file)
		}
	})
}

// walk calls visit for the directories and files below root that are not hidden,
// and reports those that go:embed would refuse or leave out.
func (t *tree) walk(root string, hidden func(string, fs.DirEntry) bool, visit func(file string, d fs.DirEntry)) {
	var names sameNames
	// WalkDir returns what the function does, which is no error.
	_ = fs.WalkDir(t.files, root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			t.fault(file, "cannot be read: %v", err)
			return nil
		case file == root:
			return nil
		case hidden(file, d):
			return skip(d)
		}
		if err := names.check(file); err != nil {
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

func (t *tree) fault(file, format string, args ...any) {
	t.faults = append(t.faults, fault.In(file, format, args...))
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

func (w *routeWalk) dir(file string) {
	w.tree.dirs[belowRouter(file)] = true
	e, err := parseElement(path.Base(file), true)
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
		w.tree.templates[belowRouter(strings.TrimSuffix(file, ext))] = source{w.tree.files, file, false}
		return
	case name[0] == '+':
		w.tree.fault(file, "a file whose name begins with + is a template of its directory: call it %s.html", stem)
		return
	case ext != ".html" && ext != ".http":
		w.tree.fault(file, "a route file ends in .html (a page) or .http (an endpoint): other files belong in %s/", publicDir)
		return
	}
	e, err := parseElement(stem, false)
	if err != nil {
		w.tree.fault(file, "%v", err)
		return
	}
	dir, ok := w.elements[path.Dir(file)]
	if !ok {
		return // the directory is malformed, and reported
	}
	elements := append(slices.Clip(dir), e)
	r := &route{
		file:  file,
		path:  belowRouter(strings.TrimSuffix(file, ext)),
		page:  ext == ".html",
		store: stem == "store",
	}
	r.stem = counterpart(r.path)
	shapes, err := expand(elements)
	if err != nil {
		w.tree.fault(file, "%v", err)
		return
	}
	for _, segments := range shapes {
		r.shapes = append(r.shapes, newShape(file, r, segments))
	}
	if err := ambiguity(r.shapes); err != nil {
		w.tree.fault(file, "%v", err)
		return
	}
	w.tree.routes = append(w.tree.routes, r)
	if r.page {
		w.tree.templates[r.path] = source{w.tree.files, file, false}
	}
}

func belowRouter(file string) string { return strings.TrimPrefix(file, routerDir+"/") }

// readPublic turns each file below public/ into a shape of literal segments.
func (t *tree) readPublic() {
	info, err := fs.Stat(t.files, publicDir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil && !info.IsDir() {
		t.fault(publicDir, "is not a directory")
		return
	}
	hidden := func(file string, d fs.DirEntry) bool { return hasDot(d) && !strings.Contains(file, "/.well-known/") }
	t.walk(publicDir, hidden, func(file string, d fs.DirEntry) {
		if d.IsDir() {
			return
		}
		var segments []segment
		for text := range strings.SplitSeq(strings.TrimPrefix(file, publicDir+"/"), "/") {
			segments = append(segments, segment{literal, text})
		}
		t.public = append(t.public, newShape(file, nil, segments))
	})
}

// readShared adds the +files of a further tree that are missing so far.
func (t *tree) readShared(files fs.FS) {
	if isNil(files) {
		t.faults = append(t.faults, fault.Fault{Text: "flow.New got a shared tree that is nil"})
		return
	}
	err := fs.WalkDir(files, routerDir, func(file string, d fs.DirEntry, err error) error {
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
		key := belowRouter(strings.TrimSuffix(file, ".html"))
		if _, ok := t.templates[key]; !ok {
			t.templates[key] = source{files, file, true}
		}
		return nil
	})
	if err != nil {
		t.faults = append(t.faults, fault.In(routerDir, "of a shared tree cannot be read: %v", err))
	}
}

// findSharedURLs reports each pair of files that answer one URL, other than a
// store beside the file that answers the other methods.
func (t *tree) findSharedURLs() {
	type owners struct{ main, store *shape }
	byKey := map[string]*owners{}
	reported := map[[2]string]bool{}
	clash := func(a, b *shape) {
		if pair := [2]string{a.file, b.file}; !reported[pair] {
			reported[pair] = true
			t.faults = append(t.faults, fault.Fault{File: a.file, Text: fmt.Sprintf("%s and %s both answer %s: rename one of them", a.file, b.file, sampleURL(a.segments))})
		}
	}
	claim := func(s *shape) {
		o := byKey[s.key()]
		if o == nil {
			o = &owners{}
			byKey[s.key()] = o
		}
		public := s.route == nil
		slot := &o.main
		if !public && s.route.store {
			slot = &o.store
		}
		switch {
		case *slot != nil:
			clash(*slot, s)
		case public && o.store != nil:
			clash(o.store, s)
		default:
			*slot = s
		}
	}
	for _, r := range t.routes {
		for _, s := range r.shapes {
			claim(s)
		}
	}
	for _, s := range t.public {
		claim(s)
	}
}

// mount puts a prefix before every URL of the tree.
func (t *tree) mount(prefix []segment) {
	if len(prefix) == 0 {
		return
	}
	t.prefix = prefix
	above := newShape("", nil, prefix)
	for _, r := range t.routes {
		r.depth = len(prefix)
		for i, s := range r.shapes {
			r.shapes[i] = s.below(prefix)
		}
		for _, name := range r.shapes[len(r.shapes)-1].names[len(above.names):] {
			if slices.Contains(above.names, name) {
				t.fault(r.file, "the parameter %q is one of %s too, where the Router is mounted: call it otherwise", name, above.pattern())
			}
		}
	}
	for i, s := range t.public {
		t.public[i] = s.below(prefix)
	}
}

func (s *shape) below(prefix []segment) *shape {
	return newShape(s.file, s.route, slices.Concat(prefix, s.segments))
}

// byPath returns the routes by what At takes.
func (t *tree) byPath() map[string]*route {
	m := make(map[string]*route, len(t.routes))
	for _, r := range t.routes {
		m[r.path] = r
	}
	return m
}

// byStem returns the routes that have one counterpart: normally one each.
func (t *tree) byStem() map[string][]*route {
	m := make(map[string][]*route, len(t.routes))
	for _, r := range t.routes {
		m[r.stem] = append(m[r.stem], r)
	}
	return m
}

// layers returns the directories that a route file lies in.
func (r *route) layers() []string { return layersOf(r.path) }

// layersOf returns the directories that a file of router/ lies in, from the
// outermost, "", to the innermost. A file called like a directory beside it counts
// as in it.
//
//	admin/users/[id]  => "", "admin", "admin/users", "admin/users/[id]"
//	admin             => "", "admin"
//	admin/index       => "", "admin"
//	admin/+error      => "", "admin"
func layersOf(name string) []string {
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

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
