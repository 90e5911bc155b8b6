package app

import (
	"crypto/sha256"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
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
