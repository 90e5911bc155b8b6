package move

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"example.com/flow/cmd/flow/internal/files"
	"example.com/flow/cmd/flow/internal/matchers"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/fold"
	"example.com/flow/internal/serve/routes/routetree"
)

// Moves are what flow mv does: the names and texts that change, and what is said about them. Files are absolute.
type Moves struct {
	Renames []Rename
	Edits   map[string][]files.Edit // by file, as it is called before the move
	Emptied []string                // directories in which nothing is left
	Guards  []Note                  // what In covers now and did not, or the other way round
	Lost    []Note                  // those of Guards that say that less is covered
	Left    []Note                  // what is left to the person who moves
	Notes   []Note                  // what is worth knowing

	texts map[string]string // what Edits are for, by file
}

// A Rename gives a file or directory a new name.
type Rename struct{ From, To string }

// A Note speaks of a line of a file, or of no file in particular.
type Note struct {
	File string // as it is called before the move
	Line int
	Text string
}

// compareNotes is the order of notes.
func compareNotes(a, b Note) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
}

// newName returns what a file is called after the move.
func (m *Moves) newName(file string) string {
	for _, r := range m.Renames {
		if file == r.From {
			return r.To
		}
		if below, ok := strings.CutPrefix(file, r.From+string(filepath.Separator)); ok {
			return filepath.Join(r.To, below)
		}
	}
	return file
}

// Make plans a move. Its error says why it cannot be, in the words of Check where the new
// tree would have a fault. Nothing is changed.
func Make(ctx context.Context, app project.App, wd, from, to string) (*Moves, error) {
	l, err := list(app.Dir)
	if err != nil {
		return nil, err
	}
	before := app.Tree()
	if before.Missing {
		return nil, fault.Join(before.Faults)
	}
	t, err := readTransfer(app, before, l, wd, from, to)
	if err != nil {
		return nil, err
	}
	after := treeOf(before.Dir, l.apply(t), before.Formats)
	if err := newFaults(before.Faults, after.Faults, after, t); err != nil {
		return nil, err
	}
	p := &planner{
		ctx: ctx, app: app,
		c:       newChange(t, before, after),
		moves:   &Moves{Edits: map[string][]files.Edit{}, texts: map[string]string{}},
		goFiles: map[string]string{},
		hits:    map[Note]int{},
		l:       l,
	}
	p.moves.Renames = []Rename{{p.path(t.from), p.path(t.to)}}
	for _, dir := range emptied(t, l.apply(t)) {
		p.moves.Emptied = append(p.moves.Emptied, p.path(dir))
	}
	if err := p.counterparts(); err != nil {
		return nil, err
	}
	if p.code, err = loadGo(ctx, app); err != nil {
		return nil, err
	}
	if err := p.readOtherApps(); err != nil {
		return nil, err
	}
	if err := p.readMatchers(); err != nil {
		return nil, err
	}
	p.rewriteGo()        // first, since it reads the names of routes and the prefixes of mounts, which the finder needs
	p.rewriteTemplates() // and all other files
	p.leaveHits()        // last, since each is told once, with how often it stands in its line
	p.remarks()
	if err := p.faults(); err != nil {
		return nil, err
	}
	for _, notes := range []*[]Note{&p.moves.Guards, &p.moves.Lost, &p.moves.Left, &p.moves.Notes} {
		slices.SortFunc(*notes, compareNotes)
		*notes = slices.Compact(*notes)
	}
	return p.moves, nil
}

// treeOf reads the tree of a listing. Its files are empty.
func treeOf(dir string, l listing, formats []string) *routetree.Tree {
	files := fstest.MapFS{}
	for name, mode := range l {
		files[name] = &fstest.MapFile{Mode: mode}
	}
	return routetree.ParseIn(dir, files, nil, formats)
}

// newFaults returns those faults of the tree after a move that it had not before. Those of a
// file that moves were there before under its old name.
func newFaults(before, now []fault.Fault, after *routetree.Tree, t transfer) error {
	old := map[string]bool{}
	for _, f := range before {
		old[f.Text] = true
	}
	faults := slices.DeleteFunc(slices.Clone(now), func(f fault.Fault) bool {
		return old[f.Text] || old[strings.ReplaceAll(f.Text, after.Shown(t.to), after.Shown(t.from))]
	})
	return fault.Join(faults)
}

// readMatchers finds out which values the matchers of both trees take, as far as the Go code
// says. A matcher that the application does not have is an error.
func (p *planner) readMatchers() error {
	byDir := map[string][]*ast.File{}
	for _, f := range p.code.files {
		if dir := filepath.Dir(f.name); !f.isTest() && p.otherOf(f.name) == nil {
			byDir[dir] = append(byDir[dir], f.file)
		}
	}
	for _, dir := range sortedKeys(byDir) {
		p.matchers.Read(byDir[dir])
	}
	return newFaults(p.matchers.Fill(p.c.before, nil), p.matchers.Fill(p.c.after, nil), p.c.after, p.c.transfer)
}

