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

// A loginData is the form as it was entered, without the password, and the account of
// the sample.
type loginData struct {
	Name         string
	Wrong        bool
	DemoName     string
	DemoPassword string
}

func showLogin(req *flow.Request) flow.Response {
	if req.IsAuthenticated() {
		return flow.RedirectTo("dashboard")
	}
	return loginPage(loginData{"", false, demoName, demoPassword})
}

// login answers alike whether the name is wrong or the password, so that nobody learns
// which names exist.
func (a *App) login(req *flow.Request) flow.Response {
	name := req.Input("name")
	right := same(name, demoName)
	if !same(req.Input("password"), demoPassword) || !right {
		return loginPage(loginData{name, true, demoName, demoPassword}).Status(http.StatusUnprocessableEntity)
	}
	return flow.RedirectTo("dashboard").Cookie(a.newSession(req, name))
}

// same reports whether two texts are equal. The time it takes depends neither on where
// they differ nor on which is longer: it compares hashes.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
