package app

import (
	"net/http"

	"example.com/flow"
)

func init() { flow.GET().Name("livez").Do(live) }

// live answers as long as the process can answer at all, and asks nothing of others. If it
// fails again and again, the process is started anew.
func live(*flow.Request) flow.Response { return probed("ok\n", http.StatusOK) }
