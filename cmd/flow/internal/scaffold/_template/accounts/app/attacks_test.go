package app

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/newapp/accounts"
)

// What is in this file must not work. Each test is an attack, or some of a kind.

// wholeAnswer returns all of an answer that is the same for everybody: no time, and no ID of the request.
func wholeAnswer(w *httptest.ResponseRecorder) string {
	h := w.Header().Clone()
	h.Del("X-Request-Id")
	h.Del("Retry-After") // seconds, which pass
	var text strings.Builder
	fmt.Fprintln(&text, w.Code)
	h.Write(&text)
	return text.String() + w.Body.String()
}

// TestAttackEnumeration asks as often as the limits allow, and more often, for an address that has an
// account and for one that has none, and compares the answers.
func TestAttackEnumeration(t *testing.T) {
	for path, tries := range map[string]int{"/sign-up": 8, "/sign-in": 12, "/sign-in/mail": 8, "/reset": 8, "/account/email": 8} {
		t.Run(path, func(t *testing.T) {
			b := newSite(t).browser()
			b.join("ada@example.com")
			asks := b.browser()
			b.signUpLink("bob@example.com") // who has got a mail, too, and does not follow it
			if path == "/account/email" {
				asks.join("eve@example.com")
			}
			answers := map[string][]string{}
			for _, email := range []string{"ada@example.com", "bob@example.com"} {
				for range tries {
					w := asks.post(path, "email", email, "password", "a wrong password")
					answers[email] = append(answers[email], strings.ReplaceAll(wholeAnswer(w), email, "EMAIL"))
				}
			}
			known, unknown := answers["ada@example.com"], answers["bob@example.com"]
			for i := range tries {
				if known[i] != unknown[i] {
					t.Errorf("answer %d for an address with an account:\n%s\nfor one without:\n%s", i+1, known[i], unknown[i])
				}
			}
			if !strings.HasPrefix(known[tries-1], "429") || strings.HasPrefix(known[0], "429") {
				t.Errorf("there is no limit: %s", known[tries-1])
			}
		})
	}
}

// TestAttackLeave has links to this application that lead to another one after the sign-in.
func TestAttackLeave(t *testing.T) {
	b := newSite(t).browser()
	b.join("ada@example.com")
	for _, next := range []string{
		"https://evil.example", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, `/\/evil.example`,
		"/\t/evil.example", "\t//evil.example", "/\n/evil.example", "/\x00/evil.example", " //evil.example", "/account\r\nSet-Cookie: a=b",
		"http:evil.example", "https:/evil.example", "javascript:alert(1)", "@evil.example", ".evil.example", "%2f%2fevil.example",
		"/\u007f/evil.example", "/..//evil.example", "/.//evil.example", "/%2f/evil.example", "/%5cevil.example", "/@evil.example", "/#@evil.example", "",
	} {
		w := b.post("/sign-in?next="+url.QueryEscape(next), "email", "ada@example.com", "password", password)
		to, err := here.Parse(w.Header().Get("Location")) // as a browser does
		if w.Code != http.StatusSeeOther || err != nil || to.Scheme != "https" || to.Host != here.Host || to.User != nil || w.Header().Get("Set-Cookie") == "" {
			t.Errorf("%q: %d, it leads to %v, %v", next, w.Code, to, err)
		}
		if raw := w.Header().Get("Location"); !regexp.MustCompile(`^/([^/\\\s]\S*)?$`).MatchString(raw) {
			t.Errorf("%q leads to %q", next, raw)
		}
	}
	shows(t, b.get("/account"), 200, "ada@example.com")
}

