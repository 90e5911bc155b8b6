package flow

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/flow/internal/fault"
	"example.com/flow/internal/public"

	"example.com/flow/internal/pattern"

	"example.com/flow/internal/routetree"

	"example.com/flow/internal/pages"

	"example.com/flow/internal/disk"
)

// A source is what Router.Dev reads in place of the embedded files.
type source struct {
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
		files := disk.Dir(dir)
		info, err := fs.Stat(files, routetree.RouterDir)
		switch {
		case errors.Is(err, disk.ErrLeadsOut):
			r.own.faults = append(r.own.faults, fault.At(pos, "Dev(%q): %s: %v", dir, routetree.RouterDir, disk.ErrLeadsOut))
		case err != nil || !info.IsDir():
			r.own.faults = append(r.own.faults, fault.At(pos, "Dev(%q): there is no directory %s in it: give the directory of the Go file that embeds it", dir, routetree.RouterDir))
		}
		r.disk = &source{files: files}
	})
}

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
func (d *source) read(r *Router) (*pages.Views, error) {
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
func (d *source) compare(r *Router, now *routetree.Tree) {
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
func (d *source) gone(file string) error {
	switch _, err := fs.Stat(d.files, file); {
	case errors.Is(err, disk.ErrLeadsOut):
		return fmt.Errorf("flow: %s: %w", file, disk.ErrLeadsOut)
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
func (d *source) public(file string) flowFunc {
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
