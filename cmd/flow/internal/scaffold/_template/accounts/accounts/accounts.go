// Package accounts knows who may sign in, and how. What has to be right about it stands here,
// and the handlers in app/ only call it. It is a part of the application: change what you
// like, but where a comment says that something must be so, an attack stands behind it.
//
// A request goes this way. The guards in app/ ask Session who has sent it, and the handler calls
// a method of Accounts with the Client. The method counts the attempt, hashes the password, and
// does all else in one transaction: it locks the user, looks whether the session or the link is
// still good, writes, notes what has happened, posts a mail, and begins a session. The job that
// Start has begun sends the mail.
//
// To read it, begin with what a user can do, and go on with what that is made of:
//
//	accounts.go   signing up and in, a new password, another address, deletion
//	database.go   transactions, and who may make one; SQLite and PostgreSQL; migrations
//	session.go    the browsers in which a user is signed in
//	token.go      links that are good once
//	password.go   hashes
//	limit.go      how often somebody may try
//	client.go     the cookie, and the IP address of a request
//	mail.go       the texts of mails, and the job that sends them
//	audit.go      what has happened to an account
//	sweep.go      what is removed after a time
//	admin.go      roles, and the list of users
//	passkey.go    passkeys
package accounts

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"log/slog"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Accounts keeps users in a database. All processes that use one database have the same. Set
// the fields before anything else is called.
type Accounts struct {
	Proxies int          // in front of the application, each of which adds to X-Forwarded-For
	Logger  *slog.Logger // slog.Default() if nil

	db        *sql.DB
	origin    *url.URL
	send      func(context.Context, Mail) error
	passwords *hasher
	now       func() time.Time
	admin     string // the address that MakeAdmin has found without an account, or ""
	wake      chan struct{}
	took      atomic.Int64 // nanoseconds to send the last mail
	jobs      sync.WaitGroup
}

// New returns the Accounts of a database, opened by Open or as Open does. With another way of
// opening SQLite, many requests at once fail with "database is locked", and without
// foreign_keys, a deleted user leaves sessions behind. origin is the URL of the application as
// its users see it, such as https://newapp.example. It must not be taken from a request:
// whoever sends one chooses its Host, and the links in mails would lead there.
func New(db *sql.DB, origin *url.URL, send func(context.Context, Mail) error) *Accounts {
	return &Accounts{db: db, origin: origin, send: send, passwords: newHasher(today, before...), now: time.Now, wake: make(chan struct{}, 1)}
}

// A User is who has an account.
type User struct {
	ID, Email, Role string
	Created         time.Time
}

// Admin is the role that may see and change other users.
const Admin = "admin"

// Roles are those that an admin gives. A user has one of them or, as most, none: "".
var Roles = []string{Admin}

// What a handler has to tell from a failure of the database.
var (
	ErrCredentials = errors.New("the address or the password is wrong")
	ErrLink        = errors.New("the link has been used, or has ended")
	ErrNotRecent   = errors.New("sign in again first")
	ErrRole        = errors.New("there is no such user or role, or it is your own")
	ErrAdmin       = errors.New("an admin cannot delete the account: another admin has to take the role from you first")
	ErrBusy        = errors.New("too many passwords are checked at this moment: try again soon")
)

// address is what browsers take for <input type="email">. It has nothing that would end a
// line of a mail. Letters outside of ASCII are refused: some of them become others in lower
// case, and the mail of one person would go to another. CleanEmail also refuses what browsers
// take and no mail can be sent to, such as a..b@newapp.example.
var address = regexp.MustCompile(`^[a-zA-Z0-9.!#$%&'*+/=?^_{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$`)

// CleanEmail returns an address as it is stored, and false if it is none.
func CleanEmail(typed string) (email string, ok bool) {
	typed = strings.TrimSpace(typed)
	if _, err := mail.ParseAddress(typed); err != nil || len(typed) > 254 || !address.MatchString(typed) {
		return "", false
	}
	return strings.ToLower(typed), true
}

