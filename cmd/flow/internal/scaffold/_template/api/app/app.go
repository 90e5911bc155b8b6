// Package app is the application: each file below router/ is a URL, and a Go file here,
// called like it, has its handlers.
package app

import (
	"embed"
	"log/slog"

	"example.com/flow"
	"example.com/newapp/notes"
)

//go:embed all:router
var files embed.FS

// An App is what the handlers share. Its zero value is ready to use.
type App struct {
	Notes  notes.Store
	Logger *slog.Logger // slog.Default() if nil
}

// New returns a Router that serves the application.
func New(a *App) *flow.Router {
	r := flow.New(files).Provide(a)
	r.Logger = a.Logger
	r.Use(flow.RequestID, flow.Logger(a.Logger))
	return r
}
