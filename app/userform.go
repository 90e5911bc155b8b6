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

// A userForm is what the API and the form of the users page let a client say
// about a user.
type userForm struct {
	Name  string `json:"name"`
	Email string `json:"email"`
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

// createUser adds the user that a request describes.
func (a *App) createUser(req *flow.Request, form *userForm) (users.User, error) {
	if err := req.Bind(form); err != nil {
		return users.User{}, err
	}
	u, err := a.Users.Create(form.Name, form.Email)
	return u, userError(err, u.ID)
}

// userID returns the ID that a route parameter stands for. One user has one URL:
// "007" is nobody.
func userID(param string) (int, error) {
	id, err := strconv.Atoi(param)
	if err != nil || strconv.Itoa(id) != param {
		return 0, flow.Error(http.StatusNotFound, "there is no user "+param)
	}
	return id, nil
}

// userError returns what a client is told about an error of the store.
func userError(err error, id int) error {
	switch {
	case errors.Is(err, users.ErrTaken):
		return flow.Invalid{"email": "belongs to another user"}
	case errors.Is(err, users.ErrUnknown):
		return flow.Error(http.StatusNotFound, fmt.Sprintf("there is no user %d", id))
	}
	return err
}
