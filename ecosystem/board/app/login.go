package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *App) { f.POST().Name("login").Do(a.signIn) })
}

type credentials struct {
	Name     string `form:"name"`
	Password string `form:"password"`
}

func (a *App) signIn(req *flow.Request, in credentials) (flow.Response, error) {
	ctx := req.Context()
	generation, ok, err := a.Store.Generation(ctx, in.Name)
	if err != nil {
		return flow.Response{}, err
	}
	if !ok || !checkPassword(in.Name, in.Password) {
		return flow.Fail(422, "name or password is wrong"), nil
	}
	if err := a.sessions.RenewToken(ctx); err != nil {
		return flow.Response{}, err
	}
	a.sessions.Put(ctx, "user", in.Name)
	a.sessions.Put(ctx, "generation", generation)
	return flow.RedirectTo("index"), nil
}

// checkPassword stands for the one of "Signing in".
var checkPassword = func(name, password string) bool { return password == "secret of "+name }
