package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(strangersOnly)
		f.GET().Name("sign-up").Do(newEmailForm)
		f.POST().Do(a.askToSignUp)
	})
}

var signUpPage = flow.PageOf[flow.Form[emailForm]]()

// strangersOnly is a guard.
func strangersOnly(req *flow.Request) flow.Response {
	if req.IsAuthenticated() {
		return flow.RedirectTo("account")
	}
	return flow.Next()
}

// askToSignUp says the same to everybody, whether there is an account or not.
func (a *members) askToSignUp(req *flow.Request, in flow.Form[emailForm]) (flow.Response, error) {
	if in.Wrong != nil {
		return signUpPage(in).Status(http.StatusUnprocessableEntity), nil
	}
	return flow.RedirectTo("sent"), a.Accounts.SendLink(req.Context(), accounts.ForSignUp, in.Value.Email, a.Accounts.Client(req.Request))
}
