package accounts

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"
)

// An Event is something that has happened to an account.
type Event struct {
	What, Network string
	At            time.Time
}

// note writes down what has happened. what is one of the texts in this package: nothing that
// was typed, since people type passwords into the wrong field. userID is "" if there is no
// such account. It is written all the same, so that it takes as long.
func (a *Accounts) note(ctx context.Context, tx *sql.Tx, userID, what string, from Client) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO events (id, user_id, what, network, at) VALUES ($1, $2, $3, $4, $5)",
		rand.Text(), userID, what, from.network(), a.now().UnixMilli())
	return err
}

// Events returns the last 50 events of an account, the newest first.
func (a *Accounts) Events(ctx context.Context, userID string) ([]Event, error) {
	rows, err := a.db.QueryContext(ctx, "SELECT what, network, at FROM events WHERE user_id = $1 ORDER BY at DESC LIMIT 50", userID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var events []Event
	for rows.Next() {
		var e Event
		var at int64
		if err := rows.Scan(&e.What, &e.Network, &at); err != nil {
			return nil, err
		}
		e.At = time.UnixMilli(at)
		events = append(events, e)
	}
	return events, rows.Err()
}
