package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("users").Do(a.listUsers)
		f.POST().Use(recentOnly).Do(a.setRole)
	})
}

type listUsersIn struct {
	Search string `query:"q"`
	After  string `query:"after"`
}

// usersData is what users/index.html shows.
type usersData struct {
	Search string
	Roles  []string // that there are
	Users  []accounts.User
	Last   string // for the page behind this one, or ""
}

func (a *members) listUsers(req *flow.Request, in listUsersIn) (usersData, error) {
	users, err := a.Accounts.Users(req.Context(), in.Search, in.After)
	data := usersData{Search: in.Search, Roles: accounts.Roles, Users: users}
	if len(users) == accounts.UsersPage {
		data.Last = users[len(users)-1].Email
	}
	return data, err
}

// A roleForm is what an admin sends. The forms of other pages have no role.
type roleForm struct {
	User string `form:"user"`
	Role string `form:"role"`
}

// setRole leads back to the same part of the list.
func (a *members) setRole(req *flow.Request, in roleForm) (flow.Response, error) {
	return flow.Redirect(req.URL.RequestURI()), a.Accounts.SetRole(req.Context(), sessionOf(req), in.User, in.Role, a.Accounts.Client(req.Request))
}
