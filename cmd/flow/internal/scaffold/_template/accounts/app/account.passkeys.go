package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(recentOnly)
		f.GET().Name("account.passkeys").Do(a.showPasskeys)
		f.POST().Do(a.changePasskeys)
	})
}

// passkeysData is what account/passkeys.html shows.
type passkeysData struct {
	Passkeys []accounts.Passkey
	Possible bool
	Browser  string // a name for another one
}

func (a *members) showPasskeys(req *flow.Request) (passkeysData, error) {
	list, err := a.Accounts.Passkeys(req.Context(), sessionOf(req))
	return passkeysData{list, a.Accounts.HasPasskeys(), browserName(req.UserAgent())}, err
}

// A passkeyForm removes a passkey, or adds one: what public/passkeys.js has got of the browser.
type passkeyForm struct {
	Remove     string `form:"remove"`
	Name       string `form:"name"`
	Credential string `form:"credential"`
}

func (a *members) changePasskeys(req *flow.Request, in passkeyForm) (flow.Response, error) {
	done, from := flow.RedirectTo("account.passkeys"), a.Accounts.Client(req.Request)
	if in.Remove != "" {
		return done, a.Accounts.RemovePasskey(req.Context(), sessionOf(req), in.Remove, from)
	}
	return done, a.Accounts.AddPasskey(req.Context(), sessionOf(req), a.Accounts.Challenge(req.Request), in.Name, in.Credential, from)
}
