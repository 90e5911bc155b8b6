package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"

	"example.com/flow"
	"example.com/newapp/accounts"
	"example.com/newapp/app"
)

var (
	database = flag.String("db", "newapp.db", "`file` of SQLite, or the URL of a database of PostgreSQL (postgres://…)")
	origin   = flag.String("url", "http://localhost:"+cmp.Or(os.Getenv("PORT"), "8080"), "`URL` of the application as its users see it, where links in mails lead: give it together with -addr")
	from     = flag.String("from", "newapp@localhost", "`address` that mails are from")
	proxies  = flag.Int("proxies", 0, "`number` of proxies in front, each of which adds an address to X-Forwarded-For")
	admin    = flag.String("admin", "", "`address` of who is to be an admin, and is sent a link if it has no account")
)

// addAccounts gives a Router the accounts of the database that the flags name.
func addAccounts(r *flow.Router) error {
	at, err := url.Parse(*origin)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return fmt.Errorf("-url: %s is no URL, such as https://newapp.example", *origin)
	}
	send := logMail
	switch server := os.Getenv("SMTP_URL"); { // no flag: other users of the machine see those
	case server != "":
		if send, err = sender(server, *from); err != nil {
			return err
		}
	case !isLocal(at.Hostname()):
		return errors.New("SMTP_URL is not set: without it, the links for signing in would be logged")
	}
	db, err := accounts.Open(*database)
	if err != nil {
		return err
	}
	a := accounts.New(db, at, send)
	a.Proxies = *proxies
	r.OnStop(func(context.Context) error { return db.Close() })
	if err := app.UseAccounts(r, a); err != nil {
		return err
	}
	r.OnStart(a.Migrate)
	if *admin != "" {
		r.OnStart(func(ctx context.Context) error { return a.MakeAdmin(ctx, *admin) })
	}
	r.OnStart(a.Start)
	r.OnStop(a.Stop)
	return nil
}

// logMail is for development: the mail can be read in the terminal and at /_flow, where its
// link is one click away. Who reads the log could sign in as anybody.
func logMail(ctx context.Context, m accounts.Mail) error {
	slog.InfoContext(ctx, "mail", "to", m.To, "subject", m.Subject, "text", m.Text)
	return nil
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
