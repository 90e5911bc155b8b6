package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("dashboard").Do(a.showDashboard) })
}

// A dashboardPage is what the person who is signed in sees.
type dashboardPage struct {
	Account account
	Users   int
}

func (a *App) showDashboard(req *flow.Request) flow.Response {
	who, _ := req.User().(account) // the guard of (admin) let nobody else through
	return flow.Page(dashboardPage{who, a.Users.Count()})
}
