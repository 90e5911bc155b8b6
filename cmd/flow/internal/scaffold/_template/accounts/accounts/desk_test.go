package accounts

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/newapp/accounts/testdb"
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

// meanwhile begins a transaction with first, runs f until it has returned, or waits for the
// transaction, and ends that. It needs PostgreSQL: with SQLite, all wait always. It asks who waits for
// this transaction: other tests may use the server at the same moment. What comes then is in the
// transaction, too.
func (d *desk) meanwhile(first func(tx *transaction) error, f func() error, then ...func(tx *transaction) error) error {
	done := make(chan error, 1)
	ok(d.t, d.change(d.t.Context(), from, func(tx *transaction) error {
		if err := first(tx); err != nil {
			return err
		}
		var pid int
		ok(d.t, tx.row("SELECT pg_backend_pid()").Scan(&pid))
		go func() { done <- f() }()
		for len(done) == 0 && d.rows("pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))", pid) == 0 {
			time.Sleep(time.Millisecond)
		}
		for _, step := range then {
			if err := step(tx); err != nil {
				return err
			}
		}
		return nil
	}))
	return <-done
}

// beside runs f while a transaction has locked a user, whom f must not wait for: two users who each
// send the token of the other would wait for each other.
func (d *desk) beside(s *Session, f func() error) error {
	changed := rand.Text()
	return d.meanwhile(func(tx *transaction) error {
		return tx.exec("UPDATE users SET role = $1 WHERE id = $2", changed, s.User.ID)
	}, func() error {
		err := f()
		if d.rows("users WHERE role = $1", changed) != 0 {
			d.t.Error("it has waited")
		}
		return err
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
