package ecosystem_test

import (
	"html/template"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/alexedwards/scs/v2"
	"github.com/matryer/is"

	"example.com/flow"
)

// newMembersArea returns an application that people log into.
func newMembersArea() *flow.Router {
	sessions := scs.New()
	sessions.Cookie.Secure = true

	r := flow.New(fstest.MapFS{
		"router/index.html":           {Data: []byte(`Hello {{with user}}{{.}}{{else}}stranger{{end}}`)},
		"router/+error.html":          {Data: []byte(`{{.Status}} for {{with user}}{{.}}{{else}}a stranger{{end}}`)},
		"router/visit.http":           {},
		"router/login.http":           {},
		"router/logout.http":          {},
		"router/(members)/inbox.http": {},
	})
	r.Logger = quiet
	// On the Router, so that error pages have sessions too.
	r.Use(sessions.LoadAndSave)
	r.Authenticate = func(req *flow.Request) (any, error) {
		if name := sessions.GetString(req.Context(), "user"); name != "" {
			return name, nil
		}
		return nil, nil
	}

	r.At("visit").GET().Do(func(req *flow.Request) string {
		sessions.Put(req.Context(), "visited", true)
		return "welcome"
	})
	r.At("login").POST().Do(func(req *flow.Request) (flow.Response, error) {
		// A token that somebody else knows must not become that of a user.
		if err := sessions.RenewToken(req.Context()); err != nil {
			return flow.Response{}, err
		}
		sessions.Put(req.Context(), "user", req.Input("name"))
		return flow.Redirect("/inbox"), nil
	})
	r.At("logout").POST().Do(func(req *flow.Request) (flow.Response, error) {
		return flow.Redirect("/"), sessions.Destroy(req.Context())
	})
	r.In("(members)").Use(func(req *flow.Request) flow.Response {
		if req.IsAuthenticated() {
			return flow.Next()
		}
		return flow.Redirect("/login")
	})
	r.At("(members)/inbox").GET().Do(func(req *flow.Request) flow.Response {
		return flow.Text("mail for " + req.User().(string))
	})
	return r
}

func TestSessions(t *testing.T) {
	is := is.New(t)
	r := newMembersArea()
	is.NoErr(r.Check())
	ann := visitTLS(t, r)

	refused := ann.ask(t, "GET", "/inbox")
	is.Equal(refused.StatusCode, http.StatusFound)
	is.Equal(refused.Header.Get("Location"), "/login")
	is.Equal(len(refused.Cookies()), 0) // nothing was kept for a stranger
	is.Equal(ann.ask(t, "GET", "/").text, "Hello stranger")

	before := onlyCookie(t, ann.ask(t, "GET", "/visit"))
	is.True(before.HttpOnly)
	is.True(before.Secure)
	is.Equal(before.SameSite, http.SameSiteLaxMode)
	is.Equal(before.Path, "/")
	is.True(before.MaxAge > 0)

	login := ann.post(t, "/login", "name=Ann")
	is.Equal(login.StatusCode, http.StatusSeeOther)
	is.Equal(login.Header.Get("Location"), "/inbox")
	during := onlyCookie(t, login)
	is.Equal(statusWith(t, r, during), http.StatusOK)
	is.Equal(statusWith(t, r, before), http.StatusFound) // RenewToken

	is.Equal(ann.ask(t, "GET", "/inbox").text, "mail for Ann")
	is.Equal(ann.ask(t, "GET", "/").text, "Hello Ann")
	missing := ann.ask(t, "GET", "/nowhere", "Accept", "text/html")
	is.Equal(missing.StatusCode, http.StatusNotFound)
	is.Equal(missing.text, "404 for Ann") // LoadAndSave wraps what no route answers too

	logout := ann.post(t, "/logout", "")
	is.Equal(logout.StatusCode, http.StatusSeeOther)
	is.True(onlyCookie(t, logout).MaxAge < 0)
	is.Equal(ann.ask(t, "GET", "/inbox").StatusCode, http.StatusFound)
	is.Equal(statusWith(t, r, during), http.StatusFound)
}

// TestFlash keeps a message in the session until a page shows it, whichever that is. A
// page is rendered before its first byte is sent, so that a function of its template may
// still change the session.
func TestFlash(t *testing.T) {
	is := is.New(t)
	sessions := scs.New()
	r := flow.New(fstest.MapFS{
		"router/+layout.html": {Data: []byte(`{{with flash request}}[{{.}}] {{end}}{{template "content" .}}`)},
		"router/index.html":   {Data: []byte(`home`)},
		"router/notes.html":   {Data: []byte(`notes`)},
		"router/old.http":     {},
	})
	r.Use(sessions.LoadAndSave)
	r.Funcs = template.FuncMap{"flash": func(req *flow.Request) string {
		return sessions.PopString(req.Context(), "flash")
	}}
	r.At("notes").POST().Do(func(req *flow.Request) flow.Response {
		sessions.Put(req.Context(), "flash", req.Input("text")+" was added")
		return flow.Redirect("/old")
	})
	r.At("old").GET().Do(func(*flow.Request) flow.Response { return flow.Redirect("/") })
	is.NoErr(r.Check())
	ann, bob := visit(t, r), visit(t, r)

	is.Equal(ann.post(t, "/notes", "text=<milk>").StatusCode, http.StatusSeeOther)
	is.Equal(bob.ask(t, "GET", "/").text, "home")
	is.Equal(ann.ask(t, "GET", "/old").StatusCode, http.StatusFound) // which shows nothing
	is.Equal(ann.ask(t, "GET", "/").text, "[&lt;milk&gt; was added] home")
	is.Equal(ann.ask(t, "GET", "/").text, "home")
	is.Equal(ann.ask(t, "GET", "/notes").text, "notes")
}

// statusWith returns the status of the inbox for somebody else who has a cookie.
func statusWith(t *testing.T, r *flow.Router, cookie *http.Cookie) int {
	t.Helper()
	return visitTLS(t, r).ask(t, "GET", "/inbox", "Cookie", cookie.Name+"="+cookie.Value).StatusCode
}

func onlyCookie(t *testing.T, a answer) *http.Cookie {
	t.Helper()
	cookies := a.Cookies()
	if len(cookies) != 1 {
		t.Fatalf("%s %s: got %d cookies, want 1", a.Request.Method, a.Request.URL, len(cookies))
	}
	return cookies[0]
}
