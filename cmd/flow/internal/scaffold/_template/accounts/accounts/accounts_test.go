package accounts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"example.com/newapp/accounts/testdb"
	"github.com/jackc/pgx/v5/stdlib"
)

// A desk is Accounts for a test, with a clock and a mailbox of its own.
type desk struct {
	*Accounts
	t      *testing.T
	mu     sync.Mutex
	passed time.Duration // since the test began
	mails  []Mail
	broken error // what sending returns
	asked  int   // links
}

// both runs a test with SQLite and, if TEST_POSTGRES has the URL of a database, with
// PostgreSQL.
func both(t *testing.T, test func(t *testing.T, d *desk)) {
	t.Run("SQLite", func(t *testing.T) { test(t, newDesk(t, testdb.SQLite(t))) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, newDesk(t, testdb.Postgres(t))) })
}

func newDesk(t *testing.T, database string) *desk {
	t.Helper()
	db, err := Open(database)
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	d := &desk{t: t}
	d.Accounts = New(db, &url.URL{Scheme: "https", Host: "desk.example"}, d.receive)
	d.passwords = newHasher(cost{64, 1, 1}) // a test need not be slow
	d.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	began := time.Now()
	d.now = func() time.Time {
		d.mu.Lock()
		defer d.mu.Unlock()
		return began.Add(d.passed)
	}
	ok(t, d.Migrate(t.Context()))
	return d
}

func (d *desk) receive(_ context.Context, m Mail) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken == nil {
		d.mails = append(d.mails, m)
	}
	return d.broken
}

func (d *desk) pass(time time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.passed += time
}

// sent sends what waits, and returns all that was sent since the last call.
func (d *desk) sent() []Mail {
	d.t.Helper()
	for {
		found, err := d.sendNext(d.t.Context())
		ok(d.t, err)
		if !found {
			break
		}
	}
	mails := d.mails
	d.mails = nil
	return mails
}

// token returns the token of the only mail that waits.
func (d *desk) token(to string) string {
	d.t.Helper()
	mails := d.sent()
	if len(mails) != 1 || mails[0].To != to {
		d.t.Fatalf("sent: %v, want one mail to %s", mails, to)
	}
	_, token, found := strings.Cut(mails[0].Link, "?token=")
	if !found {
		d.t.Fatalf("no link: %+v", mails[0])
	}
	return token
}

// from is a browser.
var from = Client{Addr: netip.MustParseAddr("192.0.2.7"), Agent: "Mozilla/5.0"}

const password = "correct horse battery"

// at returns the browser of somebody else.
func at(n int) Client {
	return Client{Addr: netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})}
}

// link asks for a link, and returns its token. Each one is asked for at another place, so that
// limits do not count them together.
func (d *desk) link(p Purpose, email string) string {
	d.t.Helper()
	d.asked++
	ok(d.t, d.SendLink(d.t.Context(), p, email, at(1<<20+d.asked)))
	return d.token(email)
}

// join makes an account, and returns the token of its session.
func (d *desk) join(email string) string {
	d.t.Helper()
	session, err := d.SignUp(d.t.Context(), d.link(ForSignUp, email), password, Client{})
	ok(d.t, err)
	return session
}

// signsIn returns the token of a session of who has joined.
func (d *desk) signsIn(email string) string {
	d.t.Helper()
	session, err := d.SignIn(d.t.Context(), email, password, from)
	ok(d.t, err)
	return session
}

// resets sets another password by a link, and returns the token of a session.
func (d *desk) resets(email, password string) string {
	d.t.Helper()
	session, err := d.ResetPassword(d.t.Context(), d.link(ForReset, email), password, from)
	ok(d.t, err)
	return session
}

// session returns the session of a token, which must be one.
func (d *desk) session(token string) *Session {
	d.t.Helper()
	s, err := d.Session(d.t.Context(), token)
	ok(d.t, err)
	if s == nil {
		d.t.Fatal("there is no session")
	}
	return s
}

func (d *desk) isOver(token string) {
	d.t.Helper()
	if s, err := d.Session(d.t.Context(), token); err != nil || s != nil {
		d.t.Errorf("the session still is: %v, %v", s, err)
	}
}

// told holds that one mail was sent since the last look.
func (d *desk) told(to, kind string) {
	d.t.Helper()
	if mails := d.sent(); len(mails) != 1 || mails[0].To != to || mails[0].Subject != letters[kind].subject {
		d.t.Errorf("sent: %v, want %q to %s", mails, kind, to)
	}
}

