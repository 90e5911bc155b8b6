package dev

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.com/flow/cmd/flow/internal/project"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/serve/routes/routetree"
)

// edited reports whether the package is one that people edit: of the main module, of
// another one of the workspace, or of one that is replaced by a directory.
func edited(p project.Package) bool {
	m := p.Module
	return !p.Standard && m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}

// goList asks the go tool about packages, whatever is wrong with them. The fields are
// those of project.Package that are asked for.
func goList(ctx context.Context, dir string, flags []string, fields string, args ...string) ([]project.Package, error) {
	cmd := goCommand(ctx, dir, slices.Concat([]string{"list", "-e", "-json=" + fields}, flags, args))
	packages, err := project.List(cmd)
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return packages, nil
}

// A layout is where the files of a program are: what has to be watched, and what a change
// means.
type layout struct {
	apps     []string // directories that hold a router/ which is embedded
	packages fileSet  // directories of Go files
	embeds   []embedding
	embedded fileSet  // files that are embedded
	modules  []string // directories of modules, or of the workspace
	missing  []string // directories that may become packages: see look
	reviewed []string // packages of the main module, as the go tool takes them
}

// An embedding is a pattern of a go:embed directive.
type embedding struct {
	dir     string // of the Go file
	pattern string // without "all:"
}

// look finds out the layout of a program.
func look(ctx context.Context, dir string, flags []string, pkg string) (*layout, error) {
	packages, err := goList(ctx, dir, append([]string{"-deps"}, flags...),
		"ImportPath,Dir,Standard,EmbedPatterns,EmbedFiles,Module", pkg)
	if err != nil {
		return nil, err
	}
	l := layoutOf(packages)
	env := exec.CommandContext(ctx, "go", "env", "GOWORK")
	env.Dir = dir
	if out, err := env.Output(); err == nil {
		if file := strings.TrimSpace(string(out)); filepath.IsAbs(file) {
			l.modules = add(l.modules, filepath.Dir(file))
		}
	}
	return l, nil
}

func layoutOf(packages []project.Package) *layout {
	l := &layout{packages: fileSet{}, embedded: fileSet{}}
	for _, p := range packages {
		if edited(p) && p.Module.Dir != "" {
			l.modules = add(l.modules, p.Module.Dir)
		}
	}
	for _, p := range packages {
		if p.Dir == "" { // it is imported, and not there
			l.addMissing(packages, p.ImportPath)
		}
		if p.Dir == "" || !edited(p) {
			continue
		}
		l.packages[p.Dir] = true
		if p.Module.Main && p.ImportPath != "command-line-arguments" {
			l.reviewed = append(l.reviewed, p.ImportPath)
		}
		for _, pattern := range p.EmbedPatterns {
			e := embedding{p.Dir, strings.TrimPrefix(pattern, "all:")}
			l.embeds = append(l.embeds, e)
			if e.pattern == routetree.RouterDir {
				l.apps = add(l.apps, p.Dir)
			}
		}
		for _, file := range p.EmbedFiles {
			l.embedded[filepath.Join(p.Dir, filepath.FromSlash(file))] = true
		}
	}
	return l
}

// add returns a list with those of other values that it lacks.
func add[T comparable](list []T, others ...T) []T {
	for _, v := range others {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// join adds what another layout has. Of a program that does not build, the go tool knows
// less: behind an import that is broken, it sees no application any more.
func (l *layout) join(other *layout) {
	l.modules, l.apps, l.embeds = add(l.modules, other.modules...), add(l.apps, other.apps...), add(l.embeds, other.embeds...)
	maps.Copy(l.packages, other.packages)
	maps.Copy(l.embedded, other.embedded)
}

// addMissing notes where a package would be that is imported and is not there.
func (l *layout) addMissing(packages []project.Package, importPath string) {
	for _, p := range packages {
		if m := p.Module; m != nil && m.Main {
			if below, ok := strings.CutPrefix(importPath, m.Path+"/"); ok {
				l.missing = append(l.missing, filepath.Join(m.Dir, filepath.FromSlash(below)))
				return
			}
		}
	}
}

// dirs returns the directories to watch.
func (l *layout) dirs() []string {
	found := maps.Clone(l.packages)
	find := func(dir string) { found[dir] = true }
	for _, dir := range l.modules {
		find(dir)
	}
	for _, dir := range l.missing {
		for !disk.IsDir(dir) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
		find(dir)
	}
	for _, e := range l.embeds {
		e.eachDir(find)
	}
	for _, app := range l.apps {
		// A directory public/ that is not embedded yet is not read either, but one that is
		// new has to be found when the go:embed directive names it.
		for _, name := range []string{routetree.RouterDir, routetree.PublicDir} {
			eachDirBelow(filepath.Join(app, name), find)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// eachDir calls add for the directories that hold what is embedded.
func (e embedding) eachDir(add func(string)) {
	matches, err := fs.Glob(os.DirFS(e.dir), e.pattern)
	if err != nil || len(matches) == 0 { // a name with brackets is a pattern, too
		matches = []string{e.pattern}
	}
	for _, match := range matches {
		for dir := path.Dir(match); dir != "."; dir = path.Dir(dir) {
			if at := filepath.Join(e.dir, filepath.FromSlash(dir)); disk.IsDir(at) {
				add(at)
			}
		}
		eachDirBelow(filepath.Join(e.dir, filepath.FromSlash(match)), add)
	}
}

// covers reports whether a file is embedded by the pattern, or would be if it were there.
func (e embedding) covers(file string) bool {
	below, err := filepath.Rel(e.dir, file)
	if err != nil || !filepath.IsLocal(below) {
		return false
	}
	for name := filepath.ToSlash(below); name != "."; name = path.Dir(name) {
		if ok, err := path.Match(e.pattern, name); ok || err != nil && name == e.pattern {
			return true
		}
	}
	return false
}

// eachFileBelow calls add for the files below a directory.
func eachFileBelow(root string, add func(string)) {
	_ = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			add(file)
		}
		return nil
	})
}

// eachDirBelow calls add for a directory and those below it, but for hidden ones of
// version control.
func eachDirBelow(root string, add func(string)) {
	// The function returns no error but SkipDir, and what cannot be read is not watched.
	_ = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil
		case file != root && ignoredDir(d.Name()):
			return filepath.SkipDir
		}
		add(file)
		return nil
	})
}

// ignoredDir reports whether nothing in a directory of that name matters, wherever it is.
func ignoredDir(name string) bool {
	return slices.Contains([]string{".git", ".hg", ".svn", ".jj", ".idea", ".vscode", "node_modules"}, name)
}
