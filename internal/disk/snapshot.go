package disk

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"time"
)

// An Entry is a file or a directory at the time of a Snapshot. Err is why it cannot be
// looked at; Info is nil then, except for a directory that cannot be listed.
type Entry struct {
	Name string // "router/users/[id].html"
	Info fs.FileInfo
	Err  error

	listed fs.DirEntry // nil for a directory to begin with that is not there
}

// Same reports whether two entries are equal as far as the system tells without reading:
// in name, kind, size and times, and on Linux and macOS in the number of the inode. Equal
// entries have the same content, except that a file may be written twice within one tick
// of the clock that times are taken from: see Snapshot.IsSettled.
func (e *Entry) Same(other *Entry) bool {
	if !e.sameKind(other) {
		return false
	}
	a, b := e.Info, other.Info
	return a == nil || a.IsDir() || a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && inodeOf(a) == inodeOf(b)
}

// sameKind reports whether two entries look the same in a list of names.
func (e *Entry) sameKind(other *Entry) bool {
	if e.Name != other.Name || (e.Info == nil) != (other.Info == nil) || e.Info != nil && e.Info.Mode() != other.Info.Mode() {
		return false
	}
	return e.Err == other.Err || e.Err != nil && other.Err != nil && e.Err.Error() == other.Err.Error()
}

// An inode is what tells a file from another one that has taken its name, size and time.
// It is zero where the system does not say.
type inode struct {
	number  uint64
	changed time.Time // when the file was last written, renamed or otherwise changed
}

// A Snapshot is how the files below some directories were at one time. As an fs.FS it lists
// those files, but their contents are read from disk as they are now.
type Snapshot struct {
	Taken   time.Time // right before the files were looked at
	Entries []Entry   // in the order of fs.WalkDir

	files fs.FS
	index func() *index
}

// An index finds the entries of a Snapshot.
type index struct {
	entries map[string]*Entry
	lists   map[string][]fs.DirEntry // of the directories
}

// Same reports whether nothing has changed between two snapshots, as Entry.Same says.
func (s *Snapshot) Same(other *Snapshot) bool {
	return slices.EqualFunc(s.Entries, other.Entries, func(a, b Entry) bool { return a.Same(&b) })
}

// SameNames reports whether two snapshots list the same files and directories.
func (s *Snapshot) SameNames(other *Snapshot) bool {
	return slices.EqualFunc(s.Entries, other.Entries, func(a, b Entry) bool { return a.sameKind(&b) })
}

// tick is longer than the clock of any file system stands still: that of FAT takes steps of
// two seconds.
const tick = 2 * time.Second

// IsSettled reports whether a file that is written after the Snapshot gets another time
// than the one that it has there, so that the change shows. Where the time is not known,
// as in an embed.FS, that is not known either.
func (s *Snapshot) IsSettled(e *Entry) bool {
	last := e.Info.ModTime()
	if changed := inodeOf(e.Info).changed; changed.After(last) {
		last = changed
	}
	return !last.IsZero() && s.Taken.Sub(last) > tick
}

// Entry returns the entry of a file, or nil.
func (s *Snapshot) Entry(name string) *Entry { return s.index().entries[name] }

// Open opens a file as it is now.
func (s *Snapshot) Open(name string) (fs.File, error) { return s.files.Open(name) }

// ReadFile implements fs.ReadFileFS: it reads a file as it is now.
func (s *Snapshot) ReadFile(name string) ([]byte, error) { return fs.ReadFile(s.files, name) }

// Stat implements fs.StatFS.
func (s *Snapshot) Stat(name string) (fs.FileInfo, error) {
	switch e := s.Entry(name); {
	case e == nil:
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	case e.Info == nil:
		return nil, e.Err
	default:
		return e.Info, nil
	}
}

// ReadDir implements fs.ReadDirFS.
func (s *Snapshot) ReadDir(name string) ([]fs.DirEntry, error) {
	if _, err := s.Stat(name); err != nil {
		return nil, err
	}
	return s.index().lists[name], s.Entry(name).Err
}

func (s *Snapshot) makeIndex() *index {
	x := &index{make(map[string]*Entry, len(s.Entries)), map[string][]fs.DirEntry{}}
	for i := range s.Entries {
		e := &s.Entries[i]
		x.entries[e.Name] = e
		if e.listed != nil {
			x.lists[path.Dir(e.Name)] = append(x.lists[path.Dir(e.Name)], e.listed)
		}
	}
	return x
}

// look lists the files below some directories, of which it expects to find a number.
func look(files fs.FS, dirs []string, expect int) *Snapshot {
	s := &Snapshot{Taken: time.Now(), files: files, Entries: make([]Entry, 0, expect)}
	s.index = sync.OnceValue(s.makeIndex)
	if d, ok := files.(Dir); ok { // one root for all of it
		root, err := os.OpenRoot(string(d))
		if err != nil {
			for _, dir := range dirs {
				s.Entries = append(s.Entries, Entry{Name: dir, Err: err})
			}
			return s
		}
		defer root.Close()
		files = root.FS()
		defer func() {
			for i, e := range s.Entries {
				s.Entries[i].Err = leadsOut(root, e.Name, e.Err)
			}
		}()
	}
	for _, dir := range dirs {
		// WalkDir returns the error of the function, which never returns one.
		_ = fs.WalkDir(files, dir, func(name string, d fs.DirEntry, err error) error {
			s.note(name, d, err)
			return nil
		})
	}
	return s
}

// note adds what fs.WalkDir has found.
func (s *Snapshot) note(name string, d fs.DirEntry, err error) {
	if last := len(s.Entries) - 1; d != nil && err != nil { // a directory that cannot be listed, right after it was noted
		if last >= 0 && s.Entries[last].Name == name {
			s.Entries[last].Err = err
		}
		return
	}
	e := Entry{Name: name, Err: err, listed: d}
	if d != nil {
		if e.Info, e.Err = d.Info(); errors.Is(e.Err, fs.ErrNotExist) {
			return // it has gone this moment
		}
	}
	s.Entries = append(s.Entries, e)
}

// A Watcher looks at the files of an application in development for all who have to know of
// changes. It is safe for concurrent use.
type Watcher struct {
	files fs.FS
	dirs  []string

	mu   sync.Mutex
	last *Snapshot
}

// NewWatcher returns a Watcher of the files below some directories.
func NewWatcher(files fs.FS, dirs ...string) *Watcher { return &Watcher{files: files, dirs: dirs} }

// Look returns the files as they were at since or later. So all who ask on behalf of one
// request, since it came, have the files looked at once.
func (w *Watcher) Look(since time.Time) *Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil || w.last.Taken.Before(since) {
		expect := 0
		if w.last != nil {
			expect = len(w.last.Entries)
		}
		w.last = look(w.files, w.dirs, expect)
	}
	return w.last
}
