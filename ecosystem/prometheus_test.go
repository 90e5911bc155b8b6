package ecosystem_test

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/flow"
)

// newMeteredApp returns an application that shows the metrics of a registry.
func newMeteredApp(registry *prometheus.Registry) *flow.Router {
	r := flow.New(fstest.MapFS{"router/users/[id].http": {}, "router/boom.http": {}, "router/metrics.http": {}})
	r.Logger = quiet
	r.At("users/[id]").GET().Do(show)
	r.At("boom").GET().Do(func(*flow.Request) string { panic("boom") })
	r.At("metrics").GET().Do(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return r
}

// routeOf is the value of a label: there are as many as routes, whatever paths
// people ask for.
func routeOf(r *http.Request) string { return cmp.Or(r.Pattern, "none") }

func TestPrometheus(t *testing.T) {
	for way, wrap := range map[string]func(r *flow.Router, middleware func(http.Handler) http.Handler) http.Handler{
		"around the Router": func(r *flow.Router, middleware func(http.Handler) http.Handler) http.Handler {
			return middleware(r)
		},
		"Use": func(r *flow.Router, middleware func(http.Handler) http.Handler) http.Handler {
			r.Use(middleware)
			return r
		},
	} {
		t.Run(way, func(t *testing.T) {
			is := is.New(t)
			requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests_total"}, []string{"code", "route"})
			durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "duration_seconds"}, []string{"route"})
			registry := prometheus.NewRegistry()
			registry.MustRegister(requests, durations)

			label := promhttp.WithLabelFromRequest("route", routeOf)
			v := visit(t, wrap(newMeteredApp(registry), func(next http.Handler) http.Handler {
				return promhttp.InstrumentHandlerDuration(durations, promhttp.InstrumentHandlerCounter(requests, next, label), label)
			}))
			for _, path := range []string{"/users/1", "/users/2", "/users/2/", "/wp-login.php", "/.env", "/boom"} {
				v.ask(t, "GET", path)
			}

			metrics := v.ask(t, "GET", "/metrics")
			is.Equal(metrics.StatusCode, 200)
			is.True(strings.HasPrefix(metrics.Header.Get("Content-Type"), "text/plain"))
			is.Equal(samples(metrics.text, "requests_total"), `
requests_total{code="200",route="GET /users/{id}"} 2
requests_total{code="308",route="none"} 1
requests_total{code="404",route="none"} 2
requests_total{code="500",route="GET /boom"} 1
`[1:])
			is.Equal(samples(metrics.text, "duration_seconds_count"), `
duration_seconds_count{route="GET /boom"} 1
duration_seconds_count{route="GET /users/{id}"} 2
duration_seconds_count{route="none"} 3
`[1:])
		})
	}
}

// TestPrometheusLabelFromContext takes a label from the Request, which middleware
// of the Router finds in the context.
func TestPrometheusLabelFromContext(t *testing.T) {
	is := is.New(t)
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests_total"}, []string{"route", "user"})
	registry := prometheus.NewRegistry()
	registry.MustRegister(requests)
	r := newMeteredApp(registry)
	r.Use(func(next http.Handler) http.Handler {
		return promhttp.InstrumentHandlerCounter(requests, next,
			promhttp.WithLabelFromCtx("route", func(ctx context.Context) string { return flow.From(ctx).Pattern }),
			promhttp.WithLabelFromCtx("user", func(ctx context.Context) string { return flow.From(ctx).Param("id") }))
	})
	v := visit(t, r)
	is.Equal(v.ask(t, "GET", "/users/1").text, "user 1")
	is.Equal(samples(v.ask(t, "GET", "/metrics").text, "requests_total"), `requests_total{route="GET /users/{id}",user="1"} 1`+"\n")
}

// samples returns the lines of one metric. They are sorted by labels.
func samples(metrics, name string) string {
	var b strings.Builder
	for line := range strings.Lines(metrics) {
		if strings.HasPrefix(line, name+"{") {
			b.WriteString(line)
		}
	}
	return b.String()
}
