package accounts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEndedSession does what is dangerous with a session that was there when the request began, and
// has ended since: the body of a request comes as slowly as its sender likes. Neither may a session
// that has become old.
func TestEndedSession(t *testing.T) {
	for name, do := range map[string]func(d *desk, s, other *Session) error{
		"password": func(d *desk, s, _ *Session) error {
			_, err := d.ChangePassword(d.t.Context(), s, "the password of a thief", from)
			return err
		},
		"address": func(d *desk, s, _ *Session) error {
			return d.ChangeEmail(d.t.Context(), s, "eve@example.com", from)
		},
		"role":   func(d *desk, s, other *Session) error { return d.SetRole(d.t.Context(), s, other.User.ID, Admin, from) },
		"delete": func(d *desk, s, _ *Session) error { return d.Delete(d.t.Context(), s, from) },
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk) {
				other := d.session(d.join("eve@example.com"))
				d.join("ada@example.com")
				ok(t, d.MakeAdmin(t.Context(), "ada@example.com"))
				s := d.session(d.signsIn("ada@example.com"))
				mine := d.resets("ada@example.com", "the password of the owner")
				d.told("ada@example.com", "password changed")
				fails(t, do(d, s, other), ErrNotRecent)
				s = d.session(mine)
				d.pass(recent)
				fails(t, do(d, s, other), ErrNotRecent)

				d.session(mine)
				_, err := d.SignIn(t.Context(), "ada@example.com", "the password of the owner", from)
				ok(t, err)
				if mails := d.sent(); len(mails) != 0 || d.rows("users WHERE role <> ''") != 1 {
					t.Errorf("sent: %v", mails)
				}
			})
		})
	}
}

// TestWaitingLink has a thief of a session ask for a link to an address of his own, and the mail
// server be slow: the password is reset, or another address confirmed, before the mail is written.
func TestWaitingLink(t *testing.T) {
	for name, mend := range map[string]func(d *desk){
		"reset": func(d *desk) { d.resets("ada@example.com", "another long password") },
		"another change": func(d *desk) {
			s := d.session(d.signsIn("ada@example.com"))
			ok(d.t, d.ChangeEmail(d.t.Context(), s, "ada@example.org", from))
			ok(d.t, d.ConfirmEmail(d.t.Context(), s, d.token("ada@example.org"), from))
		},
		"sign out everywhere": func(d *desk) {
			ok(d.t, d.SignOutEverywhere(d.t.Context(), d.session(d.signsIn("ada@example.com")), from))
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk) {
				s := d.session(d.join("ada@example.com"))
				ok(t, d.ChangeEmail(t.Context(), s, "eve@example.com", from))
				_, err := d.db.ExecContext(t.Context(), "UPDATE mails SET due = due + 1000")
				ok(t, err)
				mend(d)
				d.pass(time.Minute)
				for _, m := range d.sent() {
					if m.To == "eve@example.com" {
						t.Errorf("sent: %+v", m)
					}
				}
			})
		})
	}
}

// TestConfirmOther has somebody ask for a change to the address of another one, who follows the link: the
// account must not get that address, since somebody else knows its password.
func TestConfirmOther(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		eve, ada := d.session(d.join("eve@example.com")), d.session(d.join("ada@example.com"))
		ok(t, d.ChangeEmail(t.Context(), eve, "ada@example.org", from))
		token := d.token("ada@example.org")
		fails(t, d.ConfirmEmail(t.Context(), ada, token, from), ErrLink)
		if n := d.rows("users WHERE email = $1", "ada@example.org"); n != 0 {
			t.Error("the account has the address")
		}
		// Nor a session of hers that she has ended since.
		s := d.session(d.signsIn("eve@example.com"))
		ok(t, d.EndSession(t.Context(), eve, s.ID, from))
		fails(t, d.ConfirmEmail(t.Context(), s, token, from), ErrNotRecent)
		ok(t, d.ConfirmEmail(t.Context(), eve, token, from)) // the token is as good as before
	})
}

// TestLastAdmin has two admins take the role from each other at the same moment.
func TestLastAdmin(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		for range 10 {
			var s [2]*Session
			for i := range s {
				email := fmt.Sprintf("admin%d@example.com", i)
				if d.rows("users WHERE email = $1", email) == 0 {
					d.join(email)
				}
				ok(t, d.MakeAdmin(t.Context(), email))
				token := d.signsIn(email)
				s[i] = d.session(token)
			}
			errs := d.atOnce(2, func(i int) error { return d.SetRole(t.Context(), s[i], s[1-i].User.ID, "", from) })
			if n := d.rows("users WHERE role = $1", Admin); n != 1 {
				t.Fatalf("%d admins are left: %v", n, errs)
			}
			for _, err := range errs {
				if err != nil {
					fails(t, err, ErrNotRecent)
				}
			}
			ok(t, d.sweep(t.Context()))
		}
	})
}

