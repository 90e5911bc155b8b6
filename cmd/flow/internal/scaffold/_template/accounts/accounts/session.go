package accounts

import (
	"cmp"
	"context"
	"crypto/rand"
	"time"
)

const (
	sessionLife = 90 * 24 * time.Hour // since the sign-in
	sessionIdle = 14 * 24 * time.Hour // since the last request
	sessionStep = 10 * time.Minute    // how exactly the last request is known: few requests write

	// recent is how long after a sign-in somebody may do what a thief of the session must not.
	recent = 15 * time.Minute
)

// A Session is a browser in which somebody is signed in.
type Session struct {
	ID             string // for EndSession: no token, which nobody but the browser has
	User           User
	Created, Seen  time.Time
	Network, Agent string
	Recent         bool // the user has signed in lately, and may do what is dangerous
}

// enter runs f in a transaction, and begins a session for the user that f returns, in place of
// the one that the browser has had.
func (a *Accounts) enter(ctx context.Context, from Client, what string, f func(tx *transaction) (userID string, err error)) (session string, err error) {
	err = a.change(ctx, from, func(tx *transaction) error {
		id, err := f(tx)
		if err != nil {
			return err
		}
		session, err = tx.begin(id, what)
		return err
	})
	if err == nil {
		a.endFormer(ctx, from)
	}
	return session, err
}

// endFormer ends the session that a browser has had, when another one has begun in its place. It
// may be that of another user, and so it is no part of the transaction which begins the other:
// two users who each sign in where the other was signed in would wait for each other.
func (a *Accounts) endFormer(ctx context.Context, from Client) {
	_, err := a.db.ExecContext(context.WithoutCancel(ctx), "DELETE FROM sessions WHERE hash = $1", hashOf(from.Token))
	if err != nil {
		a.logger().Warn("the session of before was not ended", "error", err)
	}
}

// begin begins a session with a new token, never one that the browser has had: somebody else
// may have put that there. The event what is stored with it. The transaction has locked the user.
func (tx *transaction) begin(userID, what string) (token string, err error) {
	token, now := rand.Text(), tx.now()
	return token, cmp.Or(
		tx.note(userID, what),
		tx.exec("INSERT INTO sessions (hash, user_id, created, seen, network, agent) VALUES ($1, $2, $3, $3, $4, $5)",
			hashOf(token), userID, now, tx.from.network(), tx.from.agent()),
	)
}

// endAll ends all sessions of a user, and makes all links worthless.
func (tx *transaction) endAll(userID string) error {
	return cmp.Or(tx.exec("DELETE FROM sessions WHERE user_id = $1", userID), tx.endLinks(userID))
}

// endLinks makes all links of a user worthless, also those in mails that wait to be sent: a
// thief of the session may have asked for one to an address of his own.
func (tx *transaction) endLinks(userID string) error {
	return cmp.Or(tx.exec("DELETE FROM tokens WHERE user_id = $1", userID), tx.exec("DELETE FROM mails WHERE user_id = $1", userID))
}

// changeAs is change for what a user asks for who has signed in. f gets the user as it is now,
// and locked. If the session has ended, or began longer ago than age, it returns ErrNotRecent.
//
// The session that a request has was looked up at its beginning, and a body comes as slowly as
// its sender likes: without changeAs, what a thief of the session has begun would still be done
// after the owner has reset the password.
func (a *Accounts) changeAs(ctx context.Context, s *Session, age time.Duration, from Client, f func(tx *transaction, u User) error) error {
	return a.change(ctx, from, func(tx *transaction) error {
		u, err := tx.user(s, age)
		if err != nil {
			return err
		}
		return f(tx, u)
	})
}

// user locks the user of a session, and returns it as it is now, see changeAs.
func (tx *transaction) user(s *Session, age time.Duration) (u User, err error) {
	if _, err := tx.lock("id = $1", s.User.ID); err != nil {
		return u, err
	}
	list, err := tx.a.sessions(tx.ctx, tx, "s.hash = $3", s.ID)
	switch {
	case err != nil:
		return u, err
	case len(list) == 0 || tx.a.now().Sub(list[0].Created) >= age:
		return u, ErrNotRecent
	}
	return list[0].User, nil
}

// Session returns the session of a token, or nil if there is none or it has ended. The user
// is as the database has it now, with the role of now.
func (a *Accounts) Session(ctx context.Context, token string) (*Session, error) {
	if token == "" {
		return nil, nil
	}
	list, err := a.sessions(ctx, a.db, "s.hash = $3", hashOf(token))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	s := list[0]
	if now := a.now(); now.Sub(s.Seen) >= sessionStep {
		_, err = a.db.ExecContext(ctx, "UPDATE sessions SET seen = $1 WHERE hash = $2", now.UnixMilli(), s.ID)
		if err != nil { // as with a full disk: who has signed in can still read
			a.logger().Warn("the last use of a session was not written", "error", err)
		}
	}
	return s, nil
}

// Sessions returns the sessions of a user, the last used first.
func (a *Accounts) Sessions(ctx context.Context, s *Session) ([]*Session, error) {
	return a.sessions(ctx, a.db, "u.id = $3", s.User.ID)
}

func (a *Accounts) sessions(ctx context.Context, db querier, where string, arg any) ([]*Session, error) {
	now := a.now()
	rows, err := db.QueryContext(ctx, `
		SELECT s.hash, s.created, s.seen, s.network, s.agent, u.id, u.email, u.role, u.created
		FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.created > $1 AND s.seen > $2 AND `+where+` ORDER BY s.seen DESC, s.created DESC`,
		now.Add(-sessionLife).UnixMilli(), now.Add(-sessionIdle).UnixMilli(), arg)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []*Session
	for rows.Next() {
		var s Session
		var created, seen, joined int64
		if err := rows.Scan(&s.ID, &created, &seen, &s.Network, &s.Agent, &s.User.ID, &s.User.Email, &s.User.Role, &joined); err != nil {
			return nil, err
		}
		s.Created, s.Seen, s.User.Created = time.UnixMilli(created), time.UnixMilli(seen), time.UnixMilli(joined)
		s.Recent = now.Sub(s.Created) < recent
		list = append(list, &s)
	}
	return list, rows.Err()
}

// EndSession ends a session of the same user: this one, or another of Sessions.
func (a *Accounts) EndSession(ctx context.Context, s *Session, id string, from Client) error {
	return a.change(ctx, from, func(tx *transaction) error {
		// The user stands in the condition, since the id comes from a form, and so does the session
		// that asks: if it has ended meanwhile, it ends no other one.
		ended, err := tx.affected("DELETE FROM sessions WHERE hash = $1 AND user_id = $2 AND EXISTS (SELECT 1 FROM sessions WHERE hash = $3)",
			Clean(id), s.User.ID, s.ID)
		if err != nil || ended == 0 {
			return err
		}
		return tx.note(s.User.ID, "signed out")
	})
}

// SignOutEverywhere ends all sessions of the user, this one too.
func (a *Accounts) SignOutEverywhere(ctx context.Context, s *Session, from Client) error {
	return a.changeAs(ctx, s, sessionLife, from, func(tx *transaction, u User) error {
		return cmp.Or(tx.endAll(u.ID), tx.note(u.ID, "signed out everywhere"))
	})
}
