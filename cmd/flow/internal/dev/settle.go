package dev

import (
	"maps"
	"slices"
	"time"
)

const (
	// quietTime is how long nothing may happen before what has changed is looked at: an
	// editor saves in several steps.
	quietTime = 40 * time.Millisecond

	// unfinishedTime is how long a file may be empty or gone, since it was last touched,
	// before that is taken for what is meant. Editors truncate a file before they write
	// it, and move one away before its successor is there.
	unfinishedTime = 250 * time.Millisecond

	// restlessTime is how long changes that do not come to an end are waited for.
	restlessTime = time.Second
)

// A batch is what has changed and was not looked at yet. The zero value is empty.
type batch struct {
	first time.Time            // when the batch began
	paths map[string]time.Time // when each was last touched
}

// add notes that a path has changed.
func (b *batch) add(path string, now time.Time) {
	if len(b.paths) == 0 {
		*b = batch{now, map[string]time.Time{}}
	}
	b.paths[path] = now
}

// wait returns how long to wait until the batch has settled; 0 if it has. unfinished
// reports whether a file is empty or gone.
func (b *batch) wait(now time.Time, unfinished func(path string) bool) time.Duration {
	var until time.Time
	for path, touched := range b.paths {
		at := touched.Add(quietTime)
		if until.Before(touched.Add(unfinishedTime)) && unfinished(path) {
			at = touched.Add(unfinishedTime)
		}
		if at.After(until) {
			until = at
		}
	}
	if latest := b.first.Add(restlessTime); until.After(latest) {
		until = latest
	}
	return max(0, until.Sub(now))
}

// take empties the batch, and returns its paths in a fixed order.
func (b *batch) take() []string {
	paths := slices.Sorted(maps.Keys(b.paths))
	*b = batch{}
	return paths
}
