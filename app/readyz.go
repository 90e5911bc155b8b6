package app

import (
	"context"
	"net/http"
	"time"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) { f.GET().Name("readyz").Do(a.ready) })
}

// readyLimit is how long App.Ready may take. It is shorter than the time that who asks waits.
const readyLimit = time.Second

// ready tells load balancers whether to send requests here: not if the process stops, and not
// if it lacks what nearly every request needs. It is not asked whether the process is to be
// started again, which would not bring a database back: live is.
func (a *App) ready(req *flow.Request) (flow.Response, error) {
	if flow.Draining(req.Context()) {
		return probed("draining\n", http.StatusServiceUnavailable), nil
	}
	if a.Ready == nil {
		return probed("ok\n", http.StatusOK), nil
	}
	ctx, cancel := context.WithTimeout(req.Context(), readyLimit)
	defer cancel()
	if err := a.Ready(ctx); err != nil {
		return flow.Response{}, flow.Error(http.StatusServiceUnavailable, "not ready", err)
	}
	return probed("ok\n", http.StatusOK), nil
}

// probed returns the answer to a probe, which no cache keeps.
func probed(text string, status int) flow.Response {
	return flow.Text(text).Status(status).Header("Cache-Control", "no-store")
}
