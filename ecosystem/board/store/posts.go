package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// A Post is a row. Whoever has seen post n has seen all before it: see Add.
type Post struct {
	ID   int64
	Text string
}

// Add adds a post, and tells the processes that listen.
func (s *Store) Add(ctx context.Context, text string) error {
	return pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		// Without the lock, post 6 may be seen before post 5, of which the transaction takes
		// longer. A browser that asks for what came after 6 would never get 5.
		if _, err := tx.Exec(ctx, "LOCK TABLE posts IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		p := Post{Text: text}
		if err := tx.QueryRow(ctx, "INSERT INTO posts (text) VALUES ($1) RETURNING id", text).Scan(&p.ID); err != nil {
			return err
		}
		if err := s.Enqueue(ctx, tx, p); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "NOTIFY posts") // which is sent at the commit
		return err
	})
}

// After returns the posts behind one, the oldest first, and at most 100.
func (s *Store) After(ctx context.Context, id int64) ([]Post, error) {
	rows, err := s.Pool.Query(ctx, "SELECT id, text FROM posts WHERE id > $1 ORDER BY id LIMIT 100", id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Post])
}

// Latest returns the last ten posts, the oldest first.
func (s *Store) Latest(ctx context.Context) ([]Post, error) {
	rows, err := s.Pool.Query(ctx, "SELECT * FROM (SELECT id, text FROM posts ORDER BY id DESC LIMIT 10) AS latest ORDER BY id")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Post])
}
