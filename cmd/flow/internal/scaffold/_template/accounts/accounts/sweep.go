package accounts

import (
	"context"
	"time"
)

// eventLife is how long events are kept.
const eventLife = 365 * 24 * time.Hour

// sweep removes what has ended. Nothing depends on it, since all queries look at the times
// themselves; and several processes may do it at once.
func (a *Accounts) sweep(ctx context.Context) error {
	now := a.now()
	for _, s := range []struct {
		query string
		args  []any
	}{
		{"DELETE FROM tokens WHERE ends <= $1", []any{now.UnixMilli()}},
		{"DELETE FROM limits WHERE ends <= $1", []any{now.UnixMilli()}},
		{"DELETE FROM sessions WHERE created <= $1 OR seen <= $2", []any{now.Add(-sessionLife).UnixMilli(), now.Add(-sessionIdle).UnixMilli()}},
		{"DELETE FROM events WHERE at <= $1 OR user_id = ''", []any{now.Add(-eventLife).UnixMilli()}},
	} {
		if _, err := a.db.ExecContext(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}
