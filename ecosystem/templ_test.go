package ecosystem_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/a-h/templ"
	"github.com/matryer/is"

	"example.com/flow"
)

// greeting is what templ generates, for
//
//	templ greeting(name string) { <h1>Hello { name }</h1> }
func greeting(name string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "<h1>Hello "+templ.EscapeString(name)+"</h1>")
		return err
	})
}

// profile asks the Request that is answered, so that nobody need hand it down.
func profile() templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		req := flow.From(ctx)
		self, err := req.Route("users.id", "id", req.Param("id"))
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, `<a href="`+self+`">`+templ.EscapeString(req.User().(string))+`</a>`)
		return err
	})
}

func broken() templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		io.WriteString(w, "half a page")
		return errors.New("broken")
	})
}

func TestTempl(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  flow.Response
		status  int
		content string
		text    string
	}{
		{"component", flow.Handler(templ.Handler(greeting("<Ann>"))), 200, "text/html; charset=utf-8", "<h1>Hello &lt;Ann&gt;</h1>"},
		{"status of the Response", flow.Handler(templ.Handler(greeting("Ann"))).Status(201), 201, "text/html; charset=utf-8", "<h1>Hello Ann</h1>"},
		{"status of templ", flow.Handler(templ.Handler(greeting("Ann"), templ.WithStatus(404))), 404, "text/html; charset=utf-8", "<h1>Hello Ann</h1>"},
		{"streamed", flow.Handler(templ.Handler(greeting("Ann"), templ.WithStreaming())).Status(201), 201, "text/html; charset=utf-8", "<h1>Hello Ann</h1>"},
		{"another media type", flow.Handler(templ.Handler(greeting("Ann"), templ.WithContentType("image/svg+xml"))), 200, "image/svg+xml", "<h1>Hello Ann</h1>"},
		{"the Request", flow.Handler(templ.Handler(profile())), 200, "text/html; charset=utf-8", `<a href="/users/42">Ann</a>`},
		{"a component that fails", flow.Handler(templ.Handler(broken())).Status(201), 500, "text/plain; charset=utf-8", "templ: failed to render template\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := flow.New(fstest.MapFS{"router/users/[id].http": {}})
			r.Authenticate = func(*flow.Request) (any, error) { return "Ann", nil }
			r.At("users/[id]").GET().Do(func(*flow.Request) flow.Response { return tt.answer.Header("A", "b") })
			is.NoErr(r.Check())
			v := visit(t, r)
			a := v.ask(t, "GET", "/users/42")
			is.Equal(a.StatusCode, tt.status)
			is.Equal(a.Header.Get("Content-Type"), tt.content)
			is.Equal(a.text, tt.text)
			is.Equal(a.Header.Get("A"), "b")
			is.Equal(v.ask(t, "HEAD", "/users/42").StatusCode, tt.status)
		})
	}
}

// TestTemplAsAHandler registers components without a handler around them.
func TestTemplAsAHandler(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/about.http": {}})
	r.At("about").GET().Do(templ.Handler(greeting("everybody")))
	is.NoErr(r.Check())
	is.Equal(visit(t, r).ask(t, "GET", "/about").text, "<h1>Hello everybody</h1>")
}

func TestTemplAsAnErrorPage(t *testing.T) {
	is := is.New(t)
	r := flow.New(fstest.MapFS{"router/users/[id].http": {}})
	r.OnError = func(_ *flow.Request, err error) flow.Response {
		status := flow.StatusOf(err)
		return flow.Handler(templ.Handler(greeting(http.StatusText(status)))).Status(status)
	}
	r.At("users/[id]").GET().Do(func(*flow.Request) (string, error) { return "", flow.Error(404, "no such user") })
	is.NoErr(r.Check())
	a := visit(t, r).ask(t, "GET", "/users/42")
	is.Equal(a.StatusCode, 404)
	is.Equal(a.text, "<h1>Hello Not Found</h1>")
}

// TestTemplNonce: a component finds the nonce of the policy, which a guard has put into the
// context.
func TestTemplNonce(t *testing.T) {
	is := is.New(t)
	script := templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		_, err := io.WriteString(w, `<script nonce="`+templ.EscapeString(templ.GetNonce(ctx))+`">hello()</script>`)
		return err
	})
	r := flow.New(fstest.MapFS{"router/a.http": {}, "router/b.http": {}})
	r.ContentSecurityPolicy = "script-src 'nonce'"
	r.Use(func(req *flow.Request) flow.Response {
		req.Request = req.WithContext(templ.WithNonce(req.Context(), req.Nonce()))
		return flow.Next()
	})
	r.At("a").GET().Do(templ.Handler(script))
	r.At("b").GET().Do(func(*flow.Request) flow.Response { return flow.Handler(templ.Handler(script)) })
	for _, target := range []string{"/a", "/b"} {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		nonce := strings.TrimSuffix(strings.TrimPrefix(w.Header().Get("Content-Security-Policy"), "script-src 'nonce-"), "'")
		is.True(len(nonce) >= 22)
		is.Equal(w.Body.String(), `<script nonce="`+nonce+`">hello()</script>`)
	}
}
