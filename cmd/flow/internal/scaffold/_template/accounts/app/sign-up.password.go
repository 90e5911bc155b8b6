package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Do(a.showSignUp)
		f.POST().Do(a.signUp)
	})
}

var signUpPasswordPage = flow.PageOf[passwordData]()

func (a *members) showSignUp(req *flow.Request, in mailedLink) (passwordData, error) {
	email, err := a.Accounts.Addressee(req.Context(), accounts.ForSignUp, in.Token)
	return passwordData{Email: email}, err
}

func (a *members) signUp(req *flow.Request, in flow.Form[linkedPassword]) (flow.Response, error) {
	if in.Wrong == nil {
		token, err := a.Accounts.SignUp(req.Context(), in.Value.Token, in.Value.Password, a.Accounts.Client(req.Request))
		if in.Wrong = wrongPassword(err); in.Wrong == nil {
			return flow.RedirectTo("account").Cookie(a.Accounts.Cookie(token)), err
		}
	}
	email, err := a.Accounts.Addressee(req.Context(), accounts.ForSignUp, in.Value.Token)
	return signUpPasswordPage(passwordData{email, in}).Status(http.StatusUnprocessableEntity), err
}
