package accounts

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/newapp/accounts/testdb"
	"github.com/jackc/pgx/v5/stdlib"
)

// TestMigrate has two versions of the program start at the same time, several times each, with an
// empty database. A file with a mistake leaves nothing behind.
func TestMigrate(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		_, err := d.db.ExecContext(t.Context(), "DROP TABLE accounts_migrations")
		ok(t, err)
		file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
		old := fstest.MapFS{"migrations/101.sql": file("CREATE TABLE one (n BIGINT); INSERT INTO one VALUES (1)")}
		next := fstest.MapFS{"migrations/101.sql": old["migrations/101.sql"], "migrations/102.sql": file("INSERT INTO one VALUES (2)")}
		for _, err := range d.atOnce(8, func(i int) error { return d.migrate(t.Context(), []fs.FS{old, next}[i%2]) }) {
			ok(t, err)
		}
		if n := d.rows("one"); n != 2 {
			t.Errorf("%d rows", n)
		}
		next["migrations/103.sql"], next["migrations/104.sql"] = file("INSERT INTO one VALUES (3)"), file("INSERT INTO one VALUES (4); SELECT nonsense")
		if err := d.migrate(t.Context(), next); err == nil || !strings.HasPrefix(err.Error(), "accounts/migrations/104.sql: ") || d.rows("one") != 2 {
			t.Errorf("%v, %d rows", err, d.rows("one"))
		}
		next["migrations/104.sql"] = file("INSERT INTO one VALUES (4)")
		ok(t, d.migrate(t.Context(), next))
		if n := d.rows("one"); n != 4 {
			t.Errorf("%d rows", n)
		}
	})
}

// TestMigrationChanges has a migration without a statement, and one that changes after it has run.
func TestMigrationChanges(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		migrate := func(text string) error {
			return d.migrate(t.Context(), fstest.MapFS{"migrations/101.sql": &fstest.MapFile{Data: []byte(text)}})
		}
		for _, empty := range []string{"", " \n", "-- to come", "/* CREATE TABLE\none */\n"} {
			if err := migrate(empty); err == nil || !strings.HasPrefix(err.Error(), "accounts/migrations/101.sql has no statement") {
				t.Errorf("%q: %v", empty, err)
			}
		}
		const one = "CREATE TABLE one (\n\tn BIGINT -- a number\n)"
		for _, same := range []string{one, one, strings.ReplaceAll(one, "\n", "\r\n"), "/* the first\ntable */" + strings.Replace(one, "a number", "how many", 1)} {
			if err := migrate(same); err != nil {
				t.Errorf("%q: %v", same, err)
			}
		}
		for _, other := range []string{strings.Replace(one, "BIGINT", "TEXT", 1), one + "; INSERT INTO one VALUES (1)"} {
			if err := migrate(other); err == nil || !strings.HasPrefix(err.Error(), "accounts/migrations/101.sql has changed since it ran") {
				t.Errorf("%q: %v", other, err)
			}
		}
		if n := d.rows("one"); n != 0 {
			t.Errorf("%d rows", n)
		}
	})
}

func TestSignUp(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		ok(t, d.SendLink(t.Context(), ForSignUp, "ada@example.com", from))
		mails := d.sent()
		if len(mails) != 1 || !strings.HasPrefix(mails[0].Link, "https://desk.example/sign-up/password?token=") {
			t.Fatalf("sent: %v", mails)
		}
		if n := d.rows("users"); n != 0 {
			t.Errorf("%d users before the link was followed", n)
		}
		second := d.link(ForSignUp, "ada@example.com")
		if email, err := d.Addressee(t.Context(), ForSignUp, second); err != nil || email != "ada@example.com" {
			t.Errorf("the link is for %q, %v", email, err)
		}
		_, err := d.SignUp(t.Context(), second, "short", from)
		if err == nil || d.rows("users") != 0 {
			t.Errorf("a short password: %v", err)
		}
		session, err := d.SignUp(t.Context(), second, password, from)
		ok(t, err)
		s := d.session(session)
		if s.User.Email != "ada@example.com" || s.User.Role != "" || !s.Recent || s.Network != "192.0.2.0/24" || s.Agent != "Mozilla/5.0" {
			t.Errorf("the session is %+v", s)
		}
		// The link of before is worth nothing: it would give the account another password. Nor is
		// a password looked at, and hashed, that comes with it.
		_, first, _ := strings.Cut(mails[0].Link, "token=")
		_, err = d.SignUp(t.Context(), first, "another long password", from)
		fails(t, err, ErrLink)
		_, err = d.SignUp(t.Context(), first, "short", from)
		fails(t, err, ErrLink)
	})
}

