package app

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestDesk holds that the application does what docs/accounts.md has added to it.
func TestDesk(t *testing.T) {
	s := newSite(t)
	invite := func(email string) *browser {
		b := s.browser()
		b.join(email)
		return b
	}
	ada, bob := invite("ada@example.com"), invite("bob@example.com")

	shows(t, ada.post("/account/name", "name", ""), 422, "must have 1 to 50 characters")
	leads(t, ada.post("/account/name", "name", "Ada", "Role", "admin"), "/account")
	shows(t, ada.get("/account/name"), 200, `value="Ada"`)
	shows(t, ada.get("/users"), 404, "")

	shows(t, ada.post("/account/email", "email", "ada@example.org"), 422, "must end with @example.com")
	shows(t, s.browser().post("/reset", "email", "ada@example.org"), 422, "must end with @example.com")

	leads(t, ada.post("/tickets", "title", "The printer burns"), "/tickets")
	page := ada.get("/tickets")
	shows(t, page, 200, "The printer burns")
	shows(t, page, 200, ">Tickets</a>")
	_, path, _ := strings.Cut(page.Body.String(), `href="/tickets/`)
	path, _, _ = strings.Cut("/tickets/"+path, `"`)
	shows(t, ada.get(path), 200, "From ada@example.com")
	leads(t, ada.post("/tickets", "title", "The paper\x00 is \xffout"), "/tickets")
	shows(t, ada.get("/tickets"), 200, "The paper is out")
	shows(t, ada.get("/tickets/%00"), 404, "there is no such ticket")
	shows(t, bob.get(path), 404, "there is no such ticket")

	old := s.browser()
	leads(t, old.post("/sign-in", "email", "ada@example.com", "password", password), "/account")
	begun := map[string]*slowForm{"/account/name": begin(old, "/account/name", "name"), "/tickets": begin(old, "/tickets", "title")}
	if _, err := s.Accounts.DB().Exec("DELETE FROM sessions"); err != nil {
		t.Fatal(err)
	}
	for path, form := range begun {
		if w := form.end("=Eve"); !strings.HasPrefix(w.Header().Get("Location"), "/sign-in?") {
			t.Errorf("%s in a session that has ended: %d, it leads to %q", path, w.Code, w.Header().Get("Location"))
		}
	}

	signIn := func(b *browser, email string) {
		leads(t, b.post("/sign-in", "email", email, "password", password), "/account")
	}
	signIn(ada, "ada@example.com")
	signIn(bob, "bob@example.com")
	shows(t, bob.get("/queue"), 404, "")
	leads(t, s.browser().get("/queue"), "/sign-in?next=%2Fqueue")
	if err := s.Accounts.MakeAdmin(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	signIn(ada, "ada@example.com")
	page = ada.get("/users?q=bob")
	_, id, _ := strings.Cut(page.Body.String(), `name="user" value="`)
	id, _, _ = strings.Cut(id, `"`)
	shows(t, page, 200, `value="agent"`)
	shows(t, ada.get("/users"), 200, "Ada, since")
	shows(t, ada.get("/account"), 200, ">Queue</a>")
	leads(t, ada.post("/users", "user", id, "role", "agent"), "/users")
	signIn(bob, "bob@example.com")
	shows(t, bob.get("/queue"), 200, "The printer burns")
	shows(t, bob.get("/users"), 404, "")
	shows(t, ada.get("/users"), 200, "Make no agent: bob@example.com")
	shows(t, ada.get("/queue"), 200, "The printer burns")
	shows(t, bob.get("/account"), 200, "role: agent")

	shows(t, bob.get("/sign-up"), 404, "")
	leads(t, s.browser().get("/sign-up"), "/sign-in?next=%2Fsign-up")
	leads(t, ada.post("/sign-up", "email", "eve@example.com"), "/sent")
	ada.link("eve@example.com")

	leads(t, ada.post("/users", "user", id, "role", "admin"), "/users") // who takes the role from her
	signIn(bob, "bob@example.com")
	_, id, _ = strings.Cut(bob.get("/users?q=ada").Body.String(), `name="user" value="`)
	id, _, _ = strings.Cut(id, `"`)
	leads(t, bob.post("/users", "user", id, "role", ""), "/users")
	signIn(ada, "ada@example.com")
	leads(t, ada.post("/account/delete", "email", "ada@example.com"), "/sign-in?notice=deleted")
	if page := bob.get("/queue"); strings.Contains(page.Body.String(), "printer") {
		t.Error("the ticket of a user who is deleted is still there")
	}
}

// A slowForm is a request whose guards have let it through, and whose body has not ended.
type slowForm struct {
	body *io.PipeWriter
	done chan *httptest.ResponseRecorder
}

func begin(b *browser, path, field string) *slowForm {
	body, pipe := io.Pipe()
	r := httptest.NewRequest("POST", path, body)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	form := &slowForm{pipe, make(chan *httptest.ResponseRecorder)}
	go func() { form.done <- b.do(r) }()
	io.WriteString(pipe, field) // until somebody reads
	return form
}

func (f *slowForm) end(rest string) *httptest.ResponseRecorder {
	io.WriteString(f.body, rest)
	f.body.Close()
	return <-f.done
}
