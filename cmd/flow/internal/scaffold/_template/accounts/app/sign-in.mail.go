package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("sign-in.mail").Do(emptyForm[emailForm])
		f.POST().Do(a.askForLink)
	})
}

var signInMailPage = flow.PageOf[flow.Form[emailForm]]()

func (a *members) askForLink(req *flow.Request, in flow.Form[emailForm]) (flow.Response, error) {
	return a.sendLink(req, in, accounts.ForSignIn, signInMailPage)
}