// TestSignUpAgain asks for an account where there is one.
func TestSignUpAgain(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.join("ada@example.com")
		token := d.link(ForSignUp, "ada@example.com")
		_, err := d.SignUp(t.Context(), token, "another long password", from)
		fails(t, err, ErrLink)
		session, err := d.SignInByLink(t.Context(), token, from) // which is what the mail offers
		ok(t, err)
		d.session(session)
	})
}

// TestSignUpRace has many sign up with one address at the same time: by one link, and by
// several.
func TestSignUpRace(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		tokens := []string{d.link(ForSignUp, "ada@example.com"), d.link(ForSignUp, "ada@example.com"), d.link(ForSignUp, "ada@example.com")}
		d.oneOf(12, func(i int) error {
			_, err := d.SignUp(t.Context(), tokens[i%3], fmt.Sprint("password of ", i, " is long"), from)
			return err
		})
		if d.rows("users") != 1 || d.rows("sessions") != 1 {
			t.Errorf("%d users, %d sessions", d.rows("users"), d.rows("sessions"))
		}
	})
}

func TestSignIn(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		first := d.join("ada@example.com")
		for _, tt := range []struct {
			email, password string
			want            error
		}{
			{"ada@example.com", password, nil},
			{" Ada@Example.COM ", password, nil},
			{"ada@example.com", password + " ", ErrCredentials},
			{"ada@example.com", password[:12], ErrCredentials},
			{"ada@example.com", "", ErrCredentials},
			{"bob@example.com", password, ErrCredentials},
			{"", "", ErrCredentials},
			{"ada@example.com\x00", password, ErrCredentials},
			{"' OR 1=1 --", password, ErrCredentials},
		} {
			session, err := d.SignIn(t.Context(), tt.email, tt.password, from)
			if !errors.Is(err, tt.want) || (session == "") != (tt.want != nil) {
				t.Errorf("%q, %q: %q, %v, want %v", tt.email, tt.password, session, err, tt.want)
			}
		}
		// With a new token, and in place of the one that the browser had.
		again := from
		again.Token = first
		second, err := d.SignIn(t.Context(), "ada@example.com", password, again)
		ok(t, err)
		if second == first {
			t.Error("the token is the same")
		}
		d.isOver(first)
		d.session(second)
	})
}

// TestUnknown does the same for an address with an account and one without: what the database
// has afterwards differs in nothing but names.
func TestUnknown(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.join("ada@example.com")
		d.pass(time.Hour)
		ok(t, d.sweep(t.Context()))
		counts := func(email string) (counts [][4]int) {
			for _, table := range []string{"events", "limits", "mails", "tokens"} {
				_, err := d.db.ExecContext(t.Context(), "DELETE FROM "+table)
				ok(t, err)
			}
			_, err := d.SignIn(t.Context(), email, "a wrong password", from)
			fails(t, err, ErrCredentials)
			for _, p := range []Purpose{"", ForSignUp, ForSignIn, ForReset} {
				if p != "" {
					ok(t, d.SendLink(t.Context(), p, email, from))
				}
				counts = append(counts, [4]int{d.rows("events"), d.rows("limits"), d.rows("mails"), d.rows("tokens")})
			}
			for _, m := range d.sent() {
				if m.To == "bob@example.com" && m.Subject != letters[string(ForSignUp)].subject {
					t.Errorf("sent to nobody's address: %+v", m)
				}
			}
			return counts
		}
		unknown, known := counts("bob@example.com"), counts("ada@example.com")
		if !slices.Equal(known, unknown) || known[3] != [4]int{1, 4, 3, 0} {
			t.Errorf("rows for an account: %v, without one: %v", known, unknown)
		}
	})
}

