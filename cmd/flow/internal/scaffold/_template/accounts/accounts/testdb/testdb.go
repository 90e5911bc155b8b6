// Package testdb makes databases for tests.
package testdb

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// New returns the name of an empty database, for accounts.Open: of PostgreSQL if TEST_POSTGRES
// has the URL of one, and otherwise of SQLite.
func New(t testing.TB) string {
	t.Helper()
	if os.Getenv("TEST_POSTGRES") == "" {
		return SQLite(t)
	}
	return Postgres(t)
}

// SQLite returns the name of a file that is not there yet.
func SQLite(t testing.TB) string { return filepath.Join(t.TempDir(), "test.db") }

// Postgres returns the URL of an empty schema in the database of TEST_POSTGRES. It ends with
// the test, which is skipped if the variable is empty.
func Postgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv("TEST_POSTGRES")
	if server == "" {
		t.Skip("TEST_POSTGRES is not set")
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	name := "test_" + strings.ToLower(rand.Text())
	if _, err := db.Exec("CREATE SCHEMA " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec("DROP SCHEMA " + name + " CASCADE"); err != nil {
			t.Error(err)
		}
	})
	query := u.Query()
	query.Set("search_path", name)
	u.RawQuery = query.Encode()
	return u.String()
}
