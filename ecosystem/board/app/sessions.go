package app

import "example.com/flow"

// authenticate is Router.Authenticate. The session has the name and the generation that the
// user had when it began: after SignOutEverywhere it is worthless, whichever process asks.
func (a *App) authenticate(req *flow.Request) (any, error) {
	ctx := req.Context()
	name := a.sessions.GetString(ctx, "user")
	if name == "" {
		return nil, nil
	}
	now, ok, err := a.Store.Generation(ctx, name)
	if err != nil || !ok || now != a.sessions.GetInt(ctx, "generation") {
		return nil, err
	}
	return name, nil
}

// signedIn is a guard.
func signedIn(req *flow.Request) flow.Response {
	if req.IsAuthenticated() {
		return flow.Next()
	}
	return flow.Fail(401, "sign in first")
}