// TestReplay uses each kind of link twice, after its end, many times at once, and for another purpose.
func TestReplay(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		ctx := t.Context()
		asker := d.session(d.join("asker@example.com")) // of the last change of an address
		uses := map[Purpose]func(token string) error{
			ForSignUp: func(token string) error { _, err := d.SignUp(ctx, token, password, from); return err },
			ForSignIn: func(token string) error { _, err := d.SignInByLink(ctx, token, from); return err },
			ForReset:  func(token string) error { _, err := d.ResetPassword(ctx, token, password, from); return err },
			ForEmail:  func(token string) error { return d.ConfirmEmail(ctx, asker, token, from) },
		}
		n := 0
		ask := func(p Purpose) string {
			n++
			email := fmt.Sprintf("user%d@example.com", n)
			if p != ForSignUp {
				token := d.join(email)
				asker = d.session(token)
			}
			if p != ForEmail {
				return d.link(p, email)
			}
			ok(t, d.ChangeEmail(ctx, asker, "new-"+email, at(n)))
			return d.token("new-" + email)
		}
		for p, use := range uses {
			token := ask(p)
			for other, use := range uses {
				if other != p {
					fails(t, use(token), ErrLink)
				}
			}
			fails(t, use(token+"A"), ErrLink)
			fails(t, use(""), ErrLink)
			_, err := d.Addressee(ctx, p, token)
			ok(t, err)
			ok(t, use(token))
			fails(t, use(token), ErrLink)
			d.sent()

			old := ask(p)
			d.pass(lives[p])
			fails(t, use(old), ErrLink)
			_, err = d.Addressee(ctx, p, old)
			fails(t, err, ErrLink)

			contested := ask(p)
			d.oneOf(20, func(int) error { return use(contested) })
			d.sent()
		}
	})
}

func TestResetEndsSessionsAndLinks(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		ada, bob := d.join("ada@example.com"), d.join("bob@example.com")
		link := d.link(ForSignIn, "ada@example.com")
		session := d.resets("ada@example.com", "another long password")
		if got := d.session(session).User.Email; got != "ada@example.com" {
			t.Errorf("it is the session of %s", got)
		}
		d.isOver(ada)
		d.session(bob)
		_, err := d.SignInByLink(t.Context(), link, from)
		fails(t, err, ErrLink)
		_, err = d.SignIn(t.Context(), "ada@example.com", password, from)
		fails(t, err, ErrCredentials)
		_, err = d.SignIn(t.Context(), "ada@example.com", "another long password", from)
		ok(t, err)
		d.signsIn("bob@example.com")
		d.told("ada@example.com", "password changed")
	})
}

// TestResetRace signs in with the password of before, and by a link, while the password is
// reset: whoever was faster, no session but the new one is left.
func TestResetRace(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		for i := range 5 {
			email := fmt.Sprintf("ada%d@example.com", i)
			d.join(email)
			link, reset := d.link(ForSignIn, email), d.link(ForReset, email)
			var session string
			errs := d.atOnce(6, func(n int) (err error) {
				switch n {
				case 0:
					session, err = d.ResetPassword(t.Context(), reset, "another long password", from)
				case 1:
					_, err = d.SignInByLink(t.Context(), link, from)
				default:
					_, err = d.SignIn(t.Context(), email, password, at(i))
				}
				return err
			})
			ok(t, errs[0])
			for _, err := range errs[1:] {
				if err != nil && !errors.Is(err, ErrLink) {
					fails(t, err, ErrCredentials)
				}
			}
			d.sent()
			list, err := d.Sessions(t.Context(), d.session(session))
			ok(t, err)
			if len(list) != 1 {
				t.Errorf("%d sessions are left", len(list))
			}
		}
	})
}

