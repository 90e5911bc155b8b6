// Package users holds the users of the sample application, in memory.
package users

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A User is a person that the application knows.
type User struct {
	ID         int
	Name       string
	Email      string
	Newsletter bool // whether the user gets it
}

// Errors of a Store.
var (
	ErrUnknown = errors.New("users: there is no such user")
	ErrTaken   = errors.New("users: another user has this email address")
)

// A Store holds users. It is safe for concurrent use.
type Store struct {
	mu   sync.RWMutex
	byID map[int]User
	last int // the newest ID; that of a deleted user is not used again
}

// NewStore returns a Store without users.
func NewStore() *Store { return &Store{byID: map[int]User{}} }

// Sample returns a Store with three users.
func Sample() *Store {
	return &Store{last: 3, byID: map[int]User{
		1: {1, "Ada Lovelace", "ada@example.com", true},
		2: {2, "Grace Hopper", "grace@example.com", false},
		3: {3, "Edsger Dijkstra", "edsger@example.org", true},
	}}
}

// List returns all users, by ID.
func (s *Store) List() []User {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.SortedFunc(maps.Values(s.byID), func(a, b User) int { return cmp.Compare(a.ID, b.ID) })
}

// Search returns the users whose name or email address has a text in it, by ID. The
// case of letters does not matter.
func (s *Store) Search(text string) []User {
	text = strings.ToLower(strings.TrimSpace(text))
	return slices.DeleteFunc(s.List(), func(u User) bool {
		return !strings.Contains(strings.ToLower(u.Name), text) && !strings.Contains(strings.ToLower(u.Email), text)
	})
}

// Count returns the number of users.
func (s *Store) Count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.byID)
}

// Find returns a user. The error is ErrUnknown if there is none.
func (s *Store) Find(id int) (User, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	u, ok := s.byID[id]
	if !ok {
		return User{}, ErrUnknown
	}
	return u, nil
}

// Create adds a user, whose ID it chooses. The error is ErrTaken if another user has
// the email address.
func (s *Store) Create(u User) (User, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken(u.Email, 0) {
		return User{}, ErrTaken
	}
	s.last++
	u.ID = s.last
	s.byID[u.ID] = u
	return u, nil
}

// Update replaces the user with the ID of u. The error is ErrUnknown if there is none,
// and ErrTaken if another user has the email address.
func (s *Store) Update(u User) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.byID[u.ID]; !ok {
		return ErrUnknown
	}
	if s.taken(u.Email, u.ID) {
		return ErrTaken
	}
	s.byID[u.ID] = u
	return nil
}

// Delete removes a user. The error is ErrUnknown if there is none.
func (s *Store) Delete(id int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.byID[id]; !ok {
		return ErrUnknown
	}
	delete(s.byID, id)
	return nil
}

// taken reports whether a user other than the one with that ID has an email
// address. The caller holds the lock.
func (s *Store) taken(email string, id int) bool {
	for _, u := range s.byID {
		if u.ID != id && strings.EqualFold(u.Email, email) {
			return true
		}
	}
	return false
}
