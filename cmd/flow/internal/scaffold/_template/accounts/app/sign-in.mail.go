package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("sign-in.mail").Do(newEmailForm)
		f.POST().Do(a.askForLink)
	})
}

var signInMailPage = flow.PageOf[flow.Form[emailForm]]()

// askForLink says the same to everybody, whether there is an account or not.
func (a *members) askForLink(req *flow.Request, in flow.Form[emailForm]) (flow.Response, error) {
	if in.Wrong != nil {
		return signInMailPage(in).Status(http.StatusUnprocessableEntity), nil
	}
	return flow.RedirectTo("sent"), a.Accounts.SendLink(req.Context(), accounts.ForSignIn, in.Value.Email, a.Accounts.Client(req.Request))
}
