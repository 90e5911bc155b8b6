package app

import (
	"example.com/flow"
	"example.com/newapp/accounts"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("account.sessions").Do(a.showSessions)
		f.POST().Do(a.endSession)
	})
}

// sessionsData is what account/sessions.html shows.
type sessionsData struct {
	This     string // the ID of the one that asks
	Sessions []*accounts.Session
}

func (a *members) showSessions(req *flow.Request) (sessionsData, error) {
	s := session(req)
	list, err := a.Accounts.Sessions(req.Context(), s)
	return sessionsData{s.ID, list}, err
}

// A sessionRef says which session is to end: all of them, if it says none.
type sessionRef struct {
	ID string `form:"id"`
}

func (a *members) endSession(req *flow.Request, in sessionRef) (flow.Response, error) {
	from := a.Accounts.Client(req.Request)
	if in.ID == "" {
		return flow.Redirect("/").Cookie(a.Accounts.Cookie("")), a.Accounts.SignOutEverywhere(req.Context(), session(req), from)
	}
	return flow.RedirectTo("account.sessions"), a.Accounts.EndSession(req.Context(), session(req), in.ID, from)
}
