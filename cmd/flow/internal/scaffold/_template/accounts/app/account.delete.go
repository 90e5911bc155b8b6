package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(recentOnly)
		f.POST().Do(a.deleteAccount)
	})
}

func (a *members) deleteAccount(req *flow.Request) (flow.Response, error) {
	return flow.Redirect("/").Cookie(a.Accounts.Cookie("")),
		a.Accounts.Delete(req.Context(), session(req), a.Accounts.Client(req.Request))
}