// TestAttackTokens uses links again, at other pages and after they should be worth nothing.
func TestAttackTokens(t *testing.T) {
	pages := []string{"/sign-up/password", "/sign-in/link", "/reset/password", "/account/confirm"}
	// refused sends a link to each page that takes one, in the query and in the form.
	refused := func(t *testing.T, b *browser, link string, at ...string) {
		t.Helper()
		_, token, _ := strings.Cut(link, "?token=")
		for _, page := range at {
			for _, w := range []*httptest.ResponseRecorder{
				b.get(page + "?token=" + token),
				b.post(page+"?token="+token, "password", "the password of a thief"),
				b.post(page, "token", token, "password", "the password of a thief"),
				b.post(page+"?token=AAAA&token="+token, "password", "the password of a thief"),
			} {
				if w.Code != http.StatusGone && w.Header().Get("Location") == "" || w.Header().Get("Set-Cookie") != "" {
					t.Errorf("%s: %d, %s", page, w.Code, w.Body)
				}
			}
		}
	}
	others := func(link string) []string {
		return slices.DeleteFunc(slices.Clone(pages), func(p string) bool { return strings.HasPrefix(link, p) })
	}
	for name, use := range map[string]func(b *browser, thief *browser, link func(path string) string) (old []string){
		"used": func(b, thief *browser, link func(string) string) []string {
			l := link("/sign-in/mail")
			leads(b.t, b.post(l), "/account")
			return []string{l}
		},
		"after the password was changed": func(b, thief *browser, link func(string) string) []string {
			old := []string{link("/reset"), link("/sign-in/mail")}
			w := b.post("/account/password", "password", "another long password")
			if w.Code != http.StatusSeeOther {
				b.t.Fatal(w.Body)
			}
			b.mail("ada@example.com")
			return old
		},
		"after the address was changed": func(b, thief *browser, link func(string) string) []string {
			old := []string{link("/reset"), link("/sign-in/mail")}
			b.post("/account/email", "email", "lovelace@example.com")
			b.post(b.link("lovelace@example.com"))
			b.mail("ada@example.com")
			return old
		},
		"after signing out everywhere": func(b, thief *browser, link func(string) string) []string {
			old := []string{link("/reset"), link("/sign-in/mail")}
			b.post("/account/sessions")
			return old
		},
		"after the account was deleted, and made anew": func(b, thief *browser, link func(string) string) []string {
			old := []string{link("/reset"), link("/sign-in/mail")}
			b.post("/account/delete", "email", "ada@example.com")
			b.mail("ada@example.com")
			b.browser().join("ada@example.com")
			return old
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSite(t).browser()
			b.t = t
			b.join("ada@example.com")
			link := func(path string) string {
				leads(t, b.browser().post(path, "email", "ada@example.com"), "/sent")
				l := b.link("ada@example.com")
				refused(t, b.browser(), l, others(l)...) // which leaves it as it is
				shows(t, b.browser().get(l), 200, "ada@example.com")
				return l
			}
			for _, old := range use(b, b.browser(), link) {
				refused(t, b.browser(), old, pages...)
			}
		})
	}
	t.Run("a page that is only looked at", func(t *testing.T) {
		b := newSite(t).browser()
		b.join("ada@example.com")
		b.post("/reset", "email", "ada@example.com")
		link := b.link("ada@example.com")
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "GET"} { // as programs do that read mails
			b.browser().do(httptest.NewRequest(method, link, nil))
		}
		if w := b.browser().post(link, "password", "another long password"); w.Code != http.StatusSeeOther {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
	})
}

