package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/netip"
	"net/url"
	"os"

	"example.com/flow"
	"example.com/newapp/accounts"
	"example.com/newapp/app"
)

var (
	database = flag.String("db", "newapp.db", "`file` of SQLite, or the URL of a database of PostgreSQL (postgres://…)")
	origin   = flag.String("url", "", "`URL` of the application as its users see it, where links in mails lead (default without SMTP_URL: where a browser on this machine finds it)")
	from     = flag.String("from", "newapp@localhost", "`address` that mails are from")
	proxies  = flag.Int("proxies", 0, "`number` of proxies in front, each of which adds an address to X-Forwarded-For")
	admin    = flag.String("admin", "", "`address` of who is to be an admin, and is sent a link if it has no account")
)

// addAccounts gives a Router the accounts of the database that the flags name.
func addAccounts(r *flow.Router) error {
	var send func(context.Context, accounts.Mail) error
	if server := os.Getenv("SMTP_URL"); server != "" { // no flag: other users of the machine see those
		var err error
		if send, err = sender(server, *from); err != nil {
			return err
		}
	}
	db, err := accounts.Open(*database)
	if err != nil {
		return err
	}
	at := &url.URL{} // known when the program serves
	a := accounts.New(db, at, send)
	a.Proxies = *proxies
	r.OnStop(func(context.Context) error { return db.Close() })
	if err := app.UseAccounts(r, a); err != nil {
		return err
	}
	r.OnStart(func(ctx context.Context) (err error) {
		*at, err = originOf(*origin, flow.URL(ctx), a.SendsMails())
		return err
	})
	r.OnStart(a.Migrate)
	if *admin != "" {
		r.OnStart(func(ctx context.Context) error { return a.MakeAdmin(ctx, *admin) })
	}
	r.OnStart(a.Start)
	r.OnStop(a.Stop)
	return nil
}

// originOf parses the URL that users see. With a mail server it must be given: links to this
// machine are of no use to them. Without one, it must be here, on this machine: the links for
// signing in are in the log.
func originOf(text, here string, sendsMails bool) (url.URL, error) {
	if !sendsMails {
		text = cmp.Or(text, here)
	}
	at, err := url.Parse(text)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return url.URL{}, fmt.Errorf("-url: %q is no URL, such as https://newapp.example", text)
	case at.User != nil || at.Path != "" && at.Path != "/" || at.RawQuery != "" || at.Fragment != "":
		return url.URL{}, fmt.Errorf("-url: %s has more than a scheme and a host: say %s://%s", at.Redacted(), at.Scheme, at.Host)
	case !sendsMails && !isLocal(at.Hostname()):
		return url.URL{}, fmt.Errorf("SMTP_URL is not set: without it, the links for signing in at %s would be logged", text)
	}
	return url.URL{Scheme: at.Scheme, Host: at.Host}, nil
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
