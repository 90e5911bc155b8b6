// Package jobs is an application of the tests: its handler has two answers.
package jobs

import (
	"embed"

	"example.com/flow"
)

//go:embed all:router
var files embed.FS

// Router serves the application.
var Router = flow.New(files)
