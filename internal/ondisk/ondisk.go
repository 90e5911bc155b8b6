// Package ondisk reads an application from its directory in development, while the routes
// stay those of the binary. A [Source] makes the templates anew when their files have
// changed, serves public files as they are now, new ones too, and says how the directory
// differs from the binary. [Nearest] says which URL a path that nothing answers may have
// meant. What the room has to know of the application is given to it, as a [Binary].
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
	"sync/atomic"
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
	watch *disk.Watcher
	now   atomic.Pointer[routetree.Tree] // as it was listed last, with the prefix of the binary

	mu      sync.Mutex
	seen    []*disk.Snapshot // of the directory and of the further trees, when views were made
	further []*disk.Watcher  // of the further trees
	tree    *routetree.Tree  // what the names in seen mean
	listed  []*disk.Snapshot // that tree was made of
	texts   map[string]*text // of its templates, by name
	settled bool             // no text may have changed while seen has not
	views   *pages.Views
	err     error           // what is wrong about them
	known   map[string]bool // the files of the binary
	unbuilt []URL           // of route files that are on disk and not in the binary
	differs string          // how the disk differed from the binary when that was last logged
}

// A text is a template file as it was read last.
type text struct {
	pages.Text
	err     error
	entry   *disk.Entry // before it was read
	settled bool        // as long as the entry is the same, so is the text
}

// In returns the source in a directory that holds router/ and public/.
func NewSource(dir string) *Source {
	files := disk.Dir(dir)
	return &Source{files: files, watch: disk.NewWatcher(files, routetree.RouterDir, routetree.PublicDir)}
}

// Watcher returns what looks at the files of the directory.
func (s *Source) Watcher() *disk.Watcher { return s.watch }

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

// Views returns the templates as they were on disk at since or later, and what is wrong
// about them. It reads the files that have changed, and makes the views anew that reach one.
func (s *Source) Views(b Binary, since time.Time) (*pages.Views, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look := s.look(b.Tree, since)
	if s.views != nil && s.settled && slices.EqualFunc(look, s.seen, (*disk.Snapshot).Same) {
		return s.views, s.err
	}
	renamed := s.views == nil || !slices.EqualFunc(look, s.seen, (*disk.Snapshot).SameNames)
	if renamed {
		s.list(b, look)
	}
	changed := s.read(look)
	s.seen = look
	if !renamed && !changed {
		return s.views, s.err
	}
	var texts []pages.Text
	faults := slices.Clone(s.tree.Faults)
	for _, name := range slices.Sorted(maps.Keys(s.texts)) {
		if t := s.texts[name]; t.err == nil {
			texts = append(texts, t.Text)
		} else {
			faults = append(faults, fault.In(t.File, "cannot be read: %v", t.err))
		}
	}
	views, more := pages.NewViews(s.tree, texts, s.host(b), s.views)
	s.views, s.err = views, fault.Join(append(faults, more...))
	return s.views, s.err
}

// look looks at the files of the directory and of the further trees.
func (s *Source) look(built *routetree.Tree, since time.Time) []*disk.Snapshot {
	if s.further == nil {
		s.further = []*disk.Watcher{}
		for _, files := range built.Shared {
			if files != nil { // otherwise Check says so
				s.further = append(s.further, disk.NewWatcher(files, routetree.RouterDir))
			}
		}
	}
	look := []*disk.Snapshot{s.watch.Look(since)}
	for _, w := range s.further {
		look = append(look, w.Look(since))
	}
	return look
}

// list finds out what the names of the files mean, and how they differ from the binary.
func (s *Source) list(b Binary, look []*disk.Snapshot) {
	var further []fs.FS
	for _, l := range look[1:] {
		further = append(further, l)
	}
	s.tree, s.listed = routetree.ParseIn(b.Tree.Dir, look[0], further).Below(b.Tree.Prefix), look
	s.now.Store(s.tree)
	if s.known == nil {
		s.known = fileNames(b.Tree)
	}
	onDisk, isPublic := fileNames(s.tree), map[string]bool{}
	for _, p := range s.tree.Public {
		isPublic[p.File] = true
	}
	added := slices.DeleteFunc(without(onDisk, s.known), func(file string) bool { return isPublic[file] })
	s.compare(added, without(s.known, onDisk), s.tree.Faults, b.Log)
	s.unbuilt = slices.DeleteFunc(URLs(s.tree), func(u URL) bool { return s.known[u.File] || isPublic[u.File] })
}

