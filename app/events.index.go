package app

import "example.com/flow"

// The page needs no handler, and gets a name.
func init() { flow.GET().Name("events") }
