package app

import (
	"net/http"

	"example.com/flow"
)

func init() { flow.GET().Do(health) }

// health fails when the server is about to stop, so that a load balancer sends its
// requests elsewhere.
func health(req *flow.Request) flow.Response {
	if flow.Draining(req.Context()) {
		return flow.Fail(http.StatusServiceUnavailable, "the server is about to stop")
	}
	return flow.Text("ok\n")
}
