// Package app is the sample application of flow: the route files are below
// router/, and a Go file beside this one speaks for each that has handlers.
package app

import (
	"crypto/rand"
	"embed"
	"fmt"
	"html/template"
	"log/slog"
	"time"

	"example.com/flow"
	"example.com/flow/app/users"
)

//go:embed all:router all:public
var files embed.FS

// An App is what the handlers need that no route file can say. Its zero value
// is ready to use.
type App struct {
	Users  *users.Store     // users.Sample() if nil
	Secret []byte           // signs the session cookie; random if empty
	Logger *slog.Logger     // slog.Default() if nil
	Now    func() time.Time // time.Now if nil
	Tick   time.Duration    // how often /events/stream speaks; a second if 0
}

// New returns a Router that serves the application.
func New(a *App) *flow.Router {
	a = a.withDefaults()
	r := flow.New(files)
	r.Provide(a, r)
	r.Authenticate = a.authenticate
	r.Logger = a.Logger
	r.Funcs = template.FuncMap{"size": sizeText}
	r.Use(flow.RequestID, flow.Logger(a.Logger), secureHeaders)
	return r
}

// withDefaults returns a copy of a whose fields are set. An empty Secret must
// not sign anything: everyone knows it.
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
