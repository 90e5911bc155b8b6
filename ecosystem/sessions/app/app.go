package app

import (
	"embed"
	"html/template"

	"example.com/flow"
)

//go:embed all:router
var files embed.FS

// Router serves the application.
var Router = flow.New(files)

func init() {
	Router.Use(sessions.LoadAndSave)
	Router.Authenticate = authenticate
	Router.Funcs = template.FuncMap{"flash": flash}
}
