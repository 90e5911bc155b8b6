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

// A userPage is what the page of a user shows: the user who is stored, and the form as
// it was entered, with what is wrong about it.
type userPage struct {
	User  users.User
	Form  userForm
	Wrong flow.Invalid
}

func (a *App) showUser(req *flow.Request) (flow.Response, error) {
	u, err := a.findUser(req)
	if err != nil {
		return flow.Response{}, err
	}
	return flow.Page(userPage{User: u, Form: formOf(u)}), nil
}

// saveUser takes the form of the page. It redirects after success, so that reloading the
// page does not send the form again.
func (a *App) saveUser(req *flow.Request) (flow.Response, error) {
	u, err := a.findUser(req)
	if err != nil {
		return flow.Response{}, err
	}
	form, err := a.updateUser(req, u)
	var wrong flow.Invalid
	switch {
	case errors.As(err, &wrong):
		return flow.Page(userPage{u, form, wrong}).Status(http.StatusUnprocessableEntity), nil
	case err != nil:
		return flow.Response{}, err
	}
	return flow.RedirectTo("users.show", "id", u.ID), nil
}

// findUser returns the user of the route parameter id, or an error that answers 404.
func (a *App) findUser(req *flow.Request) (users.User, error) {
	id, err := userID(req.Param("id"))
	if err != nil {
		return users.User{}, err
	}
	u, err := a.Users.Find(id)
	return u, userError(err, id)
}
