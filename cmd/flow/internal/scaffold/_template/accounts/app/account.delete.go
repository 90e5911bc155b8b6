package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(recentOnly)
		f.GET().Name("account.delete").Do(emptyForm[accountDeletion])
		f.POST().Do(a.deleteAccount)
	})
}

var accountDeletePage = flow.PageOf[flow.Form[accountDeletion]]()

// An accountDeletion has the address of the account, typed by somebody who means it.
type accountDeletion struct {
	Email string `form:"email"`
}

// Validate is called before deleteAccount.
func (d accountDeletion) Validate() error {
	if d.Email == "" {
		return flow.Invalid{"email": "is required"}
	}
	return nil
}

func (a *members) deleteAccount(req *flow.Request, in flow.Form[accountDeletion]) (flow.Response, error) {
	s := sessionOf(req)
	if email, _ := accounts.CleanEmail(in.Value.Email); in.Wrong == nil && email != s.User.Email {
		in.Wrong = flow.Invalid{"email": "is not that of this account"}
	}
	if in.Wrong != nil {
		return accountDeletePage(in).Status(http.StatusUnprocessableEntity), nil
	}
	return flow.RedirectTo("sign-in", "notice", "deleted").Cookie(a.Accounts.Cookie("")),
		a.Accounts.Delete(req.Context(), s, a.Accounts.Client(req.Request))
}
