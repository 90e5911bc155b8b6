// Package app is the sample application of flow. The route files are below router/.
// The handlers of a route file are in a Go file of this directory: those of
// router/users/[id].html are in users.id.go.
package app

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"time"

	"example.com/flow"
	"example.com/flow/app/users"
)

//go:embed all:router all:public
var files embed.FS

// An App is what the handlers share. Its zero value is ready to use.
type App struct {
	Users  *users.Store     // users.Sample() if nil
	Secret []byte           // signs the session cookie; random if empty
	Logger *slog.Logger     // slog.Default() if nil
	Now    func() time.Time // time.Now if nil
	Tick   time.Duration    // the time between two events of /events/stream; a second if 0

	// Ready returns an error if what nearly every request needs is not there, as
	// (*sql.DB).PingContext does. It may be nil.
	Ready func(context.Context) error
}

// New returns a Router that serves the application.
func New(a *App) *flow.Router { return newFrom(files, a) }

func newFrom(files fs.FS, a *App) *flow.Router {
	a = a.withDefaults()
	r := flow.New(files)
	r.Provide(a, r)
	r.Authenticate = a.authenticate
	r.Logger = a.Logger
	r.ContentSecurityPolicy = contentPolicy
	r.Funcs = template.FuncMap{"size": sizeText}
	r.Use(flow.RequestID, flow.Logger(a.Logger), secureHeaders)
	return r
}

// withDefaults returns a copy of a whose fields are set. An empty Secret is replaced by
// a random one, since anybody could forge what it signs.
func (a *App) withDefaults() *App {
	b := *a
	if b.Users == nil {
		b.Users = users.Sample()
	}
	if len(b.Secret) == 0 {
		b.Secret = []byte(rand.Text())
	}
	if b.Now == nil {
		b.Now = time.Now
	}
	if b.Tick == 0 {
		b.Tick = time.Second
	}
	return &b
}

// sizeText returns a number of bytes as people write it: "1.5 KiB".
func sizeText(bytes int64) string {
	if bytes < 1<<10 {
		return fmt.Sprintf("%d B", bytes)
	}
	size, unit := float64(bytes)/(1<<10), "KiB"
	if size >= 1<<10 {
		size, unit = size/(1<<10), "MiB"
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
