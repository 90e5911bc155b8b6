package app

import (
	"example.com/flow"
	"example.com/flow/app/users"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("users.show").Do(a.showUser) })
}

func (a *App) showUser(req *flow.Request) (flow.Response, error) {
	u, err := a.findUser(req)
	if err != nil {
		return flow.Response{}, err
	}
	return flow.Page(u), nil
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
