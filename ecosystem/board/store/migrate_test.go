package store

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/matryer/is"

	"example.com/board/internal/engines"
)

// amounts has a data migration that does harm if it runs twice.
var amounts = fstest.MapFS{
	"migrations/001_prices.sql": {Data: []byte("CREATE TABLE prices (cents bigint); INSERT INTO prices VALUES (7)")},
	"migrations/002_cents.sql":  {Data: []byte("UPDATE prices SET cents = cents * 100")},
}

// TestMain is also the process that migrates.
func TestMain(m *testing.M) {
	if url := os.Getenv("MIGRATE"); url != "" {
		if err := migrateOnce(url, amounts); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func migrateOnce(url string, files fstest.MapFS, then ...func(context.Context) error) error {
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		return err
	}
	defer pool.Close()
	return migrate(context.Background(), pool, files, then...)
}

// TestMigrateTogether has three processes begin at once, 20 times, with an empty database:
// none fails, and each migration runs once.
func TestMigrateTogether(t *testing.T) {
	is := is.New(t)
	server := engines.Postgres(t)
	admin, err := pgxpool.New(t.Context(), fmt.Sprintf(server, "postgres"))
	is.NoErr(err)
	defer admin.Close()
	for round := range 20 {
		name := fmt.Sprintf("round%d", round)
		_, err := admin.Exec(t.Context(), "CREATE DATABASE "+name)
		is.NoErr(err)
		url := fmt.Sprintf(server, name)
		var processes []*exec.Cmd
		for range 3 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "MIGRATE="+url)
			cmd.Stderr = os.Stderr
			is.NoErr(cmd.Start())
			processes = append(processes, cmd)
		}
		for _, cmd := range processes {
			is.NoErr(cmd.Wait())
		}
		is.Equal(cents(t, url), int64(700))
	}
}

// cents returns the one price of a database.
func cents(t *testing.T, url string) (n int64) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.QueryRow(t.Context(), "SELECT cents FROM prices").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMigrate(t *testing.T) {
	is := is.New(t)
	url := fmt.Sprintf(engines.Postgres(t), "postgres")
	is.NoErr(migrateOnce(url, amounts))
	is.NoErr(migrateOnce(url, amounts)) // which has nothing to do

	newer := fstest.MapFS{
		"migrations/003_more.sql":  {Data: []byte("UPDATE prices SET cents = cents + 1")},
		"migrations/004_wrong.sql": {Data: []byte("INSERT INTO nobody VALUES (1)")},
	}
	for name, file := range amounts {
		newer[name] = file
	}
	err := migrateOnce(url, newer)
	is.True(strings.HasPrefix(err.Error(), "migrations/004_wrong.sql: ")) // it says which
	is.Equal(cents(t, url), int64(700))                                   // 003 was taken back

	delete(newer, "migrations/004_wrong.sql")
	is.True(migrateOnce(url, newer, func(context.Context) error { return context.Canceled }) != nil)
	is.Equal(cents(t, url), int64(700)) // so it is after an error of what comes then

	is.NoErr(migrateOnce(url, newer))
	is.Equal(cents(t, url), int64(701))
	is.NoErr(migrateOnce(url, amounts)) // an older program, which changes nothing
	is.Equal(cents(t, url), int64(701))
}
