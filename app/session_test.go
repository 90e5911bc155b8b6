package app

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"example.com/flow"
)

func TestVerify(t *testing.T) {
	now := time.Unix(1_767_225_600, 0)
	secret := []byte("a secret of this test")
	good := sign(secret, "ada", now.Add(time.Minute))
	for _, tt := range []struct {
		name, value string
		now         time.Time
		ok          bool
	}{
		{"as signed", good, now, true},
		{"in the last second", good, now.Add(59 * time.Second), true},
		{"too late", good, now.Add(time.Minute), false},
		{"signed by another", sign([]byte("another"), "ada", now.Add(time.Minute)), now, false},
		{"another name", strings.Replace(good, "YWRh", "Ym9i", 1), now, false},
		{"a later end", strings.Replace(good, ".17", ".18", 1), now, false},
		{"a changed signature", good[:len(good)-2] + "AA", now, false},
		{"no signature", good[:strings.LastIndexByte(good, '.')], now, false},
		{"an empty signature", good[:strings.LastIndexByte(good, '.')+1], now, false},
		{"signed garbage", "x." + signature(secret, "x"), now, false},
		{"empty", "", now, false},
		{"dots", "..", now, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			name, ok := verify(secret, tt.value, tt.now)
			is.Equal(ok, tt.ok)
			is.Equal(name == "ada", tt.ok)
		})
	}
}

// TestSession signs in and out over the wire, as a browser does.
func TestSession(t *testing.T) {
	is := is.New(t)
	server := httptest.NewServer(newRouter(t, nil))
	defer server.Close()
	jar, err := cookiejar.New(nil)
	is.NoErr(err)
	client := server.Client()
	client.Jar = jar

	get := func(path string) (string, string) {
		resp, err := client.Get(server.URL + path)
		is.NoErr(err)
		return resp.Request.URL.Path, readAll(t, resp)
	}
	post := func(path string, form url.Values) (int, string, string) {
		resp, err := client.PostForm(server.URL+path, form)
		is.NoErr(err)
		return resp.StatusCode, resp.Request.URL.Path, readAll(t, resp)
	}

	path, body := get("/dashboard")
	is.Equal(path, "/login") // strangers are sent to the login
	is.True(strings.Contains(body, "<h1>Sign in</h1>"))

	status, path, body := post("/login", url.Values{"name": {"ada"}, "password": {"guess"}})
	is.Equal(status, 422)
	is.Equal(path, "/login")
	is.True(strings.Contains(body, "do not belong together"))
	is.True(strings.Contains(body, `value="ada"`)) // the name is still there
	is.True(!strings.Contains(body, "guess"))      // the password is not
	path, _ = get("/dashboard")
	is.Equal(path, "/login") // a wrong password opens nothing

	status, path, body = post("/login", url.Values{"name": {demoName}, "password": {demoPassword}})
	is.Equal(status, 200)
	is.Equal(path, "/dashboard")
	is.True(strings.Contains(body, "Hello, ada."))
	path, _ = get("/login")
	is.Equal(path, "/dashboard") // who is signed in need not do it again
	path, body = get("/reports")
	is.Equal(path, "/reports")
	is.True(strings.Contains(body, "<td>example.com</td><td>2</td>"))
	_, body = get("/reports.json")
	is.Equal(body, `[{"name":"example.com","users":2},{"name":"example.org","users":1}]`+"\n")

	status, path, _ = post("/logout", nil)
	is.Equal(status, 200)
	is.Equal(path, "/")
	path, _ = get("/dashboard")
	is.Equal(path, "/login") // signed out
}

