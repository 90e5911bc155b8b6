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

// An Entry is a file or a directory in a Snapshot.
type Entry struct {
	Name string      // "router/users/[id].html"
	Info fs.FileInfo // nil if it could not be read
	Err  error       // of reading Info, or of listing a directory

	listed fs.DirEntry // nil for a directory of the Watcher that does not exist
}

// Same reports whether two entries have the same name, mode, size and times, and on Linux and
// macOS the same inode. Such files have the same content, with one exception: a file may be
// written twice before the clock of the file system advances. Snapshot.IsSettled excludes
// that.
func (e *Entry) Same(other *Entry) bool {
	if !e.sameKind(other) {
		return false
	}
	a, b := e.Info, other.Info
	return a == nil || a.IsDir() || a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && inodeOf(a) == inodeOf(b)
}

// sameKind reports whether two entries have the same name, mode and error.
func (e *Entry) sameKind(other *Entry) bool {
	if e.Name != other.Name || (e.Info == nil) != (other.Info == nil) || e.Info != nil && e.Info.Mode() != other.Info.Mode() {
		return false
	}
	return e.Err == other.Err || e.Err != nil && other.Err != nil && e.Err.Error() == other.Err.Error()
}

// An inode tells a file from one that was moved into its place and has the same size and time.
// It is zero on systems without inodes, and for files that are not on disk.
type inode struct {
	number  uint64
	changed time.Time // the ctime: of the last change of the content or of the inode
}

// A Snapshot lists the files below some directories at one time. It is an fs.FS: it lists the
// files of that time, and reads the contents that they have now.
type Snapshot struct {
	Taken   time.Time // immediately before the files were listed
	Entries []Entry   // in the order of fs.WalkDir

	began Moment // before the files were listed
	files fs.FS
	index func() *index // makes the index once it is needed
}

// An index finds the entries of a Snapshot by name.
type index struct {
	entries map[string]*Entry
	lists   map[string][]fs.DirEntry // by directory
}

// Same reports whether all entries of two snapshots are the same: see Entry.Same.
func (s *Snapshot) Same(other *Snapshot) bool {
	return slices.EqualFunc(s.Entries, other.Entries, func(a, b Entry) bool { return a.Same(&b) })
}

// SameNames reports whether two snapshots list the same files and directories.
func (s *Snapshot) SameNames(other *Snapshot) bool {
	return slices.EqualFunc(s.Entries, other.Entries, func(a, b Entry) bool { return a.sameKind(&b) })
}

// tick is the coarsest resolution of the times of a file system, which is two seconds for FAT. The
// clock that these times come from can be some milliseconds behind the time of the Snapshot.
const tick = 2*time.Second + 100*time.Millisecond

// IsSettled reports whether any later change of a file gives it another time than the Snapshot
// has, so that Same sees the change. It is true for files that were last changed more than a
// tick before the Snapshot, and false for files without a time, as in an embed.FS.
func (s *Snapshot) IsSettled(e *Entry) bool {
	last := e.Info.ModTime()
	if changed := inodeOf(e.Info).changed; changed.After(last) {
		last = changed
	}
	return !last.IsZero() && s.Taken.Sub(last) > tick
}

// Entry returns the entry with a name, or nil.
func (s *Snapshot) Entry(name string) *Entry { return s.index().entries[name] }

// Open implements fs.FS. It opens the file as it is now.
func (s *Snapshot) Open(name string) (fs.File, error) { return s.files.Open(name) }

// ReadFile implements fs.ReadFileFS. It reads the file as it is now.
func (s *Snapshot) ReadFile(name string) ([]byte, error) { return fs.ReadFile(s.files, name) }

// Stat implements fs.StatFS. It returns the FileInfo of the Snapshot.
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

// ReadDir implements fs.ReadDirFS. It returns the list of the Snapshot.
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

// takeSnapshot lists the files below dirs.
func takeSnapshot(files fs.FS, dirs []string) *Snapshot {
	s := &Snapshot{Taken: time.Now(), began: Now(), files: files}
	s.index = sync.OnceValue(s.makeIndex)
	if d, ok := files.(Dir); ok { // open the directory once for all files
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

// note adds the entry for a call of fs.WalkDir's function.
func (s *Snapshot) note(name string, d fs.DirEntry, err error) {
	if last := len(s.Entries) - 1; d != nil && err != nil { // the second call for a directory that cannot be listed
		if last >= 0 && s.Entries[last].Name == name {
			s.Entries[last].Err = err
		}
		return
	}
	e := Entry{Name: name, Err: err, listed: d}
	if d != nil {
		if e.Info, e.Err = d.Info(); errors.Is(e.Err, fs.ErrNotExist) {
			return // it was removed after the directory was listed
		}
	}
	s.Entries = append(s.Entries, e)
}

// A Watcher takes snapshots of some directories, and shares them among those who need them for
// the same request. It is safe for concurrent use.
type Watcher struct {
	files fs.FS
	dirs  []string

	mu   sync.Mutex
	last *Snapshot
}

// NewWatcher returns a Watcher of the files below some directories.
func NewWatcher(files fs.FS, dirs ...string) *Watcher { return &Watcher{files: files, dirs: dirs} }

// Look returns a Snapshot that was taken after since: the last one if it is new enough, else a
// new one. Callers that pass the Moment at which a request came share one Snapshot. The lock is held while
// the files are listed, so that callers who come meanwhile wait for that list, and make none.
func (w *Watcher) Look(since Moment) *Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil || w.last.began < since {
		w.last = takeSnapshot(w.files, w.dirs)
	}
	return w.last
}
