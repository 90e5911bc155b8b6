package ecosystem_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"example.com/flow"
)

// patience is how long a test waits for what should happen at once, before it
// gives up.
const patience = time.Minute

// quiet is for Routers of which errors are expected.
var quiet = slog.New(slog.DiscardHandler)

// A visitor sends requests to a server. It keeps cookies, and follows no redirects.
type visitor struct {
	url    string // of the server, without a path
	client *http.Client
}

// visit serves h on a free port of the loopback interface until the test ends,
// and returns a visitor of it.
func visit(t *testing.T, h http.Handler) *visitor {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return visitorOf(t, server)
}

// visitTLS is visit over HTTPS, and HTTP/2.
func visitTLS(t *testing.T, h http.Handler) *visitor {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return visitorOf(t, server)
}

func visitorOf(t *testing.T, server *httptest.Server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := server.Client()
	client.Jar = jar
	client.Timeout = patience
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &visitor{server.URL, client}
}

// An answer is a response whose body was read.
type answer struct {
	*http.Response
	text string
}

// ask sends a request with header fields that are pairs of key and value.
func (v *visitor) ask(t *testing.T, method, path string, header ...string) answer {
	t.Helper()
	return v.send(t, method, path, "", header...)
}

// post sends a form, urlencoded.
func (v *visitor) post(t *testing.T, path, form string, header ...string) answer {
	t.Helper()
	return v.send(t, http.MethodPost, path, form, append(header, "Content-Type", "application/x-www-form-urlencoded")...)
}

func (v *visitor) send(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := v.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp, string(text)}
}

// receive returns what arrives on a channel.
func receive[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatal("nothing arrived")
	}
	return v
}

// show is the handler of a route with a parameter.
func show(req *flow.Request) string { return "user " + req.Param("id") }

// wrappers are middleware that each put a ResponseWriter of their own in front of
// the server's.
func wrappers() []any {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests_total"}, []string{"code"})
	return []any{
		otelhttp.NewMiddleware("app"),
		func(next http.Handler) http.Handler { return promhttp.InstrumentHandlerCounter(requests, next) },
		scs.New().LoadAndSave,
		middleware.Compress(5),
	}
}
