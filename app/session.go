package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/flow"
)

// The one account of the sample. It is no secret: the login page shows it.
const (
	demoName     = "ada"
	demoPassword = "engine"
)

const (
	sessionCookie = "session"
	sessionLife   = 12 * time.Hour
)

func init() { flow.In("(admin)").Use(signedIn) }

// An account is who is signed in.
type account struct{ Name string }

// authenticate returns the account of the session cookie. It returns nil, for nobody, if
// there is no cookie, or if the cookie is forged or has expired.
func (a *App) authenticate(req *flow.Request) (any, error) {
	cookie, err := req.Cookie(sessionCookie)
	if err != nil {
		return nil, nil
	}
	name, ok := verify(a.Secret, cookie.Value, a.Now())
	if !ok || name != demoName {
		return nil, nil
	}
	return account{name}, nil
}

// signedIn is a guard: it redirects to the login whoever is not signed in. The pages
// behind it are for one person, so no cache may keep them.
func signedIn(req *flow.Request) flow.Response {
	if !req.IsAuthenticated() {
		return flow.RedirectTo("login")
	}
	return flow.Next().Header("Cache-Control", "no-store")
}

// newSession returns the cookie that signs an account in.
func (a *App) newSession(req *flow.Request, name string) *http.Cookie {
	c := session(req, sign(a.Secret, name, a.Now().Add(sessionLife)))
	c.MaxAge = int(sessionLife.Seconds())
	return c
}

// endSession returns the cookie that signs out.
func endSession(req *flow.Request) *http.Cookie {
	c := session(req, "")
	c.MaxAge = -1
	return c
}

// session returns the session cookie with a value. Scripts cannot read it, and browsers do
// not send it with a POST from another site. It is Secure only where the connection is,
// since browsers refuse a Secure cookie over plain HTTP.
func session(req *flow.Request, value string) *http.Cookie {
	return &http.Cookie{
		Name:     sessionCookie,
		Value:    value,
		Path:     "/",
		HttpOnly: true,
		Secure:   req.TLS != nil,
		SameSite: http.SameSiteLaxMode,
	}
}

// sign returns a name and the end of its session, with a signature of both:
// "YWRh.1767225600.q3Jm…". The end is signed, too, because a client can keep a cookie for
// as long as it likes.
func sign(secret []byte, name string, expires time.Time) string {
	claim := base64.RawURLEncoding.EncodeToString([]byte(name)) + "." + strconv.FormatInt(expires.Unix(), 10)
	return claim + "." + signature(secret, claim)
}

// verify returns the name that sign was given, and reports whether the signature is right
// and the session has not ended.
func verify(secret []byte, value string, now time.Time) (name string, ok bool) {
	i := strings.LastIndexByte(value, '.')
	if i < 0 {
		return "", false
	}
	claim := value[:i]
	if !hmac.Equal([]byte(value[i+1:]), []byte(signature(secret, claim))) {
		return "", false
	}
	encoded, expiry, _ := strings.Cut(claim, ".")
	expires, err := strconv.ParseInt(expiry, 10, 64)
	if err != nil || now.Unix() >= expires {
		return "", false
	}
	b, err := base64.RawURLEncoding.DecodeString(encoded)
	return string(b), err == nil
}

func signature(secret []byte, claim string) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(claim))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
