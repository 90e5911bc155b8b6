package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Do(a.showReset)
		f.POST().Do(a.reset)
	})
}

var resetPasswordPage = flow.PageOf[passwordData]()

func (a *members) showReset(req *flow.Request, in mailedLink) (passwordData, error) {
	email, err := a.Accounts.Addressee(req.Context(), accounts.ForReset, in.Token)
	return passwordData{Email: email}, err
}

func (a *members) reset(req *flow.Request, in flow.Form[linkedPassword]) (flow.Response, error) {
	if in.Wrong == nil {
		token, err := a.Accounts.ResetPassword(req.Context(), in.Value.Token, in.Value.Password, a.Accounts.Client(req.Request))
		if in.Wrong = wrongPassword(err); in.Wrong == nil {
			return flow.RedirectTo("account", "notice", "password").Cookie(a.Accounts.Cookie(token)), err
		}
	}
	email, err := a.Accounts.Addressee(req.Context(), accounts.ForReset, in.Value.Token)
	return resetPasswordPage(passwordData{email, in}).Status(http.StatusUnprocessableEntity), err
}
