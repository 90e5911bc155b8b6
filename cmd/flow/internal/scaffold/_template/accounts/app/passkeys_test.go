package app

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPasskeys asks for what a browser shows and signs, and sends what no passkey has signed.
// Package accounts has tests with passkeys.
func TestPasskeys(t *testing.T) {
	b := newSite(t).browser()
	b.join("ada@example.com")
	shows(t, b.browser().get("/sign-in?next=/users"), 200, `action="/sign-in/passkey?next=%2Fusers"`)
	shows(t, b.get("/account/passkeys"), 200, "Add a passkey")
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
	shows(t, b.post("/sign-in/passkey", "credential", "{}"), 422, "the passkey was not accepted")
	leads(t, b.post("/account/passkeys", "remove", "x"), "/account/passkeys")
}
