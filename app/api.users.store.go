package app

import (
	"fmt"
	"net/http"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.POST().Name("api.users.create").Do(a.apiCreateUser) })
}

func (a *App) apiCreateUser(req *flow.Request) (flow.Response, error) {
	u, err := a.createUser(req, &userForm{})
	if err != nil {
		return flow.Response{}, err
	}
	return flow.Success(req.Only("name", "email"), fmt.Sprintf("user %d was created", u.ID), http.StatusCreated), nil
}