func TestSessionCookie(t *testing.T) {
	now := time.Unix(1_767_225_600, 0)
	a := &App{Secret: []byte("a secret of this test"), Now: func() time.Time { return now }}
	router := newRouter(t, a)
	for _, tt := range []struct {
		name   string
		cookie string
		status int
	}{
		{"none", "", 302},
		{"ours", sign(a.Secret, demoName, now.Add(time.Hour)), 200},
		{"forged", sign([]byte("a guess"), demoName, now.Add(time.Hour)), 302},
		{"signed with nothing", sign(nil, demoName, now.Add(time.Hour)), 302},
		{"too old", sign(a.Secret, demoName, now.Add(-time.Second)), 302},
		{"of another account", sign(a.Secret, "bob", now.Add(time.Hour)), 302},
		{"no session", "hello", 302},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := newRequest("GET", "/dashboard", "")
			if tt.cookie != "" {
				r.AddCookie(&http.Cookie{Name: sessionCookie, Value: tt.cookie})
			}
			got := do(router, r)
			is.Equal(got.status, tt.status)
			if got.status == 200 {
				is.Equal(got.header.Get("Cache-Control"), "no-store")
			}
		})
	}
}

func TestCookieAttributes(t *testing.T) {
	router := newRouter(t, nil)
	signIn := "name=" + demoName + "&password=" + demoPassword
	for _, tt := range []struct {
		name, target, body string
		encrypted          bool
		want               string
	}{
		{"sign in", "/login", signIn, false, "; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax"},
		{"sign in over TLS", "/login", signIn, true, "; Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Lax"},
		{"sign out", "/logout", "", false, "session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			r := newRequest("POST", tt.target, tt.body, "Content-Type", asForm)
			if tt.encrypted {
				r.TLS = &tls.ConnectionState{}
			}
			got := do(router, r)
			is.Equal(got.status, 303)
			is.True(strings.HasSuffix(got.header.Get("Set-Cookie"), tt.want)) // the attributes
		})
	}
}

// TestLoginForm leaves fields of the form empty. A password is never in the answer.
func TestLoginForm(t *testing.T) {
	const (
		name     = `<input id="name" name="name" type="text"%s autocomplete="username" autocapitalize="none" required%s>`
		password = `<input id="password" name="password" type="password" autocomplete="current-password" required%s>`
		wrong    = ` aria-invalid="true" aria-describedby="%s-wrong"`
	)
	for _, tt := range []struct {
		body, value              string
		wrongName, wrongPassword string
		together                 bool // whether the page says that they do not belong together
	}{
		{"name=&password=", "", "Name is required.", "Password is required.", false},
		{"name=+ada&password=", ` value=" ada"`, "", "Password is required.", false},
		{"name=&password=secret", "", "Name is required.", "", false},
		{"name=eve&password=secret", ` value="eve"`, "", "", true},
	} {
		t.Run(tt.body, func(t *testing.T) {
			is := is.New(t)
			got := do(newRouter(t, nil), newRequest("POST", "/login", tt.body, "Content-Type", asForm))
			is.Equal(got.status, 422)
			mark := func(id, message string) string {
				if message == "" {
					return ""
				}
				is.True(strings.Contains(got.body, fmt.Sprintf(`<span class="wrong" id="%s-wrong">%s</span>`, id, message)))
				return fmt.Sprintf(wrong, id)
			}
			is.True(strings.Contains(got.body, fmt.Sprintf(name, tt.value, mark("name", tt.wrongName))))
			is.True(strings.Contains(got.body, fmt.Sprintf(password, mark("password", tt.wrongPassword))))
			is.Equal(strings.Contains(got.body, "do not belong together"), tt.together)
			is.True(!strings.Contains(got.body, "secret"))
		})
	}
}

// TestSecrets makes two applications without a Secret. Neither accepts a session of the
// other.
func TestSecrets(t *testing.T) {
	is := is.New(t)
	signIn := newRequest("POST", "/login", "name="+demoName+"&password="+demoPassword, "Content-Type", asForm)
	cookie := do(newRouter(t, nil), signIn).header.Get("Set-Cookie")
	got := do(newRouter(t, nil), newRequest("GET", "/dashboard", "", "Cookie", cookie))
	is.Equal(got.status, 302)
}

// TestLogout calls the handler by itself.
func TestLogout(t *testing.T) {
	is := is.New(t)
	req := flow.NewRequest(newRequest("POST", "/logout", ""))
	w := httptest.NewRecorder()
	logout(req).Write(w, req)
	is.Equal(w.Code, 303)
	is.Equal(w.Header().Get("Location"), "/")
}
