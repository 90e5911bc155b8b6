package app

import (
	"errors"

	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) { f.POST().Name("sign-in.passkey").Do(a.signInByPasskey) })
}

// A passkeySignature is what a passkey has signed, as JSON of the browser.
type passkeySignature struct {
	Credential string `form:"credential"`
	Next       string `query:"next"`
}

func (a *members) signInByPasskey(req *flow.Request, in passkeySignature) (flow.Response, error) {
	token, err := a.Accounts.SignInByPasskey(req.Context(), a.Accounts.Challenge(req.Request), in.Credential, a.Accounts.Client(req.Request))
	if errors.Is(err, accounts.ErrPasskey) {
		return flow.RedirectTo("sign-in", "next", in.Next, "notice", "passkey"), nil
	}
	return a.begin(token, in.Next), err
}
