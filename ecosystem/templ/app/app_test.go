package app

import (
	"bytes"
	"context"
	"errors"
	"go/format"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/a-h/templ/generator"
	"github.com/a-h/templ/parser/v2"
	"github.com/matryer/is"
)

func get(target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	Router.ServeHTTP(w, r)
	return w
}

func TestPages(t *testing.T) {
	if err := Router.Check(); err != nil {
		t.Fatal(err)
	}
	css, err := Router.Asset("app.css")
	if err != nil {
		t.Fatal(err)
	}
	for target, texts := range map[string][]string{
		"/users":   {"<!doctype html>", `href="` + css + `"`, "<title>Users</title>", `<li><a href="/users/7">Ada</a></li>`, "&lt;Bob&gt;"},
		"/users/7": {"<title>Ada</title>", "<h1>Ada</h1>", `<a href="/users">`},
	} {
		t.Run(target, func(t *testing.T) {
			is := is.New(t)
			w := get(target)
			is.Equal(w.Code, 200)
			is.Equal(w.Header().Get("Content-Type"), "text/html; charset=utf-8")
			for _, text := range texts {
				is.True(strings.Contains(w.Body.String(), text))
			}
		})
	}
	is := is.New(t)
	is.Equal(get("/users/9").Code, 404)
}

func TestErrors(t *testing.T) {
	is := is.New(t)
	req := Router.NewRequest(httptest.NewRequest("GET", "/users", nil))
	broken := errors.New("broken")
	_, err := render(req, templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "half a page")
		return errors.Join(err, broken)
	}))
	is.True(errors.Is(err, broken)) // which the handler returns, so that it is logged, and the answer is a whole 500
	ctx := context.WithValue(t.Context(), requestKey{}, req)
	_, err = route(ctx, "nobody")
	is.True(strings.Contains(err.Error(), `no route is called "nobody"`))
	_, err = asset(ctx, "nobody.css")
	is.True(err != nil)
}

// TestGenerated holds that pages_templ.go was generated from pages.templ.
func TestGenerated(t *testing.T) {
	is := is.New(t)
	file, err := parser.Parse("pages.templ")
	is.NoErr(err)
	var want bytes.Buffer
	_, err = generator.Generate(file, &want, generator.WithVersion("v0.3.977"), generator.WithFileName("pages.templ"))
	is.NoErr(err)
	formatted, err := format.Source(want.Bytes())
	is.NoErr(err)
	got, err := os.ReadFile("pages_templ.go")
	is.NoErr(err)
	is.Equal(string(got), string(formatted)) // go run github.com/a-h/templ/cmd/templ@v0.3.977 generate
}
