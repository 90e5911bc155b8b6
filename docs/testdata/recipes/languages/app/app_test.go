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
	for _, tt := range []struct {
		target, form, accept string
		status               int
		want                 []string
	}{
		{"/booking", "name=&guests=many", "text/html", 422, []string{`<html lang="en">`, "Name is required.", "Guests must be a whole number from 0 to 255.", `value="many"`}},
		{"/de/booking", "name=&guests=viele", "text/html", 422, []string{`<html lang="de">`, "Name fehlt.", `<label for="guests">Anzahl der Gäste</label>`, "Anzahl der Gäste muss eine ganze Zahl von 0 bis 255 sein.", `value="viele"`}},
		{"/de/booking", "name=Ada&guests=300", "text/html", 422, []string{"Anzahl der Gäste muss eine ganze Zahl von 0 bis 255 sein."}},
		{"/de/booking", "name=Ada&guests=13", "text/html", 422, []string{"Anzahl der Gäste muss von 1 bis 12 sein."}},
		{"/fr/booking", "name=&guests=13", "text/html", 422, []string{`<html lang="fr">`, "Name is required."}},
		{"/de/booking", "name=Ada&guests=2", "text/html", 303, nil},
		{"/de/niemand", "", "text/html", 404, []string{`<html lang="de">`, "<h1>404 Nicht gefunden</h1>", `<a href="/de">Startseite</a>`}},
		{"/fr/personne", "", "text/html", 404, []string{`<html lang="fr">`, "<h1>404 Introuvable</h1>"}},
		{"/nobody", "", "text/html", 404, []string{`<html lang="en">`, "<h1>404 Not Found</h1>"}},
		{"/de/niemand", "", "application/problem+json", 404, []string{`"title":"Nicht gefunden"`}},
	} {
		t.Run(tt.target+" "+tt.form, func(t *testing.T) {
			is := is.New(t)
			method := "POST"
			if tt.form == "" {
				method = "GET"
			}
			w := ask(method, tt.target, tt.form, "Accept: "+tt.accept)
			is.Equal(w.Code, tt.status)
			for _, text := range tt.want {
				if !strings.Contains(w.Body.String(), text) {
					t.Errorf("without %s:\n%s", text, w.Body)
				}
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
