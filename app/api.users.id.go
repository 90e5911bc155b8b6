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

func (a *App) apiShowUser(_ *flow.Request, in userRef) (userRecord, error) {
	u, err := a.findUser(in.ID)
	return userRecord{u.ID, u.Name}, err
}

func (a *App) apiUpdateUser(_ *flow.Request, in flow.Form[userEdit]) (flow.Response, error) {
	u, err := a.updateUser(in)
	return flow.Success(nil, fmt.Sprintf("user %d was updated", u.ID)), err
}

func (a *App) apiDeleteUser(_ *flow.Request, in userRef) (flow.Response, error) {
	err := userError(a.Users.Delete(in.ID), in.ID)
	return flow.Success(nil, fmt.Sprintf("user %d was deleted", in.ID)), err
}
