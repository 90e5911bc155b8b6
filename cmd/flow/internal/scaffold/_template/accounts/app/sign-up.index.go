package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("sign-up").Do(newForm[emailForm])
		f.POST().Do(a.sendLink(accounts.ForSignUp, signUpPage))
	})
}

var signUpPage = flow.PageOf[flow.Form[emailForm]]()
