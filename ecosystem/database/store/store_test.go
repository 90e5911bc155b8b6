package store

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
)

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "100% of #1?.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestMigrate(t *testing.T) {
	is := is.New(t)
	s := newStore(t)
	files := fstest.MapFS{"migrations/001_a.sql": {Data: []byte("CREATE TABLE a (x)")}}
	is.NoErr(migrate(t.Context(), s.db, files))
	is.NoErr(migrate(t.Context(), s.db, files)) // which has nothing to do

	files["migrations/002_b.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE b (x); INSERT INTO a VALUES (1)")}
	files["migrations/003_c.sql"] = &fstest.MapFile{Data: []byte("INSERT INTO nobody VALUES (1)")}
	err := migrate(t.Context(), s.db, files)
	is.True(strings.HasPrefix(err.Error(), "migrations/003_c.sql: ")) // and says which
	rows := func() (n int) {
		is.NoErr(s.db.QueryRow("SELECT count(*) FROM a").Scan(&n))
		return n
	}
	is.Equal(rows(), 0) // 002 was taken back

	delete(files, "migrations/003_c.sql")
	is.NoErr(migrate(t.Context(), s.db, files))
	is.Equal(rows(), 1)

	delete(files, "migrations/002_b.sql")
	is.NoErr(migrate(t.Context(), s.db, files)) // an older program, which changes nothing
	var seen int
	is.NoErr(s.db.QueryRow("PRAGMA user_version").Scan(&seen))
	is.Equal(seen, 2)
}

// TestMigrateTogether has several processes begin at once: each of them finds the whole
// schema.
func TestMigrateTogether(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.db")
	for range 4 {
		s, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		t.Run("", func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			is.NoErr(s.Migrate(t.Context()))
			is.NoErr(s.AddNote(t.Context(), "tea"))
		})
	}
}

// TestAddTogether has many write at once: they wait for each other, and none fails.
func TestAddTogether(t *testing.T) {
	is := is.New(t)
	s := newStore(t)
	is.NoErr(s.Migrate(t.Context()))
	is.Equal(s.db.Stats().MaxOpenConnections, 8)
	failed := make(chan error)
	for range 1000 {
		go func() { failed <- s.AddNote(t.Context(), "tea") }()
	}
	for range 1000 {
		is.NoErr(<-failed)
	}
	notes, err := s.Notes(t.Context())
	is.NoErr(err)
	is.Equal(len(notes), 1000)
}
