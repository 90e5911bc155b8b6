// Package typedapp is an application of the tests: its pages are declared with PageOf and
// ViewOf.
package typedapp

import (
	"embed"

	"example.com/flow"
)

//go:embed all:router
var files embed.FS

// Router serves the application.
var Router = flow.New(files)
