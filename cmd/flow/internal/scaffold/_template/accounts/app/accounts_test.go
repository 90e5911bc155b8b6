package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flow"
	"example.com/newapp/accounts"
	"example.com/newapp/accounts/testdb"
)

// A testSite is the application with a database and a mailbox of its own.
type testSite struct {
	*members
	t      testing.TB
	router *flow.Router
	mails  chan accounts.Mail
}

// newSite returns a site that no other test has. Its log is shown with the test if that fails.
func newSite(t *testing.T) *testSite {
	return siteOf(t, New(&App{Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}))
}

// siteOf gives a Router accounts with a database and a mailbox.
func siteOf(t testing.TB, r *flow.Router) *testSite {
	t.Helper()
	db, err := accounts.Open(testdb.New(t))
	if err != nil {
		t.Fatal(err)
	}
	s := &testSite{t: t, router: r, mails: make(chan accounts.Mail, 10)}
	a := accounts.New(db, &url.URL{Scheme: "https", Host: "newapp.example"}, func(_ context.Context, m accounts.Mail) error {
		s.mails <- m
		return nil
	})
	a.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	s.members = joinMembers(r, a)
	if err := a.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(func() {
		stop()
		a.Stop(context.Background())
		db.Close()
	})
	if err := a.Start(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// withAccounts gives a Router accounts without a database, for the list of its routes.
func withAccounts(r *flow.Router) *flow.Router {
	joinMembers(r, accounts.New(nil, &url.URL{}, nil))
	return r
}

// joinedMembers has the members of each Router: tests that share one change its accounts in turn.
var joinedMembers sync.Map

func joinMembers(r *flow.Router, a *accounts.Accounts) *members {
	v, there := joinedMembers.LoadOrStore(r, &members{})
	m := v.(*members)
	if !there {
		if err := use(r, m); err != nil {
			panic(err)
		}
	}
	m.Accounts = a
	return m
}

// mail waits for the next mail, which must be to an address. A mail stays in the database until
// it is sent: if none is there, none will come.
func (s *testSite) mail(to string) accounts.Mail {
	s.t.Helper()
	for {
		var wait int
		if err := s.Accounts.DB().QueryRow("SELECT count(*) FROM mails").Scan(&wait); err != nil {
			s.t.Fatal(err)
		}
		select {
		case m := <-s.mails:
			if m.To != to {
				s.t.Fatalf("the mail is %+v, want one to %s", m, to)
			}
			return m
		default:
		}
		if wait == 0 {
			s.t.Fatalf("there is no mail to %s", to)
		}
		time.Sleep(time.Millisecond) // it is being sent
	}
}

// link waits for a mail to an address, and returns the path and query of its link.
func (s *testSite) link(to string) string {
	s.t.Helper()
	m := s.mail(to)
	link, ok := strings.CutPrefix(m.Link, "https://newapp.example")
	if !ok {
		s.t.Fatalf("the mail is %+v, want one with a link", m)
	}
	return link
}

// A browser keeps cookies.
type browser struct {
	*testSite
	jar http.CookieJar
}

func (s *testSite) browser() *browser {
	jar, _ := cookiejar.New(nil) // without options it has no error
	return &browser{s, jar}
}

var here = &url.URL{Scheme: "https", Host: "newapp.example", Path: "/"}

// do sends a request as a proxy passes it on, which has ended TLS.
func (b *browser) do(r *http.Request) *httptest.ResponseRecorder {
	for _, c := range b.jar.Cookies(here) {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.router.ServeHTTP(w, r)
	b.jar.SetCookies(here, w.Result().Cookies())
	return w
}

func (b *browser) get(path string) *httptest.ResponseRecorder {
	return b.do(httptest.NewRequest("GET", path, nil))
}

// post sends a form, of which fields are names and values in turn.
func (b *browser) post(path string, fields ...string) *httptest.ResponseRecorder {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.do(formTo(path, form.Encode()))
}

// formTo returns a request with a form as browsers send it.
func formTo(path, body string) *http.Request {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// atOnce sends many requests at the same moment, without cookies, and returns how many answers
// have each status.
func (s *testSite) atOnce(many int, request func(i int) *http.Request) map[int]int {
	answers := make([]*httptest.ResponseRecorder, many)
	var wg sync.WaitGroup
	for i := range answers {
		answers[i] = httptest.NewRecorder()
		wg.Go(func() { s.router.ServeHTTP(answers[i], request(i)) })
	}
	wg.Wait()
	codes := map[int]int{}
	for _, w := range answers {
		codes[w.Code]++
	}
	return codes
}

const password = "correct horse battery"

// signUpLink returns the link for signing up. It asks for it without the page for that, which
// the application may have for some only.
func (b *browser) signUpLink(email string) string {
	b.t.Helper()
	if err := b.Accounts.SendLink(b.t.Context(), accounts.ForSignUp, email, accounts.Client{}); err != nil {
		b.t.Fatal(err)
	}
	return b.link(email)
}

// join signs up, and stays signed in.
func (b *browser) join(email string) {
	b.t.Helper()
	leads(b.t, b.post(b.signUpLink(email), "password", password), "/account")
}

func leads(t testing.TB, w *httptest.ResponseRecorder, to string) {
	t.Helper()
	if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != to {
		t.Fatalf("%d, it leads to %q, want %q\n%s", w.Code, got, to, w.Body)
	}
}

func shows(t testing.TB, w *httptest.ResponseRecorder, status int, want string) {
	t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), want) {
		t.Errorf("%d, want %d and %q in\n%s", w.Code, status, want, w.Body)
	}
}

// TestAccountPages asks for each page of accounts.
func TestAccountPages(t *testing.T) {
	for _, tt := range []struct {
		method, path, body string
		member             bool
		status             int
		want               string // what the answer has in it
	}{
		{"GET", "/sign-up/password", "", false, 410, "ask for another one"},
		{"POST", "/sign-up/password?token=AAAA", "password=" + password, false, 410, "ask for another one"},
		{"GET", "/sign-in", "", false, 200, `autocomplete="current-password"`},
		{"GET", "/sign-in", "", true, 302, ""},
		{"GET", "/sign-in?notice=everywhere", "", false, 200, "You are signed out everywhere."},
		{"POST", "/sign-in", "email=bob@example.com&password=x", false, 422, "The address or the password is wrong."},
		{"POST", "/sign-in", "email=&password=", false, 422, "Email is required."},
		{"GET", "/sign-in/mail", "", false, 200, "Send me a link"},
		{"GET", "/sign-in/link?token=AAAA", "", false, 410, "ask for another one"},
		{"POST", "/sign-in/link?token=AAAA", "", false, 410, "ask for another one"},
		{"GET", "/reset", "", false, 200, "Send me a link"},
		{"GET", "/reset/password?token=AAAA", "", false, 410, "ask for another one"},
		{"GET", "/account/confirm?token=AAAA", "", true, 410, "ask for another one"},
		{"POST", "/account/confirm?token=AAAA", "", true, 410, "ask for another one"},
		{"GET", "/sent", "", false, 200, "mailbox"},
		{"POST", "/sign-out", "", false, 303, ""},
		{"GET", "/account", "", false, 303, ""},
		{"GET", "/account", "", true, 200, "signed up"},
		{"GET", "/account/email", "", true, 200, "Send a link"},
		{"POST", "/account/email", "email=x", true, 422, "must be an address"},
		{"GET", "/account/password", "", true, 200, "Change the password"},
		{"POST", "/account/password", "password=short", true, 422, "must have at least 12 characters"},
		{"GET", "/account/sessions", "", true, 200, "(this browser)"},
		{"GET", "/account/delete", "", true, 200, "Type ada@example.com"},
		{"POST", "/account/delete", "email=", true, 422, "Email is required."},
		{"POST", "/account/delete", "email=bob@example.com", true, 422, "Email is not that of this account."},
		{"GET", "/.well-known/change-password", "", false, 302, ""},
		{"GET", "/users", "", false, 303, ""},
		{"GET", "/users", "", true, 404, ""},
		{"POST", "/users", "user=x&role=admin", true, 404, ""},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			b := newSite(t).browser()
			if tt.member {
				b.join("ada@example.com")
			}
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(strings.ReplaceAll(tt.body, " ", "+")))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := b.do(r)
			shows(t, w, tt.status, tt.want)
			if strings.Contains(w.Body.String(), "(optional)") {
				t.Error("a field of the form is optional")
			}
		})
	}
}

