// Package ondisk reads the files of an application from its directory, in development. The
// routes are those of the binary. A [Source] parses templates again when their files change,
// serves public files from disk, and logs how the directory differs from the binary.
// [Nearest] suggests a URL for a path that is 404. What this package needs to know of the
// program is in a [Binary].
package ondisk

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/flow/internal/check/pages"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/fault"
	"example.com/flow/internal/serve/pages/templates"
	"example.com/flow/internal/serve/routes/pattern"
	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/serve/wire/public"
	"example.com/flow/internal/site"
)

// A Binary is the tree that the program was built with, and the functions of its templates.
type Binary struct {
	Tree        *routetree.Tree
	Host        templates.Host
	Application pages.Application
	Log         *slog.Logger
}

// A Source is a directory whose files are read in place of the embedded ones. It is safe for
// concurrent use.
type Source struct {
	files disk.Dir
	watch *disk.Watcher
	now   atomic.Pointer[routetree.Tree] // the newest tree, with the prefix of the binary; nil before the first

	mu      sync.Mutex
	shared  []*disk.Watcher  // of the shared trees of flow.New
	seen    []*disk.Snapshot // of the directory and the shared trees, as Checked has seen them last
	listed  []*disk.Snapshot // those that tree was made of
	tree    *routetree.Tree
	texts   map[string]*text // the templates of tree, by name
	settled bool             // all texts are settled
	checked *pages.Checked
	found   []fault.Fault   // what is wrong with checked, with warnings
	known   map[string]bool // the files of the binary
	onDisk  map[string]bool // the files of tree
	differs string          // what compare has logged last
}

// A text is a template file as it was read last.
type text struct {
	templates.Text
	err     error       // of reading it
	entry   *disk.Entry // the state of the file before it was read
	settled bool        // an equal entry means an equal text: the file was not too young when it was read
}

// NewSource returns the Source of a directory that contains router/ and public/.
func NewSource(dir string) *Source {
	files := disk.Dir(dir)
	return &Source{files: files, watch: disk.NewWatcher(files, routetree.RouterDir, routetree.PublicDir)}
}

// Watcher returns the watcher of the directory.
func (s *Source) Watcher() *disk.Watcher { return s.watch }

// Files returns the files of the directory.
func (s *Source) Files() fs.FS { return s.files }

// Dir returns the name of the directory.
func (s *Source) Dir() string { return string(s.files) }

// AbsoluteDir returns the absolute name of the directory.
func (s *Source) AbsoluteDir() string {
	if dir, err := filepath.Abs(s.Dir()); err == nil {
		return dir
	}
	return s.Dir()
}

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

// Checked returns the templates as they were on disk at the Moment since or later, with what checks
// find, and their faults as an error. It reads the files that have changed, and makes new views for the
// templates that use them.
func (s *Source) Checked(b Binary, since disk.Moment) (*pages.Checked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look := s.look(b.Tree, since)
	if s.checked != nil && s.settled && slices.EqualFunc(look, s.seen, (*disk.Snapshot).Same) {
		return s.checked, fault.Join(s.found)
	}
	renamed := s.checked == nil || !slices.EqualFunc(look, s.seen, (*disk.Snapshot).SameNames)
	if renamed {
		s.list(b, look)
	}
	changed := s.read(look)
	s.seen = look
	if !renamed && !changed {
		return s.checked, fault.Join(s.found)
	}
	var texts []templates.Text
	faults := slices.Clone(s.tree.Faults)
	for _, name := range slices.Sorted(maps.Keys(s.texts)) {
		if t := s.texts[name]; t.err == nil {
			texts = append(texts, t.Text)
		} else {
			faults = append(faults, fault.In(t.File, "cannot be read: %v", t.err))
		}
	}
	var before *templates.Views
	if s.checked != nil {
		before = s.checked.Views
	}
	views, more := templates.NewViews(s.tree, texts, s.host(b), before)
	s.checked = pages.New(views, b.Application, s.checked)
	s.found = slices.Concat(faults, more, s.checked.Faults())
	return s.checked, fault.Join(s.found)
}

