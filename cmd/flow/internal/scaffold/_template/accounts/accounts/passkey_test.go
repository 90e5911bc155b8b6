package accounts

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/newapp/accounts/testdb"
	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// A device makes a passkey and signs with it, as a telephone and its browser do together.
type device struct {
	origin, site string
	flags        byte
	count        uint32
	user         []byte
	id           []byte
	key          *ecdsa.PrivateKey
}

// What a device says of what it has done.
const (
	wasPresent  = 1
	wasVerified = 4
	canSync     = 8
	hasKey      = 64
)

func newDevice(t *testing.T) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ok(t, err)
	return &device{origin: "https://desk.example", site: "desk.example", flags: wasPresent | wasVerified | canSync, id: []byte(rand.Text()), key: key}
}

var inBase64 = base64.RawURLEncoding.EncodeToString

// add makes a passkey, and returns what a browser sends of it.
func (p *device) add(t *testing.T, challenge string) string {
	t.Helper()
	public, err := p.key.PublicKey.Bytes() // 4, x and y
	ok(t, err)
	cose, err := webauthncbor.Marshal(webauthncose.EC2PublicKeyData{
		PublicKeyData: webauthncose.PublicKeyData{KeyType: int64(webauthncose.EllipticKey), Algorithm: int64(webauthncose.AlgES256)},
		Curve:         int64(webauthncose.P256), XCoord: public[1:33], YCoord: public[33:],
	})
	ok(t, err)
	data := p.data(p.flags | hasKey)
	data = append(data, make([]byte, 16)...) // which model it is
	data = binary.BigEndian.AppendUint16(data, uint16(len(p.id)))
	data = append(append(data, p.id...), cose...)
	attestation, err := webauthncbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	ok(t, err)
	return p.answer(t, map[string]string{"clientDataJSON": inBase64(p.client(t, "webauthn.create", challenge)), "attestationObject": inBase64(attestation)})
}

// sign returns what a browser sends to sign in.
func (p *device) sign(t *testing.T, challenge string) string {
	t.Helper()
	data, client := p.data(p.flags), p.client(t, "webauthn.get", challenge)
	hash := sha256.Sum256(client)
	signed := sha256.Sum256(append(data[:len(data):len(data)], hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, p.key, signed[:])
	ok(t, err)
	return p.answer(t, map[string]string{
		"clientDataJSON": inBase64(client), "authenticatorData": inBase64(data), "signature": inBase64(signature), "userHandle": inBase64(p.user),
	})
}

func (p *device) data(flags byte) []byte {
	site := sha256.Sum256([]byte(p.site))
	return binary.BigEndian.AppendUint32(append(site[:], flags), p.count)
}

func (p *device) client(t *testing.T, what, challenge string) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"type": what, "challenge": inBase64([]byte(challenge)), "origin": p.origin, "crossOrigin": false})
	ok(t, err)
	return text
}

func (p *device) answer(t *testing.T, response map[string]string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"id": inBase64(p.id), "rawId": inBase64(p.id), "type": "public-key", "response": response,
		"clientExtensionResults": map[string]any{"credProps": map[string]any{"rk": true}}, // which nobody has asked for
	})
	ok(t, err)
	return string(text)
}

// newPasskey returns a challenge for a new passkey.
func (d *desk) newPasskey(s *Session) string {
	d.t.Helper()
	_, challenge, err := d.NewPasskey(d.t.Context(), s)
	ok(d.t, err)
	return challenge
}

// askForPasskey returns a challenge for signing in.
func (d *desk) askForPasskey() string {
	d.t.Helper()
	_, challenge, err := d.AskForPasskey(d.t.Context(), from)
	ok(d.t, err)
	return challenge
}

// signsInBy returns a session of who has a passkey.
func (d *desk) signsInBy(p *device) (session string, err error) {
	d.t.Helper()
	challenge := d.askForPasskey()
	return d.SignInByPasskey(d.t.Context(), challenge, p.sign(d.t, challenge), from)
}

