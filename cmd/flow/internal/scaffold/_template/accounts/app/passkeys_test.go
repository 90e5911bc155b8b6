package app

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.com/newapp/accounts"
)

// TestPasskeys asks for what a browser shows and signs, and sends what no passkey has signed.
// Package accounts has tests with passkeys.
func TestPasskeys(t *testing.T) {
	b := newSite(t).browser()
	b.join("ada@example.com")
	shows(t, b.browser().get("/sign-in?next=/users"), 200, `action="/sign-in/passkey?next=%2Fusers"`)
	shows(t, b.get("/account/passkeys"), 200, "Add a passkey")
	for id, used := range map[string]int{"new": 0, "old": 60_000} {
		if _, err := b.Accounts.DB().Exec("INSERT INTO passkeys (id, user_id, name, public_key, signs, synced, created, used) SELECT $1, id, $1, '', 0, 0, 0, $2 FROM users", id, used); err != nil {
			t.Fatal(err)
		}
	}
	shows(t, b.get("/account/passkeys"), 200, `Since 1970-01-01 00:00 UTC</p>`)
	shows(t, b.get("/account/passkeys"), 200, `last used 1970-01-01 00:01 UTC</p>`)
	for path, want := range map[string]string{
		"/account/passkeys/options": `"name":"ada@example.com"`,
		"/sign-in/passkey/options":  `"rpId":"newapp.example"`,
	} {
		w := b.do(httptest.NewRequest("POST", path, nil))
		shows(t, w, 200, want)
		if cookie := w.Header().Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-passkey=") {
			t.Errorf("%s: Set-Cookie: %s", path, cookie)
		}
	}
	shows(t, b.post("/account/passkeys", "name", "Laptop", "credential", "{}"), 422, "the passkey was not accepted")
	refused := b.browser().post("/sign-in/passkey?next=/users", "credential", "{}")
	leads(t, refused, "/sign-in?next=%2Fusers&notice=passkey")
	shows(t, b.browser().get(refused.Header().Get("Location")), 200, "The passkey was not accepted.")
	leads(t, b.post("/account/passkeys", "remove", "x"), "/account/passkeys")
}

// TestNoPasskeys has a site whose URL has no name, so that browsers have no passkeys for it.
func TestNoPasskeys(t *testing.T) {
	s := newSite(t)
	s.members.Accounts = accounts.New(s.Accounts.DB(), &url.URL{Scheme: "http", Host: "127.0.0.1:8080"}, nil)
	page := s.browser().get("/sign-in")
	shows(t, page, 200, "Forgotten password")
	if strings.Contains(page.Body.String(), "with a passkey") {
		t.Error(page.Body)
	}
}
