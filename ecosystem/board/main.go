package main

import (
	"cmp"
	"context"
	"flag"
	"log/slog"
	"os"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/redis/go-redis/v9"

	"example.com/board/app"
	"example.com/board/events"
	"example.com/board/jobs"
	"example.com/board/store"
	"example.com/flow"
)

var proxies = flag.Int("proxies", 1, "`number` of proxies in front, each of which adds an address to X-Forwarded-For")

func main() { os.Exit(flow.Run(context.Background(), build)) }

// build connects with nothing yet: check and routes need no database.
func build(ctx context.Context) (*flow.Router, error) {
	pool, err := pgxpool.New(ctx, cmp.Or(os.Getenv("DATABASE_URL"), "postgres://localhost/board"))
	if err != nil {
		return nil, err
	}
	limits, err := redis.ParseURL(cmp.Or(os.Getenv("REDIS_URL"), "redis://localhost:6379"))
	if err != nil {
		return nil, err
	}
	files, err := minio.New(cmp.Or(os.Getenv("S3_ENDPOINT"), "localhost:9000"), &minio.Options{Creds: credentials.NewEnvAWS()})
	if err != nil {
		return nil, err
	}
	s, bell := &store.Store{Pool: pool}, &events.Bell{}
	work, err := jobs.New(pool, jobs.Work{Mail: sendMail, Sweep: s.Sweep})
	if err != nil {
		return nil, err
	}
	s.Enqueue = func(ctx context.Context, tx pgx.Tx, p store.Post) error {
		_, err := work.InsertTx(ctx, tx, jobs.Mail{Post: p.ID}, nil)
		return err
	}

	r := app.New(&app.App{Store: s, Bell: bell, Redis: redis.NewClient(limits), Files: files})
	if *proxies > 0 {
		r.Use(middleware.ClientIPFromXFFTrustedProxies(*proxies))
	} else {
		r.Use(middleware.ClientIPFromRemoteAddr)
	}
	r.OnStop(func(context.Context) error { pool.Close(); return nil })
	r.OnStart(func(ctx context.Context) error { return s.Migrate(ctx, jobs.Migrate(pool)) })
	r.OnStart(func(ctx context.Context) error { go events.Listen(ctx, pool, bell); return nil })
	r.OnStart(func(ctx context.Context) error { return work.Start(context.WithoutCancel(ctx)) })
	r.OnStop(work.Stop)
	return r, nil
}

// sendMail stands for a client of a mail server.
var sendMail = func(ctx context.Context, post int64) error {
	slog.InfoContext(ctx, "mail", "post", post)
	return nil
}
