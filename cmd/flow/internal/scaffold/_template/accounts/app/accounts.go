package app

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/flow"
	"example.com/newapp/accounts"
)

// UseAccounts gives a Router the accounts: its pages ask them who has sent a request, and the
// groups (members) and (admin) are for those who have signed in.
func UseAccounts(r *flow.Router, a *accounts.Accounts) error { return use(r, &members{a}) }

func use(r *flow.Router, m *members) error {
	if r.Authenticate != nil {
		return errors.New("the Router has an Authenticate already: it can know its users in one way only")
	}
	r.Provide(m)
	r.Authenticate = m.authenticate
	r.In("(accounts)").Use(hideURL)
	r.In("(members)").Use(membersOnly)
	r.In("(admin)").Use(roleOnly(accounts.Admin))
	for _, dir := range []string{"(accounts)", "(members)", "(admin)"} {
		r.In(dir).OnError(accountsError)
	}
	return nil
}

// members is what the handlers of accounts share.
type members struct{ Accounts *accounts.Accounts }

// authenticate is Router.Authenticate. The user of a request is a session, which has more
// than the name: when it began, and where.
func (a *members) authenticate(req *flow.Request) (any, error) {
	return a.Accounts.Session(req.Context(), a.Accounts.Token(req.Request))
}

// sessionOf returns the session of a request behind a guard.
func sessionOf(req *flow.Request) *accounts.Session { return flow.UserOf[*accounts.Session](req) }

// hideURL is a guard of pages whose URL may have a token. Without it, browsers send the URL
// along when they ask for the style sheet, and a proxy in front may log it. Forms still say
// which origin they are from.
func hideURL(*flow.Request) flow.Response {
	return flow.Next().Header("Referrer-Policy", "strict-origin")
}

// membersOnly is a guard.
func membersOnly(req *flow.Request) flow.Response {
	if req.IsAuthenticated() {
		return flow.Next().Header("Cache-Control", "no-store") // nor is it there for "back", after signing out
	}
	return askToSignIn(req)
}

// recentOnly is a guard of what a thief of the session must not do. package accounts asks,
// too: this one asks before a form is filled in.
func recentOnly(req *flow.Request) flow.Response {
	if s := sessionOf(req); s != nil && !s.Recent {
		return askToSignIn(req)
	}
	return membersOnly(req)
}

// roleOnly returns a guard for who has one of some roles. For other users, there is nothing.
func roleOnly(roles ...string) func(*flow.Request) flow.Response {
	return func(req *flow.Request) flow.Response {
		if s := sessionOf(req); s != nil && !slices.Contains(roles, s.User.Role) {
			return flow.Fail(http.StatusNotFound, "")
		}
		return membersOnly(req)
	}
}

// askToSignIn tells programs, and leads others to the page for signing in, and back afterwards.
// A form that was sent is lost, which that page says: it leads back to the page with the form,
// since what the form was sent to may have no page.
func askToSignIn(req *flow.Request) flow.Response {
	if accepts := req.Header.Get("Accept"); strings.Contains(accepts, "json") && !strings.Contains(accepts, "text/html") {
		return flow.Fail(http.StatusUnauthorized, "sign in first")
	}
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return flow.RedirectTo("sign-in", "next", req.URL.RequestURI()).Status(http.StatusSeeOther)
	}
	next := "/"
	if from, err := url.Parse(req.Referer()); err == nil {
		next = from.RequestURI() // without its host
	}
	return flow.RedirectTo("sign-in", "next", next, "notice", "unsaved")
}

// ownPath is a path that browsers take for no other site: they read "/\" as "//", and skip tabs.
var ownPath = regexp.MustCompile(`^/([^/\\[:cntrl:]][^[:cntrl:]]*)?$`)

// begin answers who has signed in, and leads to a path of this application: next comes from
// the URL, so anybody can write a link with it.
func (a *members) begin(token, next string) flow.Response {
	resp := flow.RedirectTo("account")
	if ownPath.MatchString(next) {
		resp = flow.Redirect(next)
	}
	return resp.Status(http.StatusSeeOther).Cookie(a.Accounts.Cookie(token))
}

// accountsError says of errors of package accounts what a user can do.
func accountsError(req *flow.Request, err error) flow.Response {
	switch {
	case errors.Is(err, accounts.ErrLink):
		return flow.Fail(http.StatusGone, "the link has been used, or is too old: ask for another one")
	case errors.Is(err, accounts.ErrNotRecent):
		return askToSignIn(req)
	case errors.Is(err, accounts.ErrBusy):
		return flow.Fail(http.StatusServiceUnavailable, err.Error()).Header("Retry-After", "5")
	case errors.Is(err, accounts.ErrRole), errors.Is(err, accounts.ErrAdmin), errors.Is(err, accounts.ErrPasskey):
		return flow.Fail(http.StatusUnprocessableEntity, err.Error())
	}
	if limited, ok := errors.AsType[*accounts.LimitError](err); ok {
		return flow.Fail(http.StatusTooManyRequests, limited.Error()).
			Header("Retry-After", strconv.Itoa(int(math.Ceil(limited.Wait.Seconds()))))
	}
	return flow.Response{}
}
