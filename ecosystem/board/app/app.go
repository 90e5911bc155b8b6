// Package app serves the board. It keeps nothing between requests: what its processes share
// is in PostgreSQL, Redis and an object store.
package app

import (
	"embed"
	"time"

	"github.com/alexedwards/scs/pgxstore"
	"github.com/alexedwards/scs/v2"
	"github.com/go-redis/redis_rate/v10"
	"github.com/minio/minio-go/v7"
	"github.com/redis/go-redis/v9"

	"example.com/board/events"
	"example.com/board/store"
	"example.com/flow"
)

//go:embed all:router
var files embed.FS

// An App has what the handlers need.
type App struct {
	Store *store.Store
	Bell  *events.Bell
	Redis *redis.Client
	Files *minio.Client

	limiter  *redis_rate.Limiter
	sessions *scs.SessionManager
}

// New returns a Router that serves the application.
func New(a *App) *flow.Router {
	a.limiter = redis_rate.NewLimiter(a.Redis)
	a.sessions = scs.New()
	a.sessions.Store = pgxstore.NewWithCleanupInterval(a.Store.Pool, 0) // a job removes the old ones
	a.sessions.Lifetime = 12 * time.Hour
	a.sessions.Cookie.Secure = true

	r := flow.New(files).Provide(a)
	r.Use(a.sessions.LoadAndSave)
	r.Authenticate = a.authenticate
	r.In("").Use(a.limit)
	r.In("files").Use(signedIn)
	return r
}
