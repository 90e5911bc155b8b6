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
	err  error
}

// Ask returns the user. The first call asks for it; failed is called if that fails. What
// ends ask without an answer is the failure http.ErrAbortHandler.
func (a *Answer) Ask(ask func() (user any, err error), failed func()) any {
	a.once.Do(func() {
		user, err := any(nil), error(http.ErrAbortHandler)
		defer func() {
			if err == nil {
				a.set(user, nil)
				return
			}
			a.set(nil, err)
			failed()
		}()
		user, err = ask()
	})
	return a.User()
}

// Give makes user the answer, without asking.
func (a *Answer) Give(user any) {
	a.once.Do(func() {})
	a.set(user, nil)
}

func (a *Answer) set(user any, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done, a.user, a.err = true, nil, err
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

// Err returns why the application could not say who the user is.
func (a *Answer) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// CopyTo gives another Answer, which nobody uses yet, what is known so far.
func (a *Answer) CopyTo(other *Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		other.once.Do(func() {})
		other.done, other.user, other.err = true, a.user, a.err
	}
}

// Reset forgets the answer, for another request.
func (a *Answer) Reset() {
	if a.done {
		*a = Answer{}
	}
}
