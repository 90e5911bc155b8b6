package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		get, post := a.choosePassword(accounts.ForSignUp, signUpPasswordPage, a.signUp)
		f.GET().Do(get)
		f.POST().Do(post)
	})
}

var signUpPasswordPage = flow.PageOf[passwordData]()

func (a *members) signUp(req *flow.Request, in passwordForm) (session string, err error) {
	return a.Accounts.SignUp(req.Context(), in.Token, in.Password, a.Accounts.Client(req.Request))
}
