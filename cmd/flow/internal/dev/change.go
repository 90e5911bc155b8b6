package dev

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.com/flow/internal/serve/routes/routetree"
)

// An effect is what has to be done about a change.
type effect int

const (
	nothing effect = iota
	reload         // the program reads the file by itself: only open pages have to know
	build
)

// A fileSet is a set of files that existed at some time.
type fileSet map[string]bool

// routeFiles returns the files below the routers of the applications, as they are now.
func (l *layout) routeFiles() fileSet {
	files := fileSet{}
	for _, app := range l.apps {
		eachFileBelow(filepath.Join(app, routetree.RouterDir), func(file string) { files[file] = true })
	}
	return files
}

// A past is what was there before a change.
type past struct {
	served fileSet // the route files of the program that answers
	tried  fileSet // those of the last build, even if it has failed
	failed bool    // the last build has failed

	// fromDisk are the directories whose router/ and public/ the program reads from disk. What
	// it takes from others, such as shared templates, is in its binary. Nil is all of them.
	fromDisk []string
}

// reads reports whether the program reads the route files of a directory from disk.
func (p past) reads(dir string) bool {
	return p.fromDisk == nil || slices.ContainsFunc(p.fromDisk, func(other string) bool { return sameDir(dir, other) })
}

// sameDir reports whether two names are of one directory.
func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// decide returns what has to be done when a file has changed, was removed, or is new.
// exists says whether the file is there now.
func (l *layout) decide(file string, before past, exists func(string) bool) effect {
	name := filepath.Base(file)
	if ignoredFile(name) {
		return nothing
	}
	for _, app := range l.apps {
		below, err := filepath.Rel(app, file)
		if err != nil || !filepath.IsLocal(below) || !before.reads(app) {
			continue
		}
		switch root, rest, _ := strings.Cut(filepath.ToSlash(below), "/"); root {
		case routetree.RouterDir:
			return decideRoute(file, rest, before, exists)
		case routetree.PublicDir:
			if rest == "" { // the directory itself
				return build
			}
			return reload
		}
	}
	dir := filepath.Dir(file)
	switch {
	case slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum"}, name):
		if slices.Contains(l.modules, dir) {
			return build
		}
	case l.embedded[file], slices.ContainsFunc(l.embeds, func(e embedding) bool { return e.covers(file) }):
		return build
	case strings.HasSuffix(name, "_test.go"):
		// The go tool reads no more of a test than its imports, but refuses to build beside
		// one in which it finds no package.
		if before.failed {
			return build
		}
	case slices.Contains([]string{".go", ".s", ".c", ".h", ".cc", ".cpp", ".hpp", ".m", ".syso"}, filepath.Ext(name)):
		// A file of a directory that is no package of the program yet may make it one,
		// which the go tool knows best: if the program stays the same, nothing happens.
		return build
	case exists(file) || !l.holds(file):
	default: // a directory that held packages or embedded files is gone
		return build
	}
	return nothing
}

// decideRoute is decide for a file below router/, named by its path there. A route that
// is new or gone needs a build, since routes are those of the binary. Templates that are
// no routes are read from disk as they are.
func decideRoute(file, rest string, before past, exists func(string) bool) effect {
	for elem := range strings.SplitSeq(rest, "/") {
		if strings.HasPrefix(elem, "_") || strings.HasPrefix(elem, ".") && elem != ".well-known" {
			return nothing // as routetree has it
		}
	}
	name := filepath.Base(file)
	switch ext := filepath.Ext(name); {
	case rest == "":
		return build
	case exists(file):
		if before.served[file] || name[0] == '+' && ext == ".html" {
			return reload
		}
		return build
	case name[0] == '+' && ext == ".html":
		return reload
	case before.served.holds(file), before.tried.holds(file):
		return build
	}
	return nothing // it was never there, or only its directory knew
}

// holds reports whether the set has a file, or one below it.
func (s fileSet) holds(dir string) bool {
	for file := range s {
		if file == dir || strings.HasPrefix(file, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// holds reports whether a package or an embedded file is in a directory or below it.
func (l *layout) holds(dir string) bool {
	return l.packages.holds(dir) || l.embedded.holds(dir)
}

// ignoredFiles are the patterns of hidden files that are none of the program, wherever they are:
// editors make them beside the one that they save, besides those that no tree has.
var ignoredFiles = []string{
	".DS_Store", ".#*", ".goutputstream-*",
	".sw[ox]", ".*.sw[ox]", ".swpx", ".*.swpx", ".kate-swp", ".*.kate-swp", ".tmp", ".*.tmp",
}

// ignoredFile reports whether a file of that name is one that an editor leaves, or an ignoredDir.
func ignoredFile(name string) bool {
	return ignoredDir(name) || routetree.IsLeftover(name) || slices.ContainsFunc(ignoredFiles, func(pattern string) bool {
		match, _ := path.Match(pattern, name)
		return match
	})
}
