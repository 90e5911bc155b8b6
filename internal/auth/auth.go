// Package auth holds the user of one request, whom the application is asked for at most
// once.
package auth

import (
	"net/http"
	"sync"

	"example.com/flow/internal/forms"
)

// An Answer is what the application has said of the user of a request. It is safe for
// concurrent use.
type Answer struct {
	once sync.Once // for asking without holding mu: it may take long, and may copy the Answer
	mu   sync.Mutex
	done bool
	user any
}

// Ask returns the user. The first call asks for it, and calls failed with the error if that
// fails: there is no user then. If ask ends without returning, as a panic does, the error is
// http.ErrAbortHandler.
func (a *Answer) Ask(ask func() (user any, err error), failed func(error)) any {
	a.once.Do(func() {
		user, err := any(nil), error(http.ErrAbortHandler)
		defer func() {
			if err == nil {
				a.set(user)
				return
			}
			a.set(nil)
			failed(err)
		}()
		user, err = ask()
	})
	return a.User()
}

// Give makes user the answer, without asking.
func (a *Answer) Give(user any) {
	a.once.Do(func() {})
	a.set(user)
}

func (a *Answer) set(user any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done, a.user = true, nil
	if !forms.IsNil(user) { // a nil pointer is nobody
		a.user = user
	}
}

// User returns the user, or nil if there is none or nobody has asked.
func (a *Answer) User() any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.user
}

// CopyTo copies what is known so far to another Answer, which must not be in use.
func (a *Answer) CopyTo(other *Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		other.once.Do(func() {})
		other.done, other.user = true, a.user
	}
}

// Reset forgets the answer, for another request.
func (a *Answer) Reset() {
	if a.done {
		*a = Answer{}
	}
}
