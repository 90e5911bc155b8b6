package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(strangersOnly)
		f.GET().Name("sign-up").Do(emptyForm[emailForm])
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

func (a *members) askToSignUp(req *flow.Request, in flow.Form[emailForm]) (flow.Response, error) {
	return a.sendLink(req, in, accounts.ForSignUp, signUpPage)
}
