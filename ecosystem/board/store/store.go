// Package store keeps the posts of the board in PostgreSQL.
package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Store is safe for concurrent use.
type Store struct {
	Pool *pgxpool.Pool
	// Enqueue adds a job to the transaction of a post: both happen, or neither.
	Enqueue func(ctx context.Context, tx pgx.Tx, post Post) error
}
