package dev

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/flow/internal/develop/devlink"
	"example.com/flow/internal/develop/disk"
	"example.com/flow/internal/fault"
)

// survey finds out anew what there is to watch. What has changed since then has changed
// after the last build began.
func (s *session) survey(since time.Time) {
	s.surveys++
	s.surveying = true
	ctx, number := s.ctx, s.surveys
	go func() {
		l, err := look(ctx, s.program.dir, s.program.flags, s.program.pkg)
		s.tell(func() {
			s.surveying = number != s.surveys
			switch {
			case ctx.Err() != nil, s.surveying: // a newer one is under way
			case err != nil && s.failure == ofBuild: // the go tool has said why
			case err != nil && s.number > 1 && (s.building != nil || len(s.changed.paths) > 0): // the next build will say why, or mend it
			case err != nil:
				s.terminal.say("cannot find out what to watch: %v", err)
			default:
				s.adopt(l, since)
			}
		})
	}()
}

// surveyAfter is survey after a build. With the first one it runs already.
func (s *session) surveyAfter(b *building) {
	if s.number > 1 {
		s.survey(b.begun)
	}
}

// adopt has a new layout watched.
func (s *session) adopt(l *layout, since time.Time) {
	if s.failure == ofBuild {
		l.join(s.layout)
	}
	s.layout = l
	if s.stopping {
		return
	}
	if err := s.watcher.add(l.dirs(), since, s.touch); err != nil {
		s.terminal.say("%v", err)
	}
	if s.trees == nil { // the first build did not know them yet
		s.trees = l.routeFiles()
		for path := range s.changed.paths { // it may have come after the build has begun
			delete(s.trees, path)
		}
	}
}

// touch notes that a path has changed.
func (s *session) touch(path string) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() && s.watched(path) {
		// What is in a new directory may have come before it was watched.
		var dirs []string
		eachDirBelow(path, func(dir string) { dirs = append(dirs, dir) })
		if err := s.watcher.add(dirs, time.Time{}, s.touch); err != nil {
			s.terminal.say("%v", err)
		}
	} else if err != nil {
		s.watcher.forget(path)
	}
	if !s.matters(path) { // such as a database, which would keep the batch from settling
		return
	}
	s.reviewed.interrupt()
	s.changed.add(path, time.Now())
	s.settle.Reset(s.changed.wait(time.Now(), unfinished))
}

// missed takes that more has changed than the system could tell.
func (s *session) missed() {
	s.current.send(devlink.Message{Changed: true})
	s.build("many files changed")
}

// matters reports whether anything would have to be done if a path had changed, or was
// removed.
func (s *session) matters(path string) bool {
	return slices.ContainsFunc([]bool{true, false}, func(there bool) bool {
		return s.layout.decide(path, s.past(), func(string) bool { return there }) != nothing
	})
}

// watched reports whether a new directory is one to watch. Those that the go tool ignores
// are not, unless they are embedded.
func (s *session) watched(dir string) bool {
	name := filepath.Base(dir)
	if ignoredDir(name) {
		return false
	}
	for _, e := range s.layout.embeds {
		if e.covers(dir) {
			return true
		}
	}
	return !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_") && name != "testdata"
}

// unfinished reports whether a file is gone or empty.
func unfinished(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular() && info.Size() == 0
}

// exists reports whether there is a file. A directory is none: what is in it is told of
// by itself.
func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// look does what has to be done about what has changed, once that has settled.
func (s *session) look() {
	if wait := s.changed.wait(time.Now(), unfinished); wait > 0 {
		s.settle.Reset(wait)
		return
	}
	var reloads, builds []string
	for _, path := range s.changed.take() {
		if disk.IsDir(path) {
			continue // what is in it is told of by itself
		}
		switch s.layout.decide(path, s.past(), exists) {
		case reload:
			reloads = append(reloads, path)
		case build:
			builds = append(builds, path)
		}
	}
	if len(reloads) > 0 {
		s.current.send(devlink.Message{Changed: true})
		if len(s.reviewed.warnings) > 0 { // which may be mended: that a page lacks a block, for one
			s.reviewed.restart()
		}
	}
	switch {
	case len(builds) > 0:
		s.build(s.name(builds) + " changed")
	case s.again:
		s.build(s.cause)
	case len(reloads) == 0:
	case s.current == nil && s.failure == none:
		s.early = append(s.early, reloads...)
	case s.failure != none:
		// That may mend it: the go tool refuses a public/ without files, and a program may only
		// have to be started again.
		s.build(s.name(reloads) + " changed")
	case s.current != nil:
		what := "pages are loaded again"
		if !slices.ContainsFunc(reloads, func(path string) bool { return filepath.Ext(path) != ".css" }) {
			what = "style sheets are changed"
		}
		s.terminal.say("%s changed: %s", s.name(reloads), what)
	}
}

// reads notes which directories the program reads from disk. What has changed in others while
// that was not known is in no build yet.
func (s *session) reads(dirs []string) {
	s.fromDisk = dirs
	early := slices.DeleteFunc(s.early, func(path string) bool { return s.layout.decide(path, s.past(), exists) != build })
	if s.early = nil; len(early) > 0 {
		s.build(s.name(early) + " changed")
	}
}

// past returns what was there before.
func (s *session) past() past {
	before := past{served: s.trees, tried: s.tried, failed: s.failure == ofBuild, fromDisk: s.fromDisk}
	if s.current != nil && s.current.bin.files != nil {
		before.served = s.current.bin.files
	}
	return before
}

// name returns what a message calls several files.
func (s *session) name(paths []string) string {
	name := paths[0]
	if below, err := filepath.Rel(s.program.dir, name); err == nil && filepath.IsLocal(below) {
		name = below
	}
	if len(paths) > 1 {
		return filepath.ToSlash(name) + " and " + fault.Count(len(paths)-1, "other")
	}
	return filepath.ToSlash(name)
}
