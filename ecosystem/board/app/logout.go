package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *App) { f.POST().Name("logout").Use(signedIn).Do(a.signOut) })
}

type signOut struct {
	Everywhere bool `form:"everywhere"`
}

func (a *App) signOut(req *flow.Request, in signOut) (flow.Response, error) {
	if in.Everywhere {
		if err := a.Store.SignOutEverywhere(req.Context(), flow.UserOf[string](req)); err != nil {
			return flow.Response{}, err
		}
	}
	return flow.RedirectTo("index"), a.sessions.Destroy(req.Context())
}