// passkey returns a device with a passkey of a user.
func (d *desk) passkey(s *Session) *device {
	d.t.Helper()
	p := newDevice(d.t)
	p.user = []byte(s.User.ID)
	challenge := d.newPasskey(s)
	ok(d.t, d.AddPasskey(d.t.Context(), s, challenge, "Laptop", p.add(d.t, challenge), from))
	d.sent()
	return p
}

func TestPasskey(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		first := d.join("ada@example.com")
		s := d.session(first)
		options, challenge, err := d.NewPasskey(t.Context(), s)
		ok(t, err)
		if o := options.Response; o.RelyingParty.ID != "desk.example" || o.User.Name != "ada@example.com" || string(o.Challenge) != challenge ||
			o.AuthenticatorSelection.UserVerification != "required" || o.AuthenticatorSelection.ResidentKey != "required" || len(o.CredentialExcludeList) != 0 {
			t.Errorf("the browser is asked for %+v", o)
		}
		if n := d.rows("tokens WHERE hash = $1", challenge); n != 0 {
			t.Error("the database has the challenge itself")
		}
		d.pass(time.Minute)
		p := newDevice(t)
		p.user = []byte(s.User.ID)
		ok(t, d.AddPasskey(t.Context(), s, challenge, " Laptop\x00 ", p.add(t, challenge), from))
		d.told("ada@example.com", "passkey added")
		options, _, err = d.NewPasskey(t.Context(), s)
		ok(t, err)
		if list := options.Response.CredentialExcludeList; len(list) != 1 || string(list[0].CredentialID) != string(p.id) {
			t.Errorf("the device may make another one: %v", list)
		}

		d.pass(time.Hour)
		asked, challenge, err := d.AskForPasskey(t.Context(), from)
		ok(t, err)
		if r := asked.Response; r.RelyingPartyID != "desk.example" || string(r.Challenge) != challenge || r.UserVerification != "required" || len(r.AllowedCredentials) != 0 {
			t.Errorf("the browser is asked for %+v", r)
		}
		again := from
		again.Token = first
		second, err := d.SignInByPasskey(t.Context(), challenge, p.sign(t, challenge), again)
		ok(t, err)
		if s := d.session(second); s.User.Email != "ada@example.com" || !s.Recent {
			t.Errorf("the session is %+v", s)
		}
		d.isOver(first)

		list, err := d.Passkeys(t.Context(), s)
		ok(t, err)
		if len(list) != 1 || list[0].Name != "Laptop" || list[0].Used.Sub(list[0].Created) != time.Hour {
			t.Errorf("the passkeys are %+v", list)
		}
		events, err := d.Events(t.Context(), s.User.ID)
		ok(t, err)
		if events[0].What != "signed in by a passkey" || events[1].What != "passkey added" {
			t.Errorf("events: %v", events)
		}
	})
}