// TestSignUp goes from the form to the account, and out.
func TestSignUp(t *testing.T) {
	b := newSite(t).browser()
	shows(t, b.get("/sign-up"), 200, `type="email"`)
	for _, email := range []string{"", "ada", "ada@example.com\r\nBcc: eve@example.com", "ada@example.com, eve@example.com"} {
		shows(t, b.post("/sign-up", "email", email), 422, "Email must be an address")
	}
	leads(t, b.post("/sign-up", "email", "ada@example.com"), "/sent")
	link := b.link("ada@example.com")
	shows(t, b.get(link), 200, `value="ada@example.com" autocomplete="username"`)
	shows(t, b.get(link), 200, `aria-describedby="password-hint"`)
	shows(t, b.post(link, "password", "short"), 422, "password must have at least 12 characters.")
	leads(t, b.post(link, "password", password), "/account")
	shows(t, b.get("/account"), 200, "signed in as ada@example.com")
	shows(t, b.get("/sign-up"), 302, "")
	shows(t, b.get(link), 410, "go to your account")
	leads(t, b.post("/sign-out"), "/")
	shows(t, b.get(link), 410, "Sign in with your password")
	leads(t, b.get("/account"), "/sign-in?next=%2Faccount")
	leads(t, b.post("/sign-in?next=%2Faccount%2Fsessions", "email", "ada@example.com", "password", password), "/account/sessions")
}

