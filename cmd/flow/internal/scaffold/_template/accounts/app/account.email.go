package app

import (
	"net/http"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(recentOnly)
		f.GET().Name("account.email").Do(emptyForm[emailForm])
		f.POST().Do(a.changeEmail)
	})
}

var accountEmailPage = flow.PageOf[flow.Form[emailForm]]()

func (a *members) changeEmail(req *flow.Request, in flow.Form[emailForm]) (flow.Response, error) {
	if in.Wrong != nil {
		return accountEmailPage(in).Status(http.StatusUnprocessableEntity), nil
	}
	return flow.RedirectTo("sent"), a.Accounts.ChangeEmail(req.Context(), sessionOf(req), in.Value.Email, a.Accounts.Client(req.Request))
}
