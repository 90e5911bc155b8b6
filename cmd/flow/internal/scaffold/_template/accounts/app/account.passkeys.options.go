package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.Use(recentOnly)
		f.POST().Name("account.passkeys.options").Do(a.newPasskey)
	})
}

// newPasskey answers public/passkeys.js.
func (a *members) newPasskey(req *flow.Request) (flow.Response, error) {
	options, challenge, err := a.Accounts.NewPasskey(req.Context(), sessionOf(req))
	return flow.JSON(options).Cookie(a.Accounts.ChallengeCookie(challenge)), err
}