func TestSignInLink(t *testing.T) {
	b := newSite(t).browser()
	b.join("ada@example.com")
	other := b.browser()
	leads(t, other.post("/sign-in/mail", "email", "ada@example.com"), "/sent")
	link := b.link("ada@example.com")
	shows(t, other.get(link), 200, "sign in as ada@example.com, in this browser")
	leads(t, other.get("/account"), "/sign-in?next=%2Faccount") // the page alone signs nobody in
	leads(t, other.post(link), "/account")
	shows(t, b.get("/account/sessions"), 200, "Sign out: ")
	leads(t, b.post("/account/sessions"), "/sign-in?notice=everywhere")
	leads(t, other.get("/account"), "/sign-in?next=%2Faccount")
}

func TestNewPasswordByLinkSignsOthersOut(t *testing.T) {
	b := newSite(t).browser()
	b.join("ada@example.com")
	other := b.browser()
	leads(t, other.post("/reset", "email", "ada@example.com"), "/sent")
	link := b.link("ada@example.com")
	shows(t, other.get(link), 200, "ada@example.com")
	leads(t, other.post(link, "password", "another long password"), "/account?notice=password")
	leads(t, b.get("/account"), "/sign-in?next=%2Faccount")
	if m := b.mail("ada@example.com"); !strings.Contains(m.Subject, "was changed") {
		t.Errorf("the mail is %+v", m)
	}
}

func TestAccount(t *testing.T) {
	b := newSite(t).browser()
	b.join("ada@example.com")
	before := b.jar.Cookies(here)[0].Value
	leads(t, b.post("/account/password", "password", "another long password"), "/account?notice=password")
	shows(t, b.get("/account?notice=password"), 200, "Your password is changed")
	if b.jar.Cookies(here)[0].Value == before {
		t.Error("the session is the same")
	}
	b.mail("ada@example.com")
	leads(t, b.post("/account/email", "email", "lovelace@example.com"), "/sent")
	link := b.link("lovelace@example.com")
	shows(t, b.get(link), 200, "The address of your account becomes lovelace@example.com.")
	leads(t, b.post(link), "/account?notice=email")
	b.mail("ada@example.com")
	shows(t, b.get("/account"), 200, "signed in as lovelace@example.com")
	leads(t, b.post("/account/delete", "email", " Lovelace@example.com"), "/sign-in?notice=deleted")
	leads(t, b.get("/account"), "/sign-in?next=%2Faccount")
	shows(t, b.post("/sign-in", "email", "lovelace@example.com", "password", "another long password"), 422, "is wrong")
}

