// Package jobs does what a request does not wait for, and what happens at fixed times, with
// River. A job is a row in PostgreSQL: it is there if the process that should do it is not.
package jobs

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Mail is the job of sending a post to all who want it.
type Mail struct {
	Post int64 `json:"post"`
}

// Kind is the name of the job in the database.
func (Mail) Kind() string { return "mail" }

// Sweep is the job of removing what is old.
type Sweep struct{}

// Kind is the name of the job in the database.
func (Sweep) Kind() string { return "sweep" }

// Work is what the jobs do. Each of them may be done twice, if a process is killed behind its
// last step: so a job asks whether it has been done, or does no harm the second time.
type Work struct {
	Mail  func(ctx context.Context, post int64) error
	Sweep func(ctx context.Context) error
}

// New returns a client. It does nothing until Start.
func New(pool *pgxpool.Pool, work Work) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, job *river.Job[Mail]) error {
		return work.Mail(ctx, job.Args.Post)
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, job *river.Job[Sweep]) error {
		return work.Sweep(ctx)
	}))
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		Queues:     map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}},
		Workers:    workers,
		JobTimeout: 30 * time.Second,
		// The jobs of a process that was killed are done by another one after this time.
		RescueStuckJobsAfter: time.Minute,
		PeriodicJobs: []*river.PeriodicJob{river.NewPeriodicJob(
			river.PeriodicInterval(time.Hour),
			func() (river.JobArgs, *river.InsertOpts) {
				// One process is the leader, which enqueues them. If it changes, the hour
				// counts, and not who was first.
				return Sweep{}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: time.Hour}}
			},
			&river.PeriodicJobOpts{RunOnStart: true},
		)},
	})
}

// Migrate makes the tables of River.
func Migrate(pool *pgxpool.Pool) func(context.Context) error {
	return func(ctx context.Context) error {
		m, err := rivermigrate.New(riverpgxv5.New(pool), nil)
		if err != nil {
			return err
		}
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	}
}
