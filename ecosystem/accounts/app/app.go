// Package app is the application: each file below router/ is a URL, and a Go file here,
// called like it, has its handlers.
package app

import (
	"embed"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"

	"example.com/flow"
	"example.com/newapp/accounts"
)

//go:embed all:router all:public
var files embed.FS

// An App is what the handlers share.
type App struct {
	Accounts *accounts.Accounts
	Logger   *slog.Logger // slog.Default() if nil
}

// New returns a Router that serves the application.
func New(a *App) *flow.Router {
	r := flow.New(files).Provide(a)
	r.Logger = a.Logger
	r.Use(flow.RequestID, flow.Logger(a.Logger))
	r.ContentSecurityPolicy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	r.Authenticate = a.authenticate
	r.OnError = onError
	r.In("(members)").Use(membersOnly)
	r.In("(admin)").Use(adminsOnly)
	return r
}

// authenticate is Router.Authenticate. The user of a request is a session, which has more
// than the name: when it began, and where.
func (a *App) authenticate(req *flow.Request) (any, error) {
	return a.Accounts.Session(req.Context(), a.Accounts.Token(req.Request))
}

// session returns the session of a request behind a guard.
func session(req *flow.Request) *accounts.Session { return flow.UserOf[*accounts.Session](req) }

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
	if session(req).Recent {
		return flow.Next()
	}
	return askToSignIn(req)
}

// adminsOnly is a guard. For others, there is nothing.
func adminsOnly(req *flow.Request) flow.Response {
	switch s := session(req); {
	case s == nil:
		return askToSignIn(req)
	case s.User.Role != accounts.Admin:
		return flow.Fail(http.StatusNotFound, "")
	}
	return flow.Next().Header("Cache-Control", "no-store")
}

// askToSignIn leads back afterwards.
func askToSignIn(req *flow.Request) flow.Response {
	return flow.RedirectTo("sign-in", "next", req.URL.RequestURI()).Status(http.StatusSeeOther)
}

// begin answers who has signed in, and leads to a path of this application: next comes from
// the URL, so anybody can write a link with it. flow.Redirect refuses "//other.example".
func (a *App) begin(token, next string) flow.Response {
	resp := flow.RedirectTo("account")
	if strings.HasPrefix(next, "/") {
		resp = flow.Redirect(next)
	}
	return resp.Status(http.StatusSeeOther).Cookie(a.Accounts.Cookie(token))
}

// onError says of errors of package accounts what a user can do.
func onError(req *flow.Request, err error) flow.Response {
	switch {
	case errors.Is(err, accounts.ErrLink):
		return flow.Fail(http.StatusGone, "this link has been used, or has ended: ask for another one")
	case errors.Is(err, accounts.ErrNotRecent):
		return askToSignIn(req)
	case errors.Is(err, accounts.ErrRole):
		return flow.Fail(http.StatusUnprocessableEntity, err.Error())
	}
	if limited, ok := errors.AsType[*accounts.LimitError](err); ok {
		return flow.Fail(http.StatusTooManyRequests, limited.Error()).
			Header("Retry-After", strconv.Itoa(int(math.Ceil(limited.Wait.Seconds()))))
	}
	return flow.Response{}
}
