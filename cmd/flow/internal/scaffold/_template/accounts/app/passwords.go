package app

import (
	"errors"

	"example.com/flow"
	"example.com/newapp/accounts"
)

// A passwordForm has a new password.
type passwordForm struct {
	Password string `form:"password"`
}

// Validate is called before a handler that takes the form. It does not know the address: package
// accounts compares it with the password.
func (f passwordForm) Validate() error {
	return wrongPassword(accounts.CheckPassword(f.Password, ""))
}

// wrongPassword returns what is wrong with a password, or nil if err says nothing of that.
func wrongPassword(err error) flow.Invalid {
	if wrong, ok := errors.AsType[accounts.PasswordError](err); ok {
		return flow.Invalid{"password": wrong.Error()}
	}
	return nil
}

// A linkedPassword is a new password that comes with a link.
type linkedPassword struct {
	mailedLink
	passwordForm
}

// passwordData is what the page of a link for a new password shows.
type passwordData struct {
	Email string
	Form  flow.Form[linkedPassword]
}
