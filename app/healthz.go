package app

import (
	"net/http"

	"example.com/flow"
)

func init() { flow.GET().Name("healthz").Do(health) }

// health tells load balancers whether to send requests here.
func health(req *flow.Request) flow.Response {
	answer := flow.Text("ok\n")
	if flow.Draining(req.Context()) {
		answer = flow.Text("draining\n").Status(http.StatusServiceUnavailable)
	}
	return answer.Header("Cache-Control", "no-store")
}
