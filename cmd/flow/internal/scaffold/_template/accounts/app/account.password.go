package app

import (
	"net/http"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(recentOnly)
		f.GET().Name("account.password").Do(emptyForm[passwordForm])
		f.POST().Do(a.changePassword)
	})
	// Password managers send people there: https://www.w3.org/TR/change-password-url/
	flow.At(".well-known/change-password").GET().Do(func(*flow.Request) flow.Response {
		return flow.RedirectTo("account.password")
	})
}

var accountPasswordPage = flow.PageOf[flow.Form[passwordForm]]()

func (a *members) changePassword(req *flow.Request, in flow.Form[passwordForm]) (flow.Response, error) {
	if in.Wrong == nil {
		token, err := a.Accounts.ChangePassword(req.Context(), sessionOf(req), in.Value.Password, a.Accounts.Client(req.Request))
		if in.Wrong = wrongPassword(err); in.Wrong == nil {
			return flow.RedirectTo("account", "notice", "password").Cookie(a.Accounts.Cookie(token)), err
		}
	}
	return accountPasswordPage(in).Status(http.StatusUnprocessableEntity), nil
}
