// Package routetree parses the names of an application's files. [Parse] takes a file system,
// embedded or on disk, and returns a [Tree]: its routes with the patterns of their URLs, its
// public files and templates, and a fault for each name that is wrong and for each URL that
// two files have. For example:
//
//	router/users/[id].html     a Route: the pattern /users/{id}, the name users.id
//	router/users/+layout.html  a template
//	router/users/[id.html      a fault: a parameter fills a whole segment
//	public/css/app.css         a Public: the pattern /css/app.css
//
// The package does not read the files, and knows nothing of handlers.
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
	"example.com/flow/internal/serve/routes/pattern"
)

// The directories of a tree.
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
	Stem     string             // the name of the counterpart without ".go", and the route's automatic name
	Page     bool               // an .html file, or one in a format
	Store    bool               // a file called store, which serves POST on the path of its directory
	Patterns []*pattern.Pattern // of the URLs: one, or if segments are optional several, the shortest first and the longest last
	Depth    int                // how many segments of each pattern belong to the tree's Prefix
}

// Ext returns the extension of the file, with its dot.
func (r *Route) Ext() string { return path.Ext(r.File) }

// Longest returns the pattern that has all parameters of the route.
func (r *Route) Longest() *pattern.Pattern { return r.Patterns[len(r.Patterns)-1] }

// InTree returns the name of the file in the tree: "router/users/[id].html".
func (r *Route) InTree() string {
	return r.File[len(r.File)-len(RouterDir+"/"+r.Path+r.Ext()):]
}

// A Public is one public file.
type Public struct {
	File    string // for messages: see Tree.Shown
	InTree  string // "public/css/app.css"
	Pattern *pattern.Pattern
}

// Name returns the path of the file below public/.
func (p *Public) Name() string { return strings.TrimPrefix(p.InTree, PublicDir+"/") }

// A Source is the file of a template. The page of another extension than .html is in a format.
type Source struct {
	Files  fs.FS
	File   string // for messages: see Tree.Shown
	InTree string // "router/+layout.html"
	Shared bool   // it is in one of Tree.Shared
}

// A Tree is the result of Parse. It does not change, except for the functions of its
// Matchers: see SetMatchers.
type Tree struct {
	Dir       string                      // the directory of Files, for messages; "" if it is not known
	Files     fs.FS                       // holds router/ and public/
	Shared    []fs.FS                     // hold the +files that Files lacks; the first that has one is used
	Formats   []string                    // the extensions of pages beside .html, with their dot, sorted
	Routes    []*Route                    // in the order of their files
	Public    []*Public                   // in the order of their files
	Templates map[string]Source           // pages and +files, by path below router/ without extension
	Dirs      map[string]bool             // directories below router/, by path
	Matchers  map[string]*pattern.Matcher // by name
	Prefix    []pattern.Segment           // all URLs begin with it: see Below
	Faults    []fault.Fault
	Missing   bool // there is no directory router/
}

// Parse is ParseIn for files in an unknown directory, with no formats.
func Parse(files fs.FS, shared []fs.FS) *Tree { return ParseIn("", files, shared, nil) }

// ParseIn returns the Tree of files, with all faults of their names. If files lacks a +file
// that one of shared has, the tree has that. dir is the directory of files, for messages.
// formats are the extensions of pages beside .html: see Tree.
func ParseIn(dir string, files fs.FS, shared []fs.FS, formats []string) *Tree {
	t := &Tree{Dir: dir, Files: files, Shared: shared, Formats: formats, Templates: map[string]Source{}, Dirs: map[string]bool{}}
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
	t.warnOfSharedPlaces()
	for _, fsys := range shared {
		t.readShared(fsys)
	}
	return t
}