// waiting returns the only mail that waits.
func (d *desk) waiting() (o order) {
	d.t.Helper()
	ok(d.t, d.db.QueryRowContext(d.t.Context(), "SELECT id, kind, COALESCE(user_id, ''), email FROM mails").Scan(&o.id, &o.kind, &o.userID, &o.email))
	return o
}

// atOnce calls do n times at the same moment, and returns what it returns.
func (d *desk) atOnce(n int, do func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	begin := make(chan bool)
	for i := range n {
		wg.Go(func() {
			<-begin
			errs[i] = do(i)
		})
	}
	close(begin)
	wg.Wait()
	return errs
}

// oneOf calls do n times at the same moment: one of them succeeds, and the others hear that the
// link has ended.
func (d *desk) oneOf(n int, do func(i int) error) {
	d.t.Helper()
	won := 0
	for _, err := range d.atOnce(n, do) {
		if err == nil {
			won++
		} else {
			fails(d.t, err, ErrLink)
		}
	}
	if won != 1 {
		d.t.Errorf("%d of %d got in", won, n)
	}
}

func (d *desk) rows(query string, args ...any) (n int) {
	d.t.Helper()
	ok(d.t, d.db.QueryRowContext(d.t.Context(), "SELECT count(*) FROM "+query, args...).Scan(&n))
	return n
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fails(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

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
		// The link of before is worth nothing: it would give the account another password.
		_, first, _ := strings.Cut(mails[0].Link, "token=")
		_, err = d.SignUp(t.Context(), first, "another long password", from)
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

func TestReset(t *testing.T) {
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

// meanwhile begins a transaction with first, runs f until it has returned, or waits for the
// transaction, and ends that. It needs PostgreSQL: with SQLite, all wait always.
func (d *desk) meanwhile(first func(tx *transaction) error, f func() error) error {
	done := make(chan error, 1)
	ok(d.t, d.change(d.t.Context(), from, func(tx *transaction) error {
		if err := first(tx); err != nil {
			return err
		}
		go func() { done <- f() }()
		for len(done) == 0 && d.rows("pg_stat_activity WHERE wait_event_type = 'Lock'") == 0 {
			time.Sleep(time.Millisecond)
		}
		return nil
	}))
	return <-done
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

// TestOutbox has several processes send what waits, each mail once.
func TestOutbox(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		const mails = 20
		for i := range mails {
			at := at(i)
			ok(t, d.SendLink(t.Context(), ForSignUp, fmt.Sprintf("user%d@example.com", i), at))
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for d.rows("mails") > 0 {
					if _, err := d.sendNext(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		to := map[string]bool{}
		for _, m := range d.mails {
			to[m.To] = true
		}
		if len(to) != mails || len(d.mails) != mails {
			t.Errorf("%d mails were sent to %d of %d", len(d.mails), len(to), mails)
		}
	})
}

// TestOutboxFails has a mail server that is broken for a while, and then for ever.
func TestOutboxFails(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.broken = errors.New("no route to host")
		ok(t, d.SendLink(t.Context(), ForSignUp, "ada@example.com", from))
		if mails := d.sent(); len(mails) != 0 || d.rows("mails") != 1 {
			t.Fatalf("sent: %v, %d wait", mails, d.rows("mails"))
		}
		d.broken = nil
		if mails := d.sent(); len(mails) != 0 {
			t.Errorf("sent without a pause: %v", mails)
		}
		d.pass(mailLease)
		d.token("ada@example.com")

		d.broken = errors.New("no such mailbox")
		ok(t, d.SendLink(t.Context(), ForSignUp, "bob@example.com", from))
		for range mailTries {
			d.sent()
			d.pass(48 * time.Hour)
		}
		if n := d.rows("mails"); n != 0 {
			t.Errorf("%d mails wait for ever", n)
		}
	})
}

// TestOutboxRefused has a mail server that does not want a mail: it is asked once.
func TestOutboxRefused(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.broken = fmt.Errorf("550 no such user: %w", ErrRefused)
		ok(t, d.SendLink(t.Context(), ForSignUp, "ada@example.com", from))
		d.sent()
		if n := d.rows("mails"); n != 0 {
			t.Errorf("%d mails wait", n)
		}
	})
}

// TestSlowMail has a mail server that does not come to an end with one mail: the next one is sent.
func TestSlowMail(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		began, other, release := make(chan bool), make(chan bool), make(chan bool)
		d.send = func(ctx context.Context, m Mail) error {
			if m.To != "slow@example.com" {
				close(other)
				return nil
			}
			close(began)
			select {
			case <-release:
			case <-ctx.Done(): // after mailTimeout
				t.Error("the next mail waits for a slow one")
			}
			return ctx.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		ok(t, d.Start(ctx))
		ok(t, d.SendLink(ctx, ForSignUp, "slow@example.com", from))
		<-began
		ok(t, d.SendLink(ctx, ForSignUp, "ada@example.com", from))
		<-other
		cancel()
		close(release)
		ok(t, d.Stop(t.Context()))
		if n := d.rows("mails"); n != 0 {
			t.Errorf("%d mails were not sent to their end when the program stopped", n)
		}
	})
}

