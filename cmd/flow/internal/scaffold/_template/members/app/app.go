// Package app is the application: each file below router/ is a URL, and a Go file here,
// called like it, has its handlers.
package app

import (
	"embed"
	"log/slog"

	"example.com/flow"
)

//go:embed all:router all:public
var files embed.FS

// An App is what the handlers share. Its zero value is ready to use.
type App struct {
	Logger *slog.Logger // slog.Default() if nil
}

// New returns a Router that serves the application, without the accounts: see UseAccounts.
func New(a *App) *flow.Router {
	r := flow.New(files).Provide(a)
	r.Logger = a.Logger
	r.Use(flow.RequestID, flow.Logger(a.Logger))
	r.ContentSecurityPolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	return r
}
