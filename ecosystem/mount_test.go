package ecosystem_test

import (
	"net/http"
	"net/http/pprof"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"example.com/flow"
)

// newBilling makes an application that others mount.
func newBilling() *flow.Router {
	r := flow.New(fstest.MapFS{"router/invoices/[id].http": {}})
	r.At("invoices/[id]").GET().Name("invoices.show").Do(func(req *flow.Request) (string, error) {
		self, err := req.Route("invoices.show", "id", req.Param("id"))
		return req.Param("org") + " " + self, err
	})
	return r
}

// TestMountTools puts tools of others below URLs of the application, behind its guards.
func TestMountTools(t *testing.T) {
	r := flow.New(fstest.MapFS{"router/index.http": {}})
	r.At("index").GET().Do(func(*flow.Request) string { return "home" })
	operators := func(req *flow.Request) flow.Response {
		if _, password, _ := req.BasicAuth(); password != "secret" {
			return flow.Fail(http.StatusForbidden, "for operators only")
		}
		return flow.Next()
	}
	debug := http.NewServeMux()
	debug.HandleFunc("/debug/pprof/", pprof.Index)
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "users"}))
	r.Mount("/debug/pprof", debug).Use(operators)
	r.Mount("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	r.Mount("/downloads/", http.StripPrefix("/downloads", http.FileServerFS(fstest.MapFS{"a.txt": {Data: []byte("text")}})))
	v := visit(t, r)

	for _, tt := range []struct {
		path, password string
		status         int
		want           string
	}{
		{"/debug/pprof/", "", 403, "for operators only"},
		{"/debug/pprof", "secret", 307, "/debug/pprof/"},
		{"/debug/pprof/", "secret", 200, "full goroutine stack dump"},
		{"/debug/pprof/goroutine?debug=1", "secret", 200, "goroutine profile:"},
		{"/metrics", "", 200, "users 0"},
		{"/downloads/a.txt", "", 200, "text"},
		{"/downloads/", "", 200, `<a href="a.txt">`},
		{"/", "", 200, "home"},
	} {
		t.Run(tt.path+" "+tt.password, func(t *testing.T) {
			is := is.New(t)
			req, err := http.NewRequest("GET", v.url, nil)
			is.NoErr(err)
			req.SetBasicAuth("ann", tt.password)
			got := v.ask(t, "GET", tt.path, "Authorization", req.Header.Get("Authorization"))
			is.Equal(got.StatusCode, tt.status)
			is.True(strings.Contains(got.text+got.Header.Get("Location"), tt.want))
		})
	}
}

// TestSpansOfMountedRouters are named after the whole pattern.
func TestSpansOfMountedRouters(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/index.html": {}})
	r.Mount("/orgs/[org]", newBilling()).Name("billing")
	recorder := tracetest.NewSpanRecorder()
	r.Use(otelhttp.NewMiddleware("app", otelhttp.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))))
	v := visit(t, r)

	is.Equal(v.ask(t, "GET", "/orgs/acme/invoices/7").text, "acme /orgs/acme/invoices/7")
	is.Equal(serverSpan(t, recorder).Name(), "GET /orgs/{org}/invoices/{id}")
	u, err := r.Route("billing.invoices.show", "org", "acme", "id", 7)
	is.NoErr(err)
	is.Equal(u, "/orgs/acme/invoices/7")
}
