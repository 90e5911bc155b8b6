package accounts

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
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

//go:embed migrations
var migrations embed.FS

// Migrate runs the files of migrations/ that the database has not seen, in the order of
// their names: all of them or, after an error, none. A file that has run must not be changed
// or renamed: write another one.
func (a *Accounts) Migrate(ctx context.Context) error { return migrate(ctx, a.db, migrations) }

func migrate(ctx context.Context, db *sql.DB, files fs.FS) error {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil) // of several processes with SQLite, one migrates, and the others wait
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, ok := db.Driver().(*stdlib.Driver); ok { // PostgreSQL needs a lock for that
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(4712)"); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS accounts_migrations (name TEXT PRIMARY KEY)"); err != nil {
		return err
	}
	for _, name := range names {
		added, err := affected(tx.ExecContext(ctx, "INSERT INTO accounts_migrations VALUES ($1) ON CONFLICT DO NOTHING", name))
		if err != nil {
			return err
		}
		if added == 0 {
			continue // it has run
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("accounts/%s: %w (if the tables are those of something else, give the accounts another database: -db)", name, err)
		}
	}
	return tx.Commit()
}

// change runs f in a transaction, and tells the mailer that there may be something to send.
//
// f must use nothing but tx, and must not hash: SQLite has one writer at a time, and all
// others wait for it.
func (a *Accounts) change(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
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
func lock(ctx context.Context, tx *sql.Tx, where string, arg any) (userID string, err error) {
	err = tx.QueryRowContext(ctx, "UPDATE users SET role = role WHERE "+where+" RETURNING id", arg).Scan(&userID)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return userID, err
}

// affected returns how many rows a statement has changed.
func affected(r sql.Result, err error) (int64, error) {
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
