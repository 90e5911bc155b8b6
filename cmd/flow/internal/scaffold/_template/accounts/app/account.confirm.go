package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Do(a.addressee(accounts.ForEmail))
		f.POST().Do(a.confirmEmail)
	})
}

func (a *members) confirmEmail(req *flow.Request, in link) (flow.Response, error) {
	return flow.RedirectTo("account"), a.Accounts.ConfirmEmail(req.Context(), session(req), in.Token, a.Accounts.Client(req.Request))
}