// TestRecentOnly asks the guard where no other one has led a stranger away.
func TestRecentOnly(t *testing.T) {
	req := newSite(t).router.NewRequest(httptest.NewRequest("GET", "/export?a=b", nil))
	w := httptest.NewRecorder()
	recentOnly(req).Write(w, req)
	leads(t, w, "/sign-in?next=%2Fexport%3Fa%3Db")
}

// TestOldSignIn signs in again before what is dangerous. A form that was sent meanwhile has
// changed nothing, and the page says so.
func TestOldSignIn(t *testing.T) {
	b := newSite(t).browser()
	b.join("ada@example.com")
	if _, err := b.Accounts.DB().Exec("UPDATE sessions SET created = created - 3600000"); err != nil {
		t.Fatal(err)
	}
	leads(t, b.get("/account/password"), "/sign-in?next=%2Faccount%2Fpassword")
	shows(t, b.get("/sign-in"), 200, "Sign in again to go on.")
	shows(t, b.get("/sign-in"), 200, `value="ada@example.com"`)

	r := formTo("/account/password", "password=another+long+password")
	r.Header.Set("Referer", "https://newapp.example/account/password?a=b")
	again := b.do(r)
	leads(t, again, "/sign-in?next=%2Faccount%2Fpassword%3Fa%3Db&notice=unsaved")
	shows(t, b.get(again.Header().Get("Location")), 200, "Nothing was changed")
	leads(t, b.post(again.Header().Get("Location"), "email", "ada@example.com", "password", password), "/account/password?a=b")
	shows(t, b.get("/account/password"), 200, "Change the password")

	leads(t, b.browser().post("/account/delete"), "/sign-in?next=%2F&notice=unsaved") // without a Referer

	for accepts, status := range map[string]int{
		"application/json":                  401,
		"application/json, text/plain, */*": 401,
		"text/html, application/ld+json":    303,
		"*/*":                               303,
	} {
		for _, path := range []string{"/account", "/users"} {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("Accept", accepts)
			if w := b.browser().do(r); w.Code != status {
				t.Errorf("%s, for %s: status %d, want %d", path, accepts, w.Code, status)
			}
		}
	}
}

// TestBrowserName has what browsers call themselves.
func TestBrowserName(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36":                                   "Chrome on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":           "Edge on Windows",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":                         "Chrome on Android",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15":                   "Safari on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0":                                                          "Firefox on Linux",
		"curl/8.14.1": "curl/8.14.1",
		"":            "A browser without a name",
	} {
		if got := browserName(agent); got != want {
			t.Errorf("%s is called %s, want %s", agent, got, want)
		}
	}
}

func TestMakeAdmin(t *testing.T) {
	b := newSite(t).browser()
	b.join("ada@example.com")
	bob := b.browser()
	bob.join("bob@example.com")
	if err := b.Accounts.MakeAdmin(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	leads(t, b.get("/users"), "/sign-in?next=%2Fusers") // the role begins with a new session
	leads(t, b.post("/sign-in?next=/users", "email", "ada@example.com", "password", password), "/users")
	page := b.get("/users?q=BOB")
	shows(t, page, 200, "Make admin: bob@example.com")
	if strings.Contains(page.Body.String(), "ada@") {
		t.Error("the search finds others, too")
	}
	shows(t, b.get("/users?q=eve"), 200, "No address has “eve” in it.")
	_, id, _ := strings.Cut(page.Body.String(), `name="user" value="`)
	id, _, _ = strings.Cut(id, `"`)
	leads(t, b.post("/users?q=BOB", "user", id, "role", "admin"), "/users?q=BOB")
	shows(t, b.get("/users"), 200, "Make no admin: bob@example.com")
	shows(t, b.get("/account"), 200, "role: admin")
	shows(t, b.post("/account/delete", "email", "ada@example.com"), 422, "an admin cannot delete the account: another admin has to take the role from you first.")
	shows(t, b.post("/users", "user", id, "role", "root"), 422, "there is no such user or role")
}
