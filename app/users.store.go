package app

import (
	"errors"
	"net/http"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.POST().Name("users.create").Do(a.storeUser) })
}

// storeUser redirects after success, so that reloading the page does not add the user
// again. If something is wrong, it shows the page with the fields as they were entered.
func (a *App) storeUser(_ *flow.Request, in flow.Form[userForm]) (flow.Response, error) {
	if in.Wrong == nil {
		u, err := a.Users.Create(in.Value.user(0))
		if err = userError(err, u.ID); !errors.As(err, &in.Wrong) {
			return flow.RedirectTo("users.show", "id", u.ID), err
		}
	}
	return usersPage(usersData{Users: a.Users.List(), Form: in}).Status(http.StatusUnprocessableEntity), nil
}
