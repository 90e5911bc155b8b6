package dev

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow/cmd/flow/internal/project"
)

func TestBatch(t *testing.T) {
	const ms = time.Millisecond
	type touch struct {
		path string
		at   time.Duration
	}
	for _, tt := range []struct {
		name       string
		touches    []touch
		unfinished string // a path
		now, want  time.Duration
	}{
		{"nothing", nil, "", 0, 0},
		{"just now", []touch{{"a", 0}}, "", 0, 40 * ms},
		{"a while ago", []touch{{"a", 0}}, "", 30 * ms, 10 * ms},
		{"settled", []touch{{"a", 0}}, "", 40 * ms, 0},
		{"long settled", []touch{{"a", 0}}, "", 900 * ms, 0},
		{"touched again", []touch{{"a", 0}, {"a", 30 * ms}}, "", 50 * ms, 20 * ms},
		{"another one", []touch{{"a", 0}, {"b", 30 * ms}}, "", 50 * ms, 20 * ms},
		{"empty", []touch{{"a", 0}, {"b", 30 * ms}}, "a", 50 * ms, 200 * ms},
		{"empty for long", []touch{{"a", 0}, {"b", 230 * ms}}, "a", 260 * ms, 10 * ms},
		{"restless", []touch{{"a", 0}, {"b", 990 * ms}}, "", 995 * ms, 5 * ms},
		{"restless and empty", []touch{{"a", 0}, {"b", 990 * ms}}, "b", 1000 * ms, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var b batch
			var zero time.Time
			zero = zero.Add(time.Hour)
			for _, touch := range tt.touches {
				b.add(touch.path, zero.Add(touch.at))
			}
			is.Equal(b.wait(zero.Add(tt.now), func(path string) bool { return path == tt.unfinished }), tt.want)
		})
	}
	is := is.New(t)
	var b batch
	b.add("b", time.Now())
	b.add("a", time.Now())
	b.add("b", time.Now())
	is.Equal(b.take(), []string{"a", "b"})
	is.Equal(b.take(), []string(nil))
}

// TestPageDuringTheFirstBuild: a route file that comes after the build has begun, and before
// it is known what to watch, is none of the program.
func TestPageDuringTheFirstBuild(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	router := filepath.Join(dir, "router")
	is.NoErr(os.Mkdir(router, 0o777))
	old, added := filepath.Join(router, "old.html"), filepath.Join(router, "new.html")
	is.NoErr(os.WriteFile(old, nil, 0o666))
	is.NoErr(os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour)))
	begun := time.Now().Add(-time.Minute)
	is.NoErr(os.WriteFile(added, nil, 0o666))

	s := &session{settle: time.NewTimer(time.Hour), layout: &layout{}}
	w, err := newWatcher(func(func()) {}, s.touch, s.missed)
	is.NoErr(err)
	defer w.close()
	s.watcher = w
	s.adopt(layoutOf([]project.Package{{Dir: dir, Module: &project.ListedModule{Dir: dir, Main: true}, EmbedPatterns: []string{"all:router"}}}), begun)
	is.Equal(s.changed.take(), []string{added})
	is.Equal(s.layout.decide(added, s.past(), exists), build)
	is.Equal(s.layout.decide(old, s.past(), exists), reload)
}
