package typedfaults

import "example.com/flow"

var _ = flow.PageOf[user]()

func init() { flow.GET().Do(func(*flow.Request) string { return "" }) }
