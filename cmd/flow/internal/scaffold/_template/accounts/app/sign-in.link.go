package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Do(a.addressee(accounts.ForSignIn))
		f.POST().Do(a.signInByLink)
	})
}

func (a *members) signInByLink(req *flow.Request, in link) (flow.Response, error) {
	token, err := a.Accounts.SignInByLink(req.Context(), in.Token, a.Accounts.Client(req.Request))
	return a.begin(token, ""), err
}
