package app

import (
	"net/http"
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

func TestForm(t *testing.T) {
	is := is.New(t)
	w := ask("POST", "/notes", "text=++")
	is.Equal(w.Code, 422)
	is.True(strings.Contains(w.Body.String(), `value="" aria-invalid="true"`))
	is.True(strings.Contains(w.Body.String(), "Note is required."))
	is.Equal(len(w.Result().Cookies()), 0)

	w = ask("POST", "/notes", "text=%3Cmilk%3E%3B")
	is.Equal(w.Code, http.StatusSeeOther)
	is.Equal(w.Header().Get("Location"), "/notes")
	flash := w.Result().Cookies()[0]
	is.True(flash.HttpOnly && flash.MaxAge == 60)
	header := "Cookie: " + flash.Name + "=" + flash.Value

	is.Equal(len(ask("HEAD", "/notes", "", header).Result().Cookies()), 0) // it shows nothing
	w = ask("GET", "/notes", "", header)
	is.True(strings.Contains(w.Body.String(), `<p role="status">“&lt;milk&gt;;” was added.</p>`))
	is.True(w.Result().Cookies()[0].MaxAge < 0)
	is.Equal(w.Header().Get("Cache-Control"), "no-store")
	is.True(!strings.Contains(ask("GET", "/notes", "").Body.String(), "was added"))
}
