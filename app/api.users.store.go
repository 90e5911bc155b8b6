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
	u, _, err := a.createUser(req)
	if err != nil {
		return flow.Response{}, err
	}
	return flow.Success(req.Only("name", "email", "newsletter"), fmt.Sprintf("user %d was created", u.ID), http.StatusCreated), nil
}
