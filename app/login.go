package app

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *App) {
		f.GET().Do(showLogin)
		f.POST().Do(a.login)
	})
}

var loginPage = flow.PageOf[loginData]()

// credentials are what the form sends.
type credentials struct {
	Name     string `form:"name"`
	Password string `form:"password"`
}

// Validate runs before login.
func (c credentials) Validate() error {
	wrong := flow.Invalid{}
	if c.Name == "" {
		wrong["name"] = "is required"
	}
	if c.Password == "" {
		wrong["password"] = "is required"
	}
	return wrong
}

// A loginData is the form as it was entered, without the password, whether it was refused,
// and the account of the sample.
type loginData struct {
	Form         flow.Form[credentials]
	Refused      bool
	DemoName     string
	DemoPassword string
}

func showLogin(req *flow.Request) flow.Response {
	if req.IsAuthenticated() {
		return flow.RedirectTo("dashboard")
	}
	return loginPage(loginData{DemoName: demoName, DemoPassword: demoPassword})
}

// login answers alike whether the name is wrong or the password, so that nobody learns
// which names exist.
func (a *App) login(req *flow.Request, in flow.Form[credentials]) (flow.Response, error) {
	right := same(in.Value.Name, demoName)
	if !same(in.Value.Password, demoPassword) || !right {
		return loginPage(loginData{in, in.Wrong == nil, demoName, demoPassword}).Status(http.StatusUnprocessableEntity), nil
	}
	return flow.RedirectTo("dashboard").Cookie(a.newSession(req, in.Value.Name)), nil
}

// same reports whether two texts are equal. The time it takes depends neither on where
// they differ nor on which is longer: it compares hashes.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
