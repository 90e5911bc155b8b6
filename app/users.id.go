package app

import (
	"errors"
	"net/http"

	"example.com/flow"
	"example.com/flow/app/users"
)

func init() {
	flow.With(func(f *flow.File, a *App) {
		f.GET().Name("users.show").Do(a.showUser)
		f.POST().Name("users.show").Do(a.saveUser)
	})
}

var userPage = flow.PageOf[userData]()

// A userData is what the page of a user shows: the user who is stored, and the form as
// it was entered, with what is wrong about it.
type userData struct {
	User users.User
	Form flow.Form[userEdit]
}

func (a *App) showUser(_ *flow.Request, in userRef) (userData, error) {
	u, err := a.findUser(in.ID)
	return userData{u, flow.Form[userEdit]{Value: userEdit{in, userForm{u.Name, u.Email, u.Newsletter}}}}, err
}

// saveUser takes the form of the page. It redirects after success, so that reloading the
// page does not send the form again.
func (a *App) saveUser(_ *flow.Request, in flow.Form[userEdit]) (flow.Response, error) {
	u, err := a.updateUser(in)
	if errors.As(err, &in.Wrong) {
		return userPage(userData{u, in}).Status(http.StatusUnprocessableEntity), nil
	}
	return flow.RedirectTo("users.show", "id", u.ID), err
}
