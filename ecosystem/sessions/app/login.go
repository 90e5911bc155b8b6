package app

import (
	"strings"

	"example.com/flow"
)

func init() {
	flow.GET().Name("login").Do(func(*flow.Request) flow.Response { return loginPage("") })
	flow.POST().Do(signIn)
}

// loginPage renders the page with a message, or none.
var loginPage = flow.PageOf[string]()

type credentials struct {
	Name     string `form:"name"`
	Password string `form:"password"`
	Next     string `query:"next"`
}

func signIn(req *flow.Request, in credentials) (flow.Response, error) {
	m, err := checkPassword(in.Name, in.Password)
	if err != nil || m == nil {
		return loginPage("Name or password is wrong.").Status(422), err
	}
	// With a new token, one that somebody else has put into the browser is worthless.
	if err := sessions.RenewToken(req.Context()); err != nil {
		return flow.Response{}, err
	}
	sessions.Put(req.Context(), "member", m.Name)
	say(req, "Welcome, "+m.Name+".")
	if strings.HasPrefix(in.Next, "/") {
		return flow.Redirect(in.Next), nil // which refuses "//other.example"
	}
	return flow.RedirectTo("inbox"), nil
}

// checkPassword stands for the one of "Signing in".
var checkPassword = func(name, password string) (*member, error) { return nil, nil }
