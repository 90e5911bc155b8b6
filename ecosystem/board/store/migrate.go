package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed migrations
var migrations embed.FS

// Migrate runs the files of migrations/ that this database has not seen, in the order of
// their names: all of them or, after an error, none. Then it calls the functions, such as
// the migrations of a library. Of several processes, one does it, and the others wait.
func (s *Store) Migrate(ctx context.Context, then ...func(context.Context) error) error {
	return migrate(ctx, s.Pool, migrations, then...)
}

func migrate(ctx context.Context, pool *pgxpool.Pool, files fs.FS, then ...func(context.Context) error) error {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// The lock ends with the transaction, also if the process is killed. The number is
		// any that no other program uses in this database.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(4711)"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY)"); err != nil {
			return err
		}
		for _, name := range names {
			added, err := tx.Exec(ctx, "INSERT INTO migrations VALUES ($1) ON CONFLICT DO NOTHING", name)
			if err != nil {
				return err
			}
			if added.RowsAffected() == 0 {
				continue // it has run
			}
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, string(text)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		for _, f := range then {
			if err := f(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
