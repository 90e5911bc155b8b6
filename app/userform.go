package app

import (
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"strings"
	"unicode/utf8"

	"example.com/flow"
	"example.com/flow/app/users"
)

// A userRef says which user a request is about.
type userRef struct {
	ID int `param:"id"`
}

// A userForm is what the API and the forms of the pages let a client say about a user.
type userForm struct {
	Name       string `json:"name"`
	Email      string `json:"email"`
	Newsletter bool   `json:"newsletter"`
}

// A userEdit is what a client says about a user who is stored.
type userEdit struct {
	userRef
	userForm
}

// user returns the user that the form describes.
func (f userForm) user(id int) users.User {
	return users.User{ID: id, Name: f.Name, Email: f.Email, Newsletter: f.Newsletter}
}

// Validate trims the fields and reports what is wrong with them. It runs before handlers.
func (f *userForm) Validate() error {
	f.Name, f.Email = strings.TrimSpace(f.Name), strings.TrimSpace(f.Email)
	wrong := flow.Invalid{}
	switch {
	case f.Name == "":
		wrong["name"] = "is required"
	case utf8.RuneCountInString(f.Name) > 80:
		wrong["name"] = "has more than 80 characters"
	}
	switch {
	case f.Email == "":
		wrong["email"] = "is required"
	case len(f.Email) > 254 || !isEmail(f.Email):
		wrong["email"] = "is not an email address"
	}
	return wrong
}

// isEmail reports whether text is an address and nothing more: no "Ada <a@b.c>".
func isEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text
}

// updateUser changes a user to what a form describes. It returns the user as it was. An
// unknown user is 404, whatever the form says.
func (a *App) updateUser(in flow.Form[userEdit]) (users.User, error) {
	u, err := a.findUser(in.Value.ID)
	if err != nil {
		return u, err
	}
	if in.Wrong != nil {
		return u, in.Wrong
	}
	return u, userError(a.Users.Update(in.Value.user(u.ID)), u.ID)
}

// findUser returns a user, or an error that answers 404.
func (a *App) findUser(id int) (users.User, error) {
	u, err := a.Users.Find(id)
	return u, userError(err, id)
}

// userError makes an error of the store into one that tells the client what is wrong.
func userError(err error, id int) error {
	switch {
	case errors.Is(err, users.ErrTaken):
		return flow.Invalid{"email": "belongs to another user"}
	case errors.Is(err, users.ErrUnknown):
		return flow.Error(http.StatusNotFound, fmt.Sprintf("there is no user %d", id))
	}
	return err
}
