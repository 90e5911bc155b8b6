package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) { f.GET().Name("account").Do(a.showAccount) })
}

func (a *members) showAccount(req *flow.Request) ([]accounts.Event, error) {
	return a.Accounts.Events(req.Context(), sessionOf(req).User.ID)
}
