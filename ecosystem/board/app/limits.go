package app

import (
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-redis/redis_rate/v10"

	"example.com/flow"
)

// perClient is what each client may send to all processes together.
var perClient = redis_rate.Limit{Rate: 60, Burst: 20, Period: time.Minute}

// limit is a guard. It counts what changes something.
func (a *App) limit(req *flow.Request) flow.Response {
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return flow.Next()
	}
	is, err := a.limiter.Allow(req.Context(), "client:"+middleware.GetClientIP(req.Context()), perClient)
	switch {
	case err != nil:
		// Without Redis the application goes on, and somebody has to know.
		slog.Error("no rate limits", "error", err)
		return flow.Next()
	case is.Allowed == 0:
		return flow.Fail(429, "too many requests").
			Header("Retry-After", strconv.Itoa(int(math.Ceil(is.RetryAfter.Seconds()))))
	}
	return flow.Next()
}
