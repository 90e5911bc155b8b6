package app

import "example.com/flow"

func init() { flow.GET().Name("sent") }
