package app

import (
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

// An emailForm asks for a link.
type emailForm struct {
	Email string `form:"email"`
}

// Validate is called before a handler that takes the form.
func (f *emailForm) Validate() error {
	email, ok := accounts.CleanEmail(f.Email)
	if !ok {
		return flow.Invalid{"email": "must be an address, such as ada@example.com"}
	}
	f.Email = email
	return nil
}

// emptyForm answers with a form that has nothing in it yet.
func emptyForm[T any](*flow.Request) (flow.Form[T], error) { return flow.Form[T]{}, nil }

// sendLink answers who asks for a link, on a page with the form. It says the same to everybody,
// whether there is an account or not.
func (a *members) sendLink(req *flow.Request, in flow.Form[emailForm], p accounts.Purpose, page func(flow.Form[emailForm]) flow.Response) (flow.Response, error) {
	if in.Wrong != nil {
		return page(in).Status(http.StatusUnprocessableEntity), nil
	}
	return flow.RedirectTo("sent"), a.Accounts.SendLink(req.Context(), p, in.Value.Email, a.Accounts.Client(req.Request))
}

// A mailedLink is what a link in a mail has. It is followed with GET, and used by a button: programs
// that look for viruses in mails follow links, too, and press no button.
type mailedLink struct {
	Token string `query:"token"`
}

// linkData is what the page of a link shows.
type linkData struct{ Email string }
