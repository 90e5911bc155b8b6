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

func TestSignIn(t *testing.T) {
	is := is.New(t)
	salt := []byte("salt")
	hash, err := hashPassword("analytical", salt)
	is.NoErr(err)
	members["ada"] = &member{"ada", salt, hash}

	w := ask("GET", "/account", "")
	is.Equal(w.Code, 302)
	is.Equal(w.Header().Get("Location"), "/login")
	for _, form := range []string{"name=ada&password=wrong", "name=bob&password=analytical", "name=&password="} {
		w = ask("POST", "/login", form)
		is.Equal(w.Code, 422)
		is.True(strings.Contains(w.Body.String(), "Name or password is wrong."))
		is.Equal(len(w.Result().Cookies()), 0)
	}

	w = ask("POST", "/login", "name=ada&password=analytical")
	is.Equal(w.Code, 303)
	is.Equal(w.Header().Get("Location"), "/account")
	cookie := w.Result().Cookies()[0]
	is.True(cookie.HttpOnly)
	carried := "Cookie: session=" + cookie.Value
	w = ask("GET", "/account", "", carried)
	is.True(strings.Contains(w.Body.String(), "Signed in as ada."))
	is.Equal(w.Header().Get("Cache-Control"), "no-store")

	w = ask("POST", "/logout", "", carried)
	is.True(w.Result().Cookies()[0].MaxAge < 0)
	is.Equal(ask("GET", "/account", "", carried).Code, 302) // also if the client keeps its cookie
}