// TestAttackResetOther resets the password of somebody else.
func TestAttackResetOther(t *testing.T) {
	t.Run("by a form with another address", func(t *testing.T) {
		b := newSite(t).browser()
		b.join("ada@example.com")
		eve := b.browser()
		eve.join("eve@example.com")
		eve.post("/reset", "email", "eve@example.com")
		link := b.link("eve@example.com") + "&email=ada@example.com&user=ada@example.com"
		eve.post(link, "password", "the password of a thief", "email", "ada@example.com", "username", "ada@example.com", "Email", "ada@example.com")
		shows(t, eve.get("/account"), 200, "eve@example.com")
		shows(t, b.browser().post("/sign-in", "email", "ada@example.com", "password", "the password of a thief"), 422, "")
		shows(t, b.get("/account"), 200, "ada@example.com")
	})
	for _, email := range []string{
		"a.da@example.com", "ada+reset@example.com", "ada@example.com.", "ada@example.com ,eve@example.com", "ada@example.com;eve@example.com",
		"\"ada\"@example.com", "ada@EXAMPLE.com\x00@evil.example", "ada@example.com\n", "аda@example.com", "ada@ex\u00adample.com", "ada@ｅxample.com",
		"ada@example.com%00", "Ada <ada@example.com>", "ada@example.com(eve)", "ADA@example.com",
	} {
		t.Run("by an address that looks alike: "+email, func(t *testing.T) {
			b := newSite(t).browser()
			b.join("ada@example.com")
			b.post("/reset", "email", email)
			b.post("/sign-in/mail", "email", "ada@example.com")
			// The mail for the address that was typed is for nobody, or for its owner.
			b.mail("ada@example.com")
		})
	}
	t.Run("by two addresses", func(t *testing.T) {
		b := newSite(t).browser()
		b.join("ada@example.com")
		for _, body := range []string{"email=ada@example.com&email=eve@example.com", "email[]=ada@example.com&email[]=eve@example.com"} {
			b.do(formTo("/reset", body))
		}
		r := httptest.NewRequest("POST", "/reset", strings.NewReader(`{"email":["ada@example.com","eve@example.com"]}`))
		r.Header.Set("Content-Type", "application/json")
		b.do(r)
		b.post("/sign-in/mail", "email", "ada@example.com")
		for !strings.Contains(b.mail("ada@example.com").Text, "/sign-in/link") {
		}
	})
	t.Run("by a link to another host", func(t *testing.T) {
		b := newSite(t).browser()
		b.join("ada@example.com")
		r := formTo("/reset", "email=ada@example.com")
		r.Host = "evil.example"
		for _, name := range []string{"X-Forwarded-Host", "X-Host", "X-Forwarded-Server", "X-Original-Host", "X-Original-URL", "X-Rewrite-URL"} {
			r.Header.Set(name, "evil.example")
		}
		r.Header.Set("Forwarded", "host=evil.example;proto=http")
		r.Header.Set("X-Forwarded-Proto", "http")
		leads(t, b.do(r), "/sent")
		shows(t, b.get(b.link("ada@example.com")), 200, "ada@example.com") // link takes none to another host
	})
}

// TestAttackHeaders has an address that would be more lines of a mail or of an answer.
func TestAttackHeaders(t *testing.T) {
	b := newSite(t).browser()
	for _, email := range []string{
		"ada@example.com\r\nBcc: eve@example.com", "ada@example.com\nSubject: hello", "ada@example.com\r\n\r\nhello",
		"Bcc: eve@example.com\r\nada@example.com", "ada@example.com\x00Bcc: eve@example.com", "ada@example.com, eve@example.com",
	} {
		for _, path := range []string{"/sign-in/mail", "/reset"} { // TestSignUp has /sign-up
			w := b.post(path, "email", email)
			shows(t, w, 422, "")
			if w.Header().Get("Bcc") != "" || w.Header().Get("Subject") != "" {
				t.Errorf("%s: %v", path, w.Header())
			}
		}
	}
}

// TestAttackMassAssignment sends names that no form has.
func TestAttackMassAssignment(t *testing.T) {
	fields := []string{"role", "Role", "user.role", "User.Role", "user[role]", "User[Role]", "Recent", "created", "Session.User.Role"}
	form := url.Values{"email": {"ada@example.com"}, "password": {password}}
	for _, f := range fields {
		form.Set(f, accounts.Admin)
	}
	b := newSite(t).browser()
	send := func(path string) *httptest.ResponseRecorder {
		return b.do(formTo(path, form.Encode()))
	}
	sendJSON := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", path, strings.NewReader(`{"email":"ada@example.com","password":"`+password+`","role":"admin","Role":"admin","User":{"Role":"admin"},"user":{"role":"admin"}}`))
		r.Header.Set("Content-Type", "application/json")
		return b.do(r)
	}
	query := "role=admin&Role=admin&User.Role=admin&user.role=admin"
	send("/sign-up?" + query)
	send(b.signUpLink("ada@example.com") + "&" + query)
	for _, path := range []string{"/sign-in", "/account/password", "/account", "/users", "/account/email"} {
		send(path + "?" + query)
		sendJSON(path + "?" + query)
	}
	send("/sign-in")
	shows(t, b.get("/account"), 200, "ada@example.com")
	shows(t, b.get("/users"), 404, "")
	shows(t, send("/users"), 404, "")
}

