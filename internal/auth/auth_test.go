package auth

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/matryer/is"
)

func TestAsk(t *testing.T) {
	is := is.New(t)
	var a Answer
	asked := 0
	var askers sync.WaitGroup
	for range 8 {
		askers.Go(func() {
			user := a.Ask(func() (any, error) { asked++; return "ada", nil }, func() { t.Error("failed") })
			if user != "ada" {
				t.Error(user)
			}
		})
	}
	askers.Wait()
	is.Equal(asked, 1)
	is.NoErr(a.Err())

	var other Answer
	a.CopyTo(&other)
	is.Equal(other.User(), "ada")
	is.Equal(other.Ask(func() (any, error) { panic("asked again") }, nil), "ada")

	a.Give("bob")
	is.Equal(a.User(), "bob")
	a.Reset()
	is.Equal(a.User(), nil)
	is.Equal(a.Ask(func() (any, error) { return (*Answer)(nil), nil }, nil), nil) // a nil pointer is nobody
}

func TestAskFails(t *testing.T) {
	is := is.New(t)
	down := errors.New("the key server is down")
	var a Answer
	told := 0
	for range 2 {
		is.Equal(a.Ask(func() (any, error) { return "ada", down }, func() { told++ }), nil)
	}
	is.Equal(told, 1)
	is.Equal(a.Err(), down)

	var b Answer
	func() {
		defer func() { is.Equal(recover(), http.ErrAbortHandler) }()
		b.Ask(func() (any, error) { panic(http.ErrAbortHandler) }, func() {})
	}()
	is.Equal(b.Err(), http.ErrAbortHandler)

	var unasked, copied Answer
	unasked.CopyTo(&copied)
	is.Equal(copied.Ask(func() (any, error) { return "ada", nil }, nil), "ada")
}
