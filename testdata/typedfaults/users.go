package typedfaults

import "example.com/flow"

var (
	_ = flow.PageOf[user]()
	_ = flow.PageOf[user]("lits")
)
