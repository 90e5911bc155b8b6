package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Generation returns a number that SignOutEverywhere changes, and false if there is no such
// user.
func (s *Store) Generation(ctx context.Context, user string) (n int, ok bool, err error) {
	err = s.Pool.QueryRow(ctx, "SELECT generation FROM users WHERE name = $1", user).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return n, err == nil, err
}

// SignOutEverywhere makes the sessions of a user worthless, those of other browsers too.
func (s *Store) SignOutEverywhere(ctx context.Context, user string) error {
	_, err := s.Pool.Exec(ctx, "UPDATE users SET generation = generation + 1 WHERE name = $1", user)
	return err
}

// Sweep removes sessions that have ended.
func (s *Store) Sweep(ctx context.Context) error {
	_, err := s.Pool.Exec(ctx, "DELETE FROM sessions WHERE expiry < now()")
	return err
}