// TestPasskeyRefused has answers that sign nobody in, and neither does the right one that
// comes afterwards, where the challenge has been used up.
func TestPasskeyRefused(t *testing.T) {
	// Each returns a challenge in a cookie and an answer.
	tests := map[string]func(d *desk, p *device) (challenge, answer string){
		"a challenge that was used": func(d *desk, p *device) (string, string) {
			c := d.askForPasskey()
			answer := p.sign(d.t, c)
			_, err := d.SignInByPasskey(d.t.Context(), c, answer, from)
			ok(d.t, err)
			return c, answer
		},
		"the challenge of another browser": func(d *desk, p *device) (string, string) {
			return d.askForPasskey(), p.sign(d.t, d.askForPasskey())
		},
		"no cookie": func(d *desk, p *device) (string, string) { return "", p.sign(d.t, d.askForPasskey()) },
		"a challenge of his own": func(d *desk, p *device) (string, string) {
			c := rand.Text()
			return c, p.sign(d.t, c)
		},
		"a challenge that has ended": func(d *desk, p *device) (string, string) {
			c := d.askForPasskey()
			d.pass(5 * time.Minute)
			return c, p.sign(d.t, c)
		},
		"a challenge for a new passkey": func(d *desk, p *device) (string, string) {
			c := d.newPasskey(d.session(d.join("eve@example.com")))
			return c, p.sign(d.t, c)
		},
		"the token of a link": func(d *desk, p *device) (string, string) {
			c := d.link(ForSignIn, "ada@example.com")
			return c, p.sign(d.t, c)
		},
		"what makes a passkey": func(d *desk, p *device) (string, string) {
			c := d.askForPasskey()
			return c, p.add(d.t, c)
		},
		"nothing": func(d *desk, p *device) (string, string) { return d.askForPasskey(), "" },
		"no JSON": func(d *desk, p *device) (string, string) { return d.askForPasskey(), "\x00{" },
	}
	eves := func(d *desk) *device { return d.passkey(d.session(d.join("eve@example.com"))) }
	for name, change := range map[string]func(d *desk, p *device){
		"another site that shows this one":        func(_ *desk, p *device) { p.origin = "https://desk.example.evil.example" },
		"another port":                            func(_ *desk, p *device) { p.origin = "https://desk.example:8443" },
		"without TLS":                             func(_ *desk, p *device) { p.origin = "http://desk.example" },
		"a passkey for another site":              func(_ *desk, p *device) { p.site = "evil.example" },
		"nobody has been verified":                func(_ *desk, p *device) { p.flags &^= wasVerified },
		"nobody was there":                        func(_ *desk, p *device) { p.flags &^= wasPresent },
		"another key":                             func(d *desk, p *device) { p.key = newDevice(d.t).key },
		"the name of another user":                func(d *desk, p *device) { p.user = eves(d).user },
		"the passkey of another user":             func(d *desk, p *device) { eve := eves(d); p.id, p.key = eve.id, eve.key },
		"the ID of another passkey":               func(d *desk, p *device) { p.key = eves(d).key },
		"an unknown passkey":                      func(d *desk, p *device) { other := newDevice(d.t); p.id, p.key = other.id, other.key },
		"no user":                                 func(_ *desk, p *device) { p.user = nil },
		"a user in bytes that PostgreSQL refuses": func(_ *desk, p *device) { p.user = []byte("\x00\xff") },
	} {
		tests[name] = func(d *desk, p *device) (string, string) {
			change(d, p)
			c := d.askForPasskey()
			return c, p.sign(d.t, c)
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk) {
				p := d.passkey(d.session(d.join("ada@example.com")))
				right := *p
				challenge, answer := test(d, p)
				sessions := d.rows("sessions")
				_, err := d.SignInByPasskey(t.Context(), challenge, answer, from)
				fails(t, err, ErrPasskey)
				if json.Valid([]byte(answer)) && !strings.Contains(answer, "attestation") {
					_, err = d.SignInByPasskey(t.Context(), challenge, right.sign(t, challenge), from)
					fails(t, err, ErrPasskey)
				}
				if d.rows("sessions") != sessions {
					t.Error("a session has begun")
				}
			})
		})
	}
}

// TestPasskeyCopied has two devices with one key, of those that count.
func TestPasskeyCopied(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		s := d.session(d.join("ada@example.com"))
		p := newDevice(t)
		p.flags, p.user = wasPresent|wasVerified, []byte(s.User.ID) // it keeps its keys to itself
		challenge := d.newPasskey(s)
		ok(t, d.AddPasskey(t.Context(), s, challenge, "", p.add(t, challenge), from))
		for _, tt := range []struct {
			count uint32
			want  error
		}{{0, nil}, {0, nil}, {7, nil}, {7, ErrPasskey}, {6, ErrPasskey}, {0, ErrPasskey}, {8, nil}} {
			p.count = tt.count
			_, err := d.signsInBy(p)
			fails(t, err, tt.want)
		}
		if n := d.rows("events WHERE what = 'passkey refused' AND user_id = $1", s.User.ID); n != 3 {
			t.Errorf("%d were written down", n)
		}
	})
}

