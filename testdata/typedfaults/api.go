package typedfaults

import "example.com/flow"

var _ = flow.PageOf[user]()

func init() { flow.GET().Do(func(*flow.Request) string { return "" }) }

var (
	_ = flow.JSONOf[user](99)
	_ = flow.JSONOf[user](204)
	_ = flow.JSONOf[user](202)
	_ = flow.JSONOf[user](202)
)
