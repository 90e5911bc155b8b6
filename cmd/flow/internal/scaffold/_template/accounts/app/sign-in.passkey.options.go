package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *members) { f.POST().Name("sign-in.passkey.options").Do(a.askForPasskey) })
}

// askForPasskey answers public/passkeys.js. It asks for no address, and so it tells nothing of
// any.
func (a *members) askForPasskey(req *flow.Request) (flow.Response, error) {
	options, challenge, err := a.Accounts.AskForPasskey(req.Context(), a.Accounts.Client(req.Request))
	return flow.JSON(options).Cookie(a.Accounts.ChallengeCookie(challenge)), err
}
