package app

import (
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

func newEmailForm(*flow.Request) (flow.Form[emailForm], error) { return flow.Form[emailForm]{}, nil }

// A link is what a link in a mail has. It is followed with GET, and used by a button: programs
// that look for viruses in mails follow links, too, and press no button.
type link struct {
	Token string `query:"token"`
}

// linkData is what the page of a link shows.
type linkData struct{ Email string }
