package app

import (
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"

	"example.com/flow"
)

func init() { flow.In("(members)").Use(membersOnly) }

var sessions = newSessions()

func newSessions() *scs.SessionManager {
	s := scs.New() // in memory: set s.Store for sessions that outlive the program
	s.Lifetime = 12 * time.Hour
	s.Cookie.Secure = true // browsers make an exception for localhost
	return s
}

type member struct{ Name string }

// members stands for a database.
var members = map[string]*member{}

// authenticate is Router.Authenticate. The session has only the name: who is removed from
// the database is nobody with the next request.
func authenticate(req *flow.Request) (any, error) {
	return members[sessions.GetString(req.Context(), "member")], nil
}

// membersOnly sends strangers to the form, and back afterwards.
func membersOnly(req *flow.Request) (flow.Response, error) {
	if req.IsAuthenticated() {
		return flow.Next().Header("Cache-Control", "no-store"), nil
	}
	login, err := req.Route("login", "next", pageOf(req))
	if req.Header.Get("HX-Request") == "true" {
		return flow.Fail(401, "sign in first").Header("HX-Redirect", login), err
	}
	return flow.Redirect(login), err
}

// pageOf returns the page that a member wants to see: for a fragment, the page around it.
func pageOf(req *flow.Request) string {
	around, err := url.Parse(req.Header.Get("HX-Current-URL"))
	switch {
	case err == nil && around.Path != "" && req.Header.Get("HX-Boosted") == "":
		return around.RequestURI()
	case req.Method == http.MethodGet:
		return req.URL.RequestURI()
	}
	return ""
}

// flash is for templates. It returns what say has left in the session, once.
func flash(req *flow.Request) string { return sessions.PopString(req.Context(), "flash") }

func say(req *flow.Request, message string) { sessions.Put(req.Context(), "flash", message) }
