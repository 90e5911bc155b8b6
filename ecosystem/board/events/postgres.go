package events

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Listen rings the bell for each NOTIFY posts until the context ends. It holds one
// connection of the pool.
func Listen(ctx context.Context, pool *pgxpool.Pool, bell *Bell) {
	for ctx.Err() == nil {
		if err := listen(ctx, pool, bell); err != nil && ctx.Err() == nil {
			slog.Warn("no notifications from the database", "error", err)
			time.Sleep(time.Second) // before the next attempt to connect
		}
	}
}

func listen(ctx context.Context, pool *pgxpool.Pool, bell *Bell) error {
	pooled, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := pooled.Hijack() // others must not get a connection that listens
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN posts"); err != nil {
		return err
	}
	bell.Ring() // for what was said while nobody listened
	for {
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
		bell.Ring()
	}
}
