package realworld

import (
	"testing"

	"example.com/flow"
	"example.com/flow/flowtest"
)

// TestExamples sends the requests of the suite. Each file has an application of its own.
func TestExamples(t *testing.T) {
	flowtest.Examples(t, func(*testing.T) *flow.Router { return New(&App{}) })
}

func TestMain(m *testing.M) { flowtest.Main(m, New(&App{}).Routes, flowtest.Require()) }