// TestAttackOtherSite has forms of other sites, which browsers send with the cookie.
func TestAttackOtherSite(t *testing.T) {
	paths := []string{"/sign-up", "/sign-in", "/sign-in/mail", "/sign-out", "/reset", "/account/email", "/account/password", "/account/delete", "/account/sessions", "/account/confirm", "/sign-in/link", "/reset/password", "/sign-up/password", "/users"}
	for name, header := range map[string][2]string{
		"another site":                 {"Sec-Fetch-Site", "cross-site"},
		"another subdomain":            {"Sec-Fetch-Site", "same-site"},
		"a browser without Sec-Fetch":  {"Origin", "https://evil.example"},
		"a frame without an origin":    {"Origin", "null"},
		"the same host, another port":  {"Origin", "https://newapp.example:8443"},
		"a host that begins like ours": {"Origin", "https://newapp.example.evil.example"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSite(t).browser()
			b.join("ada@example.com")
			for _, path := range paths {
				for _, kind := range []string{"application/x-www-form-urlencoded", "text/plain", "application/json"} {
					r := httptest.NewRequest("POST", "https://newapp.example"+path, strings.NewReader("email=ada%40example.com&password=a+long+password&_method=GET"))
					r.Header.Set(header[0], header[1])
					r.Header.Set("Content-Type", kind)
					r.Header.Set("X-HTTP-Method-Override", "GET")
					if w := b.do(r); w.Code != http.StatusForbidden {
						t.Errorf("%s: %d", path, w.Code)
					}
				}
			}
			shows(t, b.get("/account"), 200, "ada@example.com")
		})
	}
	t.Run("an image", func(t *testing.T) { // GET must not do anything
		b := newSite(t).browser()
		b.join("ada@example.com")
		for _, path := range paths {
			for _, method := range []string{"GET", "HEAD"} {
				r := httptest.NewRequest(method, path+"?email=ada%40example.com&password=a+long+password&id=", nil)
				r.Header.Set("Sec-Fetch-Site", "cross-site")
				r.Header.Set("X-HTTP-Method-Override", "POST")
				if w := b.do(r); w.Header().Get("Set-Cookie") != "" || w.Code >= 500 {
					t.Errorf("%s %s: %d", method, path, w.Code)
				}
			}
		}
		shows(t, b.get("/account"), 200, "ada@example.com")
		shows(t, b.browser().post("/sign-in", "email", "ada@example.com", "password", password), 303, "")
	})
}

// TestAttackGuessing tries many passwords at the same moment.
func TestAttackGuessing(t *testing.T) {
	b := newSite(t).browser()
	codes := b.atOnce(25, func(int) *http.Request { return formTo("/sign-in", "email=ada@example.com&password=a+wrong+password") })
	if codes[http.StatusUnprocessableEntity] != 10 || codes[http.StatusTooManyRequests] != 15 {
		t.Errorf("more or less than 10 passwords were tried: %v", codes)
	}
	if w := b.post("/sign-in", "email", "ada@example.com", "password", password); w.Header().Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
}