// TestLimitTells counts the wrong passwords that are answered before the limit, while the owner signs in: were
// there more than for others, somebody would learn that there is an owner.
func TestLimitTells(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.join("ada@example.com")
		tries := func(email string) (n int) {
			for range 2 * signInsOfAccount.most {
				if n == 5 {
					d.SignIn(t.Context(), email, password, Client{})
				}
				if _, err := d.SignIn(t.Context(), email, "a wrong password", Client{}); err == ErrCredentials {
					n++
				}
			}
			return n
		}
		known := tries("ada@example.com")
		if unknown := tries("bob@example.com") + 1; known != unknown { // whose "right" password is a wrong one
			t.Errorf("%d tries for an account, %d for none", known, unknown)
		}
	})
}

// TestTakenLink has a process that has taken the mail when the password is reset, and writes it then.
func TestTakenLink(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		s := d.session(d.join("ada@example.com"))
		reset := d.link(ForReset, "ada@example.com")
		ok(t, d.ChangeEmail(t.Context(), s, "eve@example.com", from))
		taken := d.waiting()
		_, err := d.ResetPassword(t.Context(), reset, password, from)
		ok(t, err)
		m, sent, err := d.write(t.Context(), taken)
		if sent || err != nil || d.rows("tokens") != 0 {
			t.Errorf("sent: %+v, %v", m, err)
		}
	})
}

// TestManyAtOnce has many ask at the same moment. They wait for each other, and none of them in vain.
func TestManyAtOnce(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		errs := d.atOnce(200, func(i int) error {
			return d.SendLink(t.Context(), ForSignUp, fmt.Sprintf("user%d@example.com", i), at(i))
		})
		for _, err := range errs {
			ok(t, err)
		}
		if n := d.db.Stats().OpenConnections; n > 20 {
			t.Errorf("%d connections", n)
		}
	})
}

// TestAtOnce has fifty take one address in the same moment.
func TestAtOnce(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		var sessions []*Session
		var tokens []string
		for i := range 50 {
			s := d.session(d.join(fmt.Sprintf("user%d@example.com", i)))
			_, err := d.db.ExecContext(t.Context(), "DELETE FROM limits")
			ok(t, err)
			ok(t, d.ChangeEmail(t.Context(), s, "ada@example.com", from))
			sessions, tokens = append(sessions, s), append(tokens, d.token("ada@example.com"))
		}
		d.oneOf(len(tokens), func(i int) error { return d.ConfirmEmail(t.Context(), sessions[i], tokens[i], from) })
		if n := d.rows("users WHERE email = $1", "ada@example.com"); n != 1 {
			t.Errorf("%d users", n)
		}
	})
}

// TestBeside does all that there is in the moment in which the account is deleted, or its password is
// reset. Nothing is left of what was before.
func TestBeside(t *testing.T) {
	for name, end := range map[string]func(d *desk, s *Session, reset string) error{
		"deleted": func(d *desk, s *Session, _ string) error { return d.Delete(d.t.Context(), s, from) },
		"reset": func(d *desk, _ *Session, reset string) error {
			_, err := d.ResetPassword(d.t.Context(), reset, "another long password", from)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk) {
				ctx := t.Context()
				d.join("admin@example.com")
				ok(t, d.MakeAdmin(ctx, "admin@example.com"))
				for i := range 5 {
					email := fmt.Sprintf("user%d@example.com", i)
					stolen := d.join(email)
					s, admin := d.session(stolen), d.session(d.signsIn("admin@example.com"))
					link, reset := d.link(ForSignIn, email), d.link(ForReset, email)
					_, err := d.db.ExecContext(ctx, "DELETE FROM limits")
					ok(t, err)
					all := []func() error{
						func() error { return end(d, s, reset) },
						func() error { _, err := d.SignInByLink(ctx, link, from); return err },
						func() error { _, err := d.SignIn(ctx, email, password, from); return err },
						func() error { _, err := d.Session(ctx, stolen); return err },
						func() error { return d.ChangeEmail(ctx, s, "eve@example.com", from) },
						func() error { return d.SetRole(ctx, admin, s.User.ID, Admin, from) },
						func() error { _, err := d.sendNext(ctx); return err },
						func() error { return d.SignOutEverywhere(ctx, s, from) },
					}
					errs := d.atOnce(len(all), func(i int) error { return all[i]() })
					for i, err := range errs {
						if err != nil && !slices.Contains([]error{ErrLink, ErrCredentials, ErrNotRecent, ErrRole}, err) {
							t.Errorf("%d: %v", i, err)
						}
					}
					d.isOver(stolen)
					mails := d.sent()
					if errs[0] != nil {
						continue // it came too late
					}
					_, err = d.SignIn(ctx, email, password, Client{})
					fails(t, err, ErrCredentials)
					for _, m := range mails {
						if _, token, found := strings.Cut(m.Link, "/account/confirm?token="); found && d.rows("tokens WHERE hash = $1", hashOf(token)) != 0 {
							t.Errorf("a link is good for %s", m.To)
						}
					}
				}
			})
		})
	}
}
