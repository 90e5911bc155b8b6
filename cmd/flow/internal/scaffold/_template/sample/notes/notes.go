// Package notes keeps notes in memory. They are gone when the program stops: put a
// database in the place of [Store].
package notes

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/flow"
)

// A Draft is what somebody wants to note, as a form or JSON says it.
type Draft struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Validate trims the fields and reports what is wrong with them. flow calls it before a
// handler gets the draft.
func (d *Draft) Validate() error {
	d.Title, d.Text = strings.TrimSpace(d.Title), strings.TrimSpace(d.Text)
	wrong := flow.Invalid{}
	switch {
	case d.Title == "":
		wrong["title"] = "is required"
	case utf8.RuneCountInString(d.Title) > 80:
		wrong["title"] = "has more than 80 characters"
	}
	if utf8.RuneCountInString(d.Text) > 2000 {
		wrong["text"] = "has more than 2000 characters"
	}
	return wrong
}

// A Note is a draft that was kept.
type Note struct {
	ID int `json:"id"`
	Draft
}

// A Store holds notes. Its zero value is empty and ready to use. It is safe for
// concurrent use.
type Store struct {
	mu    sync.RWMutex
	notes []Note // by ID, the first of which is 1
}

// Add keeps a note.
func (s *Store) Add(d Draft) Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := Note{ID: len(s.notes) + 1, Draft: d}
	s.notes = append(s.notes, n)
	return n
}

// All returns all notes, the newest first. It is never nil, which would be null in JSON.
func (s *Store) All() []Note {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := append([]Note{}, s.notes...)
	slices.Reverse(all)
	return all
}

// Find returns a note, and whether there is one with that ID.
func (s *Store) Find(id int) (Note, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if id < 1 || id > len(s.notes) {
		return Note{}, false
	}
	return s.notes[id-1], true
}