// TestLimitsCountByAddress asks from one place that pretends to be many, and from many.
func TestLimitsCountByAddress(t *testing.T) {
	forwarded := func(format string) func(i int, r *http.Request) {
		return func(i int, r *http.Request) { r.Header.Set("X-Forwarded-For", fmt.Sprintf(format, i)) }
	}
	for name, tt := range map[string]struct {
		proxies int
		from    func(i int, r *http.Request)
		stopped int // of 30: 10 if the limit counts them as one place
	}{
		"one address":                      {0, func(i int, r *http.Request) {}, 10},
		"X-Forwarded-For without a proxy":  {0, forwarded("10.0.0.%d"), 10},
		"what the client has put in front": {1, forwarded("10.0.0.%d, 198.51.100.7"), 10},
		"two header fields": {1, func(i int, r *http.Request) {
			r.Header["X-Forwarded-For"] = []string{fmt.Sprintf("10.0.0.%d", i), "198.51.100.7"}
		}, 10},
		"a list of two proxies": {2, forwarded("10.0.0.%d, 198.51.100.7, 192.0.2.9"), 10},
		"another one in front":  {2, func(i int, r *http.Request) { r.Header.Set("X-Forwarded-For", "198.51.100.7") }, 10},
		"no address":            {1, forwarded("x%d"), 10},
		"a network of IPv6": {0, func(i int, r *http.Request) {
			r.RemoteAddr = netip.AddrPortFrom(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 15: byte(i)}), 80).String()
		}, 10},
		"other headers": {1, func(i int, r *http.Request) {
			r.Header.Set("X-Forwarded-For", "198.51.100.7")
			r.Header.Set("X-Real-IP", fmt.Sprintf("10.0.0.%d", i))
			r.Header.Set("Forwarded", fmt.Sprintf("for=10.0.0.%d", i))
			r.Header.Set("True-Client-IP", fmt.Sprintf("10.0.0.%d", i))
		}, 10},
		"many addresses": {1, forwarded("10.0.0.%d"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSite(t).browser()
			b.Accounts.Proxies = tt.proxies
			codes := b.atOnce(30, func(i int) *http.Request {
				r := formTo("/reset", fmt.Sprintf("email=user%d@example.com", i))
				tt.from(i, r)
				return r
			})
			if codes[http.StatusTooManyRequests] != tt.stopped {
				t.Errorf("%v, want %d that are stopped", codes, tt.stopped)
			}
		})
	}
}

// TestAttackSlowBody sends the end of a form when the owner has thrown the thief out.
func TestAttackSlowBody(t *testing.T) {
	for path, rest := range map[string]string{
		"/account/password": "=the+password+of+a+thief",
		"/account/email":    "=eve%40example.com",
		"/account/delete":   "=ada%40example.com",
	} {
		t.Run(path, func(t *testing.T) {
			thief := newSite(t).browser()
			thief.join("ada@example.com")
			name := "email"
			if path == "/account/password" {
				name = "password"
			}
			body, pipe := io.Pipe()
			r := httptest.NewRequest("POST", path, body)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			done := make(chan *httptest.ResponseRecorder)
			go func() { done <- thief.do(r) }()
			io.WriteString(pipe, name) // until somebody reads: the guards have let it through

			owner := thief.browser()
			owner.post("/reset", "email", "ada@example.com")
			if w := owner.post(owner.link("ada@example.com"), "password", "the password of the owner"); w.Code != http.StatusSeeOther {
				t.Fatal(w.Body)
			}
			io.WriteString(pipe, rest)
			pipe.Close()
			if w := <-done; !strings.HasPrefix(w.Header().Get("Location"), "/sign-in") {
				t.Errorf("%d, it leads to %q", w.Code, w.Header().Get("Location"))
			}
			shows(t, owner.get("/account"), 200, "ada@example.com")
			leads(t, thief.browser().post("/sign-in", "email", "ada@example.com", "password", "the password of the owner"), "/account")
		})
	}
}

// TestAttackBodies sends forms that are none. None of them may be an error of the server.
func TestAttackBodies(t *testing.T) {
	many := strings.Repeat("a=1&", 10_000)
	long := strings.Repeat("A", 1<<20)
	for name, tt := range map[string]struct{ kind, body string }{
		"a password of 1 MB":      {"", "email=ada@example.com&password=" + long},
		"an address of 1 MB":      {"", "password=x&email=" + long + "@example.com"},
		"a thousand at signs":     {"", "password=x&email=" + strings.Repeat("a@", 120) + "example.com"},
		"NUL":                     {"", "email=ada%00@example.com&password=a%00b%00c%00d%00e%00f%00g&id=%00&user=%00&role=%00"},
		"bytes that are no UTF-8": {"", "email=%ff%fe@example.com&password=%ff%ff%ff%ff%ff%ff%ff%ff%ff%ff%ff%ff%ff&id=%ff&user=%ff"},
		"10,000 fields":           {"", many + "email=x"},
		"half of a form":          {"", "email=ada%"},
		"a bad escape":            {"", "email=%zz&password=%"},
		"JSON of other types":     {"application/json", `{"email":{"a":1},"password":[1,2]}`},
		"half of JSON":            {"application/json", `{"email":"ada@exam`},
		"deep JSON":               {"application/json", strings.Repeat(`{"a":`, 100_000)},
		"half of a multipart":     {"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\nada"},
		"no boundary":             {"multipart/form-data", "x"},
		"XML":                     {"application/xml", "<email>ada@example.com</email>"},
		"nothing":                 {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSite(t).browser()
			b.join("ada@example.com")
			for _, path := range []string{"/sign-up", "/sign-in", "/reset", "/reset/password?token=%00%ff", "/sign-in/link?token=" + long[:8000], "/account/password?token=%zz", "/account/email", "/account/confirm", "/sign-out"} {
				r := formTo(path, tt.body)
				if tt.kind != "" {
					r.Header.Set("Content-Type", tt.kind)
				}
				r.Header.Set("User-Agent", "\xff\x00"+long[:1000])
				if w := b.do(r); w.Code >= 500 {
					t.Errorf("%s: %d\n%s", path, w.Code, w.Body)
				}
			}
		})
	}
}

