package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

// A passwordForm has a new password.
type passwordForm struct {
	Password string `form:"password"`
}

// Validate is called before a handler that takes the form, which knows the address.
func (f passwordForm) Validate() error { return f.check("") }

func (f passwordForm) check(email string) flow.Invalid {
	if err := accounts.CheckPassword(f.Password, email); err != nil {
		return flow.Invalid{"password": err.Error()}
	}
	return nil
}

// A linkedPassword is a new password that comes with a link.
type linkedPassword struct {
	link
	passwordForm
}

// passwordData is what the page of a link for a new password shows.
type passwordData struct {
	Email string
	Form  flow.Form[linkedPassword]
}
