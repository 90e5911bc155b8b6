package flow

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/public"

	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"

	"example.com/flow/internal/pages"
)

// A disk is what Router.Dev reads in place of the embedded files.
type disk struct {
	files fs.FS

	mu      sync.Mutex
	state   string // of all that views depend on, when they were made
	views   *pages.Views
	err     error     // what is wrong about them
	unbuilt []unbuilt // what is on disk and not in the binary
	// differs is what was logged of how the disk differs from the binary.
	differs string
}

// Dev makes the Router read templates and public files from a directory, which
// holds router/ and public/, at each request: a change shows without a rebuild.
// What fails is shown in the browser with file and line, and public files are
// neither compressed nor given hashed URLs. It is for development only, where Main
// listens on localhost unless it is given an address, and is called before the Router
// serves.
//
// A symbolic link is followed while it stays inside the directory; one that leads out
// of it, or is absolute, is an error in the browser. The directory may be removed and
// made anew.
//
// Routes stay those of the binary. The log says how the directory differs from
// them. A directory that has no router/ is a fault. Check leaves templates to the
// browser then.
func (r *Router) Dev(dir string) {
	pos := fault.Caller(0)
	r.own.change(pos, "Dev", func() {
		files := rootDir(dir)
		info, err := fs.Stat(files, routetree.RouterDir)
		switch {
		case errors.Is(err, errLeadsOut):
			r.own.faults = append(r.own.faults, fault.At(pos, "Dev(%q): %s: %v", dir, routetree.RouterDir, errLeadsOut))
		case err != nil || !info.IsDir():
			r.own.faults = append(r.own.faults, fault.At(pos, "Dev(%q): there is no directory %s in it: give the directory of the Go file that embeds it", dir, routetree.RouterDir))
		}
		r.disk = &disk{files: files}
	})
}

// A rootDir is a directory of which no symbolic link leads out. It is opened anew for
// each file: an os.Root that stays would be that of the old directory once another has
// taken its place.
type rootDir string

// Open, Stat, ReadDir and ReadFile are those of the file systems of package os.
func (d rootDir) Open(name string) (fs.File, error) { return inRoot(d, fs.FS.Open, name) }

func (d rootDir) Stat(name string) (fs.FileInfo, error) { return inRoot(d, fs.Stat, name) }

func (d rootDir) ReadDir(name string) ([]fs.DirEntry, error) { return inRoot(d, fs.ReadDir, name) }

func (d rootDir) ReadFile(name string) ([]byte, error) { return inRoot(d, fs.ReadFile, name) }

func inRoot[T any](d rootDir, read func(fs.FS, string) (T, error), name string) (T, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		var none T
		return none, err
	}
	defer root.Close() // a file that was opened in it stays open
	v, err := read(root.FS(), name)
	// Package os exports no error for what leads out: it has to be asked for one.
	if _, outside := root.Stat(".."); err != nil && errors.Is(err, errors.Unwrap(outside)) {
		err = &fs.PathError{Op: "open", Path: name, Err: errLeadsOut}
	}
	return v, err
}

var errLeadsOut = errors.New("a symbolic link that is absolute, or leads out of the directory of Dev, is not followed")

// inDev reports whether Dev was called.
func (r *Router) inDev() bool { return r != nil && r.disk != nil }

// views returns the templates, and in development what is wrong about them.
func (r *Router) views() (*pages.Views, error) {
	if r.inDev() {
		return r.disk.read(r)
	}
	return r.table.Load().views, nil
}

// read returns the templates as they are on disk now.
func (d *disk) read(r *Router) (*pages.Views, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := routetree.Read(d.files, r.tree.Shared)
	now = now.Below(r.tree.Prefix)
	d.compare(r, now)
	texts, faults := pages.Read(now)
	onDisk := fileNames(now)
	state := fmt.Sprint(texts, slices.Sorted(maps.Keys(onDisk)), slices.Sorted(maps.Keys(now.Dirs)), now.Faults, faults)
	if d.views != nil && state == d.state {
		return d.views, d.err
	}
	table := r.table.Load()
	host := table.host(false)
	host.Asset = func(at any, name string) (string, error) {
		file := routetree.PublicDir + "/" + name
		switch known := table.assets[name] != nil; {
		case known && !onDisk[file]:
			return "", fmt.Errorf("flow: %s is gone", file)
		case !known && onDisk[file]:
			return "", fmt.Errorf("flow: %s", isNew(file))
		}
		return table.asset(vantageOf(at), name)
	}
	views, more := pages.Make(now, texts, host)
	d.state, d.views = state, views
	d.unbuilt = unbuiltFiles(now, fileNames(r.tree))
	d.err = fault.Join(slices.Concat(now.Faults, faults, more))
	return d.views, d.err
}

