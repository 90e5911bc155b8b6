package app

import (
	"fmt"
	"net/http"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.POST().Name("api.users.create").Do(a.apiCreateUser) })
}

func (a *App) apiCreateUser(req *flow.Request, in userForm) (flow.Response, error) {
	u, err := a.Users.Create(in.user(0))
	return flow.Success(req.Only("name", "email", "newsletter"), fmt.Sprintf("user %d was created", u.ID), http.StatusCreated), userError(err, u.ID)
}
