package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(recentOnly)
		f.GET().Name("account.delete").Do(newForm[deletion])
		f.POST().Do(a.deleteAccount)
	})
}

var deletePage = flow.PageOf[flow.Form[deletion]]()

// A deletion has the address of the account, typed by somebody who means it.
type deletion struct {
	Email string `form:"email"`
}

// Validate is called before deleteAccount.
func (d deletion) Validate() error {
	if d.Email == "" {
		return flow.Invalid{"email": "is required"}
	}
	return nil
}

func (a *members) deleteAccount(req *flow.Request, in flow.Form[deletion]) (flow.Response, error) {
	s := session(req)
	if email, _ := accounts.CleanEmail(in.Value.Email); in.Wrong == nil && email != s.User.Email {
		in.Wrong = flow.Invalid{"email": "is not that of this account"}
	}
	if in.Wrong != nil {
		return deletePage(in).Status(http.StatusUnprocessableEntity), nil
	}
	return flow.RedirectTo("sign-in", "notice", "deleted").Cookie(a.Accounts.Cookie("")),
		a.Accounts.Delete(req.Context(), s, a.Accounts.Client(req.Request))
}
