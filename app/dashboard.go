package app

import (
	"slices"

	"example.com/flow"
	"example.com/flow/app/users"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Do(a.showDashboard) })
}

// A dashboardPage is what the dashboard shows. Who is signed in the template asks
// by itself.
type dashboardPage struct {
	Users  int
	Newest []users.User // up to three, the newest first
}

func (a *App) showDashboard(*flow.Request) flow.Response {
	list := a.Users.List()
	slices.Reverse(list)
	return flow.Page(dashboardPage{len(list), list[:min(3, len(list))]})
}
