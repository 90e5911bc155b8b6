package accounts

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Mail is what is sent: plain text, without anything that somebody else has typed.
type Mail struct {
	ID                string // the same if it is sent again, after a process was killed
	To, Subject, Text string
	Link              string // the one in Text that has a token, or ""
}

// application is how mails call it.
const application = "newapp"

// A letter is the text of a mail. Words in braces are replaced.
type letter struct {
	subject, text string
	link          Purpose // of {link}, or "" if there is none
}

var letters = map[string]letter{
	string(ForSignUp): {"Finish signing up for " + application, `Somebody has asked ` + application + ` for an account with this address.
If it was you, follow this link to choose a password:

{link}

It works once, within {life}. If it was not you, do nothing:
there is no account then.
`, ForSignUp},
	string(ForSignIn): {"Your link to sign in to " + application, `Somebody has asked ` + application + ` for a link to sign in to your account.
If it was you, follow it:

{link}

It works once, within {life}. If it was not you, do nothing. Give
the link to nobody: whoever has it can sign in.
`, ForSignIn},
	string(ForReset): {"A new password for " + application, `Somebody has asked ` + application + ` for a new password for your account.
If it was you, follow this link to choose one:

{link}

It works once, within {life}. If it was not you, do nothing:
your password stays as it is.
`, ForReset},
	string(ForEmail): {"Your new address at " + application, `Somebody wants to make this the address of an account at ` + application + `.
If it was you, follow this link where you are signed in:

{link}

It works once, within {life}. If it was not you, do nothing: the
account does not get your address.
`, ForEmail},
	"known": {"You have an account at " + application, `Somebody has asked ` + application + ` for an account with this address, which
has one already. If it was you, follow this link to sign in:

{link}

It works once, within {life}. If it was not you, do nothing.
`, ForSignIn},
	"taken": {"Somebody has asked for your address at " + application, `Somebody wants to make this the address of another account at
` + application + `. Nothing has changed, since yours has it.
`, ""},

	"password changed": {"Your password at " + application + " was changed", `The password of your account at ` + application + ` was changed
{when}.

If it was not you, choose a new one at once, which ends all sessions:

{reset}
`, ""},
	"address changed": {"Your address at " + application + " was changed", `The address of your account at ` + application + ` was changed to another one
{when}.

If it was not you, answer this mail at once.
`, ""},
	"passkey added": {"A passkey was added at " + application, `A passkey, which can be used to sign in, was added to your account at
` + application + ` {when}.

If it was not you, choose a new password at once, and then remove the
passkey:

{reset}
`, ""},
	"passkey removed": {"A passkey was removed at " + application, `A passkey was removed from your account at ` + application + `
{when}.

If it was not you, choose a new password at once, which ends all sessions:

{reset}
`, ""},
	"account deleted": {"Your account at " + application + " was deleted", `Your account at ` + application + ` was deleted
{when}.

If it was not you, answer this mail at once.
`, ""},
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
func (tx *transaction) post(kind, userID, email string) error {
	return tx.exec("INSERT INTO mails (id, kind, user_id, email, network, asked, due, tries) VALUES ($1, $2, $3, $4, $5, $6, $6, 0)",
		rand.Text(), kind, orNull(userID), email, tx.from.network(), tx.now())
}

// An order is a mail that waits to be written and sent.
type order struct {
	id, kind, userID, email string
	network                 string // of who has caused it, or ""
	asked                   time.Time
	tries                   int
}

// when says when something has happened, and from where. The network is that of an address,
// whoever has written it, and never another text.
func (o order) when() string {
	text := o.asked.UTC().Format("on 2 January 2006 at 15:04 UTC")
	if o.network != "" {
		text += ", from the network " + o.network
	}
	return text
}

// write returns the text of a mail, with a new token in its link, and false if there is
// nothing to send.
func (a *Accounts) write(ctx context.Context, o order) (m Mail, ok bool, err error) {
	kind, userID := o.kind, o.userID
	err = a.change(ctx, Client{}, func(tx *transaction) error {
		// With the user locked, the address of the account cannot change before the token is stored:
		// else a link could go to the old address after the change. The change also deletes mails with
		// links that wait, see endLinks: so the lock comes first, and then the look whether this mail
		// is still there.
		where, arg := "email = $1", o.email
		if userID != "" {
			where, arg = "id = $1", userID
		}
		owner, err := tx.lock(where, arg)
		if err != nil {
			return err
		}
		var waits, taken int
		if err := tx.row("SELECT count(*) FROM mails WHERE id = $1", o.id).Scan(&waits); err != nil || waits == 0 {
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
			if err := tx.row("SELECT count(*) FROM users WHERE email = $1", o.email).Scan(&taken); err != nil {
				return err
			}
			if taken > 0 {
				kind = "taken"
			}
		}
		l := letters[kind]
		m = Mail{ID: o.id, To: o.email, Subject: l.subject}
		if l.link != "" {
			token, err := tx.mint(l.link, userID, o.email)
			if err != nil {
				return err
			}
			// The path of a URL is logged, and its query is not.
			m.Link = a.origin.JoinPath(pages[l.link]).String() + "?token=" + token
		}
		m.Text = strings.NewReplacer("{link}", m.Link, "{life}", inWords(lives[l.link]), "{when}", o.when(), "{reset}", a.origin.JoinPath("reset").String()).
			Replace(l.text) + "\n-- \n" + application + "\n" + a.origin.String() + "\n"
		ok = true
		return nil
	})
	return m, ok, err
}

// inWords returns a time as mails say it: "15 minutes", "24 hours".
func inWords(d time.Duration) string {
	if d > time.Hour {
		return fmt.Sprintf("%.0f hours", d.Hours())
	}
	return fmt.Sprintf("%.0f minutes", d.Minutes())
}

// SendsMails reports whether there is a mail server: without one, mails are logged.
func (a *Accounts) SendsMails() bool { return a.send != nil }

// deliver sends a mail. Without a mail server, it can be read in the log, and in development at
// /_flow, too. Who reads it could sign in as anybody.
func (a *Accounts) deliver(ctx context.Context, m Mail) error {
	if a.send == nil {
		a.logger().InfoContext(ctx, "no mail server: a mail is logged", "to", m.To, "subject", m.Subject, "text", m.Text)
		return nil
	}
	return a.send(ctx, m)
}

// ErrRefused is wrapped by the error of who sends a mail that the server will never take, such
// as one to an address that it does not know.
var ErrRefused = errors.New("the mail server refuses this mail")

const (
	mailers     = 4 // send at the same time, so that a mail server which is slow with one does not hold up all
	mailTimeout = 30 * time.Second
	mailLease   = 2 * time.Minute // longer than sending takes: then the process was killed, and another one sends
	mailTries   = 11              // the last one a day and a half after the first
	mailPause   = 10 * time.Second
)

// sendNext sends a mail that is due, and returns false if there is none. Several processes
// may do so at once.
func (a *Accounts) sendNext(ctx context.Context) (found bool, err error) {
	now := a.now()
	var o order
	var userID sql.NullString
	var asked int64
	// Of two that find the same mail, the second one waits for the first, looks at the condition
	// again, and has none.
	err = a.db.QueryRowContext(ctx, `
		UPDATE mails SET due = $1, tries = tries + 1
		WHERE id = (SELECT id FROM mails WHERE due <= $2 ORDER BY due LIMIT 1) AND due <= $2
		RETURNING id, kind, user_id, email, network, asked, tries`, now.Add(mailLease).UnixMilli(), now.UnixMilli()).
		Scan(&o.id, &o.kind, &userID, &o.email, &o.network, &asked, &o.tries)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a.wakeMailer() // for the next one, while this one is sent
	o.userID, o.asked = userID.String, time.UnixMilli(asked)
	// A mail that has begun is sent to its end, also if the program is about to stop.
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTimeout)
	defer cancel()
	m, ok, err := a.write(sending, o)
	switch {
	case err != nil:
	case ok:
		began := time.Now()
		err = a.deliver(sending, m)
		a.took.Store(int64(time.Since(began)))
	default:
		// There is no such account. If this mailer were free at once, somebody could ask for links to
		// one address as often as there are mailers, then for one to his own, and learn from when that
		// comes whether the other address has an account.
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(a.took.Load())):
		}
	}
	if err != nil && o.tries < mailTries && !errors.Is(err, ErrRefused) {
		a.logger().Warn("a mail was not sent, and will be tried again", "kind", o.kind, "tries", o.tries, "error", err)
		_, err = a.db.ExecContext(context.WithoutCancel(ctx), "UPDATE mails SET due = $1 WHERE id = $2", a.now().Add(mailLease<<(o.tries-1)).UnixMilli(), o.id)
		return true, err
	}
	if err != nil {
		a.logger().Error("a mail was not sent", "kind", o.kind, "tries", o.tries, "error", err)
	}
	_, err = a.db.ExecContext(context.WithoutCancel(ctx), "DELETE FROM mails WHERE id = $1", o.id)
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
	for range mailers {
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
	}
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

// Stop waits for the mails that are being sent: it is for Router.OnStop, which knows how long
// it may take.
func (a *Accounts) Stop(context.Context) error {
	a.jobs.Wait()
	return nil
}
