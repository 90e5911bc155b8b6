package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("reset").Do(newForm[emailForm])
		f.POST().Do(a.sendLink(accounts.ForReset, resetPage))
	})
}

var resetPage = flow.PageOf[flow.Form[emailForm]]()