// SendLink has a link sent to an address: for signing up, for signing in, or for a new
// password. It does not look whether the address has an account, and so nobody learns that
// from it, nor from the time that it takes: the mailer does.
func (a *Accounts) SendLink(ctx context.Context, p Purpose, email string, from Client) error {
	if err := a.countMail(ctx, mailsOfAddress, email, from); err != nil {
		return err
	}
	return a.change(ctx, from, func(tx *transaction) error { return tx.post(string(p), "", email) })
}

// SignUp makes the account of who has got a link for it, and begins a session.
//
// The password comes with the link, and not with the request for it. Else somebody could ask
// with another one's address and a password of his own, and wait until that person follows
// the link.
func (a *Accounts) SignUp(ctx context.Context, token, password string, from Client) (session string, err error) {
	hash, err := a.newPassword(ctx, ForSignUp, token, password)
	if err != nil {
		return "", err
	}
	return a.enter(ctx, from, "signed up", func(tx *transaction) (string, error) {
		_, email, err := tx.spend(ForSignUp, token)
		if err != nil {
			return "", err
		}
		id := rand.Text()
		added, err := tx.affected("INSERT INTO users (id, email, password, role, created) VALUES ($1, $2, $3, '', $4) ON CONFLICT (email) DO NOTHING",
			id, email, hash, tx.now())
		if err == nil && added == 0 {
			err = ErrLink // a second link for the address was faster
		}
		if err == nil && email == a.admin {
			err = tx.setRole("id", id, Admin)
		}
		return id, err
	})
}

// SignIn begins a session. ErrCredentials does not say whether there is such an account, and
// neither do the limits, what is written, and the time.
func (a *Accounts) SignIn(ctx context.Context, typed, password string, from Client) (session string, err error) {
	if a.passwords.isFull() {
		return "", ErrBusy // before it is counted: else who is right and tries again is locked out
	}
	if err := a.count(ctx, signInsOfClient, from.place()); err != nil {
		return "", err
	}
	email, ok := CleanEmail(typed) // "", which nobody has, if it is none
	if ok {
		if err := a.count(ctx, signInsOfAccount, email); err != nil {
			return "", err
		}
	}
	for {
		session, err = a.signIn(ctx, email, password, from)
		if err != errChanged {
			return session, err
		}
	}
}

// errChanged says that the password has been changed while it was compared: by the owner, or
// by another sign-in, which has hashed it anew.
var errChanged = errors.New("the stored password has changed")

func (a *Accounts) signIn(ctx context.Context, email, password string, from Client) (session string, err error) {
	var id, stored string
	err = a.db.QueryRowContext(ctx, "SELECT id, password FROM users WHERE email = $1", email).Scan(&id, &stored)
	if errors.Is(err, sql.ErrNoRows) {
		stored, err = a.passwords.dummy(), nil
	}
	if err != nil {
		return "", err
	}
	same, err := a.passwords.matches(ctx, password, stored)
	if err != nil {
		return "", err
	}
	if !same {
		err := a.change(ctx, from, func(tx *transaction) error { return tx.note(id, "wrong password") })
		return "", cmp.Or(err, ErrCredentials)
	}
	hash := stored
	if a.passwords.isWeak(stored) {
		if hash, err = a.passwords.hash(ctx, password); err != nil {
			return "", err
		}
	}
	return a.enter(ctx, from, "signed in", func(tx *transaction) (string, error) {
		// This locks the user, as lock does.
		still, err := tx.affected("UPDATE users SET password = $1 WHERE id = $2 AND password = $3", hash, id, stored)
		if err == nil && still == 0 {
			err = errChanged
		}
		if err != nil {
			return "", err
		}
		return id, cmp.Or(tx.takeBack(signInsOfAccount, email), tx.takeBack(signInsOfClient, from.place()))
	})
}

// SignInByLink begins a session for who has got a link for it.
func (a *Accounts) SignInByLink(ctx context.Context, token string, from Client) (session string, err error) {
	return a.enter(ctx, from, "signed in by a link", func(tx *transaction) (userID string, err error) {
		userID, _, err = tx.spend(ForSignIn, token)
		return userID, err
	})
}

