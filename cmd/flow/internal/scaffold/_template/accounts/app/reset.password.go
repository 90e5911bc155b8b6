package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		get, post := a.choosePassword(accounts.ForReset, resetPasswordPage, a.resetPassword)
		f.GET().Do(get)
		f.POST().Do(post)
	})
}

var resetPasswordPage = flow.PageOf[passwordData]()

func (a *members) resetPassword(req *flow.Request, in passwordForm) (session string, err error) {
	return a.Accounts.ResetPassword(req.Context(), in.Token, in.Password, a.Accounts.Client(req.Request))
}
