package app

import (
	"example.com/flow"
	"example.com/flow/app/users"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("users").Do(a.listUsers) })
}

// A usersPage is what the users page shows: everyone, and the form as it was
// entered, with what is wrong about it.
type usersPage struct {
	Users []users.User
	Form  userForm
	Wrong flow.Invalid
}

func (a *App) listUsers(*flow.Request) flow.Response {
	return flow.Page(usersPage{Users: a.Users.List()})
}