// TestAttackCookies sends cookies that nobody has got.
func TestAttackCookies(t *testing.T) {
	b := newSite(t).browser()
	b.join("ada@example.com")
	token := b.jar.Cookies(here)[0].Value
	for name, cookie := range map[string]string{
		"the name of http":        "session=" + token,
		"lower case":              "__host-session=" + token,
		"another prefix":          "__Secure-session=" + token,
		"the token in lower case": "__Host-session=" + strings.ToLower(token),
		"a part of it":            "__Host-session=" + token[:25],
		"more than it":            "__Host-session=" + token + "A",
		"empty":                   "__Host-session=",
		"long":                    "__Host-session=" + strings.Repeat("A", 60_000),
		"bytes that are no UTF-8": "__Host-session=\xff\xfe",
		"another one first":       "__Host-session=AAAA; __Host-session=" + token,
		"SQL":                     "__Host-session=' OR 1=1 --",
		"a thousand":              strings.Repeat("__Host-session=AAAA; ", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/account", nil)
			r.Header.Set("Cookie", cookie)
			w := httptest.NewRecorder()
			b.router.ServeHTTP(w, r)
			leads(t, w, "/sign-in?next=%2Faccount")
		})
	}
	for _, r := range []*http.Request{
		httptest.NewRequest("GET", "/account?session="+token+"&__Host-session="+token, nil),
		{Method: "GET", URL: &url.URL{Path: "/account"}, Header: http.Header{"Authorization": {"Bearer " + token}, "X-Session": {token}}},
	} {
		w := httptest.NewRecorder()
		b.router.ServeHTTP(w, r)
		if w.Code != http.StatusSeeOther {
			t.Errorf("a token that is in no cookie: %d", w.Code)
		}
	}
}

// TestAttackFixation has a token that somebody else has put into the browser, or has seen there, and
// signs in by each way.
func TestAttackFixation(t *testing.T) {
	for name, signIn := range map[string]func(b *browser){
		"password": func(b *browser) { b.post("/sign-in", "email", "ada@example.com", "password", password) },
		"link": func(b *browser) {
			b.post("/sign-in/mail", "email", "ada@example.com")
			b.post(b.link("ada@example.com"))
		},
		"reset": func(b *browser) {
			b.post("/reset", "email", "ada@example.com")
			b.post(b.link("ada@example.com"), "password", "another long password")
		},
	} {
		for which, plant := range map[string]func(b *browser) string{
			"made up": func(b *browser) string { return "AAAAAAAAAAAAAAAAAAAAAAAAAA" },
			"of a thief": func(b *browser) string {
				thief := b.browser()
				thief.join("eve@example.com")
				return thief.jar.Cookies(here)[0].Value
			},
			"of before": func(b *browser) string {
				b.post("/sign-in", "email", "ada@example.com", "password", password)
				return b.jar.Cookies(here)[0].Value
			},
		} {
			t.Run(name+", "+which, func(t *testing.T) {
				s := newSite(t)
				s.browser().join("ada@example.com")
				b := s.browser()
				planted := &http.Cookie{Name: "__Host-session", Value: plant(b), Path: "/", Secure: true}
				b.jar.SetCookies(here, []*http.Cookie{planted})
				signIn(b)
				shows(t, b.get("/account"), 200, "ada@example.com")
				thief := s.browser()
				thief.jar.SetCookies(here, []*http.Cookie{planted})
				leads(t, thief.get("/account"), "/sign-in?next=%2Faccount")
			})
		}
	}
}

