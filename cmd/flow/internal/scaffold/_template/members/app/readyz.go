package app

import (
	"context"
	"net/http"
	"time"

	"example.com/flow"
)

func init() { flow.With(func(f *flow.File, a *members) { f.GET().Do(a.ready) }) }

// ready fails when the server is about to stop, and when the database does not answer, so that
// a load balancer sends its requests elsewhere.
func (a *members) ready(req *flow.Request) (flow.Response, error) {
	if flow.Draining(req.Context()) {
		return flow.Fail(http.StatusServiceUnavailable, "the server is about to stop"), nil
	}
	ctx, cancel := context.WithTimeout(req.Context(), time.Second)
	defer cancel()
	if err := a.Accounts.DB().PingContext(ctx); err != nil {
		return flow.Response{}, flow.Error(http.StatusServiceUnavailable, "the database does not answer", err)
	}
	return flow.Text("ok\n").Header("Cache-Control", "no-store"), nil
}
