package auth

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/matryer/is"
)

func TestAskRunsOnce(t *testing.T) {
	is := is.New(t)
	var a Result
	asked := 0
	var askers sync.WaitGroup
	for range 8 {
		askers.Go(func() {
			user := a.Ask(func() (any, error) { asked++; return "ada", nil }, func(err error) { t.Error(err) })
			if user != "ada" {
				t.Error(user)
			}
		})
	}
	askers.Wait()
	is.Equal(asked, 1)

	var other Result
	a.CopyTo(&other)
	is.Equal(other.User(), "ada")
	is.Equal(other.Ask(func() (any, error) { panic("asked again") }, nil), "ada")

	a.Set("bob")
	is.Equal(a.User(), "bob")
	a.Reset()
	is.Equal(a.User(), nil)
}

func TestAskFails(t *testing.T) {
	is := is.New(t)
	down := errors.New("the key server is down")
	var a Result
	var failures []error
	fail := func(err error) { failures = append(failures, err) }
	for range 2 {
		is.Equal(a.Ask(func() (any, error) { return "ada", down }, fail), nil)
	}
	is.Equal(failures, []error{down})

	var b Result
	func() {
		defer func() { is.Equal(recover(), http.ErrAbortHandler) }()
		b.Ask(func() (any, error) { panic(http.ErrAbortHandler) }, fail)
	}()
	is.Equal(failures, []error{down, http.ErrAbortHandler})

	var unasked, copied Result
	unasked.CopyTo(&copied)
	is.Equal(copied.Ask(func() (any, error) { return "ada", nil }, nil), "ada")
}