// TestLock has one transaction wait for another.
func TestLock(t *testing.T) {
	endAll := func(s *Session) func(*transaction) error {
		return func(tx *transaction) error {
			_, err := tx.lock("id = $1", s.User.ID)
			return errors.Join(err, tx.endAll(s.User.ID))
		}
	}
	for name, test := range map[string]func(t *testing.T, d *desk, s *Session){
		"a link while the password is reset": func(t *testing.T, d *desk, s *Session) {
			link, reset := d.link(ForSignIn, "ada@example.com"), d.link(ForReset, "ada@example.com")
			var thief string
			ok(t, d.meanwhile(func(tx *transaction) error {
				id, _, err := tx.spend(ForSignIn, link)
				ok(t, err)
				thief, err = tx.begin(id, "signed in by a link")
				return err
			}, func() error {
				_, err := d.ResetPassword(t.Context(), reset, "another long password", from)
				return err
			}))
			d.isOver(thief)
		},
		"a mail to another address while the owner ends all": func(t *testing.T, d *desk, s *Session) {
			ok(t, d.ChangeEmail(t.Context(), s, "eve@example.com", from))
			taken := d.waiting()
			ok(t, d.meanwhile(endAll(s), func() error {
				m, sent, err := d.write(t.Context(), taken)
				if sent {
					t.Errorf("sent to the thief: %+v", m)
				}
				return err
			}))
		},
		"a password while the owner ends all": func(t *testing.T, d *desk, s *Session) {
			fails(t, d.meanwhile(endAll(s), func() error {
				_, err := d.ChangePassword(t.Context(), s, "the password of a thief", from)
				return err
			}), ErrNotRecent)
		},
		"two with one new address": func(t *testing.T, d *desk, s *Session) {
			d.join("bob@example.com")
			ok(t, d.ChangeEmail(t.Context(), s, "new@example.com", from))
			token := d.token("new@example.com")
			fails(t, d.meanwhile(func(tx *transaction) error {
				return tx.exec("UPDATE users SET email = 'new@example.com' WHERE email = 'bob@example.com'")
			}, func() error { return d.ConfirmEmail(t.Context(), s, token, from) }), ErrLink)
		},
		"the link of somebody else": func(t *testing.T, d *desk, s *Session) {
			eve := d.session(d.join("eve@example.com"))
			ok(t, d.ChangeEmail(t.Context(), s, "ada@example.org", from))
			token := d.token("ada@example.org")
			fails(t, d.beside(s, func() error { return d.ConfirmEmail(t.Context(), eve, token, from) }), ErrLink)
		},
		"two who sign in where the other was": func(t *testing.T, d *desk, ada *Session) {
			eve, link := d.session(d.join("eve@example.com")), d.link(ForSignIn, "eve@example.com")
			there := Client{Token: d.signsIn("ada@example.com")}
			var session string
			ok(t, d.meanwhile(endAll(ada), func() (err error) {
				session, err = d.SignInByLink(t.Context(), link, there)
				return err
			}, func(tx *transaction) error {
				_, err := tx.lock("id = $1", eve.User.ID)
				return err
			}))
			d.session(session)
		},
		"a mail while the address changes": func(t *testing.T, d *desk, s *Session) {
			ok(t, d.SendLink(t.Context(), ForReset, "ada@example.com", from))
			ok(t, d.meanwhile(func(tx *transaction) error { return tx.exec("UPDATE users SET email = 'ada@example.org'") },
				func() error { _, err := d.sendNext(t.Context()); return err }))
			if len(d.mails) != 0 {
				t.Errorf("sent to the address of before: %v", d.mails)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, testdb.Postgres(t))
			test(t, d, d.session(d.join("ada@example.com")))
		})
	}
}

func TestChangePassword(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		token := d.join("ada@example.com")
		other := d.signsIn("ada@example.com")
		session, err := d.ChangePassword(t.Context(), d.session(token), "another long password", from)
		ok(t, err)
		d.isOver(token)
		d.isOver(other)
		d.session(session)
		d.told("ada@example.com", "password changed")
	})
}

// TestLockedOut uses up all limits of an account from elsewhere. There still is a way in.
func TestLockedOut(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.join("ada@example.com")
		d.pass(time.Hour)
		eve := d.session(d.join("eve@example.com"))
		var link string
		for i := range signInsOfAccount.most {
			_, err := d.SignIn(t.Context(), "ada@example.com", "a wrong password", at(int(i)))
			fails(t, err, ErrCredentials)
		}
		for i := range mailsOfNewAddress.most {
			ok(t, d.ChangeEmail(t.Context(), eve, "ada@example.com", at(100+int(i))))
		}
		d.sent()
		for i := range mailsOfAddress.most {
			ok(t, d.SendLink(t.Context(), ForSignIn, "ada@example.com", at(200+int(i))))
			d.pass(mailsOfAddress.per / time.Duration(mailsOfAddress.most+1))
			if token := d.token("ada@example.com"); link == "" {
				link = token // the first of those, which is the oldest
			}
		}
		for d.SendLink(t.Context(), ForSignIn, "ada@example.com", from) == nil {
			t.Error("not locked out")
		}
		_, err := d.SignInByLink(t.Context(), link, from)
		ok(t, err)
		for p := range pages {
			if lives[p] < mailsOfAddress.per {
				t.Errorf("a link for %s ends before there may be another one", p)
			}
		}
	})
}

