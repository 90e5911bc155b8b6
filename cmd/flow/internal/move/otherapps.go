package move

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/matchers"
	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
)

// An otherApp is another application of the module.
type otherApp struct {
	app      project.App
	tree     *routetree.Tree
	paths    map[string]string
	patterns []treePattern
	names    map[string]bool // automatic names and labels
}

func (p *planner) readOtherApps() error {
	apps, err := p.app.Module.Apps()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, app := range apps {
		if app.Dir == p.app.Dir {
			continue
		}
		tree := app.Tree()
		o := &otherApp{app: app, tree: tree, paths: filesByPath(tree), patterns: patternsOf(tree), names: map[string]bool{}}
		for name := range automaticNames(tree) {
			o.names[name] = true
		}
		p.others = append(p.others, o)
	}
	return nil
}

// An owner says whose tree something in a file speaks of.
type owner int

const (
	ours owner = iota
	theirs
	anybodys
)

// owner says whether a reference means what our tree has, which other applications may have,
// too.
func (p *planner) owner(ref reference, has func(*otherApp) bool) owner {
	switch o := p.otherOf(ref.file); {
	case ref.directory || p.isOurs(ref.file):
		return ours
	case o != nil && has(o):
		return theirs
	case slices.ContainsFunc(p.others, has):
		return anybodys
	}
	return ours
}

// isOurs reports whether a file belongs to the application.
func (p *planner) isOurs(file string) bool { return isOf(p.app, file) }

// otherOf returns the other application that a file belongs to, or nil.
func (p *planner) otherOf(file string) *otherApp {
	for _, o := range p.others {
		if isOf(o.app, file) {
			return o
		}
	}
	return nil
}

// isOf reports whether a file is a Go file of an application, or one of its tree.
func isOf(app project.App, file string) bool {
	return filepath.Dir(file) == app.Dir || isBelow(filepath.Join(app.Dir, routetree.RouterDir), file)
}

func (o *otherApp) hasPath(written string) bool { return len(routetree.Find(o.paths, written)) > 0 }

func (o *otherApp) hasAsset(name string) bool {
	return slices.ContainsFunc(o.tree.Public, func(f *routetree.Public) bool { return f.Name() == name })
}

// has reports whether what a finder has found in a file of the application speaks of its
// own tree: it has such a file, or answers such a URL. prefix is that of the finder.
func (o *otherApp) has(h hit, prefix []string) bool {
	if h.file {
		return o.hasFile(h.text)
	}
	text, ok := pathOf(h.text)
	if !ok || h.mounted {
		return false
	}
	segments, open := split(text)
	return slices.ContainsFunc(o.patterns, func(t treePattern) bool {
		pat := t.Segments
		return matchers.MayMatch(pat, segments) || open && matchers.MayMatch(pat, append(slices.Clip(segments), pattern.Hole)) ||
			len(prefix) > 0 && len(pat) >= len(prefix) && matchers.MayMatch(pat[:len(prefix)], prefix)
	})
}

// hasFile reports whether a name is that of a file of the application, or of a counterpart.
func (o *otherApp) hasFile(name string) bool {
	if stem, ok := strings.CutSuffix(name, ".go"); ok {
		return byStem(o.tree)[strings.TrimSuffix(stem, "_test")] != nil
	}
	for _, file := range o.paths {
		if file == name || routetree.BelowRouter(file) == name {
			return true
		}
	}
	return o.hasAsset(strings.TrimPrefix(name, routetree.PublicDir+"/"))
}
