package app

import "example.com/flow"

func init() {
	flow.With(func(f *flow.File, a *members) { f.POST().Name("sign-out").Do(a.signOut) })
}

// signOut has no complaint about who is not signed in: that is what was asked for.
func (a *members) signOut(req *flow.Request) (flow.Response, error) {
	answer := flow.Redirect("/").Cookie(a.Accounts.Cookie(""))
	s := sessionOf(req)
	if s == nil {
		return answer, nil
	}
	return answer, a.Accounts.EndSession(req.Context(), s, s.ID, a.Accounts.Client(req.Request))
}
