// Package auth remembers the user of one request. Router.Authenticate of the application
// may be slow, so [Result.Ask] calls it at most once and keeps what it returned.
package auth

import (
	"net/http"
	"sync"
)

// A Result is what Authenticate has returned for a request, if it was called. It is safe for
// concurrent use.
type Result struct {
	once sync.Once  // runs Authenticate without mu, since Authenticate may take long, and may call CopyTo
	mu   sync.Mutex // held for done and user, which CopyTo reads while Authenticate may run in another goroutine
	done bool
	user any
}

// Ask returns the user. The first call runs ask, and calls failed with its error: there is
// no user then. If ask panics or calls runtime.Goexit, the error is http.ErrAbortHandler.
func (r *Result) Ask(ask func() (user any, err error), failed func(error)) any {
	r.once.Do(func() {
		user, err := any(nil), http.ErrAbortHandler
		defer func() {
			if err == nil {
				r.store(user)
				return
			}
			r.store(nil)
			failed(err)
		}()
		user, err = ask()
	})
	return r.User()
}

// Set makes user the result. A later Ask does not run its function.
func (r *Result) Set(user any) {
	r.once.Do(func() {})
	r.store(user)
}

func (r *Result) store(user any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.user = true, user
}

// User returns the user. It is nil if there is no user, and before Ask or Set was called.
func (r *Result) User() any {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.user
}

// CopyTo copies the result of Authenticate to the Result of another request, which must not
// be in use. It copies nothing if Authenticate has not returned yet.
func (r *Result) CopyTo(other *Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		other.once.Do(func() {})
		other.done, other.user = true, r.user
	}
}

// Reset empties the Result, for the next request of a pooled exchange. It needs no lock: no other
// code has the exchange then.
func (r *Result) Reset() {
	if r.done {
		*r = Result{}
	}
}
