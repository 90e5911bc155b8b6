package app

import (
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

func TestLanguages(t *testing.T) {
	for target, want := range map[string][]string{
		"/":         {`<html lang="en">`, "<h1>Home</h1>", `href="/about"`, `<a href="/de" hreflang="de">`, `<a href="/" hreflang="en">`},
		"/de":       {`<html lang="de">`, "<h1>Startseite</h1>", `href="/de/about"`},
		"/about":    {"<h1>About us</h1>", `href="/"`},
		"/fr/about": {`<html lang="fr">`, "<title>À propos</title>", `href="/fr"`},
	} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			w := ask("GET", target, "")
			is.Equal(w.Code, 200)
			for _, text := range want {
				is.True(strings.Contains(w.Body.String(), text))
			}
		})
	}
	for _, target := range []string{"/it", "/it/about", "/en/about", "/de/nobody", "/de/notes"} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			is.Equal(ask("GET", target, "").Code, 404)
		})
	}
}
