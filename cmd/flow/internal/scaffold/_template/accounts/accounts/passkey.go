package accounts

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// A Passkey is a key that a device or a password manager has for an account here. It signs
// for this site only, so that no other one can ask for it, and nothing secret is stored here.
//
// It is one more way to sign in, beside the password and the links. Who reads the mails of a
// user can still sign in as that user: an account is as safe as its mailbox. A new password
// takes no passkeys away. Those who sign in by one are those who forget the password, and a
// thief cannot have added one unseen: that needs a recent sign-in, and a mail tells of it.
type Passkey struct {
	ID, Name      string
	Created, Used time.Time
	key           webauthn.Credential
}

// ErrPasskey says that what a browser has sent proves nothing.
var ErrPasskey = errors.New("the passkey was not accepted")

// What a challenge is for.
const (
	forNewPasskey Purpose = "new passkey"
	forPasskey    Purpose = "passkey"
)

// newPasskeys counts challenges. Those for signing in are counted as signing in.
var newPasskeys = limit{"new passkey of ", 10, time.Hour}

// relyingParty is this site, as passkeys know it. It is the one of the URL that users see, and
// not of the request: else another site could use what its visitors have signed. Browsers have
// no passkeys for an IP address.
func (a *Accounts) relyingParty() (*webauthn.WebAuthn, error) {
	host := strings.ToLower(a.origin.Hostname())
	site, err := webauthn.New(&webauthn.Config{
		RPID:          host,
		RPDisplayName: host,
		RPOrigins:     []string{a.origin.Scheme + "://" + a.origin.Host},
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			// The passkey knows the account, so that nobody has to type an address, and nobody
			// learns which ones have an account.
			ResidentKey:        protocol.ResidentKeyRequirementRequired,
			RequireResidentKey: protocol.ResidentKeyRequired(),
			// The device asks for a fingerprint or a PIN: who has nothing but the device cannot
			// sign in.
			UserVerification: protocol.VerificationRequired,
		},
		// Some password managers answer what they were not asked. Nothing here reads it.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: that needs a site with a name, and %s is none", ErrPasskey, host)
	}
	return site, nil
}

// HasPasskeys reports whether there can be passkeys for the URL of the application.
func (a *Accounts) HasPasskeys() bool {
	_, err := a.relyingParty()
	return err == nil
}

// Passkeys returns the passkeys of a user, the oldest first.
func (a *Accounts) Passkeys(ctx context.Context, s *Session) ([]Passkey, error) {
	return passkeys(ctx, a.db, s.User.ID)
}

func passkeys(ctx context.Context, db querier, userID string) ([]Passkey, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, name, public_key, signs, synced, created, used FROM passkeys WHERE user_id = $1 ORDER BY created, id", userID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Passkey
	for rows.Next() {
		var p Passkey
		var key string
		var synced, created, used int64
		if err := rows.Scan(&p.ID, &p.Name, &key, &p.key.Authenticator.SignCount, &synced, &created, &used); err != nil {
			return nil, err
		}
		p.key.ID, err = base64.RawURLEncoding.DecodeString(p.ID)
		if err != nil {
			return nil, err
		}
		p.key.PublicKey, err = base64.RawURLEncoding.DecodeString(key)
		if err != nil {
			return nil, err
		}
		p.key.Flags.BackupEligible = synced == 1
		p.Created, p.Used = time.UnixMilli(created), time.UnixMilli(used)
		list = append(list, p)
	}
	return list, rows.Err()
}

// An owner is a user as the library wants one. Devices keep the ID, which says nothing, and
// show the address.
type owner struct {
	User
	passkeys []Passkey
}

func (o owner) WebAuthnID() []byte          { return []byte(o.ID) }
func (o owner) WebAuthnName() string        { return o.Email }
func (o owner) WebAuthnDisplayName() string { return o.Email }

func (o owner) WebAuthnCredentials() []webauthn.Credential {
	var keys []webauthn.Credential
	for _, p := range o.passkeys {
		keys = append(keys, p.key)
	}
	return keys
}

