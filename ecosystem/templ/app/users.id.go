package app

import (
	"slices"

	"example.com/flow"
)

func init() { flow.GET().Name("users.show").Do(showUser) }

type userRef struct {
	ID int `param:"id"`
}

func showUser(req *flow.Request, in userRef) (flow.Response, error) {
	i := slices.IndexFunc(users, func(u user) bool { return u.ID == in.ID })
	if i < 0 {
		return flow.Response{}, flow.Error(404, "there is no such user")
	}
	return render(req, userPage(users[i]))
}
