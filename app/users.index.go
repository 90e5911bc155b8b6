package app

import (
	"example.com/flow"
	"example.com/flow/app/users"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("users").Do(a.listUsers) })
}

var usersPage = flow.PageOf[usersData]()

// A usersData is what the users page shows: the users that were found, and the form as it
// was entered, with what is wrong about it.
type usersData struct {
	Users []users.User
	Query string
	Form  flow.Form[userForm]
}

// listUsers answers with the page, or with the list alone for the page's script.
func (a *App) listUsers(req *flow.Request) flow.Response {
	data := usersData{Users: a.Users.Search(req.Input("q")), Query: req.Input("q")}
	if req.Input("part") == "list" {
		return usersPage(data).Block("list")
	}
	return usersPage(data)
}
