package accounts

import (
	"net/http"
	"net/netip"
	"strings"
)

// A Client is what a request says of the browser that has sent it.
type Client struct {
	Addr  netip.Addr
	Agent string
	Token string // of its session, or "": the session that begins next takes its place
}

// Client returns the Client of a request.
func (a *Accounts) Client(r *http.Request) Client {
	return Client{Addr: a.addr(r), Agent: r.UserAgent(), Token: a.Token(r)}
}

// addr returns the address of the client. Each proxy adds the one that it was called from to
// the end of X-Forwarded-For. What stands in front of those was written by the client, who
// may write anything: so if Proxies is too large, everybody chooses an address.
func (a *Accounts) addr(r *http.Request) netip.Addr {
	if a.Proxies > 0 {
		list := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		from := strings.TrimSpace(list[max(0, len(list)-a.Proxies)])
		addr, err := netip.ParseAddr(from)
		if at, errPort := netip.ParseAddrPort(from); errPort == nil { // some proxies add the port, too
			addr, err = at.Addr(), nil
		}
		if err == nil {
			return addr.Unmap().WithZone("")
		}
	}
	at, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero Addr if it has none, as behind a Unix socket
	return at.Addr().Unmap().WithZone("")
}

// place is what limits count: an address or, since everybody has billions of those, a network
// of IPv6.
func (c Client) place() string { return c.prefix(32, 64) }

// network is what is stored, and shown to the user: enough to see that it was somebody else,
// and not enough to follow a person.
func (c Client) network() string { return c.prefix(24, 48) }

func (c Client) prefix(bits4, bits6 int) string {
	bits := bits6
	if c.Addr.Is4() {
		bits = bits4
	}
	p, _ := c.Addr.Prefix(bits)
	if !p.IsValid() {
		return "" // there is no address
	}
	return p.String()
}

// agent returns what is stored of the name of the browser.
func (c Client) agent() string {
	return Clean(c.Agent[:min(len(c.Agent), 200)])
}

// Cookie returns the cookie that carries the token of a session, or that takes it away if the
// token is "".
//
// Whether it is Secure depends on the URL that users see, and not on the request: behind a
// proxy, that has no TLS. The prefix __Host- has browsers refuse such a cookie from other
// subdomains and without TLS.
func (a *Accounts) Cookie(token string) *http.Cookie {
	c := &http.Cookie{
		Name: a.cookieName("session"), Value: token, Path: "/", MaxAge: int(sessionLife.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: a.isSecure(),
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c
}

// Token returns the token of the session that a request has, or "".
func (a *Accounts) Token(r *http.Request) string { return a.cookie(r, "session") }

func (a *Accounts) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(a.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

func (a *Accounts) cookieName(name string) string {
	if a.isSecure() {
		return "__Host-" + name
	}
	return name
}

func (a *Accounts) isSecure() bool { return a.origin.Scheme == "https" }
