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

// authenticate returns the account that the session cookie speaks of. A cookie
// that is forged or too old is no error, but nobody.
func (a *App) authenticate(req *flow.Request) (any, error) {
	cookie, err := req.Cookie(sessionCookie)
	if err != nil {
		return nil, nil // there is no cookie
	}
	name, ok := verify(a.Secret, cookie.Value, a.Now())
	if !ok || name != demoName {
		return nil, nil
	}
	return account{name}, nil
}

// signedIn is a guard: it sends those who are not signed in to the login. What
// it lets through is for one person and stays out of caches.
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

// session returns a cookie that scripts cannot read and other sites cannot post
// with. Browsers drop a Secure cookie of a plain connection.
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
// "YWRh.1767225600.q3Jm…". The expiry is inside, because a browser may keep a
// cookie as long as it likes.
func sign(secret []byte, name string, expires time.Time) string {
	claim := base64.RawURLEncoding.EncodeToString([]byte(name)) + "." + strconv.FormatInt(expires.Unix(), 10)
	return claim + "." + signature(secret, claim)
}

// verify returns the name that sign was given. It reports whether the signature
// is ours and the session has not ended.
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