// compare logs how the disk differs from the binary, each time that changes.
func (d *disk) compare(r *Router, now *routetree.Tree) {
	added, removed := difference(fileNames(now), fileNames(r.tree))
	var args []any
	if len(added) > 0 {
		args = append(args, "new", strings.Join(added, ", "))
	}
	if len(removed) > 0 {
		args = append(args, "gone", strings.Join(removed, ", "))
	}
	if err := fault.Join(now.Faults); err != nil {
		args = append(args, "faults", err.Error())
	}
	if differs := fmt.Sprint(args...); differs != d.differs {
		if d.differs = differs; differs != "" {
			r.logger().Warn("flow: the files on disk are not those of the binary, whose routes stay as they are until it is built again", args...)
		}
	}
}

// gone returns an error if a route file is not on disk any more.
func (d *disk) gone(file string) error {
	switch _, err := fs.Stat(d.files, file); {
	case errors.Is(err, errLeadsOut):
		return fmt.Errorf("flow: %s: %w", file, errLeadsOut)
	case err != nil:
		return fmt.Errorf("flow: %s is gone: routes stay those of the binary until it is built again", file)
	}
	return nil
}

// An unbuilt is a URL that a file on disk would have, and that the binary lacks.
type unbuilt struct {
	file    string
	pattern *pattern.Pattern
}

// unbuiltFiles returns the URLs of the files of a tree that are not known.
func unbuiltFiles(t *routetree.Tree, known map[string]bool) []unbuilt {
	var files []unbuilt
	for _, p := range t.Public {
		files = append(files, unbuilt{p.File, p.Pattern})
	}
	for _, r := range t.Routes {
		for _, p := range r.Patterns {
			files = append(files, unbuilt{r.File, p})
		}
	}
	return slices.DeleteFunc(files, func(u unbuilt) bool { return known[u.file] })
}

// hint is for those who ask in vain for what is new on disk.
func (r *Router) hint(req *http.Request) string {
	if !r.inDev() {
		return ""
	}
	r.disk.mu.Lock()
	defer r.disk.mu.Unlock()
	p, _ := pattern.ParsePath(req)
	var asked []pattern.Segment
	for _, value := range p.Segments {
		asked = append(asked, pattern.Segment{Kind: pattern.Literal, Text: value})
	}
	for _, u := range r.disk.unbuilt {
		if _, ok := pattern.Overlap(asked, u.pattern.Segments); ok {
			return isNew(u.file)
		}
	}
	return ""
}

func isNew(file string) string {
	return file + " is new: it has no URL until the binary is built again"
}

// fileNames returns the route files and public files of a tree.
func fileNames(t *routetree.Tree) map[string]bool {
	names := map[string]bool{}
	for _, r := range t.Routes {
		names[r.File] = true
	}
	for _, s := range t.Public {
		names[s.File] = true
	}
	return names
}

// difference returns what is in a only and what is in b only.
func difference(a, b map[string]bool) (onlyA, onlyB []string) {
	onlyA = slices.DeleteFunc(slices.Sorted(maps.Keys(a)), func(name string) bool { return b[name] })
	onlyB = slices.DeleteFunc(slices.Sorted(maps.Keys(b)), func(name string) bool { return a[name] })
	return onlyA, onlyB
}

// public returns what serves a public file as it is on disk.
func (d *disk) public(file string) flowFunc {
	return func(*Request) (Response, error) {
		if _, err := fs.Stat(d.files, file); err != nil {
			why := err
			var p *fs.PathError
			if errors.As(err, &p) {
				why = p.Err // the file was named
			}
			return Response{}, Error(http.StatusNotFound, fmt.Sprintf("%s cannot be read from disk: %v", file, why))
		}
		mediaType := public.MediaType(d.files, file)
		return Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f, err := public.Open(d.files, file)
			if err != nil {
				panic(err) // it was there a moment ago
			}
			defer f.Close()
			http.ServeContent(w, r, "", time.Time{}, f)
		})).Header("Content-Type", mediaType).Header("Cache-Control", "no-store"), nil
	}
}