// TestPasskeyRace answers one challenge several times at once.
func TestPasskeyRace(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		s := d.session(d.join("ada@example.com"))
		p := d.passkey(s)
		challenge, made := d.askForPasskey(), d.newPasskey(s)
		for _, err := range d.atOnce(12, func(i int) error {
			if i%2 == 0 {
				return d.AddPasskey(t.Context(), s, made, "", newDevice(t).add(t, made), from)
			}
			_, err := d.SignInByPasskey(t.Context(), challenge, p.sign(t, challenge), from)
			return err
		}) {
			if err != nil {
				fails(t, err, ErrPasskey)
			}
		}
		if d.rows("sessions") != 2 || d.rows("passkeys") != 2 {
			t.Errorf("%d sessions, %d passkeys, want 2 of both", d.rows("sessions"), d.rows("passkeys"))
		}
	})
}

// TestPasskeyLock signs in while a transaction removes the passkey, and waits for it.
func TestPasskeyLock(t *testing.T) {
	d := newDesk(t, testdb.Postgres(t))
	s := d.session(d.join("ada@example.com"))
	p := d.passkey(s)
	challenge := d.askForPasskey()
	fails(t, d.meanwhile(func(tx *transaction) error {
		_, err := tx.lock("id = $1", s.User.ID)
		return errors.Join(err, tx.exec("DELETE FROM passkeys"))
	}, func() error {
		_, err := d.SignInByPasskey(t.Context(), challenge, p.sign(t, challenge), from)
		return err
	}), ErrPasskey)
}

// TestPasskeyCrossed has the challenge of another user.
func TestPasskeyCrossed(t *testing.T) {
	d := newDesk(t, testdb.Postgres(t))
	ada, eve := d.session(d.join("ada@example.com")), d.session(d.join("eve@example.com"))
	p, challenge := d.passkey(eve), d.newPasskey(ada)
	fails(t, d.beside(ada, func() error {
		_, err := d.SignInByPasskey(t.Context(), challenge, p.sign(t, challenge), from)
		return err
	}), ErrPasskey)
	fails(t, d.beside(ada, func() error {
		return d.AddPasskey(t.Context(), eve, challenge, "", newDevice(t).add(t, challenge), from)
	}), ErrPasskey)
}

// TestPasskeyToldWhere has what is told go to the address of that moment, as TestToldWhere does.
func TestPasskeyToldWhere(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		s, p := d.session(d.join("ada@example.com")), newDevice(t)
		ok(t, d.ChangeEmail(t.Context(), s, "ada@example.org", from))
		token := d.token("ada@example.org")
		add := func(p *device) {
			challenge := d.newPasskey(s)
			ok(t, d.AddPasskey(t.Context(), s, challenge, "", p.add(t, challenge), from))
		}
		add(p)
		ok(t, d.ConfirmEmail(t.Context(), s, token, from))
		if mails := d.sent(); len(mails) != 2 || mails[0].To != "ada@example.com" || mails[1].To != "ada@example.com" {
			t.Errorf("sent: %+v", mails)
		}
		ok(t, d.RemovePasskey(t.Context(), s, inBase64(p.id), from))
		d.told("ada@example.org", "passkey removed")
		add(newDevice(t))
		d.told("ada@example.org", "passkey added")
	})
}

