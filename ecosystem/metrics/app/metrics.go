package app

import (
	"crypto/subtle"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/flow"
)

func init() {
	metrics.MustRegister(durations, inFlight, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	flow.GET().Use(scrapersOnly).Do(promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
}

var (
	metrics = prometheus.NewRegistry()

	// durations counts the requests, too: each histogram has a _count.
	durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "http_request_duration_seconds", Help: "How long requests took.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"method", "route", "code"})

	inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "http_requests_in_flight", Help: "Requests that are being answered.",
	})
)

// measure is standard middleware.
func measure(next http.Handler) http.Handler {
	return promhttp.InstrumentHandlerInFlight(inFlight, promhttp.InstrumentHandlerDuration(durations, next,
		promhttp.WithLabelFromRequest("route", routeOf)))
}

// routeOf is the label of a request: the pattern of its route, "/users/{id}". All paths that
// nothing answers have one label, and so have all public files, whose URLs change with their
// content. So clients cannot make new labels.
func routeOf(r *http.Request) string {
	pattern := pathOf(r.Pattern)
	switch {
	case pattern == "":
		return "none" // 404, 405, a redirect to the right spelling
	case !routes()[pattern]:
		return "public"
	}
	return pattern
}

// routes has the patterns of the routes. Public files are not among them.
var routes = sync.OnceValue(func() map[string]bool {
	patterns := map[string]bool{}
	for _, route := range Router.Routes() {
		patterns[pathOf(route.Pattern)] = true
	}
	return patterns
})

// pathOf returns a pattern without its method.
func pathOf(pattern string) string { return pattern[strings.IndexByte(pattern, ' ')+1:] }

// metricsToken is what Prometheus sends. Without one, nobody sees the metrics.
var metricsToken = os.Getenv("METRICS_TOKEN")

func scrapersOnly(req *flow.Request) flow.Response {
	token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if !ok || metricsToken == "" || subtle.ConstantTimeCompare([]byte(token), []byte(metricsToken)) != 1 {
		return flow.Fail(401, "a token is needed").Header("WWW-Authenticate", `Bearer realm="metrics"`)
	}
	return flow.Next()
}
