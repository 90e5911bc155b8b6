package app

import (
	"fmt"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) {
		f.GET().Name("api.users.show").Do(a.apiShowUser)
		f.PUT().Name("api.users.show").Do(a.apiUpdateUser)
		f.DELETE().Name("api.users.show").Do(a.apiDeleteUser)
	})
}

func (a *App) apiShowUser(req *flow.Request) (flow.Response, error) {
	u, err := a.findUser(req)
	if err != nil {
		return flow.Response{}, err
	}
	return flow.JSON(userRecord{u.ID, u.Name}), nil
}

func (a *App) apiUpdateUser(req *flow.Request) (flow.Response, error) {
	u, err := a.findUser(req) // an unknown user is unknown, whatever the body says
	if err != nil {
		return flow.Response{}, err
	}
	if _, err := a.updateUser(req, u); err != nil {
		return flow.Response{}, err
	}
	return flow.Success(nil, fmt.Sprintf("user %d was updated", u.ID)), nil
}

func (a *App) apiDeleteUser(req *flow.Request) (flow.Response, error) {
	id, err := userID(req.Param("id"))
	if err != nil {
		return flow.Response{}, err
	}
	if err := a.Users.Delete(id); err != nil {
		return flow.Response{}, userError(err, id)
	}
	return flow.Success(nil, fmt.Sprintf("user %d was deleted", id)), nil
}