// Warnings returns the warnings about the templates, as the last call of Checked has found them.
func (s *Source) Warnings() []fault.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.found), func(f fault.Fault) bool { return !f.Warning })
}

// look returns snapshots of the directory and of the shared trees, taken after since.
func (s *Source) look(built *routetree.Tree, since disk.Moment) []*disk.Snapshot {
	if s.shared == nil {
		s.shared = []*disk.Watcher{}
		for _, files := range built.Shared {
			if files != nil { // nil is a fault of Router.Check
				s.shared = append(s.shared, disk.NewWatcher(files, routetree.RouterDir))
			}
		}
	}
	look := []*disk.Snapshot{s.watch.Look(since)}
	for _, w := range s.shared {
		look = append(look, w.Look(since))
	}
	return look
}

// list makes the tree of the files in the snapshots, and compares it with that of the binary.
func (s *Source) list(b Binary, look []*disk.Snapshot) {
	var shared []fs.FS
	for _, l := range look[1:] {
		shared = append(shared, l)
	}
	s.tree, s.listed = routetree.ParseIn(b.Tree.Dir, look[0], shared, b.Tree.Formats).Below(b.Tree.Prefix), look
	s.now.Store(s.tree)
	s.known, s.onDisk = fileNames(b.Tree), fileNames(s.tree)
	// New public files are no difference, since they are served without a build.
	s.compare(without(fileNames(&routetree.Tree{Routes: s.tree.Routes}), s.known), without(s.known, s.onDisk), s.tree.Faults, b.Log)
}

// read reads the templates that may have changed, and reports whether the texts differ from
// those before.
func (s *Source) read(look []*disk.Snapshot) (changed bool) {
	before := s.texts
	s.texts, s.settled = make(map[string]*text, len(s.tree.Templates)), true
	for name, src := range s.tree.Templates {
		in := look[slices.IndexFunc(s.listed, func(l *disk.Snapshot) bool { return src.Files == l })]
		entry, was := in.Entry(src.InTree), before[name]
		t := was
		if was == nil || !was.settled || was.File != src.File || !was.entry.Same(entry) {
			t = &text{entry: entry}
			t.Text, t.err = templates.ReadText(name, src)
			t.settled = t.err == nil && in.IsSettled(entry)
			changed = changed || was == nil || t.Text != was.Text || fmt.Sprint(t.err) != fmt.Sprint(was.err)
		}
		s.texts[name] = t
		s.settled = s.settled && t.settled
	}
	return changed || len(s.texts) != len(before)
}

// host returns the Host of the binary, whose Asset returns an error for a public file that is
// in the binary and not on disk.
func (s *Source) host(b Binary) templates.Host {
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

// compare logs how the files on disk differ from those of the binary, if it has not logged
// the same before.
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

// Gone returns an error if a route file is not on disk.
func (s *Source) Gone(r *routetree.Route) error {
	switch _, err := fs.Stat(s.files, r.InTree()); {
	case errors.Is(err, disk.ErrLeadsOut):
		return fmt.Errorf("flow: %s: %w", r.File, disk.ErrLeadsOut)
	case err != nil:
		return fmt.Errorf("flow: %s is gone: routes stay those of the binary until it is built again", r.File)
	}
	return nil
}

// Hint returns a sentence for the client about a 404, or "". The sentence names a route file
// that is on disk and not in the binary, and matches the request; or else the nearest of the
// known routes. Hint uses the files as the last call of Checked has seen them.
func (s *Source) Hint(req *http.Request, known []site.Route) string {
	asked, _ := pattern.ParsePath(req)
	s.mu.Lock()
	defer s.mu.Unlock()
	var formats []string
	if s.tree != nil {
		if u := s.unbuiltAt(literals(asked.Segments), site.TreeRoutes(&routetree.Tree{Routes: s.tree.Routes})); u != nil {
			return u.File + " is new on disk: it has a URL once the application is built with it and has no faults"
		}
		formats = s.tree.Formats
	}
	return Nearest(asked.Segments, known, formats)
}

// unbuiltAt returns the first of the routes that matches a path and has a file that is not in the
// binary, or nil.
func (s *Source) unbuiltAt(path []pattern.Segment, routes []site.Route) *site.Route {
	for _, r := range routes {
		if _, ok := pattern.Overlap(path, r.Pattern.Segments); ok && !s.known[r.File] {
			return &r
		}
	}
	return nil
}

// IsUnbuilt reports whether a route file or a public file that is on disk and not in the
// binary matches a path. It uses the files as the last call of Checked has seen them.
func (s *Source) IsUnbuilt(path []pattern.Segment) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree != nil && s.unbuiltAt(path, site.TreeRoutes(s.tree)) != nil
}