func TestChangeEmail(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		s := d.session(d.join("ada@example.com"))
		d.join("bob@example.com")
		reset := d.link(ForReset, "ada@example.com")
		ok(t, d.ChangeEmail(t.Context(), s, "ada@example.org", from))
		token := d.token("ada@example.org")
		if _, err := d.SignIn(t.Context(), "ada@example.org", password, from); !errors.Is(err, ErrCredentials) {
			t.Errorf("the address counts before it is confirmed: %v", err)
		}
		ok(t, d.ConfirmEmail(t.Context(), s, token, from))
		d.signsIn("ada@example.org")
		d.told("ada@example.com", "address changed")
		_, err := d.ResetPassword(t.Context(), reset, password, from)
		fails(t, err, ErrLink)

		// An address that somebody has gets a mail without a link, and an address that
		// somebody has taken meanwhile is not changed.
		ok(t, d.ChangeEmail(t.Context(), s, "bob@example.com", from))
		if mails := d.sent(); len(mails) != 1 || mails[0].To != "bob@example.com" || strings.Contains(mails[0].Text, "token=") {
			t.Errorf("sent: %v", mails)
		}
		ok(t, d.ChangeEmail(t.Context(), s, "eve@example.com", from))
		token = d.token("eve@example.com")
		d.join("eve@example.com")
		fails(t, d.ConfirmEmail(t.Context(), s, token, from), ErrLink)
	})
}

func TestSessions(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		first, bob := d.join("ada@example.com"), d.join("bob@example.com")
		d.pass(time.Minute)
		second := d.signsIn("ada@example.com")
		list, err := d.Sessions(t.Context(), d.session(first))
		ok(t, err)
		if len(list) != 2 || list[0].ID != d.session(second).ID || list[1].ID != d.session(first).ID {
			t.Fatalf("the sessions are %v", list)
		}
		for _, id := range []string{list[0].ID, "", "\x00\xff"} { // which are not bob's
			ok(t, d.EndSession(t.Context(), d.session(bob), id, from))
		}
		d.session(second)
		if events, err := d.Events(t.Context(), d.session(bob).User.ID); err != nil || len(events) != 1 {
			t.Errorf("the events of bob are %v, %v", events, err)
		}
		if s, err := d.Session(t.Context(), list[0].ID); err != nil || s != nil {
			t.Error("what is shown in the list is a token")
		}
		ok(t, d.EndSession(t.Context(), d.session(first), list[0].ID, from))
		d.isOver(second)
		// Which can do nothing to the others any more, if a request of it still is on its way.
		ok(t, d.EndSession(t.Context(), list[0], list[1].ID, from))
		fails(t, d.SignOutEverywhere(t.Context(), list[0], from), ErrNotRecent)
		d.session(first)
		ok(t, d.SignOutEverywhere(t.Context(), d.session(first), from))
		d.isOver(first)
		d.session(bob)
	})
}

// TestLastUse has a session come to the front of the list when it is used, and not at each use.
func TestLastUse(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		first := d.join("ada@example.com")
		d.pass(time.Minute)
		d.signsIn("ada@example.com")
		for _, tt := range []struct {
			wait  time.Duration
			place int
		}{{sessionStep - 2*time.Minute, 1}, {time.Minute, 0}} {
			d.pass(tt.wait)
			list, err := d.Sessions(t.Context(), d.session(first))
			ok(t, err)
			if len(list) != 2 || list[tt.place].ID != hashOf(first) {
				t.Errorf("%v later, the sessions are %v", tt.wait, list)
			}
		}
	})
}

func TestSessionEnds(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		used, left := d.join("ada@example.com"), d.join("bob@example.com")
		for range int(sessionLife / (sessionIdle - time.Hour)) {
			d.pass(sessionIdle - time.Hour)
			d.session(used)
		}
		d.isOver(left)
		ok(t, d.sweep(t.Context()))
		if n := d.rows("sessions"); n != 1 {
			t.Errorf("%d sessions are left, want the one that is used", n)
		}
		d.pass(sessionIdle - time.Hour)
		d.isOver(used)
		d.isOver("")
		ok(t, d.sweep(t.Context()))
		if n := d.rows("sessions"); n != 0 {
			t.Errorf("%d sessions are left", n)
		}
	})
}

