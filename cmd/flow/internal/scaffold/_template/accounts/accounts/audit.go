package accounts

import (
	"cmp"
	"context"
	"crypto/rand"
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
func (tx *transaction) note(userID, what string) error {
	return tx.exec("INSERT INTO events (id, user_id, what, network, at) VALUES ($1, $2, $3, $4, $5)",
		rand.Text(), userID, what, tx.from.network(), tx.now())
}

// tell writes down what has happened, and tells the user by the mail of the same name.
func (tx *transaction) tell(u User, what string) error {
	return cmp.Or(tx.note(u.ID, what), tx.post(what, "", u.Email))
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
