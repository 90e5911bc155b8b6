package app

import (
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/flow"
	"example.com/flow/app/users"
)

// A userForm is what the API and the forms of the pages let a client say about a
// user. It is always bound while it is empty: for a checkbox that is not ticked a
// browser sends nothing, and Bind leaves a field as it is if nothing is sent for it.
type userForm struct {
	Name       string `json:"name"`
	Email      string `json:"email"`
	Newsletter bool   `json:"newsletter"`
}

// formOf returns the form that shows what is stored.
func formOf(u users.User) userForm { return userForm{u.Name, u.Email, u.Newsletter} }

// applyTo returns a copy of u that has the values of the form.
func (f userForm) applyTo(u users.User) users.User {
	u.Name, u.Email, u.Newsletter = f.Name, f.Email, f.Newsletter
	return u
}

// Validate trims the fields and reports what is wrong with them. Bind calls it.
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

// createUser adds the user that a request describes. It also returns the form, for a page
// that shows it again with what is wrong.
func (a *App) createUser(req *flow.Request) (u users.User, form userForm, err error) {
	if err = req.Bind(&form); err == nil {
		u, err = a.Users.Create(form.applyTo(u))
	}
	return u, form, userError(err, u.ID)
}

// updateUser changes a user to what a request describes, and returns the form as
// createUser does.
func (a *App) updateUser(req *flow.Request, u users.User) (form userForm, err error) {
	if err = req.Bind(&form); err == nil {
		err = a.Users.Update(form.applyTo(u))
	}
	return form, userError(err, u.ID)
}

// userID returns the ID that a route parameter says. The error answers 404, also for
// "007", so that each user has one URL.
func userID(param string) (int, error) {
	id, err := strconv.Atoi(param)
	if err != nil || strconv.Itoa(id) != param {
		return 0, flow.Error(http.StatusNotFound, "there is no user "+param)
	}
	return id, nil
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