// A planner makes Moves.
type planner struct {
	ctx     context.Context
	app     project.App
	c       *change
	moves   *Moves
	goFiles map[string]string // the new names of counterparts and their tests that move, by the old ones; below app.Dir
	l       listing           // of the tree before the move
	code    *goCode
	others  []*otherApp
	// matchers are those of the application.
	matchers matchers.Set
	names    labels
	finder   *finder
	hits     map[Note]int       // what the finder has found, and how often in its line
	uses     map[string][]useOf // of functions and types, by the place of their names
	added    map[string]bool    // see isAdded
	makers   map[string]bool    // see ofOwnRouter
	// routeKeys are keys of dict whose values templates give to route; "" says that it may be any.
	routeKeys []string
}

// path returns the absolute path of a name in the tree.
func (p *planner) path(name string) string { return filepath.Join(p.app.Dir, filepath.FromSlash(name)) }

// Shown returns how messages name a file, which need not be there: from the working
// directory.
func Shown(file string) string {
	wd, err := os.Getwd()
	if err != nil {
		return file
	}
	if real, err := filepath.EvalSymlinks(wd); err == nil {
		wd = real
	}
	below, err := filepath.Rel(wd, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(below)
}

// counterparts finds the Go files that move with route files: those whose calls speak of
// them, and the tests that are called like them.
func (p *planner) counterparts() error {
	now := byStem(p.c.after)
	for stem, routes := range byStem(p.c.before) {
		if len(routes) > 1 {
			moves := slices.ContainsFunc(routes, func(r *routetree.Route) bool { return p.c.moved(r.InTree()) != nil })
			if moves && p.exists(stem+".go") {
				p.note("%s stays, since it is called like the counterpart of %s and of %s", p.app.Shown(stem+".go"), routes[0].File, routes[1].File)
			}
			continue
		}
		r := p.c.moved(routes[0].InTree())
		if r == nil || r.after.Stem == stem {
			continue
		}
		for _, end := range []string{".go", "_test.go"} {
			if !p.exists(stem + end) {
				continue
			}
			if reason := routetree.WhyNotBuilt(r.after.Stem + ".go"); reason != "" {
				return fmt.Errorf("%s: %s: call %s otherwise, or register with flow.At(%q) in a file of another name first", p.app.Shown(stem+end), reason, r.after.File, r.before.Path)
			}
			if both := now[r.after.Stem]; len(both) > 1 {
				return fmt.Errorf("%s would be the counterpart of %s and of %s: call one of them otherwise", p.app.Shown(r.after.Stem+".go"), both[0].File, both[1].File)
			}
			p.goFiles[stem+end] = r.after.Stem + end
		}
	}
	entries, err := os.ReadDir(p.app.Dir)
	if err != nil {
		return err
	}
	for _, from := range sortedKeys(p.goFiles) {
		to := p.goFiles[from]
		for _, e := range entries {
			if name := e.Name(); p.goFiles[name] == "" && fold.Case(name) == fold.Case(to) {
				return fmt.Errorf("%s exists already, and is not overwritten: %s would have to be called so", p.app.Shown(name), p.app.Shown(from))
			}
		}
		p.moves.Renames = append(p.moves.Renames, Rename{p.path(from), p.path(to)})
	}
	p.moves.Renames = inOrder(p.moves.Renames)
	return nil
}

// exists reports whether there is a file beside the tree.
func (p *planner) exists(name string) bool {
	_, err := os.Lstat(p.path(name))
	return err == nil
}

// inOrder sorts renames such that each target is free when its turn comes.
func inOrder(renames []Rename) []Rename {
	var sorted []Rename
	for len(renames) > 0 {
		i := slices.IndexFunc(renames, func(r Rename) bool {
			return !slices.ContainsFunc(renames, func(other Rename) bool { return other != r && other.From == r.To })
		})
		i = max(i, 0)
		sorted = append(sorted, renames[i])
		renames = slices.Delete(renames, i, i+1)
	}
	return sorted
}

func byStem(t *routetree.Tree) map[string][]*routetree.Route {
	routes := map[string][]*routetree.Route{}
	for _, r := range t.Routes {
		routes[r.Stem] = append(routes[r.Stem], r)
	}
	return routes
}

// note adds a note about no line.
func (p *planner) note(format string, args ...any) {
	p.moves.Notes = append(p.moves.Notes, Note{Text: fmt.Sprintf(format, args...)})
}

// left adds something that is left to do.
func (p *planner) left(file string, line int, format string, args ...any) {
	p.moves.Left = append(p.moves.Left, Note{file, line, fmt.Sprintf(format, args...)})
}

// edit plans an edit of a file.
func (p *planner) edit(file string, start, size int, text string) {
	if _, err := p.text(file); err != nil {
		p.left(file, 0, "it cannot be read: %v", err)
		return
	}
	e := files.Edit{From: start, To: start + size, Text: text}
	if !slices.Contains(p.moves.Edits[file], e) {
		p.moves.Edits[file] = append(p.moves.Edits[file], e)
	}
}

// text returns the content of a file, which is read once.
func (p *planner) text(file string) (string, error) {
	if text, ok := p.moves.texts[file]; ok {
		return text, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	p.moves.texts[file] = string(b)
	return string(b), nil
}
