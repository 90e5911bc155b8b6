package app

import (
	"net/http"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(recentOnly)
		f.GET().Name("account.password").Do(newForm[newPassword])
		f.POST().Do(a.changePassword)
	})
}

var accountPasswordPage = flow.PageOf[flow.Form[newPassword]]()

func (a *members) changePassword(req *flow.Request, in flow.Form[newPassword]) (flow.Response, error) {
	if in.Wrong == nil {
		in.Wrong = in.Value.check(session(req).User.Email)
	}
	if in.Wrong != nil {
		return accountPasswordPage(in).Status(http.StatusUnprocessableEntity), nil
	}
	token, err := a.Accounts.ChangePassword(req.Context(), session(req), in.Value.Password, a.Accounts.Client(req.Request))
	return a.begin(token, ""), err
}
