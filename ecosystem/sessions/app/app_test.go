package app

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// A visitor keeps cookies, and follows no redirects.
type visitor struct {
	*http.Client
	base string
}

func visit(t *testing.T, server *httptest.Server) visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := *server.Client()
	client.Jar = jar
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return visitor{&client, server.URL}
}

// ask returns the answer to a request, and its text. If there is a form, it is a POST.
func (v visitor) ask(t *testing.T, path, form string, headers ...string) (*http.Response, string) {
	t.Helper()
	is := is.New(t)
	method := "GET"
	if form != "" {
		method = "POST"
	}
	req, err := http.NewRequestWithContext(t.Context(), method, v.base+path, strings.NewReader(form))
	is.NoErr(err)
	if form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := v.Do(req)
	is.NoErr(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	is.NoErr(err)
	return resp, string(text)
}

func serve(t *testing.T) *httptest.Server {
	t.Helper()
	ada := &member{"Ada"}
	members["Ada"] = ada
	checkPassword = func(name, password string) (*member, error) {
		if name == "Ada" && password == "right" {
			return ada, nil
		}
		return nil, nil
	}
	if err := Router.Check(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewTLSServer(Router)
	t.Cleanup(server.Close)
	return server
}

func TestSignIn(t *testing.T) {
	is := is.New(t)
	v := visit(t, serve(t))
	resp, _ := v.ask(t, "/inbox?page=2", "")
	is.Equal(resp.StatusCode, 302)
	is.Equal(resp.Header.Get("Location"), "/login?next=%2Finbox%3Fpage%3D2")
	login := resp.Header.Get("Location")

	resp, text := v.ask(t, login, "name=Ada&password=wrong")
	is.Equal(resp.StatusCode, 422)
	is.True(strings.Contains(text, "Name or password is wrong.") && strings.Contains(text, `value="Ada"`))
	is.Equal(len(resp.Cookies()), 0)

	resp, _ = v.ask(t, login, "name=Ada&password=right")
	is.Equal(resp.StatusCode, 303)
	is.Equal(resp.Header.Get("Location"), "/inbox?page=2")
	cookie := resp.Cookies()[0]
	is.True(cookie.Secure && cookie.HttpOnly)

	_, text = v.ask(t, "/inbox", "", "HX-Request: true")
	is.Equal(strings.TrimSpace(text), "<ul>\n<li>a mail for Ada</li>\n</ul>") // and the message is still there
	resp, text = v.ask(t, "/inbox", "")
	is.Equal(resp.Header.Get("Cache-Control"), "no-store")
	is.True(strings.Contains(text, "Welcome, Ada."))
	_, text = v.ask(t, "/inbox", "")
	is.True(!strings.Contains(text, "Welcome"))

	resp, _ = v.ask(t, "/logout", "a=b")
	is.True(resp.Cookies()[0].MaxAge < 0)
	resp, _ = visit(t, serve(t)).ask(t, "/inbox", "", "Cookie: session="+cookie.Value)
	is.Equal(resp.StatusCode, 302) // also if the client keeps its cookie
}

func TestRemovedMember(t *testing.T) {
	is := is.New(t)
	v := visit(t, serve(t))
	v.ask(t, "/login", "name=Ada&password=right")
	delete(members, "Ada")
	resp, _ := v.ask(t, "/inbox", "")
	is.Equal(resp.StatusCode, 302)
}

func TestNext(t *testing.T) {
	for next, want := range map[string]string{
		"": "/inbox", "/inbox?page=2": "/inbox?page=2", "https://other.example": "/inbox", "other": "/inbox",
		"//other.example": "", `/\other.example`: "", "/\t/other.example": "",
	} {
		t.Run(next, func(t *testing.T) {
			is := is.New(t)
			resp, _ := visit(t, serve(t)).ask(t, "/login?next="+url.QueryEscape(next), "name=Ada&password=right")
			is.Equal(resp.Header.Get("Location"), want)
		})
	}
}

func TestHTMX(t *testing.T) {
	server := serve(t)
	for _, tt := range []struct {
		path, current string
		headers       []string
		want          string
	}{
		{"/inbox", "/inbox?page=2", nil, "/login?next=%2Finbox%3Fpage%3D2"},
		{"/inbox?page=3", "/", []string{"HX-Boosted: true"}, "/login?next=%2Finbox%3Fpage%3D3"},
	} {
		t.Run(tt.current, func(t *testing.T) {
			is := is.New(t)
			resp, _ := visit(t, server).ask(t, tt.path, "", append(tt.headers, "HX-Request: true", "HX-Current-URL: "+server.URL+tt.current)...)
			is.Equal(resp.StatusCode, 401)
			is.Equal(resp.Header.Get("HX-Redirect"), tt.want)
		})
	}
}