// NewPasskey returns what a browser needs to make a passkey for who has signed in lately, and
// the challenge in it, which goes into the ChallengeCookie.
//
// A challenge is a token: stored as a hash, good once, and for some minutes. The cookie binds
// it to the browser that has asked. So nobody can use what another browser has signed, nor
// have a victim sign in to an account that is not his own.
func (a *Accounts) NewPasskey(ctx context.Context, s *Session) (options *protocol.CredentialCreation, challenge string, err error) {
	site, err := a.relyingParty()
	if err != nil {
		return nil, "", err
	}
	if err := a.count(ctx, newPasskeys, s.User.ID); err != nil {
		return nil, "", err
	}
	err = a.changeAs(ctx, s, recent, Client{}, func(tx *transaction, u User) error {
		if challenge, err = tx.mint(forNewPasskey, u.ID, ""); err != nil {
			return err
		}
		list, err := passkeys(ctx, tx, u.ID)
		if err != nil {
			return err
		}
		options, _, err = creation(site, owner{u, list}, challenge)
		return err
	})
	return options, challenge, err
}

// creation returns the same for the same challenge: for the browser, and for what it answers.
func creation(site *webauthn.WebAuthn, o owner, challenge string) (*protocol.CredentialCreation, *webauthn.SessionData, error) {
	return site.BeginRegistration(o,
		webauthn.WithExclusions(webauthn.Credentials(o.WebAuthnCredentials()).CredentialDescriptors()), // a device has one for an account
		func(options *protocol.PublicKeyCredentialCreationOptions) error {
			options.Challenge = []byte(challenge)
			return nil
		})
}

// AddPasskey adds the passkey that a browser has made, and tells the owner by a mail.
func (a *Accounts) AddPasskey(ctx context.Context, s *Session, challenge, name, answer string, from Client) error {
	site, err := a.relyingParty()
	if err != nil {
		return err
	}
	made, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return a.refuse(err)
	}
	var refused error
	err = a.changeAs(ctx, s, recent, from, func(tx *transaction, u User) error {
		if err := tx.answered(u.ID, forNewPasskey, challenge); err != nil {
			return err // also if somebody else has signed in since
		}
		_, asked, err := creation(site, owner{User: u}, challenge)
		if err != nil {
			return err
		}
		key, err := site.CreateCredential(owner{User: u}, *asked, made)
		if err != nil {
			refused = a.refuse(err)
			return nil // the challenge is used up
		}
		synced := 0
		if key.Flags.BackupEligible {
			synced = 1
		}
		added, err := tx.affected(`
			INSERT INTO passkeys (id, user_id, name, public_key, signs, synced, created, used) VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
			ON CONFLICT (id) DO NOTHING`,
			base64.RawURLEncoding.EncodeToString(key.ID), u.ID, passkeyName(name), base64.RawURLEncoding.EncodeToString(key.PublicKey),
			key.Authenticator.SignCount, synced, tx.now())
		switch {
		case err != nil:
			return err
		case added == 0:
			refused = ErrPasskey // an account has it: this one or, if somebody has copied its ID, another
			return nil
		}
		return tx.tell(u, "passkey added")
	})
	return cmp.Or(err, refused)
}

// passkeyName returns the name that a passkey is shown with. It is never refused, since the
// device has the passkey already when it comes.
func passkeyName(typed string) string {
	name := []rune(strings.TrimSpace(Clean(typed)))
	return cmp.Or(string(name[:min(len(name), 60)]), "Passkey")
}

// RemovePasskey removes a passkey of who has signed in lately, ends the other sessions, and tells
// the owner by a mail. A thief may have signed in by the passkey just before it is removed.
func (a *Accounts) RemovePasskey(ctx context.Context, s *Session, id string, from Client) error {
	return a.changeAs(ctx, s, recent, from, func(tx *transaction, u User) error {
		// The user stands in the condition, since the id comes from a form.
		removed, err := tx.affected("DELETE FROM passkeys WHERE id = $1 AND user_id = $2", Clean(id), u.ID)
		if err != nil || removed == 0 {
			return err
		}
		return cmp.Or(tx.exec("DELETE FROM sessions WHERE user_id = $1 AND hash <> $2", u.ID, s.ID), tx.tell(u, "passkey removed"))
	})
}

