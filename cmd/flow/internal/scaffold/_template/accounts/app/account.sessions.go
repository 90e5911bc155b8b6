package app

import (
	"cmp"
	"strings"
	"time"

	"example.com/flow"
)

func init() {
	flow.With(func(f *flow.File, a *members) {
		f.GET().Name("account.sessions").Do(a.showSessions)
		f.POST().Do(a.endSession)
	})
}

// A sessionRow is what account/sessions.html shows of a session.
type sessionRow struct {
	ID, Browser, Network string
	Created, Seen        time.Time
	This                 bool // it is the one that asks
}

func (a *members) showSessions(req *flow.Request) ([]sessionRow, error) {
	this := sessionOf(req)
	list, err := a.Accounts.Sessions(req.Context(), this)
	var rows []sessionRow
	for _, s := range list {
		rows = append(rows, sessionRow{s.ID, browserName(s.Agent), s.Network, s.Created, s.Seen, s.ID == this.ID})
	}
	return rows, err
}

// browserName returns what people call the browser of a User-Agent. Most browsers claim to be
// some others, too, and those come later here.
func browserName(agent string) string {
	find := func(known ...string) string {
		for i := 0; i < len(known); i += 2 {
			if strings.Contains(agent, known[i]) {
				return known[i+1]
			}
		}
		return ""
	}
	name := find("Edg", "Edge", "OPR/", "Opera", "SamsungBrowser/", "Samsung Internet", "Firefox/", "Firefox", "FxiOS/", "Firefox",
		"CriOS/", "Chrome", "Chrome/", "Chrome", "Safari/", "Safari")
	system := find("iPhone", "iPhone", "iPad", "iPad", "Android", "Android", "Windows", "Windows", "Mac OS X", "macOS", "CrOS", "ChromeOS", "Linux", "Linux")
	if name != "" && system != "" {
		return name + " on " + system
	}
	return cmp.Or(agent, "A browser without a name")
}

// A sessionRef says which session is to end: all of them, if it says none.
type sessionRef struct {
	ID string `form:"id"`
}

func (a *members) endSession(req *flow.Request, in sessionRef) (flow.Response, error) {
	from := a.Accounts.Client(req.Request)
	if in.ID == "" {
		return flow.RedirectTo("sign-in", "notice", "everywhere").Cookie(a.Accounts.Cookie("")),
			a.Accounts.SignOutEverywhere(req.Context(), sessionOf(req), from)
	}
	return flow.RedirectTo("account.sessions"), a.Accounts.EndSession(req.Context(), sessionOf(req), in.ID, from)
}
