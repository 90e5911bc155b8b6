package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(hideURL)
		f.GET().Do(a.showNewEmail)
		f.POST().Do(a.confirmEmail)
	})
}

func (a *members) showNewEmail(req *flow.Request, in mailedLink) (linkData, error) {
	email, err := a.Accounts.Addressee(req.Context(), accounts.ForEmail, in.Token)
	return linkData{email}, err
}

func (a *members) confirmEmail(req *flow.Request, in mailedLink) (flow.Response, error) {
	return flow.RedirectTo("account", "notice", "email"), a.Accounts.ConfirmEmail(req.Context(), sessionOf(req), in.Token, a.Accounts.Client(req.Request))
}