// read reads the templates that may have changed, and reports whether any has.
func (s *Source) read(look []*disk.Snapshot) (changed bool) {
	before := s.texts
	s.texts, s.settled = make(map[string]*text, len(s.tree.Templates)), true
	for name, src := range s.tree.Templates {
		in := look[slices.IndexFunc(s.listed, func(l *disk.Snapshot) bool { return src.Files == l })]
		entry, was := in.Entry(src.InTree), before[name]
		t := was
		if was == nil || !was.settled || was.File != src.File || !was.entry.Same(entry) {
			t = &text{entry: entry}
			t.Text, t.err = pages.ReadText(name, src)
			t.settled = t.err == nil && in.IsSettled(entry)
			changed = changed || was == nil || t.Text != was.Text || fmt.Sprint(t.err) != fmt.Sprint(was.err)
		}
		s.texts[name] = t
		s.settled = s.settled && t.settled
	}
	return changed || len(s.texts) != len(before)
}

// host returns what templates may ask. A public file of the binary that is not on disk any
// more is an error.
func (s *Source) host(b Binary) pages.Host {
	host := b.Host
	host.Asset = func(at any, name string) (string, error) {
		p := publicOf(b.Tree, routetree.PublicDir+"/"+name)
		if p != nil && publicOf(s.now.Load(), p.InTree) == nil {
			return "", fmt.Errorf("flow: %s is gone", p.File)
		}
		return b.Host.Asset(at, name)
	}
	return host
}

// compare logs how the disk differs from the binary, each time that changes. Public files
// that are new need no build, and so no word.
func (s *Source) compare(added, removed []string, faults []fault.Fault, log *slog.Logger) {
	var args []any
	if len(added) > 0 {
		args = append(args, "new", strings.Join(added, ", "))
	}
	if len(removed) > 0 {
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

// Hint returns a sentence for a request that nothing answers, or "": about a route file that
// is new on disk, and would answer it once the application is built with it, or else about the
// nearest of the URLs that the application has. It knows the files that Views has found.
func (s *Source) Hint(req *http.Request, known []URL) string {
	asked, _ := pattern.ParsePath(req)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.unbuilt {
		if _, ok := pattern.Overlap(literals(asked.Segments), u.Pattern.Segments); ok {
			return u.File + " is new on disk: it has a URL once the application is built with it and has no faults"
		}
	}
	return Nearest(asked.Segments, known)
}

func literals(path []string) (segments []pattern.Segment) {
	for _, text := range path {
		segments = append(segments, pattern.Segment{Kind: pattern.Literal, Text: text})
	}
	return segments
}

// URLs returns what the application answers: the routes that were built, and the public
// files that Views or New has found.
func (s *Source) URLs(built *routetree.Tree) []URL {
	t := *built
	if now := s.now.Load(); now != nil {
		t.Public = now.Public
	}
	return URLs(&t)
}

// New returns the public file that the binary lacks and the disk has for a path, by the
// rules of a build, or nil.
func (s *Source) UnbuiltPublicAt(built *routetree.Tree, asked pattern.Path) *routetree.Public {
	n := len(built.Prefix)
	if !asked.IsCanonical() || len(asked.Segments) <= n {
		return nil
	}
	p := s.UnbuiltPublic(built, strings.Join(asked.Segments[n:], "/"))
	if p == nil {
		return nil
	}
	if _, ok := pattern.Overlap(literals(asked.Segments), p.Pattern.Segments); !ok { // another prefix, or a slash that was escaped
		return nil
	}
	return p
}

// NewFile is New for a path below public/.
func (s *Source) UnbuiltPublic(built *routetree.Tree, name string) *routetree.Public {
	name = routetree.PublicDir + "/" + name
	info, err := fs.Stat(s.files, name)
	if err != nil || !info.Mode().IsRegular() || publicOf(built, name) != nil {
		return nil
	}
	if now := s.now.Load(); now != nil {
		if p := publicOf(now, name); p != nil {
			return p
		}
	}
	now := routetree.ParseIn(built.Dir, s.watch.Look(time.Now()), nil).Below(built.Prefix)
	s.now.Store(now)
	return publicOf(now, name) // nil for what a build leaves out, such as hidden names
}

// publicOf returns a public file of a tree by its name there, or nil.
func publicOf(t *routetree.Tree, name string) *routetree.Public {
	i := slices.IndexFunc(t.Public, func(p *routetree.Public) bool { return p.InTree == name })
	if i < 0 {
		return nil
	}
	return t.Public[i]
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
