package accounts

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// UsersPage is how many users are shown at once.
const UsersPage = 50

// Users returns users whose address has a text in it, in the order of their addresses: those
// behind one, or the first if it is "".
func (a *Accounts) Users(ctx context.Context, search, after string) ([]User, error) {
	like := "%" + strings.NewReplacer("%", `\%`, "_", `\_`, `\`, `\\`).Replace(strings.ToLower(Clean(search))) + "%"
	rows, err := a.db.QueryContext(ctx, `SELECT id, email, role, created FROM users WHERE email LIKE $1 ESCAPE '\' AND email > $2 ORDER BY email LIMIT $3`,
		like, Clean(after), UsersPage)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var users []User
	for rows.Next() {
		var u User
		var created int64
		if err := rows.Scan(&u.ID, &u.Email, &u.Role, &created); err != nil {
			return nil, err
		}
		u.Created = time.UnixMilli(created)
		users = append(users, u)
	}
	return users, rows.Err()
}

// SetRole gives a user a role, or none with "". Only an admin may, and not to himself, and Delete
// deletes no admin: so one is always left. The user has to sign in again.
func (a *Accounts) SetRole(ctx context.Context, s *Session, userID, role string, from Client) error {
	userID = Clean(userID) // before it is compared: else an admin's own one with a byte more is another one
	return a.change(ctx, from, func(tx *transaction) error {
		// Two admins may take the role from each other at the same moment, and one of them has to stay
		// an admin. So each transaction locks both admins, and the one that comes second waits, and sees
		// what the first has done. It locks the one with the smaller ID first: if one transaction locked
		// A and then B, and another B and then A, each would wait for the other.
		if _, err := tx.lock("id = $1", min(s.User.ID, userID)); err != nil {
			return err
		}
		u, err := tx.user(s, recent) // as in changeAs
		switch {
		case err != nil:
			return err
		case u.Role != Admin || u.ID == userID || role != "" && !slices.Contains(Roles, role):
			return ErrRole
		}
		return tx.setRole("id", userID, role)
	})
}

// MakeAdmin gives the user of an address the role of an admin. It is for the command line,
// since there is nobody else who could make the first one. An address without an account is
// sent a link for signing up, and has the role with it. Call it before there are requests.
func (a *Accounts) MakeAdmin(ctx context.Context, typed string) error {
	email, ok := CleanEmail(typed)
	if !ok {
		return fmt.Errorf("%q cannot be an admin: it is no address", typed)
	}
	err := a.change(ctx, Client{}, func(tx *transaction) error { return tx.setRole("email", email, Admin) })
	if !errors.Is(err, ErrRole) {
		return err
	}
	a.admin = email
	err = a.SendLink(ctx, ForSignUp, email, Client{})
	if _, often := errors.AsType[*LimitError](err); often {
		return nil // it has links enough
	}
	return err
}

func (tx *transaction) setRole(column, value, role string) error {
	var id, before string
	err := tx.row("SELECT id, role FROM users WHERE "+column+" = $1", value).Scan(&id, &before)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrRole
	}
	if err != nil || before == role {
		return err
	}
	return cmp.Or(
		tx.exec("UPDATE users SET role = $1 WHERE id = $2", role, id),
		tx.endAll(id),
		tx.note(id, "role: "+cmp.Or(role, "none")),
	)
}