// TestReadOnly has a database that can be read and not written, as with a full disk.
func TestReadOnly(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		token := d.join("ada@example.com")
		d.pass(sessionStep)
		d.db.SetMaxOpenConns(1)
		query := "PRAGMA query_only = 1"
		if _, ok := d.db.Driver().(*stdlib.Driver); ok {
			query = "SET default_transaction_read_only = on"
		}
		_, err := d.db.ExecContext(t.Context(), query)
		ok(t, err)
		if d.SendLink(t.Context(), ForSignIn, "ada@example.com", from) == nil {
			t.Fatal("it can be written")
		}
		d.session(token)
	})
}

// TestToldWhere has what is told go to the address of that moment: of the account, and not of a session
// that was looked up before; and not to another one, which a thief may have confirmed since.
func TestToldWhere(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		s := d.session(d.join("ada@example.com"))
		ok(t, d.ChangeEmail(t.Context(), s, "ada@example.org", from))
		token := d.token("ada@example.org")
		ok(t, d.ConfirmEmail(t.Context(), s, token, from))
		d.told("ada@example.com", "address changed")
		session, err := d.ChangePassword(t.Context(), s, "another long password", from)
		ok(t, err)
		d.told("ada@example.org", "password changed")
		s = d.session(session)
		ok(t, d.ChangeEmail(t.Context(), s, "ada@example.net", from))
		ok(t, d.ConfirmEmail(t.Context(), s, d.token("ada@example.net"), from))
		d.told("ada@example.org", "address changed")
		ok(t, d.Delete(t.Context(), s, from))
		d.told("ada@example.net", "account deleted")
	})
}

func TestDelete(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		token := d.join("ada@example.com")
		s := d.session(token)
		reset := d.link(ForReset, "ada@example.com")
		ok(t, d.ChangeEmail(t.Context(), s, "ada@example.org", from)) // a mail that waits
		ok(t, d.Delete(t.Context(), s, from))
		d.isOver(token)
		_, err := d.ResetPassword(t.Context(), reset, password, from)
		fails(t, err, ErrLink)
		for _, table := range []string{"users", "sessions", "tokens"} {
			if n := d.rows(table); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
		d.told("ada@example.com", "account deleted")
		d.join("ada@example.com") // which is free again
		if n := d.rows("events WHERE user_id = $1", s.User.ID); n != 2 {
			t.Errorf("%d events are left, want the sign-up and the end", n)
		}
	})
}

// TestDeleteAdmin has an admin delete the account: only when another one has taken the role.
func TestDeleteAdmin(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		var s [2]*Session
		for i, email := range []string{"ada@example.com", "bob@example.com"} {
			d.join(email)
			ok(t, d.MakeAdmin(t.Context(), email))
			s[i] = d.session(d.signsIn(email))
		}
		fails(t, d.Delete(t.Context(), s[0], from), ErrAdmin)
		d.session(d.signsIn("ada@example.com"))
		ok(t, d.SetRole(t.Context(), s[1], s[0].User.ID, "", from))
		fails(t, d.Delete(t.Context(), s[0], from), ErrNotRecent)
		ok(t, d.Delete(t.Context(), d.session(d.signsIn("ada@example.com")), from))
		fails(t, d.Delete(t.Context(), s[1], from), ErrAdmin)
	})
}

