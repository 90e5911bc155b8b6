package move

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/fold"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/shell"
)

// A listing is what lies in router/ and public/ of an application, by its name in the
// tree: "router/users/[id].html". Hidden files and directories are in it too, since a
// directory moves with all that it holds.
type listing map[string]fs.FileMode

// list reads the listing of a directory.
func list(dir string) (listing, error) {
	l := listing{}
	for _, root := range []string{routetree.RouterDir, routetree.PublicDir} {
		err := fs.WalkDir(os.DirFS(dir), root, func(name string, d fs.DirEntry, err error) error {
			if err == nil {
				l[name] = d.Type()
			} else if name == root { // there need not be public files
				return fs.SkipDir
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l listing) isDir(name string) bool { return l[name].IsDir() }

func (l listing) isFile(name string) bool { return l.has(name) && !l.isDir(name) }

func (l listing) has(name string) bool {
	_, ok := l[name]
	return ok
}

// A transfer says what goes where, by names in the tree. A file keeps its extension.
type transfer struct {
	from, to string
	dir      bool
}

// new returns the name that a file or directory has after the transfer.
func (t transfer) new(name string) string {
	if name == t.from {
		return t.to
	}
	if below, ok := strings.CutPrefix(name, t.from+"/"); ok && t.dir {
		return t.to + "/" + below
	}
	return name
}

// apply returns the listing after the transfer. Directories that were left empty by it
// are not in it.
func (l listing) apply(t transfer) listing {
	after := listing{}
	for name, mode := range l {
		after[t.new(name)] = mode
	}
	for dir := path.Dir(t.to); dir != "."; dir = path.Dir(dir) {
		after[dir] = fs.ModeDir
	}
	for _, dir := range emptied(t, after) {
		delete(after, dir)
	}
	return after
}

// emptied returns the directories around what was moved in which nothing is left, the
// innermost first.
func emptied(t transfer, after listing) []string {
	var empty []string
	for dir := path.Dir(t.from); strings.Contains(dir, "/"); dir = path.Dir(dir) {
		for name := range after {
			if strings.HasPrefix(name, dir+"/") && !slices.Contains(empty, name) {
				return empty
			}
		}
		empty = append(empty, dir)
	}
	return empty
}

// readTransfer says what the arguments of the command mean. wd is the working directory.
func readTransfer(app project.App, tree *routetree.Tree, l listing, wd, from, to string) (transfer, error) {
	p := placer{app, tree, l, wd}
	old, err := p.find(from, to)
	if err != nil {
		return transfer{}, err
	}
	t := transfer{from: old.name, dir: l.isDir(old.name)}
	t.to, err = p.destination(t, to, old)
	return t, err
}

// A placer finds names in the tree for arguments.
type placer struct {
	app  project.App
	tree *routetree.Tree
	l    listing
	wd   string
}

// fromDisk returns the name in the tree of a path from the working directory.
func (p placer) fromDisk(arg string) (string, bool) {
	file := filepath.FromSlash(arg)
	if !project.IsAbs(file) {
		file = filepath.Join(p.wd, file)
	}
	below, _ := filepath.Rel(p.app.Dir, file) // "" on another volume
	return inTree(filepath.ToSlash(below))
}

// inTree returns a cleaned name if it is one of router/ or public/.
func inTree(name string) (string, bool) {
	root := rootOf(name)
	return name, root == routetree.RouterDir || root == routetree.PublicDir
}

func rootOf(name string) string {
	root, _, _ := strings.Cut(name, "/")
	return root
}

// An origin is what is to be moved, and how the argument has named it.
type origin struct {
	name      string // in the tree
	asPath    bool   // as a path from the working directory
	ungrouped bool   // without all of its groups
}

// find returns what is to be moved. to is the other argument of the command.
func (p placer) find(arg, to string) (origin, error) {
	clean := path.Clean(filepath.ToSlash(arg))
	if arg == "" {
		return origin{}, fmt.Errorf("the path of what to move is empty")
	}
	disk, _ := p.fromDisk(clean)
	found := p.match(disk)
	o := origin{asPath: len(found) > 0}
	for _, name := range []string{clean, path.Join(routetree.RouterDir, clean)} {
		if len(found) == 0 {
			found = p.match(name)
		}
	}
	if len(found) == 0 {
		found, o.ungrouped = p.meant(clean), true
	}
	if strings.HasSuffix(filepath.ToSlash(arg), "/") {
		found = slices.DeleteFunc(found, func(name string) bool { return !p.l.isDir(name) })
	}
	switch {
	case len(found) == 0:
		return origin{}, fmt.Errorf("%s: there is no such file or directory in %s%s", arg, p.app.Shown(routetree.RouterDir), p.hint(clean))
	case len(found) > 1 && p.l.isDir(found[0]):
		asFile := clean + path.Ext(found[1])
		return origin{}, fmt.Errorf("%s may be the directory or the file %s: write %s %s or %s %[4]s", arg, p.app.Shown(found[1]), shell.Quote(clean+"/"), shell.Quote(to), shell.Quote(asFile))
	case len(found) > 1:
		return origin{}, fmt.Errorf("%s may be %s or %s: write which, with all groups and the extension", arg, p.app.Shown(found[0]), p.app.Shown(found[1]))
	case !strings.Contains(found[0], "/"):
		return origin{}, fmt.Errorf("%s is the tree itself, which stays where it is: move what is in it", p.app.Shown(found[0]))
	}
	o.name = found[0]
	return o, nil
}

// hint says what may have been meant by a path that is not there.
func (p placer) hint(arg string) string {
	hint := p.tree.Hint(arg)
	if !strings.ContainsAny(arg, "[]()") && strings.Contains(hint, `"users/[id]"`) {
		hint += `; a shell needs the quotes, or it takes brackets and parentheses for its own`
	}
	return hint
}

// match returns what a name in the tree, with or without extension, stands for: a
// directory first.
func (p placer) match(name string) []string {
	var found []string
	if p.l.has(name) {
		found = append(found, name)
	}
	if strings.HasPrefix(name, routetree.RouterDir+"/") {
		for _, ext := range p.tree.Extensions() {
			if p.l.has(name + ext) {
				found = append(found, name+ext)
			}
		}
	}
	return found
}

// meant returns what a path below router/ stands for if groups are left out of it.
func (p placer) meant(arg string) []string {
	arg = strings.TrimPrefix(arg, routetree.RouterDir+"/")
	var found []string
	for _, dir := range project.Dirs(p.tree, arg) {
		found = append(found, path.Join(routetree.RouterDir, dir))
	}
	files := filesByPath(p.tree)
	for _, ext := range append(p.tree.Extensions(), "") {
		bare, cut := strings.CutSuffix(arg, ext)
		for _, name := range routetree.Find(files, bare) {
			if cut && strings.HasSuffix(files[name], ext) {
				found = append(found, files[name])
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// filesByPath returns the names in the tree of its routes, pages and +files, by their
// paths below router/ without extension.
func filesByPath(t *routetree.Tree) map[string]string {
	files := templatesByPath(t)
	maps.Copy(files, routesByPath(t))
	return files
}

func routesByPath(t *routetree.Tree) map[string]string {
	files := map[string]string{}
	for _, r := range t.Routes {
		files[r.Path] = r.InTree()
	}
	return files
}

func templatesByPath(t *routetree.Tree) map[string]string {
	files := map[string]string{}
	for name, src := range t.Templates {
		files[name] = src.InTree
	}
	return files
}

// destination returns the name in the tree that t.from gets: a directory that exists
// takes it in, under the name that it has. Groups may guard what is in them, so NEW goes
// where its directory is, whose groups may be left out, and what was named without its
// groups stays in them. If NEW names a group or begins with "./", or OLD has named one, NEW
// is the exact path.
func (p placer) destination(t transfer, arg string, old origin) (string, error) {
	if arg == "" {
		return "", fmt.Errorf("the path to move %s to is empty: write . for %s itself", p.app.Shown(t.from), p.app.Shown(routetree.RouterDir))
	}
	clean := path.Clean(filepath.ToSlash(arg))
	// In the tree itself, any argument could be a path from there.
	_, inside := p.fromDisk(".")
	to, ok := p.fromDisk(clean)
	ok = ok && (old.asPath || !inside || project.IsAbs(arg))
	switch below, isBelow := inTree(clean); {
	case ok:
	case project.IsAbs(arg):
		return "", fmt.Errorf("%s is not in %s: files move within the tree", arg, p.app.Shown(routetree.RouterDir))
	case isBelow:
		to = below
	default:
		to = path.Join(rootOf(t.from), clean)
	}
	if _, ok := inTree(to); !ok {
		return "", fmt.Errorf("%s leads out of %s: files move within the tree", arg, p.app.Shown(routetree.RouterDir))
	}
	exact := clean == "." || ok || strings.HasPrefix(filepath.ToSlash(arg), "./") || !old.ungrouped && isGrouped(t.from) || isGrouped(to) || !strings.HasPrefix(to, routetree.RouterDir+"/")
	placed, err := p.placed(t, to, old, exact)
	if err != nil {
		return "", err
	}
	isDir := func(to string) bool { return p.l.isDir(to) && to != t.from }
	// As with mv, a NEW that is no directory yet is the name of a directory, and takes in a file.
	if isDir(to) || isDir(placed) || !t.dir && strings.HasSuffix(filepath.ToSlash(arg), "/") {
		if to, err = p.placed(t, path.Join(to, path.Base(t.from)), old, exact); err != nil {
			return "", err
		}
	} else if to = placed; !t.dir && strings.HasPrefix(to, routetree.RouterDir+"/") && !slices.Contains(p.tree.Extensions(), path.Ext(to)) {
		to += path.Ext(t.from)
	}
	t.to = to
	return to, p.check(t)
}

// placed returns where a file or directory goes that is to have a name in the tree, unless
// this is exact: into the groups that it is in, if they have such a directory or no others
// have it, or else where the directory is.
func (p placer) placed(t transfer, to string, old origin, exact bool) (string, error) {
	if exact {
		return to, nil
	}
	kept, below := to, routetree.BelowRouter(to)
	if old.ungrouped {
		kept = inGroups(t.from, to)
		if p.l.isDir(kept) || p.l.isDir(path.Dir(kept)) && len(project.Dirs(p.tree, below)) == 0 {
			return kept, nil
		}
	}
	found, err := project.WithGroups(p.tree, below)
	if err != nil || found == below {
		return kept, err
	}
	return path.Join(routetree.RouterDir, found), nil
}

// isGrouped reports whether a path has a group in it.
func isGrouped(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), routetree.IsGroup)
}

// inGroups returns a new name with the groups of an old one, as far as the directories of
// both are the same.
//
//	router/(team)/projects            router/boards        => router/(team)/boards
//	router/(team)/projects/(all)/new  router/projects/add  => router/(team)/projects/(all)/add
//	router/(team)/projects/(all)/new  router/boards/new    => router/(team)/boards/new
func inGroups(from, to string) string {
	name, rest := "", strings.Split(to, "/")
	for dir := range strings.SplitSeq(path.Dir(from), "/") {
		if routetree.IsGroup(dir) {
			name = path.Join(name, dir)
			continue
		}
		if len(rest) == 1 || rest[0] != dir {
			break
		}
		name, rest = path.Join(name, dir), rest[1:]
	}
	return path.Join(name, path.Join(rest...))
}

// check says why a transfer is none of flow mv.
func (p placer) check(t transfer) error {
	from, to := p.app.Shown(t.from), p.app.Shown(t.to)
	isRoute := !t.dir && rootOf(t.from) == routetree.RouterDir
	switch {
	case t.from == t.to:
		return fmt.Errorf("%s is called so already", from)
	case rootOf(t.from) != rootOf(t.to):
		return fmt.Errorf("%s cannot become %s: a route file and a public file are not the same", from, to)
	case t.dir && strings.HasPrefix(t.to, t.from+"/"):
		return fmt.Errorf("%s cannot move into itself, to %s: move what is in it, one by one", from, to)
	case isRoute && path.Ext(t.from) != path.Ext(t.to):
		return fmt.Errorf("%s cannot become %s: the extension says how a file is read, so write the new file and remove the old one", from, to)
	case isRoute && role(t.from) != role(t.to):
		return fmt.Errorf("%s is a %s, and %s would be a %s: write the new file and remove the old one", from, role(t.from), to, role(t.to))
	}
	for dir := path.Dir(t.to); dir != "."; dir = path.Dir(dir) {
		if p.l.has(dir) && !p.l.isDir(dir) {
			return fmt.Errorf("%s is a file, so nothing can move into it", p.app.Shown(dir))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.l)) {
		if name != t.from && fold.Case(name) == fold.Case(t.to) && !strings.HasPrefix(name, t.from+"/") {
			return fmt.Errorf("%s exists already, and is not overwritten", p.app.Shown(name))
		}
	}
	return nil
}

// role returns what a file of router/ is to flow.
func role(name string) string {
	switch base := strings.TrimSuffix(path.Base(name), path.Ext(name)); {
	case base == "+layout":
		return "layout"
	case base == "+error":
		return "template for errors"
	case strings.HasPrefix(base, "+"):
		return "partial"
	case strings.HasPrefix(base, "_") || strings.HasPrefix(base, "."):
		return "file that is hidden from flow"
	}
	return "route file"
}
