package accounts

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// A Mail is what is sent: plain text, without anything that somebody else has typed.
type Mail struct {
	ID                string // the same if it is sent again, after a process was killed
	To, Subject, Text string
}

// A letter is the text of a mail. If link is not "", the text has %s for it.
type letter struct {
	subject, text string
	link          Purpose
}

var letters = map[string]letter{
	string(ForSignUp): {"Your account", "Follow this link to choose a password:\n\n%s\n\nIf it was not you who asked for an account, do nothing.\n", ForSignUp},
	string(ForSignIn): {"Your link for signing in", "Follow this link to sign in:\n\n%s\n\nIt works once, for 15 minutes. If it was not you who asked for it, do nothing.\n", ForSignIn},
	string(ForReset):  {"A new password", "Follow this link to choose a new password:\n\n%s\n\nIt works once, for an hour. If it was not you who asked for it, do nothing.\n", ForReset},
	string(ForEmail):  {"Your new address", "Follow this link to make this the address of your account:\n\n%s\n\nIf you have no account here, do nothing.\n", ForEmail},
	"known":           {"Your account", "Somebody has asked for an account with this address, which has one. Follow this link to sign in:\n\n%s\n\nIf it was not you, do nothing.\n", ForSignIn},
	"taken":           {"Your address", "Somebody has asked to use this address for another account. Nothing has changed, since yours has it.\n", ""},

	"password changed": {"Your password was changed", "The password of your account was changed. If it was not you, ask for a new one at once: your address is enough.\n", ""},
	"address changed":  {"Your address was changed", "The address of your account was changed to another one. If it was not you, write to us at once.\n", ""},
	"passkey added":    {"A passkey was added", "A passkey was added to your account: it can be used to sign in. If it was not you, ask for a new password at once, and remove the passkey.\n", ""},
	"passkey removed":  {"A passkey was removed", "A passkey was removed from your account. If it was not you, ask for a new password at once: your address is enough.\n", ""},
	"account deleted":  {"Your account was deleted", "Your account was deleted, as you have asked.\n", ""},
}

// pages are where links lead.
var pages = map[Purpose]string{
	ForSignUp: "sign-up/password",
	ForSignIn: "sign-in/link",
	ForReset:  "reset/password",
	ForEmail:  "account/confirm",
}

// post has a mail sent when the transaction is committed. What is stored is what it is about,
// and not its text: so no token is in the database, the time of a link begins when it is sent,
// and a request does the same for an address with an account and for one without.
func (a *Accounts) post(ctx context.Context, tx *sql.Tx, kind, userID, email string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO mails (id, kind, user_id, email, due, tries) VALUES ($1, $2, $3, $4, $5, 0)",
		rand.Text(), kind, orNull(userID), email, a.now().UnixMilli())
	return err
}

// write returns the text of a mail, with a new token in its link, and false if there is
// nothing to send.
func (a *Accounts) write(ctx context.Context, id, kind, userID, email string) (m Mail, ok bool, err error) {
	err = a.change(ctx, func(tx *sql.Tx) error {
		// While the address of an account changes, no link may go to the one of before; and none at
		// all after endLinks, which has deleted this mail then.
		where, arg := "email = $1", email
		if userID != "" {
			where, arg = "id = $1", userID
		}
		owner, err := lock(ctx, tx, where, arg)
		if err != nil {
			return err
		}
		var waits, taken int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM mails WHERE id = $1", id).Scan(&waits); err != nil || waits == 0 {
			return err
		}
		switch known := owner != ""; Purpose(kind) {
		case ForSignUp:
			if known {
				kind, userID = "known", owner
			}
		case ForSignIn, ForReset:
			if !known {
				return nil
			}
			userID = owner
		case ForEmail:
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM users WHERE email = $1", email).Scan(&taken); err != nil {
				return err
			}
			if taken > 0 {
				kind = "taken"
			}
		}
		l := letters[kind]
		m = Mail{To: email, Subject: l.subject, Text: l.text}
		if l.link != "" {
			token, err := a.mint(ctx, tx, l.link, userID, email)
			if err != nil {
				return err
			}
			// The path of a URL is logged, and its query is not.
			m.Text = fmt.Sprintf(l.text, a.origin.JoinPath(pages[l.link]).String()+"?token="+token)
		}
		ok = true
		return nil
	})
	return m, ok, err
}

const (
	mailTimeout = 30 * time.Second
	mailLease   = time.Minute // longer than mailTimeout: then the process was killed, and another one sends
	mailTries   = 12          // the last one a day and a half after the first
	mailPause   = 10 * time.Second
)

// sendNext sends a mail that is due, and returns false if there is none. Several processes
// may do so at once.
func (a *Accounts) sendNext(ctx context.Context) (found bool, err error) {
	now := a.now()
	var id, kind, email string
	var userID sql.NullString
	var tries int
	// Of two that find the same mail, the second one waits for the first, looks at the condition
	// again, and has none.
	err = a.db.QueryRowContext(ctx, `
		UPDATE mails SET due = $1, tries = tries + 1
		WHERE id = (SELECT id FROM mails WHERE due <= $2 ORDER BY due LIMIT 1) AND due <= $2
		RETURNING id, kind, user_id, email, tries`, now.Add(mailLease).UnixMilli(), now.UnixMilli()).Scan(&id, &kind, &userID, &email, &tries)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// A mail that has begun is sent to its end, also if the program is about to stop.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTimeout)
	defer cancel()
	m, ok, err := a.write(ctx, id, kind, userID.String, email)
	if err == nil && ok {
		m.ID = id
		err = a.send(ctx, m)
	}
	if err != nil && tries < mailTries {
		a.logger().Warn("a mail was not sent, and will be tried again", "kind", kind, "tries", tries, "error", err)
		_, err = a.db.ExecContext(context.WithoutCancel(ctx), "UPDATE mails SET due = $1 WHERE id = $2", a.now().Add(mailLease<<(tries-1)).UnixMilli(), id)
		return true, err
	}
	if err != nil {
		a.logger().Error("a mail was not sent", "kind", kind, "tries", tries, "error", err)
	}
	_, err = a.db.ExecContext(context.WithoutCancel(ctx), "DELETE FROM mails WHERE id = $1", id)
	return true, err
}

func (a *Accounts) wakeMailer() {
	select {
	case a.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

// Start begins what goes on beside requests: it is for Router.OnStart.
func (a *Accounts) Start(ctx context.Context) error {
	a.jobs.Go(func() {
		for ctx.Err() == nil {
			found, err := a.sendNext(ctx)
			if err != nil && ctx.Err() == nil {
				a.logger().Error("mails are not sent", "error", err)
			}
			if found && err == nil {
				continue
			}
			select {
			case <-ctx.Done():
			case <-a.wake:
			case <-time.After(mailPause): // for those to be tried again, and those of other processes
			}
		}
	})
	a.jobs.Go(func() {
		for ctx.Err() == nil {
			if err := a.sweep(ctx); err != nil && ctx.Err() == nil {
				a.logger().Error("old sessions are not removed", "error", err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Hour):
			}
		}
	})
	return nil
}

// Stop waits for the mail that is being sent: it is for Router.OnStop.
func (a *Accounts) Stop(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		a.jobs.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