// TestOutboxKilled has a process that is killed while it sends: another one does it later,
// and not before.
func TestOutboxKilled(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		ok(t, d.SendLink(t.Context(), ForSignUp, "ada@example.com", from))
		d.send = func(context.Context, Mail) error { panic("killed") }
		func() {
			defer func() {
				if recover() == nil {
					t.Error("it lives")
				}
			}()
			d.sendNext(t.Context())
		}()
		d.send = d.receive
		if mails := d.sent(); len(mails) != 0 {
			t.Errorf("sent by two: %v", mails)
		}
		d.pass(mailLease)
		d.token("ada@example.com")
	})
}

// TestStart has the jobs send a mail by themselves, and end.
func TestStart(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		arrived := make(chan Mail, 1)
		d.send = func(_ context.Context, m Mail) error { arrived <- m; return nil }
		ctx, stop := context.WithCancel(t.Context())
		ok(t, d.Start(ctx))
		ok(t, d.SendLink(t.Context(), ForSignUp, "ada@example.com", from))
		if m := <-arrived; m.To != "ada@example.com" || m.ID == "" {
			t.Errorf("sent: %v", m)
		}
		stop()
		ok(t, d.Stop(t.Context()))
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

// dump returns the rows of a table as text.
func (d *desk) dump(table string) (all []string) {
	d.t.Helper()
	rows, err := d.db.QueryContext(d.t.Context(), "SELECT * FROM "+table)
	ok(d.t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	ok(d.t, err)
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		ok(d.t, rows.Scan(values...))
		var row []string
		for i, v := range values {
			row = append(row, columns[i]+"="+v.(*sql.NullString).String)
		}
		all = append(all, strings.Join(row, " "))
	}
	ok(d.t, rows.Err())
	return all
}

// TestLetters sends each kind of mail.
func TestLetters(t *testing.T) {
	link := regexp.MustCompile(`^https://desk\.example/[a-z/-]+\?token=[A-Z2-7]{26}$`)
	when := regexp.MustCompile(`\son [1-9]\d? [A-Z][a-z]+ 20\d\d at \d\d:\d\d UTC, from the network 192\.0\.2\.0/24\.\n`)
	both(t, func(t *testing.T, d *desk) {
		ada := d.session(d.join("ada@example.com")).User
		for kind, l := range letters {
			email, userID := ada.Email, ada.ID
			switch Purpose(kind) { // otherwise it becomes another kind
			case ForSignUp:
				email, userID = "bob@example.com", ""
			case ForEmail:
				email = "bob@example.com"
			}
			ok(t, d.change(t.Context(), from, func(tx *transaction) error { return tx.post(kind, userID, email) }))
			mails := d.sent()
			if len(mails) != 1 || mails[0].To != email || mails[0].Subject != l.subject || mails[0].ID == "" {
				t.Errorf("%s: %+v", kind, mails)
				continue
			}
			m := mails[0]
			if strings.ContainsAny(m.Subject, "\r\n") || !strings.Contains(m.Subject, application) {
				t.Errorf("%s: the subject is %q", kind, m.Subject)
			}
			if strings.ContainsAny(m.Text, "{}\r") || !strings.HasSuffix(m.Text, "\n\n-- \n"+application+"\nhttps://desk.example\n") {
				t.Errorf("%s: the text is %q", kind, m.Text)
			}
			switch {
			case l.link == "":
				if m.Link != "" || strings.Contains(m.Text, "token") {
					t.Errorf("%s: there is a link: %+v", kind, m)
				}
				if kind != "taken" && !when.MatchString(m.Text) {
					t.Errorf("%s: it does not say when and from where: %q", kind, m.Text)
				}
			case !link.MatchString(m.Link) || !strings.Contains(m.Text, "\n\n"+m.Link+"\n\n") || !strings.Contains(m.Text, inWords(lives[l.link])):
				t.Errorf("%s: no link, or not how long it is good: %+v", kind, m)
			}
		}
	})
}

func TestInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{15 * time.Minute: "15 minutes", time.Hour: "60 minutes", 24 * time.Hour: "24 hours"} {
		if got := inWords(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
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
