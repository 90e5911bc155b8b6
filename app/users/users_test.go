package users

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/matryer/is"
)

func TestStore(t *testing.T) {
	is := is.New(t)
	s := NewStore()
	ada, err := s.Create(User{Name: "Ada", Email: "ada@example.com", Newsletter: true})
	is.NoErr(err)
	is.Equal(ada, User{1, "Ada", "ada@example.com", true})
	_, err = s.Create(User{Name: "Another", Email: "Ada@Example.com"})
	is.True(errors.Is(err, ErrTaken))
	bob, err := s.Create(User{Name: "Bob", Email: "bob@example.com"})
	is.NoErr(err)
	is.Equal(s.List(), []User{ada, bob})
	is.Equal(s.Count(), 2)

	is.True(errors.Is(s.Update(User{bob.ID, "Bob", "ada@example.com", false}), ErrTaken))
	is.True(errors.Is(s.Update(User{99, "Bob", "b@example.com", false}), ErrUnknown))
	robert := User{bob.ID, "Robert", "bob@example.com", true}
	is.NoErr(s.Update(robert))
	found, err := s.Find(bob.ID)
	is.NoErr(err)
	is.Equal(found, robert)

	is.NoErr(s.Delete(bob.ID))
	is.True(errors.Is(s.Delete(bob.ID), ErrUnknown))
	_, err = s.Find(bob.ID)
	is.True(errors.Is(err, ErrUnknown))
	carol, err := s.Create(User{Name: "Carol", Email: "bob@example.com"}) // the address is free again, the ID is not
	is.NoErr(err)
	is.Equal(carol.ID, 3)
}

func TestSample(t *testing.T) {
	is := is.New(t)
	s := Sample()
	is.Equal(s.Count(), 3)
	u, err := s.Create(User{Name: "Barbara", Email: "barbara@example.com"})
	is.NoErr(err)
	is.Equal(u.ID, 4)
	is.Equal(Sample().Count(), 3) // each call makes a Store of its own
}

func TestSearch(t *testing.T) {
	s := Sample()
	for _, tt := range []struct {
		text string
		want []int
	}{
		{"", []int{1, 2, 3}},
		{"ada", []int{1}},
		{" GRACE ", []int{2}},
		{"example.com", []int{1, 2}},
		{"d", []int{1, 3}},
		{"nobody", nil},
	} {
		t.Run(tt.text, func(t *testing.T) {
			is := is.New(t)
			var got []int
			for _, u := range s.Search(tt.text) {
				got = append(got, u.ID)
			}
			is.Equal(got, tt.want)
		})
	}
}

// TestConcurrentUse lets many change a Store at once; the race detector watches.
func TestConcurrentUse(t *testing.T) {
	is := is.New(t)
	const writers, each = 8, 50
	s := NewStore()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				u, err := s.Create(User{Name: "A user", Email: fmt.Sprintf("%d-%d@example.com", w, i)})
				if err != nil {
					t.Error(err)
					return
				}
				u.Name = "A renamed user"
				if err := s.Update(u); err != nil {
					t.Error(err)
				}
				if got, err := s.Find(u.ID); err != nil || got.Name != "A renamed user" {
					t.Errorf("Find(%d): got %v, %v", u.ID, got, err)
				}
				if i%2 == 0 {
					if err := s.Delete(u.ID); err != nil {
						t.Error(err)
					}
				}
				s.List()
			}
		})
	}
	// One address is wanted by all, and given once.
	var won sync.Map
	for w := range writers {
		wg.Go(func() {
			if u, err := s.Create(User{Name: "The first", Email: "first@example.com"}); err == nil {
				won.Store(w, u)
			}
		})
	}
	wg.Wait()
	winners := 0
	won.Range(func(any, any) bool { winners++; return true })
	is.Equal(winners, 1)
	is.Equal(s.Count(), writers*each/2+1)
	seen := map[int]bool{}
	for _, u := range s.List() {
		is.True(!seen[u.ID]) // no ID is given twice
		seen[u.ID] = true
	}
}
