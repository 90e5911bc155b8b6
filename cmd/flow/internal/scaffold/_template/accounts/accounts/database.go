package accounts

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
)

// Open returns the database of a URL that begins with postgres://, or of a file of SQLite.
// It connects with the first query.
//
// All queries here are in words that both databases have: parameters are $1, times are
// numbers, and what would be SELECT ... FOR UPDATE is an UPDATE (see lock).
func Open(name string) (*sql.DB, error) {
	if strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://") {
		db, err := sql.Open("pgx", name)
		if err == nil {
			db.SetMaxOpenConns(20) // of the 100 that all processes have, if the server has its defaults
			db.SetMaxIdleConns(20) // to connect takes longer than a query
			db.SetConnMaxIdleTime(time.Minute)
		}
		return db, err
	}
	options := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "foreign_keys(1)"},
		"_txlock": {"immediate"}, // a transaction waits at its begin, and never fails in its middle
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: name}).EscapedPath()+"?"+options.Encode())
	if err == nil {
		// Others wait in a queue. A thousand connections would all look again and again whether the
		// one writer is done, and many of them in vain, until busy_timeout ends.
		db.SetMaxOpenConns(8)
		db.SetMaxIdleConns(8)
	}
	return db, err
}

// DB returns the database, for the tables of other packages. Their files go to migrations/, too.
func (a *Accounts) DB() *sql.DB { return a.db }

// comments of SQL may change after a migration has run, and so may blanks and the ends of lines.
var comments = regexp.MustCompile(`--.*|(?s:/\*.*?\*/)`)

//go:embed migrations
var migrations embed.FS

// Migrate runs the files of migrations/ that the database has not seen, in the order of
// their names: all of them or, after an error, none. A file that has run must not be renamed, and
// its statements must not change: write another one.
func (a *Accounts) Migrate(ctx context.Context) error { return a.migrate(ctx, migrations) }

func (a *Accounts) migrate(ctx context.Context, files fs.FS) error {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return err
	}
	return a.change(ctx, Client{}, func(tx *transaction) error { // of several processes with SQLite, one migrates, and the others wait
		if _, ok := a.db.Driver().(*stdlib.Driver); ok { // PostgreSQL needs a lock for that
			if err := tx.exec("SELECT pg_advisory_xact_lock(4712)"); err != nil {
				return err
			}
		}
		if err := tx.exec("CREATE TABLE IF NOT EXISTS accounts_migrations (name TEXT PRIMARY KEY, hash TEXT NOT NULL)"); err != nil {
			return err
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			statements := strings.Join(strings.Fields(comments.ReplaceAllString(string(text), " ")), " ")
			if statements == "" {
				return fmt.Errorf("accounts/%s has no statement: if it counted as run, those that it gets later would never run", name)
			}
			added, err := tx.affected("INSERT INTO accounts_migrations VALUES ($1, $2) ON CONFLICT DO NOTHING", name, hashOf(statements))
			if err != nil {
				return err
			}
			if added == 0 { // it has run
				var hash string
				if err := tx.row("SELECT hash FROM accounts_migrations WHERE name = $1", name).Scan(&hash); err != nil {
					return err
				}
				if hash != hashOf(statements) {
					return fmt.Errorf("accounts/%s has changed since it ran: make it as it was, and write another file (or begin with an empty database, in development)", name)
				}
				continue
			}
			if err := tx.exec(string(text)); err != nil {
				return fmt.Errorf("accounts/%s: %w (if the tables are those of something else, give the accounts another database: -db)", name, err)
			}
		}
		return nil
	})
}

// A querier is a database, or a transaction of it.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// A transaction is what change runs, with what its steps need.
type transaction struct {
	*sql.Tx
	ctx  context.Context
	a    *Accounts
	from Client // who has asked for it
}

// change runs f in a transaction, and tells the mailer that there may be something to send.
// For what a user asks for who has signed in, take changeAs.
//
// After an error, nothing has changed. So cmp.Or may take several steps, and return the error
// of the first that has failed: what those behind it do is undone.
//
// f must use nothing but tx, and must not hash: SQLite has one writer at a time, and all
// others wait for it.
func (a *Accounts) change(ctx context.Context, from Client, f func(tx *transaction) error) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(&transaction{tx, ctx, a, from}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	a.wakeMailer()
	return nil
}

// lock makes all other transactions about a user wait for this one. It returns the ID of the
// user, or "" if there is none. Whatever begins a session, changes a password or writes a link
// locks the user first, or changes its row in the first place. Without that, who signs in by a
// link of before while the owner resets the password would be left with a session.
func (tx *transaction) lock(where string, arg any) (userID string, err error) {
	err = tx.row("UPDATE users SET role = role WHERE "+where+" RETURNING id", arg).Scan(&userID)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return userID, err
}

func (tx *transaction) now() int64 { return tx.a.now().UnixMilli() }

func (tx *transaction) row(query string, args ...any) *sql.Row {
	return tx.QueryRowContext(tx.ctx, query, args...)
}

func (tx *transaction) exec(query string, args ...any) error {
	_, err := tx.ExecContext(tx.ctx, query, args...)
	return err
}

// affected is exec, and returns how many rows have changed.
func (tx *transaction) affected(query string, args ...any) (int64, error) {
	r, err := tx.ExecContext(tx.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// isTaken reports whether an error says that another row has a value that only one may have.
func isTaken(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code == "23505" // unique_violation
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code() == 2067 // SQLITE_CONSTRAINT_UNIQUE
}

func orNull(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// Clean returns a text of a client without what PostgreSQL refuses: a NUL, and what is no UTF-8.
// A query with such a text fails.
func Clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}
