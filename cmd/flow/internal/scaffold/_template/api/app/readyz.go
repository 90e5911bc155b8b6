package app

import (
	"net/http"

	"example.com/flow"
)

func init() { flow.GET().Do(ready) }

// ready fails when the server is about to stop, so that a load balancer sends its requests
// elsewhere. Let it also ask, with a time limit, for what nearly every request needs, such as a
// database.
func ready(req *flow.Request) flow.Response {
	if flow.Draining(req.Context()) {
		return flow.Fail(http.StatusServiceUnavailable, "the server is about to stop")
	}
	return flow.Text("ok\n")
}
