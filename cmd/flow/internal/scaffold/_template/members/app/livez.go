package app

import "example.com/flow"

// It asks nothing of others: a server that does not answer is started again.
func init() { flow.GET().Do(func(*flow.Request) string { return "ok\n" }) }
