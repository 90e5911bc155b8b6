package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("reset").Do(newEmailForm)
		f.POST().Do(a.askToReset)
	})
}

var resetPage = flow.PageOf[flow.Form[emailForm]]()

// askToReset says the same to everybody, whether there is an account or not.
func (a *members) askToReset(req *flow.Request, in flow.Form[emailForm]) (flow.Response, error) {
	if in.Wrong != nil {
		return resetPage(in).Status(http.StatusUnprocessableEntity), nil
	}
	return flow.RedirectTo("sent"), a.Accounts.SendLink(req.Context(), accounts.ForReset, in.Value.Email, a.Accounts.Client(req.Request))
}
