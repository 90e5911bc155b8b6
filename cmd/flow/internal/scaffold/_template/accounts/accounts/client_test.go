package accounts

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClient(t *testing.T) {
	for _, tt := range []struct {
		proxies        int
		remote, header string
		place, network string
	}{
		{0, "192.0.2.7:4711", "", "192.0.2.7/32", "192.0.2.0/24"},
		{0, "192.0.2.7:4711", "198.51.100.1", "192.0.2.7/32", "192.0.2.0/24"}, // nobody chooses an address
		{1, "10.0.0.1:80", "198.51.100.1, 192.0.2.7", "192.0.2.7/32", "192.0.2.0/24"},
		{2, "10.0.0.1:80", "198.51.100.1, 192.0.2.7, 10.0.0.2", "192.0.2.7/32", "192.0.2.0/24"},
		{1, "10.0.0.1:80", "", "10.0.0.1/32", "10.0.0.0/24"},
		{1, "10.0.0.1:80", "192.0.2.7:4711", "192.0.2.7/32", "192.0.2.0/24"},
		{1, "10.0.0.1:80", "[2001:db8:1:2:3::4]:80", "2001:db8:1:2::/64", "2001:db8:1::/48"},
		{1, "10.0.0.1:80", "unknown", "10.0.0.1/32", "10.0.0.0/24"},
		{0, "[2001:db8:1:2:3::4]:80", "", "2001:db8:1:2::/64", "2001:db8:1::/48"},
		{0, "[fe80::1%eth0]:80", "", "fe80::/64", "fe80::/48"},
		{0, "[::ffff:192.0.2.7]:80", "", "192.0.2.7/32", "192.0.2.0/24"},
		{0, "@", "", "", ""},
	} {
		a := New(nil, &url.URL{Scheme: "https"}, nil)
		a.Proxies = tt.proxies
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tt.remote
		if tt.header != "" {
			r.Header.Set("X-Forwarded-For", tt.header)
		}
		if c := a.Client(r); c.place() != tt.place || c.network() != tt.network {
			t.Errorf("%+v: %s, %s", tt, c.place(), c.network())
		}
	}
}

func TestAgent(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0":                  "Mozilla/5.0",
		"\xff\xfeMozilla":              "Mozilla",
		strings.Repeat("x", 300):       strings.Repeat("x", 200),
		"x" + strings.Repeat("é", 150): "x" + strings.Repeat("é", 99),
	} {
		if got := (Client{Agent: agent}).agent(); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: %q", agent, got)
		}
	}
}

func TestCookie(t *testing.T) {
	for _, tt := range []struct{ origin, want, gone string }{
		{"https://desk.example",
			"__Host-session=TOKEN; Path=/; Max-Age=7776000; HttpOnly; Secure; SameSite=Lax",
			"__Host-session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"},
		{"http://localhost:8080",
			"session=TOKEN; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax",
			"session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"},
	} {
		origin, err := url.Parse(tt.origin)
		ok(t, err)
		a := New(nil, origin, nil)
		c := a.Cookie("TOKEN")
		if c.String() != tt.want || a.Cookie("").String() != tt.gone {
			t.Errorf("%s: %s, %s", tt.origin, c, a.Cookie(""))
		}
		r := &http.Request{Header: http.Header{}}
		if a.Token(r) != "" {
			t.Error("a token without a cookie")
		}
		r.AddCookie(c)
		if a.Token(r) != "TOKEN" {
			t.Errorf("%s: the token is %q", tt.origin, a.Token(r))
		}
	}
}
