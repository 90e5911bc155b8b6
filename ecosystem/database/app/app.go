// Package app serves the notes of a store.
package app

import (
	"embed"

	"example.com/flow"
	"example.com/notes/store"
)

//go:embed all:router
var files embed.FS

// New returns a Router that serves the application.
func New(s *store.Store) *flow.Router { return flow.New(files).Provide(s) }
