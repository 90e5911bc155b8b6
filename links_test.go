package flow

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"

	"example.com/flow/internal/pattern"
)

func TestDestinations(t *testing.T) {
	inner := New(fstest.MapFS{"router/invoices/[id=int].html": {}, "public/logo.png": {}})
	r := New(fstest.MapFS{
		"router/index.html": {}, "router/users/index.html": {}, "router/users/[id].html": {}, "router/users/new.html": {},
		"router/api/users.http": {}, "router/docs/[a]/[b].html": {}, "public/app.css": {},
	})
	r.At("users/[id]").POST().Do(func(*Request) (string, error) { return "", nil })
	r.At("api/users").GET().Do(func(*Request) (string, error) { return "", nil })
	r.At("api/users").PUT().Do(func(*Request) (string, error) { return "", nil })
	r.Mount("/billing", inner)
	r.Mount("/files/", http.HandlerFunc(asked))
	is.New(t).NoErr(r.Check())
	urls := r.table.Load().urls
	for _, tt := range []struct{ request, want string }{
		{"GET /", "router/index.html"},
		{"GET /users?page=2#top", "router/users/index.html"},
		{"GET /users/{}", "router/users/new.html router/users/[id].html"},
		{"POST /users/{}", "router/users/[id].html"},
		{"POST /users/new", "router/users/[id].html"},
		{"DELETE /users/{}", "answers [GET POST]"},
		{"GET /users/{}/edit", "nothing"},
		{"GET /user/{}", "nothing: /users/{id}"},
		{"DELETE /user/{}", "nothing"},
		{"POST /api/users", "answers [GET PUT]"},
		{"GET /app.css", "public/app.css"},
		{"GET /docs/{}", "router/docs/[a]/[b].html with slashes"},
		{"GET /docs/x", "nothing"},
		{"GET /users/", "router/users/index.html spelled"},
		{"GET /billing/invoices/7", "router/invoices/[id=int].html"},
		{"GET /billing/invoices/{}", "router/invoices/[id=int].html"},
		{"GET /billing/invoices/x", "nothing"},
		{"GET /billing/invoice/{}", "nothing: /billing/invoices/{id}"},
		{"GET /billing/logo.png", "public/logo.png"},
		{"PUT /files/a/b", "Mount(\"/files/\")"},
		{"GET /100%", "broken"},
	} {
		t.Run(tt.request, func(t *testing.T) {
			is := is.New(t)
			method, url, _ := strings.Cut(strings.ReplaceAll(tt.request, "{}", pattern.Hole), " ")
			is.Equal(targetText(urls, method, url), tt.want)
		})
	}
}

// targetText says what a URL leads to.
func targetText(urls destinations, method, url string) string {
	found, ok := urls.find(method, url)
	var said []string
	for _, e := range found.answers {
		file, _, _ := strings.Cut(e.owner.file, " of ")
		said = append(said, file)
	}
	switch {
	case !ok:
		return "broken"
	case len(said) == 0 && len(found.methods) > 0:
		return "answers [" + strings.Join(found.methods, " ") + "]"
	case len(said) == 0:
		if near := urls.suggest(method, found.path); near != "" {
			return "nothing: " + near
		}
		return "nothing"
	case found.slashes:
		said = append(said, "with slashes")
	case !found.canonical:
		said = append(said, "spelled")
	}
	return strings.Join(said, " ")
}
