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
var Router = New()

// New returns another Router of the application.
func New() *flow.Router { return flow.New(files) }
