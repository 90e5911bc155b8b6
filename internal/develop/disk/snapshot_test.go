package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"example.com/flow/internal/testkit/flowtest"
)

// TestSnapshot changes files one after the other, and checks that a Snapshot differs.
func TestSnapshot(t *testing.T) {
	hasInodes := runtime.GOOS == "linux" || runtime.GOOS == "darwin"
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	long := time.Now().Add(-time.Hour)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		must(os.MkdirAll(filepath.Dir(path(name)), 0o777))
		must(os.WriteFile(path(name), []byte(text), 0o666))
		must(os.Chtimes(path(name), long, long))
	}
	write("router/a.html", "a")
	write("router/b.html", "b")
	write("router/x/y/c.html", "c")
	write("elsewhere/d.html", "d")
	w := NewWatcher(Dir(dir), "router", "public")
	last := w.Look(Now())
	for _, tt := range []struct {
		name      string
		change    func()
		same      bool
		sameNames bool
	}{
		{"nothing", func() {}, true, true},
		{"elsewhere", func() { write("elsewhere/d.html", "dd") }, true, true},
		{"another size", func() { write("router/a.html", "aa") }, false, true},
		{"another time", func() { must(os.Chtimes(path("router/a.html"), time.Now(), time.Now())) }, false, true},
		{"another file of the same size and time", func() {
			write("router/x/n.html", "n")
			last = w.Look(Now())
			write("next", "m")
			must(os.Rename(path("next"), path("router/x/n.html")))
		}, !hasInodes, true},
		{"two files of the same size and time change places", func() {
			must(os.Rename(path("router/b.html"), path("next")))
			must(os.Rename(path("router/x/y/c.html"), path("router/b.html")))
			must(os.Rename(path("next"), path("router/x/y/c.html")))
		}, !hasInodes, true},
		{"written with the time that it had", func() {
			time.Sleep(50 * time.Millisecond) // more than a tick of the clock of this file system
			write("router/b.html", "n")
		}, !hasInodes, true},
		{"a new file", func() { write("router/x/new.html", "") }, false, false},
		{"an empty directory", func() { must(os.Mkdir(path("router/x/empty"), 0o777)) }, false, false},
		{"a directory in place of a file", func() {
			must(os.Remove(path("router/x/new.html")))
			must(os.Mkdir(path("router/x/new.html"), 0o777))
		}, false, false},
		{"a directory that has moved", func() { must(os.Rename(path("router/x"), path("router/z"))) }, false, false},
		{"one that is gone", func() { must(os.RemoveAll(path("router/z"))) }, false, false},
		{"the other directory", func() { write("public/app.css", "") }, false, false},
		{"all of it", func() { must(os.RemoveAll(dir)) }, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tt.change()
			now := w.Look(Now())
			is.Equal(now.Same(last), tt.same)
			is.Equal(now.SameNames(last), tt.sameNames)
			last = now
		})
	}
}

// TestSnapshotAsFiles reads a directory through a Snapshot: its lists stay the same, the
// contents of files do not.
func TestSnapshotAsFiles(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	is.NoErr(os.CopyFS(dir, fstest.MapFS{"router/a.html": {Data: []byte("a")}, "router/x/b.html": {Data: []byte("b")}, "c.html": {}}))
	s := NewWatcher(Dir(dir), "router", "public").Look(Now())
	is.NoErr(os.WriteFile(filepath.Join(dir, "router", "a.html"), []byte("now"), 0o666))
	is.NoErr(os.WriteFile(filepath.Join(dir, "router", "new.html"), nil, 0o666))
	var names []string
	is.NoErr(fs.WalkDir(s, "router", func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	}))
	is.Equal(names, []string{"router", "router/a.html", "router/x", "router/x/b.html"})
	text, err := fs.ReadFile(s, "router/a.html")
	is.NoErr(err)
	is.Equal(string(text), "now")
	for _, name := range []string{"public", "c.html", "router/new.html"} {
		_, err := fs.Stat(s, name)
		is.True(errors.Is(err, fs.ErrNotExist))
		_, err = fs.ReadDir(s, name)
		is.True(errors.Is(err, fs.ErrNotExist))
	}
}

func TestSnapshotFollowsNoLink(t *testing.T) {
	is := is.New(t)
	outside, dir := t.TempDir(), t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(outside, "secret.html"), nil, 0o666))
	flowtest.Symlink(t, outside, filepath.Join(dir, "router"))
	s := NewWatcher(Dir(dir), "router").Look(Now())
	is.Equal(len(s.Entries), 1)
	_, err := fs.Stat(s, "router")
	is.True(errors.Is(err, ErrLeadsOut))
	is.NoErr(os.Remove(filepath.Join(dir, "router")))
	is.NoErr(os.Mkdir(filepath.Join(dir, "router"), 0o777))
	flowtest.Symlink(t, outside, filepath.Join(dir, "router", "x"))
	s = NewWatcher(Dir(dir), "router").Look(Now())
	is.Equal(len(s.Entries), 2) // the link itself, which is no regular file
	is.Equal(s.Entry("router/x").Info.Mode().Type(), fs.ModeSymlink)
}

func TestIsSettled(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name string
		time time.Time
		want bool
	}{
		{"long ago", now.Add(-time.Hour), true},
		{"three seconds ago", now.Add(-3 * time.Second), true},
		{"two seconds ago, by a clock that is late", now.Add(-2*time.Second - 20*time.Millisecond), false},
		{"a second ago", now.Add(-time.Second), false},
		{"in an hour", now.Add(time.Hour), false},
		{"not known", time.Time{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			files := fstest.MapFS{"router/a.html": {ModTime: tt.time}}
			s := NewWatcher(files, "router").Look(Now())
			s.Taken = now // and not some seconds later, on a machine that is busy
			is.Equal(s.IsSettled(s.Entry("router/a.html")), tt.want)
		})
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return
	}
	is := is.New(t)
	dir := t.TempDir()
	is.NoErr(os.CopyFS(dir, fstest.MapFS{"router/a.html": {}}))
	long := time.Now().Add(-time.Hour)
	is.NoErr(os.Chtimes(filepath.Join(dir, "router", "a.html"), long, long))
	s := NewWatcher(Dir(dir), "router").Look(Now())
	s.Taken = now
	is.True(!s.IsSettled(s.Entry("router/a.html"))) // its time says long ago, but it was changed just now
}

// TestWatcherLooksOnce checks that calls for one request share a Snapshot, and that calls for
// different requests do not, even if the clock has not advanced.
func TestWatcherLooksOnce(t *testing.T) {
	synctest.Test(t, watcherLooksOnce) // where the clock stands still
}

func watcherLooksOnce(t *testing.T) {
	is := is.New(t)
	files := fstest.MapFS{"router/a.html": {}}
	w := NewWatcher(files, "router")
	since := Now()
	first := w.Look(since)
	files["router/b.html"] = &fstest.MapFile{}
	is.Equal(w.Look(since), first)
	is.Equal(len(w.Look(Now()).Entries), 3)
	is.Equal(len(w.Look(since).Entries), 3) // never what is older
}
