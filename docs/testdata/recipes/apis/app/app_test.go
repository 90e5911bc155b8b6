package app

import (
	"crypto/sha256"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

// ask returns the answer to a request with headers as "Name: value". A body is a form.
func ask(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

func TestParseClients(t *testing.T) {
	is := is.New(t)
	hash := strings.Repeat("0f", sha256.Size)
	got := parseClients("ci:" + hash + ",short:0f,none,,bad:" + strings.Repeat("x", 2*sha256.Size) + ",backup:" + hash)
	is.Equal(len(got), 2)
	is.Equal([]string{got[0].Name, got[1].Name}, []string{"ci", "backup"})
	is.Equal(len(parseClients("")), 0)
}

func TestTokens(t *testing.T) {
	hash := sha256.Sum256([]byte("secret"))
	clients = []*client{{"ci", hash[:]}}
	t.Cleanup(func() { clients = nil })
	for header, status := range map[string]int{
		"Bearer secret": 200, "bearer secret": 200,
		"": 401, "Bearer": 401, "Bearer ": 401, "Bearer other": 401, "secret": 401, "Basic secret": 401,
	} {
		t.Run(header, func(t *testing.T) {
			is := is.New(t)
			w := ask("GET", "/api/notes", "", "Authorization: "+header)
			is.Equal(w.Code, status)
			if status == 200 {
				is.True(strings.Contains(w.Body.String(), `"for":"ci"`))
				is.Equal(w.Header().Get("Cache-Control"), "no-store")
				return
			}
			is.Equal(w.Header().Get("WWW-Authenticate"), `Bearer realm="api"`)
			is.Equal(strings.TrimSpace(w.Body.String()), `{"fields":{},"message":"a token is needed"}`)
		})
	}
	is := is.New(t)
	w := ask("POST", "/api/notes", "text=++", "Authorization: Bearer secret")
	is.Equal(w.Code, 422)
	is.True(strings.Contains(w.Body.String(), `"text":"is required"`))
	w = ask("POST", "/api/notes", "text=tea", "Authorization: Bearer secret")
	is.Equal(w.Code, 201)
	is.Equal(strings.TrimSpace(w.Body.String()), `{"text":"tea"}`)
	t.Cleanup(func() { notes.list = nil })
}

func TestErrors(t *testing.T) {
	is := is.New(t)
	w := ask("GET", "/api/nobody", "")
	is.Equal(w.Code, 404)
	is.Equal(strings.TrimSpace(w.Body.String()), `{"fields":{},"message":"Not Found"}`)
	w = ask("GET", "/nobody", "", "Accept: application/json")
	is.Equal(w.Header().Get("Content-Type"), "application/problem+json")
}

func TestLimiter(t *testing.T) {
	is := is.New(t)
	l, start := &limiter{burst: 3, every: time.Second}, time.Now()
	at := func(seconds float64, key string) float64 {
		return l.wait(key, start.Add(time.Duration(seconds*float64(time.Second)))).Seconds()
	}
	for range 3 {
		is.Equal(at(0, "a"), 0.0)
	}
	is.Equal(at(0, "a"), 1.0)
	is.Equal(at(0, "b"), 0.0)
	is.Equal(at(0.5, "a"), 0.5)
	is.Equal(at(1, "a"), 0.0) // what was refused does not count
	is.Equal(at(1, "a"), 1.0)
	for range 3 {
		is.Equal(at(9, "a"), 0.0)
	}
	is.Equal(at(9, "a"), 1.0)
	is.Equal(len(l.rest), 1) // b was forgotten
}

func TestRateLimit(t *testing.T) {
	is := is.New(t)
	burst := perClient.burst
	perClient.burst, perClient.rest = 2, nil
	t.Cleanup(func() { perClient.burst, perClient.rest = burst, nil })
	is.Equal(ask("GET", "/api/notes", "").Code, 401)
	is.Equal(ask("GET", "/api/notes", "").Code, 401)
	w := ask("GET", "/api/notes", "")
	is.Equal(w.Code, 429)
	is.Equal(w.Header().Get("Retry-After"), "1")
	is.Equal(strings.TrimSpace(w.Body.String()), `{"fields":{},"message":"too many requests"}`)
}

func TestAddressOf(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234": "192.0.2.7", "[::ffff:192.0.2.7]:1234": "192.0.2.7",
		"[2001:db8:1:2:3::4]:1": "2001:db8:1:2::/64", "[fe80::1%eth0]:1": "fe80::/64", "@": "@",
	} {
		t.Run(remote, func(t *testing.T) {
			is := is.New(t)
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = remote
			is.Equal(addressOf(flow.NewRequest(r)), want)
		})
	}
}