// A routeWalk adds the routes of the files below router/ to a tree.
type routeWalk struct {
	tree     *Tree
	elements map[string][]element // of each directory; malformed ones are missing
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

// walk calls visit for each directory and file below root that is not hidden, and that no editor has
// left. It reports those that go:embed would refuse or leave out instead.
func (t *Tree) walk(root string, hidden func(string, fs.DirEntry) bool, visit func(file string, d fs.DirEntry)) {
	var names seenNames
	// WalkDir returns the error of the function, which never returns one.
	_ = fs.WalkDir(t.Files, root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			t.fault(file, "cannot be read: %v", err)
			return nil
		case file == root:
			return nil
		case hidden(file, d) || !d.IsDir() && IsLeftover(d.Name()):
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

// Shown returns the name of a file for messages. It begins with Dir, so that a terminal can
// open the file.
func (t *Tree) Shown(file string) string {
	if t.Dir == "" {
		return file
	}
	return path.Join(t.Dir, file)
}

// hasDot reports whether a name is hidden because it begins with a dot. The directory
// .well-known is not.
func hasDot(d fs.DirEntry) bool {
	wellKnown := d.IsDir() && d.Name() == ".well-known" // RFC 8615
	return d.Name()[0] == '.' && !wellKnown
}

// skip is the result of a function of fs.WalkDir that skips a directory or file.
func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// parse is parseElement, but the element shares its matcher with the other ones of the tree.
func (w *routeWalk) parse(name string, dir bool) (element, error) {
	e, err := parseElement(name, dir)
	if err == nil && e.Matcher != nil {
		e.Matcher = w.tree.matcher(e.Matcher.Name)
	}
	return e, err
}

// dir notes the elements of a directory.
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

// formatHint returns the end of a fault about a file that is no page, if its extension is that of a
// text which a format would make one.
func formatHint(ext string) string {
	if IsMarkdown(ext) {
		return fmt.Sprintf(", and Router.Formats[%q] would make pages of these", ext)
	}
	return ""
}

// IsMarkdown reports whether an extension says that a file is in Markdown.
func IsMarkdown(ext string) bool { return slices.Contains([]string{".md", ".markdown", ".mdx"}, ext) }

// file adds a route file or a template to the tree.
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
	case ext != ".http" && !w.tree.IsPage(ext):
		w.tree.fault(file, "a route file ends in %s (a page) or .http (an endpoint): other files belong in %s/%s", strings.Join(append([]string{".html"}, w.tree.Formats...), ", "), PublicDir, formatHint(ext))
		return
	}
	e, err := w.parse(stem, false)
	if err != nil {
		w.tree.fault(file, "%v", err)
		return
	}
	dir, ok := w.elements[path.Dir(file)]
	if !ok {
		return // the directory is malformed, which dir has reported
	}
	shapes, err := expand(append(slices.Clip(dir), e))
	if err != nil {
		w.tree.fault(file, "%v", err)
		return
	}
	shown := w.tree.Shown(file)
	r := &Route{
		File:  shown,
		Path:  BelowRouter(strings.TrimSuffix(shown[len(shown)-len(file):], ext)), // a substring of File, which needs no memory of its own
		Page:  ext != ".http",
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

// IsPage reports whether a route file with an extension is a page.
func (t *Tree) IsPage(ext string) bool { return ext == ".html" || slices.Contains(t.Formats, ext) }

// Extensions returns the extensions of the tree's route files, with their dot.
func (t *Tree) Extensions() []string { return append([]string{".html", ".http"}, t.Formats...) }

func (t *Tree) source(file string) Source { return Source{t.Files, t.Shown(file), file, false} }

// BelowRouter returns the path of a file below router/.
func BelowRouter(file string) string { return strings.TrimPrefix(file, RouterDir+"/") }

// readPublic adds the files below public/, whose patterns are literal segments.
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

// readShared adds those +files of a shared tree that t lacks so far.
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

// findSharedURLs reports each pair of files that answer the same URLs. A store may have the
// URLs of a route file, which answers the other methods.
func (t *Tree) findSharedURLs() {
	type owners struct{ main, store string } // the files that answer a pattern
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

// Below returns a copy of the tree for a mounted Router: all URLs begin with the prefix.
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
		for _, name := range r.Longest().Names {
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

// Layers returns the directories whose layouts and middleware a file below router/ has, from
// the outermost, "", to the innermost. A file also belongs to a directory of its own name,
// as admin.html does to admin/.
//
//	admin/users/[id]  => "", "admin", "admin/users", "admin/users/[id]"
//	admin             => "", "admin"
//	admin/index       => "", "admin"
//	admin/+error      => "", "admin"
func Layers(name string) []string {
	dirs := make([]string, 1, strings.Count(name, "/")+2) // with the root, ""
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
