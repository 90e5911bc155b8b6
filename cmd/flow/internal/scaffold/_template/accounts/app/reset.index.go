package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("reset").Do(emptyForm[emailForm])
		f.POST().Do(a.askToReset)
	})
}

var resetPage = flow.PageOf[flow.Form[emailForm]]()

func (a *members) askToReset(req *flow.Request, in flow.Form[emailForm]) (flow.Response, error) {
	return a.sendLink(req, in, accounts.ForReset, resetPage)
}