func TestRoles(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		ada, bob := d.join("ada@example.com"), d.join("bob@example.com")
		a, b := d.session(ada), d.session(bob)
		fails(t, d.SetRole(t.Context(), a, b.User.ID, Admin, from), ErrRole)
		fails(t, d.SetRole(t.Context(), a, a.User.ID, Admin, from), ErrRole)
		for _, nobody := range []string{"", "ada", "\x00\xff"} {
			if d.MakeAdmin(t.Context(), nobody) == nil {
				t.Errorf("%q is an admin", nobody)
			}
		}
		ok(t, d.MakeAdmin(t.Context(), " Ada@example.com"))
		d.isOver(ada) // who begins anew, as an admin
		ada = d.signsIn("ada@example.com")
		ok(t, d.MakeAdmin(t.Context(), "ada@example.com")) // at the next start of the program
		a = d.session(ada)
		fails(t, d.SetRole(t.Context(), a, b.User.ID, "root", from), ErrRole)
		for _, own := range []string{a.User.ID, a.User.ID + "\x00", "\xff" + a.User.ID} {
			fails(t, d.SetRole(t.Context(), a, own, "", from), ErrRole)
		}
		d.pass(time.Second)
		ok(t, d.SetRole(t.Context(), a, b.User.ID, Admin, from))
		d.isOver(bob)
		users, err := d.Users(t.Context(), "", "")
		ok(t, err)
		if len(users) != 2 || users[0].Email != "ada@example.com" || users[1].Role != Admin {
			t.Errorf("the users are %v", users)
		}
		for _, tt := range []struct {
			search, after string
			found         int
		}{
			{"", "ada@example.com\x00\xff", 1}, {"ADA@", "", 1}, {"example.com", "", 2}, {"example.com", "ada@example.com", 1},
			{"%", "", 0}, {"_", "", 0}, {`\`, "", 0}, {"a\x00\xffda", "", 1},
		} {
			users, err := d.Users(t.Context(), tt.search, tt.after)
			ok(t, err)
			if len(users) != tt.found {
				t.Errorf("%q after %q finds %v, want %d", tt.search, tt.after, users, tt.found)
			}
		}
		events, err := d.Events(t.Context(), b.User.ID)
		ok(t, err)
		if len(events) != 2 || events[1].What != "signed up" || events[0].Network != "192.0.2.0/24" {
			t.Errorf("the events are %v", events)
		}
	})
}

// TestFirstAdmin names an admin who has no account yet, at several starts of the program.
func TestFirstAdmin(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		for range 7 {
			ok(t, d.MakeAdmin(t.Context(), " Ada@example.com"))
		}
		links := d.sent()
		if len(links) != 5 {
			t.Errorf("%d links were sent", len(links))
		}
		if bob := d.session(d.join("bob@example.com")); bob.User.Role != "" {
			t.Errorf("%+v", bob.User)
		}
		_, token, _ := strings.Cut(links[0].Link, "?token=")
		session, err := d.SignUp(t.Context(), token, password, from)
		ok(t, err)
		ok(t, d.MakeAdmin(t.Context(), "ada@example.com"))
		if ada := d.session(session); ada.User.Role != Admin {
			t.Errorf("%+v", ada.User)
		}
	})
}

func TestLimits(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.join("ada@example.com")
		isLimited := func(err error) bool {
			var limited *LimitError
			return errors.As(err, &limited) && limited.Wait > 0
		}
		for _, email := range []string{"ada@example.com", "bob@example.com"} { // one of them has no account
			limited := 0
			for _, err := range d.atOnce(int(signInsOfAccount.most)+5, func(i int) error { // from many places
				_, err := d.SignIn(t.Context(), email, "a wrong password", at(i))
				return err
			}) {
				if isLimited(err) {
					limited++
				} else {
					fails(t, err, ErrCredentials)
				}
			}
			if limited != 5 {
				t.Errorf("%s: %d were stopped, want 5", email, limited)
			}
		}
		if _, err := d.SignIn(t.Context(), "ada@example.com", password, from); !isLimited(err) {
			t.Errorf("the right password after too many wrong ones: %v", err)
		}
		_, err := d.SignInByLink(t.Context(), d.link(ForSignIn, "ada@example.com"), from) // the way out
		ok(t, err)
		d.pass(signInsOfAccount.per / 2)
		if _, err := d.SignIn(t.Context(), "ada@example.com", "a wrong password", at(99)); !isLimited(err) {
			t.Errorf("the limit has ended too early: %v", err)
		}
		d.pass(signInsOfAccount.per / 2)     // since the first attempt: those that were stopped make it no longer
		for range signInsOfClient.most + 1 { // who is right is not counted
			d.signsIn("ada@example.com")
		}

		d.pass(time.Hour)
		for i := range signInsOfClient.most {
			_, err := d.SignIn(t.Context(), fmt.Sprintf("user%d@example.com", i), "a wrong password", from)
			fails(t, err, ErrCredentials)
		}
		near := from
		near.Addr = near.Addr.Next()
		if _, err := d.SignIn(t.Context(), "ada@example.com", password, from); !isLimited(err) {
			t.Errorf("too many from one address: %v", err)
		}
		_, err = d.SignIn(t.Context(), "ada@example.com", password, near)
		ok(t, err)

		for i := range mailsOfAddress.most {
			ok(t, d.SendLink(t.Context(), ForReset, "eve@example.com", at(int(i))))
		}
		if err := d.SendLink(t.Context(), ForSignUp, "eve@example.com", at(99)); !isLimited(err) {
			t.Errorf("too many mails to one address: %v", err)
		}
		d.pass(time.Hour)
		for i := range mailsOfClient.most {
			ok(t, d.SendLink(t.Context(), ForReset, fmt.Sprintf("user%d@example.com", i), from))
		}
		if err := d.SendLink(t.Context(), ForReset, "eve@example.com", from); !isLimited(err) {
			t.Errorf("too many mails from one address: %v", err)
		}
		d.pass(time.Hour)
		ok(t, d.sweep(t.Context()))
		if n := d.rows("limits"); n != 0 {
			t.Errorf("%d limits are left", n)
		}
	})
}

func TestSweep(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.join("ada@example.com")
		ok(t, d.SendLink(t.Context(), ForReset, "ada@example.com", from))
		d.sent()
		ok(t, d.sweep(t.Context()))
		for _, table := range []string{"tokens", "sessions", "limits", "events"} {
			if d.rows(table) == 0 {
				t.Errorf("the rows of %s are gone before their time", table)
			}
		}
		_, err := d.SignIn(t.Context(), "nobody@example.com", password, from)
		fails(t, err, ErrCredentials)
		ok(t, d.sweep(t.Context()))
		if n := d.rows("events WHERE user_id = ''"); n != 0 {
			t.Errorf("%d events of nobody are left", n)
		}
		d.pass(eventLife)
		ok(t, d.sweep(t.Context()))
		for _, table := range []string{"tokens", "sessions", "limits", "events"} {
			if n := d.rows(table); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
		if d.rows("users") != 1 {
			t.Error("the user is gone")
		}
	})
}

// TestStore looks for tokens and passwords in all that the database has, at each moment of
// their lives.
func TestStore(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		secrets := []string{password}
		look := func() {
			t.Helper()
			for _, table := range []string{"users", "sessions", "tokens", "limits", "mails", "events"} {
				for _, row := range d.dump(table) {
					for _, secret := range secrets {
						if strings.Contains(row, secret) {
							t.Errorf("%q is in %s: %s", secret, table, row)
						}
					}
				}
			}
		}
		secrets = append(secrets, d.join("ada@example.com"))
		look()
		for _, p := range []Purpose{ForSignIn, ForReset, ForSignUp} {
			ok(t, d.SendLink(t.Context(), p, "ada@example.com", from))
			look() // while the mail waits
			secrets = append(secrets, d.token("ada@example.com"))
			look()
		}
		d.SignIn(t.Context(), "ada@example.com", "typed in the wrong field", from)
		d.SignIn(t.Context(), "my secret password", "", from)
		secrets = append(secrets, "wrong field", "my secret")
		look()
	})
}

func TestCleanEmail(t *testing.T) {
	for typed, want := range map[string]string{
		"ada@example.com":                   "ada@example.com",
		" Ada.Lovelace+notes@Example.COM\n": "ada.lovelace+notes@example.com",
		"o'neil@xn--bcher-kva.example":      "o'neil@xn--bcher-kva.example",
		"":                                  "",
		"ada":                               "",
		"ada@localhost":                     "",
		"ada@example.com\r\nBcc: bob@example.com":  "",
		"ada@example.com\nbob@example.com":         "",
		"ada@example.com,bob@example.com":          "",
		"Ada <ada@example.com>":                    "",
		`"ada"@example.com`:                        "",
		"ada@example.com\x00":                      "",
		"mi\u212ae@example.com":                    "", // the sign for kelvin, which is k in lower case
		"ada@exämple.com":                          "",
		"ada@-example.com":                         "",
		".ada@example.com":                         "", // these three are none by the RFC, and the library sends none there
		"ada.@example.com":                         "",
		"a..da@example.com":                        "",
		"ada@" + strings.Repeat("a.", 130) + "com": "",
	} {
		got, valid := CleanEmail(typed)
		if got != want || valid != (want != "") {
			t.Errorf("%q: %q, %t", typed, got, valid)
		}
	}
}

// TestTableInTheWay migrates a database with a table of something else.
func TestTableInTheWay(t *testing.T) {
	db, err := Open(testdb.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE users (name TEXT)"); err != nil {
		t.Fatal(err)
	}
	err = New(db, &url.URL{}, nil).Migrate(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "accounts/migrations/001_accounts.sql: ") || !strings.Contains(err.Error(), "another database: -db") {
		t.Errorf("it says %v", err)
	}
}