// TestNewPasskeyRefused has answers that add no passkey.
func TestNewPasskeyRefused(t *testing.T) {
	type step func(d *desk, s *Session, p *device, challenge string)
	eve := func(d *desk) *Session { return d.session(d.join("eve@example.com")) }
	for name, tt := range map[string]struct {
		before, after step                                                  // the challenge is asked for
		challenge     func(d *desk, s *Session) string                      // instead of a new one
		answer        func(d *desk, s *Session, p *device, c string) string // instead of the right one
		old           bool                                                  // the error is ErrNotRecent
	}{
		"a challenge that was used": {after: func(d *desk, s *Session, _ *device, c string) {
			fails(d.t, d.AddPasskey(d.t.Context(), s, c, "", newDevice(d.t).add(d.t, "another one"), from), ErrPasskey)
		}},
		"a challenge that has ended":       {after: func(d *desk, _ *Session, _ *device, _ string) { d.pass(5 * time.Minute) }},
		"the challenge of another user":    {challenge: func(d *desk, _ *Session) string { return d.newPasskey(eve(d)) }},
		"a challenge for signing in":       {challenge: func(d *desk, _ *Session) string { return d.askForPasskey() }},
		"the challenge of another browser": {answer: func(d *desk, s *Session, p *device, _ string) string { return p.add(d.t, d.newPasskey(s)) }},
		"a challenge of before the sessions ended": {after: func(d *desk, s *Session, _ *device, _ string) {
			ok(d.t, d.SignOutEverywhere(d.t.Context(), s, from))
			*s = *d.session(d.signsIn("ada@example.com"))
		}},
		"the account was deleted": {old: true, after: func(d *desk, s *Session, _ *device, _ string) { ok(d.t, d.Delete(d.t.Context(), s, from)) }},
		"the session has ended":   {old: true, after: func(d *desk, s *Session, _ *device, _ string) { ok(d.t, d.EndSession(d.t.Context(), s, s.ID, from)) }},
		"an old session": {old: true, before: func(d *desk, _ *Session, _ *device, _ string) { d.pass(recent - time.Minute) },
			after: func(d *desk, _ *Session, _ *device, _ string) { d.pass(time.Minute) }},
		"another site":               {before: func(_ *desk, _ *Session, p *device, _ string) { p.origin = "https://evil.example" }},
		"a passkey for another site": {before: func(_ *desk, _ *Session, p *device, _ string) { p.site = "evil.example" }},
		"nobody has been verified":   {before: func(_ *desk, _ *Session, p *device, _ string) { p.flags &^= wasVerified }},
		"the same one twice":         {before: func(d *desk, s *Session, p *device, _ string) { p.id = d.passkey(s).id }},
		"that of another user":       {before: func(d *desk, _ *Session, p *device, _ string) { p.id = d.passkey(eve(d)).id }},
		"a signature":                {answer: func(d *desk, _ *Session, p *device, c string) string { return p.sign(d.t, c) }},
		"nothing":                    {answer: func(*desk, *Session, *device, string) string { return "" }},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk) {
				s, p := d.session(d.join("ada@example.com")), newDevice(t)
				if tt.before != nil {
					tt.before(d, s, p, "")
				}
				if tt.challenge == nil {
					tt.challenge = (*desk).newPasskey
				}
				challenge := tt.challenge(d, s)
				if tt.after != nil {
					tt.after(d, s, p, challenge)
				}
				answer := p.add(t, challenge)
				if tt.answer != nil {
					answer = tt.answer(d, s, p, challenge)
				}
				passkeys := d.rows("passkeys")
				d.sent()
				err := d.AddPasskey(t.Context(), s, challenge, "", answer, from)
				if tt.old {
					fails(t, err, ErrNotRecent)
				} else {
					fails(t, err, ErrPasskey)
				}
				if mails := d.sent(); len(mails) != 0 || d.rows("passkeys") != passkeys {
					t.Errorf("a passkey was added; sent: %v", mails)
				}
			})
		})
	}
}

func TestRemovePasskey(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		s, eve := d.session(d.join("ada@example.com")), d.session(d.join("eve@example.com"))
		p := d.passkey(s)
		id := inBase64(p.id)
		ok(t, d.RemovePasskey(t.Context(), eve, id, from))
		ok(t, d.RemovePasskey(t.Context(), s, "\x00\xff", from))
		d.pass(recent)
		fails(t, d.RemovePasskey(t.Context(), s, id, from), ErrNotRecent)
		if mails := d.sent(); d.rows("passkeys") != 1 || len(mails) != 0 {
			t.Errorf("%d passkeys, sent: %v", d.rows("passkeys"), mails)
		}
		thief, err := d.signsInBy(p)
		ok(t, err)
		session := d.signsIn("ada@example.com")
		ok(t, d.RemovePasskey(t.Context(), d.session(session), id, from))
		d.told("ada@example.com", "passkey removed")
		d.isOver(thief)
		d.session(session)
		_, err = d.signsInBy(p)
		fails(t, err, ErrPasskey)
	})
}

