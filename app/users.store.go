package app

import (
	"crypto/rand"
	"errors"
	"net/http"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.POST().Name("users.create").Do(a.storeUser) })
}

// storeUser redirects after success, so that reloading the page does not add the user
// again. If something is wrong, it shows the page with the fields as they were entered.
func (a *App) storeUser(req *flow.Request) (flow.Response, error) {
	u, form, err := a.createUser(req)
	var wrong flow.Invalid
	switch {
	case errors.As(err, &wrong):
		page := usersPage{Users: a.Users.List(), Form: form, Wrong: wrong, Nonce: rand.Text()}
		return flow.View("users/index", page).
			Status(http.StatusUnprocessableEntity).
			Header("Content-Security-Policy", scriptPolicy(page.Nonce)), nil
	case err != nil:
		return flow.Response{}, err
	}
	return flow.RedirectTo("users.show", "id", u.ID), nil
}
