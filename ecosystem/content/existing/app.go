package existing

import (
	"embed"

	"example.com/flow"
)

//go:embed all:router
var files embed.FS

// An App is what the handlers share.
type App struct {
	router *flow.Router
}

// New returns a Router that serves the application.
func New(a *App) *flow.Router {
	a.router = flow.New(files).Provide(a)
	a.router.Formats = map[string]flow.Format{".md": flow.FormatOf(markdown)}
	return a.router
}