// TestAttackCaches looks for answers that a cache may give to somebody else, or the browser after signing out.
func TestAttackCaches(t *testing.T) {
	b := newSite(t).browser()
	before := b.get("/account")
	b.join("ada@example.com")
	b.post("/reset", "email", "ada@example.com")
	link := b.link("ada@example.com")
	for path, want := range map[string]string{
		"/sign-in": "private", "/sent": "private", link: "private", "/reset/password?token=A": "private",
		"/nothing": "private", "/account": "no-store", "/account/email": "no-store", "/account/password": "no-store", "/account/sessions": "no-store", "/account/delete": "no-store",
		"/account/confirm?token=A": "private", "/users": "private",
	} {
		w := b.get(path)
		if got := w.Header().Get("Cache-Control"); !strings.Contains(got, want) {
			t.Errorf("%s: Cache-Control is %q, want %s", path, got, want)
		}
		if strings.Contains(path, "token") && w.Header().Get("Referrer-Policy") != "strict-origin" {
			t.Errorf("%s: the token is in the Referer of what the page asks for", path)
		}
	}
	r := httptest.NewRequest("GET", "/account", nil)
	r.Header.Set("If-None-Match", "*")
	r.Header.Set("If-Modified-Since", before.Header().Get("Date"))
	shows(t, b.do(r), 200, "ada@example.com") // and not what the browser has from before the sign-in
}

// TestAttackLogs does what there is to do, and looks for secrets in the log.
func TestAttackLogs(t *testing.T) {
	var log bytes.Buffer
	previous := slog.Default()
	defer slog.SetDefault(previous)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	b := newSite(t).browser()
	secrets := map[string]bool{password: true}
	secret := func(l string) string {
		_, token, _ := strings.Cut(l, "token=")
		secrets[token] = true
		return l
	}
	link := func(to string) string { return secret(b.link(to)) }
	note := func(b *browser) {
		for _, c := range b.jar.Cookies(here) {
			secrets[c.Value] = true
		}
	}
	l := secret(b.signUpLink("ada@example.com"))
	b.get(l)
	b.post(l, "password", "short secret")
	b.post(l, "password", password)
	note(b)
	b.get(l)
	for _, path := range []string{"/sign-in/mail", "/reset"} {
		other := b.browser()
		other.post(path, "email", "ada@example.com")
		l := link("ada@example.com")
		for _, at := range []string{l, strings.Replace(l, "?", "/?", 1), "/" + l, "/nothing" + l, "/account/confirm?" + l[strings.Index(l, "token"):]} {
			other.get(at)
			other.post("/sign-in?next="+url.QueryEscape(at), "email", "bob@example.com", "password", "a wrong password")
		}
		other.post(l, "password", "another long password")
		note(other)
		if path == "/reset" {
			b.mail("ada@example.com")
		}
	}
	b.post("/sign-in?next=%2F%2F"+url.QueryEscape(password), "email", password, "password", password)
	b.post("/sign-in?next=/%00"+url.QueryEscape(password), "email", "ada@example.com", "password", "another long password")
	shows(t, b.get("/account"), 200, "ada@example.com")
	note(b)
	b.post("/account/email", "email", "lovelace@example.com")
	b.post(link("lovelace@example.com"))
	b.mail("ada@example.com")
	b.get("/account?session=" + b.jar.Cookies(here)[0].Value)
	secrets["another long password"], secrets["a wrong password"], secrets["short secret"] = true, true, true
	text := log.String()
	if text == "" {
		t.Skip("the application does not log with slog.Default")
	}
	for _, secret := range slices.Sorted(maps.Keys(secrets)) {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("%q is in the log: %s", secret, text[max(0, i-300):min(len(text), i+100)])
			}
		}
	}
}
