package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"
)

// A Purpose is what a token is for: a link in a mail, or the challenge of a passkey.
type Purpose string

// A link is good for one purpose only.
const (
	ForSignUp Purpose = "sign-up"
	ForSignIn Purpose = "sign-in"
	ForReset  Purpose = "reset"
	ForEmail  Purpose = "email" // another address of an account
)

// lives say how long tokens are good.
var lives = map[Purpose]time.Duration{
	ForSignUp: 24 * time.Hour,
	ForSignIn: 15 * time.Minute,
	ForReset:  time.Hour,
	ForEmail:  24 * time.Hour,

	forNewPasskey: 5 * time.Minute,
	forPasskey:    5 * time.Minute,
}

// hashOf returns what the database has in place of a token, so that who reads the database,
// or a copy of it, can use none. A token is long and random: it needs no slow hash.
func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// mint returns a new token. userID is "" if there is no user yet.
func (tx *transaction) mint(p Purpose, userID, email string) (string, error) {
	token := rand.Text()
	return token, tx.exec("INSERT INTO tokens (hash, purpose, user_id, email, ends) VALUES ($1, $2, $3, $4, $5)",
		hashOf(token), p, orNull(userID), email, tx.now()+lives[p].Milliseconds())
}

// Addressee returns the address that a link was sent to, for the page that it leads to. The
// token is as good as before: programs that look for viruses in mails follow links, too. A link
// for signing up has ended when its address has an account. Were it only refused by SignUp,
// whoever has such a link could have passwords hashed as often as he likes.
func (a *Accounts) Addressee(ctx context.Context, p Purpose, token string) (email string, err error) {
	err = a.db.QueryRowContext(ctx, `
		SELECT email FROM tokens WHERE hash = $1 AND purpose = $2 AND ends > $3
		AND (user_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM users WHERE users.email = tokens.email))`,
		hashOf(token), p, a.now().UnixMilli()).Scan(&email)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ErrLink
	}
	return email, err
}

// spend takes a token, and returns the user that it is for, or "". The lock of the user comes
// before that of the token, as everywhere: in the other order, two transactions might wait for
// each other.
func (tx *transaction) spend(p Purpose, token string) (userID, email string, err error) {
	userID, err = tx.lock("id = (SELECT user_id FROM tokens WHERE hash = $1)", hashOf(token))
	if err == nil {
		email, err = tx.spendOf(userID, p, token)
	}
	return userID, email, err
}

// spendOf takes a token of a user, who is locked, or of nobody yet, "". It is good once: of two
// who use it at the same time, one gets ErrLink. The token of another user stays, and that user
// must not be locked: two who each send the token of the other would wait for each other.
func (tx *transaction) spendOf(userID string, p Purpose, token string) (email string, err error) {
	err = tx.row("DELETE FROM tokens WHERE hash = $1 AND purpose = $2 AND ends > $3 AND COALESCE(user_id, '') = $4 RETURNING email",
		hashOf(token), p, tx.now(), userID).Scan(&email)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrLink
	}
	return email, err
}