// IsGone reports whether a route file or a public file, as messages name it, is in the binary
// and not on disk. It uses the files as the last call of Checked has seen them.
func (s *Source) IsGone(file string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[file] && !s.onDisk[file]
}

// literals returns the segments of a path as literal segments of a pattern.
func literals(path []string) (segments []pattern.Segment) {
	for _, text := range path {
		segments = append(segments, pattern.Segment{Kind: pattern.Literal, Text: text})
	}
	return segments
}

// Routes returns the routes of the binary, and the public files on disk as they were listed last.
func (s *Source) Routes(built *routetree.Tree) []site.Route {
	t := *built
	if now := s.now.Load(); now != nil {
		t.Public = now.Public
	}
	return site.TreeRoutes(&t)
}

// UnbuiltPublicAt returns the public file for a path that is on disk and not in the binary.
// It returns nil if there is none, or if a build would leave out the file.
func (s *Source) UnbuiltPublicAt(built *routetree.Tree, asked pattern.Path) *routetree.Public {
	n := len(built.Prefix)
	if !asked.IsCanonical() || len(asked.Segments) <= n {
		return nil
	}
	p := s.UnbuiltPublic(built, strings.Join(asked.Segments[n:], "/"))
	if p != nil {
		if _, ok := pattern.Overlap(literals(asked.Segments), p.Pattern.Segments); !ok {
			return nil // the path has another prefix, or an escaped slash
		}
	}
	return p
}

// UnbuiltPublic is UnbuiltPublicAt for the path of a file below public/.
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
	now := routetree.ParseIn(built.Dir, s.watch.Look(disk.Now()), nil, built.Formats).Below(built.Prefix)
	s.now.Store(now)
	return publicOf(now, name) // nil if a build would leave out the file, for a hidden name for example
}

// publicOf returns the public file of a tree with a name such as "public/app.css", or nil.
func publicOf(t *routetree.Tree, name string) *routetree.Public {
	i := slices.IndexFunc(t.Public, func(p *routetree.Public) bool { return p.InTree == name })
	if i < 0 {
		return nil
	}
	return t.Public[i]
}

// fileNames returns the names of the route files and the public files of a tree.
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

// without returns the names that are in a and not in b, sorted.
func without(a, b map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a)), func(name string) bool { return b[name] })
}

// Public returns a handler that serves a public file from disk. If the file cannot be read,
// it returns an error whose text may be sent to the client.
func (s *Source) Public(p *routetree.Public) (http.Handler, error) {
	if _, err := fs.Stat(s.files, p.InTree); err != nil {
		why := err
		var of *fs.PathError
		if errors.As(err, &of) {
			why = of.Err // without the path, since the message names the file already
		}
		return nil, fmt.Errorf("%s cannot be read from disk: %v", p.File, why)
	}
	mediaType := public.MediaType(s.files, p.InTree)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := public.Open(s.files, p.InTree)
		if err != nil {
			panic(err) // the file existed a moment ago: the panic becomes a 500
		}
		defer f.Close()
		if _, set := w.Header()["Content-Type"]; !set { // as in production
			w.Header().Set("Content-Type", mediaType)
		}
		w.Header().Set("Cache-Control", "no-store")
		http.ServeContent(w, r, "", time.Time{}, f)
	}), nil
}
