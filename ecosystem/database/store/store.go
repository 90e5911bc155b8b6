// Package store keeps notes in a database of SQLite.
package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"net/url"

	_ "modernc.org/sqlite"
)

// A Store is safe for concurrent use.
type Store struct{ db *sql.DB }

// Open returns the Store of a file. It connects with the first query.
func Open(file string) (*Store, error) {
	options := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "foreign_keys(1)"},
		"_txlock": {"immediate"}, // a transaction waits at its begin, and never fails in its middle
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, err
	}
	// Others wait in a queue. A thousand connections would all look again and again whether the
	// one writer is done, and many of them in vain, until busy_timeout ends.
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	return &Store{db}, nil
}

// Close is called after the last query.
func (s *Store) Close() error { return s.db.Close() }

//go:embed migrations
var migrations embed.FS

// Migrate runs the files of migrations/ that this database has not seen, in the order of
// their names: all of them or, after an error, none.
func (s *Store) Migrate(ctx context.Context) error { return migrate(ctx, s.db, migrations) }

func migrate(ctx context.Context, db *sql.DB, files fs.FS) error {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil) // of several processes, one migrates, and the others wait
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var seen int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&seen); err != nil {
		return err
	}
	if seen >= len(names) {
		return nil // also if this program is older than the schema
	}
	for _, name := range names[seen:] {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(names))); err != nil {
		return err
	}
	return tx.Commit()
}

// A Note is a row.
type Note struct {
	ID   int64
	Text string
}

// Notes returns all notes, the latest first.
func (s *Store) Notes(ctx context.Context) ([]Note, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT id, text FROM notes ORDER BY id DESC")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var notes []Note
	for rows.Next() {
		var n Note
		if err := rows.Scan(&n.ID, &n.Text); err != nil {
			return nil, err
		}
		notes = append(notes, n)
	}
	return notes, rows.Err()
}

// AddNote adds a note.
func (s *Store) AddNote(ctx context.Context, text string) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO notes (text) VALUES (?)", text)
	return err
}