// TestPasskeyStays has a new password, which takes no passkey away, and the end of the
// account, which takes all.
func TestPasskeyStays(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		p := d.passkey(d.session(d.join("ada@example.com")))
		d.resets("ada@example.com", "another long password")
		session, err := d.signsInBy(p)
		ok(t, err)
		ok(t, d.Delete(t.Context(), d.session(session), from))
		if d.rows("passkeys") != 0 {
			t.Error("the passkey still is")
		}
		_, err = d.signsInBy(p)
		fails(t, err, ErrPasskey)
	})
}

func TestPasskeyLimits(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		s := d.session(d.join("ada@example.com"))
		p := d.passkey(s)
		d.pass(time.Minute)
		for range signInsOfClient.most + 1 { // what was right is not counted
			_, err := d.signsInBy(p)
			ok(t, err)
		}
		for _, tt := range []struct {
			most int64
			do   func() error
		}{
			{newPasskeys.most - 1, func() error { _, _, err := d.NewPasskey(t.Context(), s); return err }},
			{signInsOfClient.most, func() error { _, _, err := d.AskForPasskey(t.Context(), from); return err }},
		} {
			for range tt.most {
				ok(t, tt.do())
			}
			if _, limited := errors.AsType[*LimitError](tt.do()); !limited {
				t.Errorf("there is no limit at %d", tt.most)
			}
		}
		d.pass(time.Hour)
		_, _, err := d.NewPasskey(t.Context(), s)
		fails(t, err, ErrNotRecent)
	})
}

// TestPasskeySite has the URLs for which browsers have passkeys.
func TestPasskeySite(t *testing.T) {
	for _, tt := range []struct {
		origin, site, signs string
	}{
		{"https://desk.example", "desk.example", "https://desk.example"},
		{"https://Desk.example", "desk.example", "https://desk.example"},
		{"https://desk.example:8443", "desk.example", "https://desk.example:8443"},
		{"https://desk.example:443", "desk.example", "https://desk.example"},
		{"http://localhost:80", "localhost", "http://localhost"},
		{"http://localhost:8080", "localhost", "http://localhost:8080"},
		{"https://192.0.2.1", "", ""},
		{"https://[2001:db8::1]:8443", "", ""},
	} {
		t.Run(tt.origin, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk) {
				s := d.session(d.join("ada@example.com"))
				u, err := url.Parse(tt.origin)
				ok(t, err)
				d.origin = u
				if d.HasPasskeys() != (tt.site != "") {
					t.Errorf("HasPasskeys: %v", d.HasPasskeys())
				}
				if tt.site == "" {
					_, _, err = d.NewPasskey(context.Background(), s)
					fails(t, err, ErrPasskey)
					_, _, err = d.AskForPasskey(context.Background(), from)
					fails(t, err, ErrPasskey)
					return
				}
				p := newDevice(t)
				p.site, p.origin, p.user = tt.site, tt.signs, []byte(s.User.ID)
				challenge := d.newPasskey(s)
				ok(t, d.AddPasskey(t.Context(), s, challenge, "", p.add(t, challenge), from))
				_, err = d.signsInBy(p)
				ok(t, err)
			})
		})
	}
}

func TestPasskeyName(t *testing.T) {
	for typed, want := range map[string]string{
		"": "Passkey", " \t": "Passkey", " Telefon ": "Telefon", "a\x00b": "ab", strings.Repeat("ü", 61): strings.Repeat("ü", 60),
	} {
		if got := passkeyName(typed); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}

func TestChallengeCookie(t *testing.T) {
	a := New(nil, &url.URL{Scheme: "https", Host: "desk.example"}, nil)
	if c := a.ChallengeCookie("abc").String(); c != "__Host-passkey=abc; Path=/; Max-Age=300; HttpOnly; Secure; SameSite=Strict" {
		t.Error(c)
	}
	a.origin.Scheme = "http"
	if c := a.ChallengeCookie("abc").String(); c != "passkey=abc; Path=/; Max-Age=300; HttpOnly; SameSite=Strict" {
		t.Error(c)
	}
}