// ResetPassword sets the password of who has got a link for it, and begins a session, the
// only one that is left.
func (a *Accounts) ResetPassword(ctx context.Context, token, password string, from Client) (session string, err error) {
	hash, err := a.newPassword(ctx, ForReset, token, password)
	if err != nil {
		return "", err
	}
	return a.enter(ctx, from, "password reset", func(tx *transaction) (string, error) {
		id, email, err := tx.spend(ForReset, token)
		if err != nil {
			return "", err
		}
		return id, tx.setPassword(id, email, hash)
	})
}

// ChangePassword sets the password of who has signed in lately, and begins a session, the
// only one that is left.
func (a *Accounts) ChangePassword(ctx context.Context, s *Session, password string, from Client) (session string, err error) {
	if err := CheckPassword(password, s.User.Email); err != nil {
		return "", err
	}
	hash, err := a.passwords.hash(ctx, password)
	if err != nil {
		return "", err
	}
	err = a.changeAs(ctx, s, recent, from, func(tx *transaction, u User) error {
		if err := tx.setPassword(u.ID, u.Email, hash); err != nil {
			return err
		}
		session, err = tx.begin(u.ID, "password changed")
		return err
	})
	return session, err
}

// newPassword returns the hash of a password that comes with a link. It looks at the link
// first, since a hash is dear, and anybody may come with a link that is none.
func (a *Accounts) newPassword(ctx context.Context, p Purpose, token, password string) (hash string, err error) {
	email, err := a.Addressee(ctx, p, token)
	if err == nil {
		err = CheckPassword(password, email)
	}
	if err != nil {
		return "", err
	}
	return a.passwords.hash(ctx, password)
}

// setPassword ends all that was begun with the password of before: sessions, and links that
// wait in a mailbox.
func (tx *transaction) setPassword(userID, email, hash string) error {
	return cmp.Or(
		tx.exec("UPDATE users SET password = $1 WHERE id = $2", hash, userID),
		tx.endAll(userID),
		tx.post("password changed", "", email),
	)
}

// ChangeEmail has a link sent to another address, which counts when ConfirmEmail gets it.
// It does not tell whether another account has that address: the mail does.
func (a *Accounts) ChangeEmail(ctx context.Context, s *Session, email string, from Client) error {
	if err := a.countMail(ctx, mailsOfNewAddress, email, from); err != nil {
		return err
	}
	return a.changeAs(ctx, s, recent, from, func(tx *transaction, u User) error {
		return tx.post(string(ForEmail), u.ID, email)
	})
}

// ConfirmEmail changes the address of an account to the one that the link was sent to, and
// tells the one of before. Links that were sent to that are worth nothing any more.
//
// Who follows the link must be signed in to that account. Else somebody could ask for a change
// to another one's address, wait until that person follows the link, and know the password of
// an account that has become hers.
func (a *Accounts) ConfirmEmail(ctx context.Context, s *Session, token string, from Client) error {
	return a.changeAs(ctx, s, sessionLife, from, func(tx *transaction, u User) error {
		email, err := tx.spendOf(u.ID, ForEmail, token)
		if err != nil {
			return err
		}
		if err := tx.exec("UPDATE users SET email = $1 WHERE id = $2", email, u.ID); isTaken(err) {
			return ErrLink
		} else if err != nil {
			return err
		}
		return cmp.Or(tx.endLinks(u.ID), tx.tell(u, "address changed"))
	})
}

// Delete deletes the account of who has signed in lately, with its sessions and links. What
// else the application keeps of a user is to be deleted here, too, or by a foreign key. That of
// an admin is not deleted: see SetRole.
func (a *Accounts) Delete(ctx context.Context, s *Session, from Client) error {
	return a.changeAs(ctx, s, recent, from, func(tx *transaction, u User) error {
		if u.Role == Admin {
			return ErrAdmin
		}
		return cmp.Or(tx.exec("DELETE FROM users WHERE id = $1", u.ID), tx.tell(u, "account deleted"))
	})
}

// countMail counts a mail that somebody asks for.
func (a *Accounts) countMail(ctx context.Context, to limit, email string, from Client) error {
	if err := a.count(ctx, mailsOfClient, from.place()); err != nil {
		return err
	}
	return a.count(ctx, to, email)
}

func (a *Accounts) logger() *slog.Logger {
	if a.Logger == nil {
		return slog.Default()
	}
	return a.Logger
}
