package app

import (
	"errors"
	"net/http"

	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("sign-in").Do(a.showSignIn)
		f.POST().Do(a.signIn)
	})
}

type signInCredentials struct {
	Email    string `form:"email"`
	Password string `form:"password"`
	Next     string `query:"next"`
}

// Validate is called before signIn. It does not look at the form of an address: whatever is
// wrong about one, the answer is the same.
func (c signInCredentials) Validate() error {
	wrong := flow.Invalid{}
	if c.Email == "" {
		wrong["email"] = "is required"
	}
	if c.Password == "" {
		wrong["password"] = "is required"
	}
	return wrong
}

// signInData is what sign-in/index.html shows.
type signInData struct {
	flow.Form[signInCredentials]
	HasPasskeys bool
}

var signInPage = flow.PageOf[signInData]()

func (a *members) signInForm(in flow.Form[signInCredentials]) flow.Response {
	return signInPage(signInData{in, a.Accounts.HasPasskeys()})
}

// showSignIn is also for a user who has signed in a while ago, and has to do so again: package
// accounts begins another session in place of the one that is. A user who has signed in lately
// is led to the account, and not to next: the guard of that page may have refused the user for
// another reason, and would lead back here, and so on for ever.
func (a *members) showSignIn(req *flow.Request) flow.Response {
	switch s := sessionOf(req); {
	case s == nil:
		return a.signInForm(flow.Form[signInCredentials]{})
	case s.Recent:
		return flow.RedirectTo("account")
	default:
		return a.signInForm(flow.Form[signInCredentials]{Value: signInCredentials{Email: s.User.Email}})
	}
}

func (a *members) signIn(req *flow.Request, in flow.Form[signInCredentials]) (flow.Response, error) {
	if in.Wrong != nil {
		return a.signInForm(in).Status(http.StatusUnprocessableEntity), nil
	}
	token, err := a.Accounts.SignIn(req.Context(), in.Value.Email, in.Value.Password, a.Accounts.Client(req.Request))
	if errors.Is(err, accounts.ErrCredentials) {
		in.Wrong = flow.Invalid{"credentials": "are wrong"} // of no field: it does not say which
		return a.signInForm(in).Status(http.StatusUnprocessableEntity), nil
	}
	return a.begin(token, in.Value.Next), err
}
