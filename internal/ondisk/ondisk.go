// Package ondisk reads an application from its directory in development, while the routes
// stay those of the binary. A [Source] makes the templates anew when their files have
// changed, serves public files as they are now, and says how the directory differs from
// the binary. What it has to know of the application is given to it, as a [Binary].
package ondisk

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/flow/internal/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/pages"
	"example.com/flow/internal/pattern"
	"example.com/flow/internal/public"
	"example.com/flow/internal/routetree"
)

// A Binary is what the program that runs was built from, and what its templates may ask.
type Binary struct {
	Tree *routetree.Tree
	Host pages.Host
	Log  *slog.Logger
}

// A Source is the directory that is read in place of the embedded files. It is safe for
// concurrent use.
type Source struct {
	files disk.Dir

	mu      sync.Mutex
	state   string // what views were made from, as text
	views   *pages.Views
	err     error     // what is wrong about them
	unbuilt []unbuilt // what is on disk and not in the binary
	differs string    // how the disk differed from the binary when that was last logged
}

// In returns the source in a directory that holds router/ and public/.
func In(dir string) *Source { return &Source{files: disk.Dir(dir)} }

// Files returns the files of the directory.
func (s *Source) Files() fs.FS { return s.files }

// Dir returns the name of the directory.
func (s *Source) Dir() string { return string(s.files) }

// Check returns an error if the directory has no router/.
func (s *Source) Check() error {
	info, err := fs.Stat(s.files, routetree.RouterDir)
	switch {
	case errors.Is(err, disk.ErrLeadsOut):
		return fmt.Errorf("%s: %w", routetree.RouterDir, disk.ErrLeadsOut)
	case err != nil || !info.IsDir():
		return fmt.Errorf("there is no directory %s in it: give the directory of the Go file that embeds it", routetree.RouterDir)
	}
	return nil
}

// Views returns the templates as they are on disk now, and what is wrong about them.
func (s *Source) Views(b Binary) (*pages.Views, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := routetree.ReadIn(b.Tree.Dir, s.files, b.Tree.Shared)
	now = now.Below(b.Tree.Prefix)
	onDisk, known := fileNames(now), fileNames(b.Tree)
	s.compare(onDisk, known, now.Faults, b.Log)
	texts, faults := pages.Read(now)
	state := fmt.Sprint(texts, slices.Sorted(maps.Keys(onDisk)), slices.Sorted(maps.Keys(now.Dirs)), now.Faults, faults)
	if s.views != nil && state == s.state {
		return s.views, s.err
	}
	host := b.Host
	host.Asset = func(at any, name string) (string, error) {
		file := now.Shown(routetree.PublicDir + "/" + name)
		switch {
		case known[file] && !onDisk[file]:
			return "", fmt.Errorf("flow: %s is gone", file)
		case !known[file] && onDisk[file]:
			return "", fmt.Errorf("flow: %s", isNew(file))
		}
		return b.Host.Asset(at, name)
	}
	views, more := pages.Make(now, texts, host)
	s.state, s.views = state, views
	s.unbuilt = unbuiltFiles(now, known)
	s.err = fault.Join(slices.Concat(now.Faults, faults, more))
	return s.views, s.err
}

// compare logs how the disk differs from the binary, each time that changes.
func (s *Source) compare(onDisk, known map[string]bool, faults []fault.Fault, log *slog.Logger) {
	var args []any
	if added := without(onDisk, known); len(added) > 0 {
		args = append(args, "new", strings.Join(added, ", "))
	}
	if removed := without(known, onDisk); len(removed) > 0 {
		args = append(args, "gone", strings.Join(removed, ", "))
	}
	if err := fault.Join(faults); err != nil {
		args = append(args, "faults", err.Error())
	}
	if differs := fmt.Sprint(args...); differs != s.differs {
		if s.differs = differs; differs != "" {
			log.Warn("flow: the files on disk are not those of the binary, whose routes stay as they are until it is built again", args...)
		}
	}
}

// Gone returns an error if a route file is not on disk any more.
func (s *Source) Gone(r *routetree.Route) error {
	switch _, err := fs.Stat(s.files, r.InTree()); {
	case errors.Is(err, disk.ErrLeadsOut):
		return fmt.Errorf("flow: %s: %w", r.File, disk.ErrLeadsOut)
	case err != nil:
		return fmt.Errorf("flow: %s is gone: routes stay those of the binary until it is built again", r.File)
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

// Hint returns a sentence for a request that nothing answers, if a file that is new on
// disk would answer it once the binary is built again, and else "". It knows the files
// that Views has found.
func (s *Source) Hint(req *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, _ := pattern.ParsePath(req)
	var asked []pattern.Segment
	for _, value := range p.Segments {
		asked = append(asked, pattern.Segment{Kind: pattern.Literal, Text: value})
	}
	for _, u := range s.unbuilt {
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
	for _, p := range t.Public {
		names[p.File] = true
	}
	return names
}

// without returns what is in a and not in b, in order.
func without(a, b map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a)), func(name string) bool { return b[name] })
}

// Public returns what serves a public file as it is on disk now, or an error for the
// client if it cannot be read.
func (s *Source) Public(p *routetree.Public) (http.Handler, error) {
	if _, err := fs.Stat(s.files, p.InTree); err != nil {
		why := err
		var of *fs.PathError
		if errors.As(err, &of) {
			why = of.Err // without the path: the message names the file already
		}
		return nil, fmt.Errorf("%s cannot be read from disk: %v", p.File, why)
	}
	mediaType := public.MediaType(s.files, p.InTree)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := public.Open(s.files, p.InTree)
		if err != nil {
			panic(err) // it was there a moment ago
		}
		defer f.Close()
		w.Header().Set("Content-Type", mediaType)
		w.Header().Set("Cache-Control", "no-store")
		http.ServeContent(w, r, "", time.Time{}, f)
	}), nil
}
