package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Do(a.showSignInLink)
		f.POST().Do(a.signInByLink)
	})
}

func (a *members) showSignInLink(req *flow.Request, in mailedLink) (linkData, error) {
	email, err := a.Accounts.Addressee(req.Context(), accounts.ForSignIn, in.Token)
	return linkData{email}, err
}

func (a *members) signInByLink(req *flow.Request, in mailedLink) (flow.Response, error) {
	token, err := a.Accounts.SignInByLink(req.Context(), in.Token, a.Accounts.Client(req.Request))
	return flow.RedirectTo("account").Cookie(a.Accounts.Cookie(token)), err
}
