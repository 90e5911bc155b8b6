package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("sign-in.mail").Do(newForm[emailForm])
		f.POST().Do(a.sendLink(accounts.ForSignIn, signInMailPage))
	})
}

var signInMailPage = flow.PageOf[flow.Form[emailForm]]()
