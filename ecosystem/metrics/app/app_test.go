package app

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// ask returns the answer to a request with a token.
func ask(method, target, token string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

func TestMetrics(t *testing.T) {
	is := is.New(t)
	is.NoErr(Router.Check())
	var log bytes.Buffer
	was := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(was); metricsToken = "" })
	durations.Reset()

	is.Equal(ask("GET", "/metrics", "").Code, 401)
	is.Equal(ask("GET", "/metrics", " ").Code, 401) // there is none yet
	metricsToken = "secret"
	is.Equal(ask("GET", "/metrics", "").Code, 401)
	is.Equal(ask("GET", "/metrics", "secre").Code, 401)

	css, err := Router.Asset("app.css")
	is.NoErr(err)
	for _, path := range []string{
		"/users/1", "/users/2", "/users/0", // of one route
		"/users/", "/wp-login.php", "/.env", // of none
		css, "/app.css", "/print.css",
	} {
		ask("GET", path, "")
	}
	ask("HEAD", "/users/1", "")
	ask("POST", "/users/1", "")
	ask("BREW", "/users/1", "")
	ask("DRINK", "/coffee", "")

	w := ask("GET", "/metrics", "secret")
	is.Equal(w.Code, http.StatusOK)
	var counts []string
	for line := range strings.Lines(w.Body.String()) {
		if count, ok := strings.CutPrefix(line, "http_request_duration_seconds_count"); ok {
			counts = append(counts, strings.TrimSpace(count))
		}
	}
	is.Equal(strings.Join(counts, "\n"), strings.TrimSpace(`
{code="200",method="get",route="/users/{id}"} 2
{code="200",method="get",route="public"} 3
{code="200",method="head",route="/users/{id}"} 1
{code="401",method="get",route="/metrics"} 4
{code="404",method="get",route="/users/{id}"} 1
{code="404",method="get",route="none"} 3
{code="404",method="unknown",route="none"} 1
{code="405",method="post",route="none"} 1
{code="405",method="unknown",route="none"} 1
`))
	is.True(strings.Contains(w.Body.String(), "http_requests_in_flight 1\n")) // this one
	is.True(strings.Contains(w.Body.String(), "go_goroutines "))
	is.Equal(strings.Count(log.String(), "path=/users/1 "), 4)
	is.True(!strings.Contains(log.String(), "/metrics"))
}