// AskForPasskey returns what a browser needs to sign in with a passkey, and the challenge in
// it, which goes into the ChallengeCookie.
func (a *Accounts) AskForPasskey(ctx context.Context, from Client) (options *protocol.CredentialAssertion, challenge string, err error) {
	site, err := a.relyingParty()
	if err != nil {
		return nil, "", err
	}
	if err := a.count(ctx, signInsOfClient, from.place()); err != nil {
		return nil, "", err
	}
	err = a.change(ctx, from, func(tx *transaction) (err error) {
		challenge, err = tx.mint(forPasskey, "", "")
		return err
	})
	if err != nil {
		return nil, "", err
	}
	options, _, err = site.BeginDiscoverableLogin(webauthn.WithChallenge([]byte(challenge)))
	return options, challenge, err
}

// SignInByPasskey begins a session for whose passkey has signed the challenge.
func (a *Accounts) SignInByPasskey(ctx context.Context, challenge, answer string, from Client) (session string, err error) {
	site, err := a.relyingParty()
	if err != nil {
		return "", err
	}
	signed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return "", a.refuse(err)
	}
	passkey := base64.RawURLEncoding.EncodeToString(signed.RawID)
	var refused error
	err = a.change(ctx, from, func(tx *transaction) error {
		id, err := tx.lock("id = (SELECT user_id FROM passkeys WHERE id = $1)", passkey)
		if err != nil {
			return err
		}
		if err := tx.answered("", forPasskey, challenge); err != nil {
			return err
		}
		list, err := passkeys(ctx, tx, id)
		if err != nil {
			return err
		}
		_, asked, err := site.BeginDiscoverableLogin(webauthn.WithChallenge([]byte(challenge)))
		if err != nil {
			return err
		}
		key, err := site.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) { return owner{User{ID: id}, list}, nil }, *asked, signed)
		if err == nil && key.Authenticator.CloneWarning {
			// Its device counts, and has counted back: there are two of it. Most do not count.
			err = errors.New("the counter of the passkey went back")
		}
		if err != nil {
			refused = a.refuse(err)
			return tx.note(id, "passkey refused")
		}
		if err := cmp.Or(
			tx.exec("UPDATE passkeys SET signs = $1, used = $2 WHERE id = $3", key.Authenticator.SignCount, tx.now(), passkey),
			tx.takeBack(signInsOfClient, from.place()),
		); err != nil {
			return err
		}
		session, err = tx.begin(id, "signed in by a passkey")
		return err
	})
	if err = cmp.Or(err, refused); err == nil {
		a.endFormer(ctx, from)
	}
	return session, err
}

// answered takes a challenge for a user, or for whoever signs in, "". It is good once.
func (tx *transaction) answered(userID string, p Purpose, challenge string) error {
	_, err := tx.spendOf(userID, p, challenge)
	if errors.Is(err, ErrLink) {
		return ErrPasskey
	}
	return err
}

// refuse returns ErrPasskey, and logs why: it is often that users see the application at
// another URL than it was told.
func (a *Accounts) refuse(why error) error {
	a.logger().Info("a passkey was refused", "reason", why)
	return ErrPasskey
}

// ChallengeCookie returns the cookie that carries a challenge to the answer.
func (a *Accounts) ChallengeCookie(challenge string) *http.Cookie {
	c := a.Cookie(challenge)
	c.Name, c.MaxAge, c.SameSite = a.cookieName("passkey"), int(lives[forPasskey].Seconds()), http.SameSiteStrictMode
	return c
}

// Challenge returns the challenge that a request has, or "".
func (a *Accounts) Challenge(r *http.Request) string { return a.cookie(r, "passkey") }
