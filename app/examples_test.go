package app

import (
	"log/slog"
	"testing"

	"example.com/flow"
	"example.com/flow/flowtest"
)

// quiet returns an application that logs nothing.
func quiet() *flow.Router { return New(&App{Logger: slog.New(slog.DiscardHandler)}) }

// TestExamples sends the requests in the .http files of the route directory.
func TestExamples(t *testing.T) {
	flowtest.Examples(t, func(*testing.T) *flow.Router { return quiet() })
}

// TestMain fails if a route was not asked by any test.
func TestMain(m *testing.M) { flowtest.Main(m, quiet().Routes, flowtest.Require()) }
