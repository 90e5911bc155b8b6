// Package typedfaults is an application of the tests: each of its declarations is wrong.
package typedfaults

import (
	"embed"

	"example.com/flow"
)

//go:embed all:router
var files embed.FS

type user struct{ Name string }

// Router serves the application.
var Router = flow.New(files)

var (
	_ = flow.PageOf[user]() // app.go is no counterpart
	_ = flow.ViewOf[user]("+raw")
	_ = flow.ViewOf[user]("+row")
)

var _ = flow.JSONOf[user](202) // app.go is no counterpart
