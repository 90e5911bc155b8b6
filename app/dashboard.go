package app

import (
	"slices"

	"example.com/flow"
	"example.com/flow/app/users"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Do(a.showDashboard) })
}

// A dashboardPage is what the dashboard shows. The template gets the name of who is
// signed in from the function user, which every template has.
type dashboardPage struct {
	Users  int
	Newest []users.User // up to three, the newest first
}

func (a *App) showDashboard(*flow.Request) (dashboardPage, error) {
	list := a.Users.List()
	slices.Reverse(list)
	return dashboardPage{len(list), list[:min(3, len(list))]}, nil
}
