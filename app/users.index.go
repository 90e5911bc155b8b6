package app

import (
	"crypto/rand"

	"example.com/flow"
	"example.com/flow/app/users"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("users").Do(a.listUsers) })
}

// A usersPage is what the users page shows: the users that were found, and the form as it
// was entered, with what is wrong about it.
type usersPage struct {
	Users []users.User
	Query string
	Form  userForm
	Wrong flow.Invalid
	Nonce string // of the page's script
}

// listUsers answers with the page, or with the list alone for the page's script.
func (a *App) listUsers(req *flow.Request) flow.Response {
	query := req.Input("q")
	page := usersPage{Users: a.Users.Search(query), Query: query, Nonce: rand.Text()}
	if req.Input("part") == "list" {
		return flow.Page(page).Block("list")
	}
	return flow.Page(page).Header("Content-Security-Policy", scriptPolicy(page.Nonce))
}
