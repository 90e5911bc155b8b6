package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) { f.GET().Name("account").Do(a.showAccount) })
}

// accountData is what account/index.html shows.
type accountData struct {
	User   accounts.User
	Events []accounts.Event
}

func (a *members) showAccount(req *flow.Request) (accountData, error) {
	u := session(req).User
	events, err := a.Accounts.Events(req.Context(), u.ID)
	return accountData{u, events}, err
}
