package accounts

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/newapp/accounts/testdb"
)

// TestOutbox has several processes send what waits, each mail once.
func TestOutbox(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		const mails = 20
		for i := range mails {
			at := at(i)
			ok(t, d.SendLink(t.Context(), ForSignUp, fmt.Sprintf("user%d@example.com", i), at))
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for d.rows("mails") > 0 {
					if _, err := d.sendNext(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		to := map[string]bool{}
		for _, m := range d.mails {
			to[m.To] = true
		}
		if len(to) != mails || len(d.mails) != mails {
			t.Errorf("%d mails were sent to %d of %d", len(d.mails), len(to), mails)
		}
	})
}

// TestOutboxFails has a mail server that is broken for a while, and then for ever.
func TestOutboxFails(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.broken = errors.New("no route to host")
		ok(t, d.SendLink(t.Context(), ForSignUp, "ada@example.com", from))
		if mails := d.sent(); len(mails) != 0 || d.rows("mails") != 1 {
			t.Fatalf("sent: %v, %d wait", mails, d.rows("mails"))
		}
		d.broken = nil
		if mails := d.sent(); len(mails) != 0 {
			t.Errorf("sent without a pause: %v", mails)
		}
		d.pass(mailLease)
		d.token("ada@example.com")

		d.broken = errors.New("no such mailbox")
		ok(t, d.SendLink(t.Context(), ForSignUp, "bob@example.com", from))
		for range mailTries {
			d.sent()
			d.pass(48 * time.Hour)
		}
		if n := d.rows("mails"); n != 0 {
			t.Errorf("%d mails wait for ever", n)
		}
	})
}

// TestOutboxRefused has a mail server that does not want a mail: it is asked once.
func TestOutboxRefused(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		d.broken = fmt.Errorf("550 no such user: %w", ErrRefused)
		ok(t, d.SendLink(t.Context(), ForSignUp, "ada@example.com", from))
		d.sent()
		if n := d.rows("mails"); n != 0 {
			t.Errorf("%d mails wait", n)
		}
	})
}

// TestSlowMail has a mail server that does not come to an end with one mail: the next one is sent.
func TestSlowMail(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		began, other, release := make(chan bool), make(chan bool), make(chan bool)
		d.send = func(ctx context.Context, m Mail) error {
			if m.To != "slow@example.com" {
				close(other)
				return nil
			}
			close(began)
			select {
			case <-release:
			case <-ctx.Done(): // after mailTimeout
				t.Error("the next mail waits for a slow one")
			}
			return ctx.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		ok(t, d.Start(ctx))
		ok(t, d.SendLink(ctx, ForSignUp, "slow@example.com", from))
		<-began
		ok(t, d.SendLink(ctx, ForSignUp, "ada@example.com", from))
		<-other
		cancel()
		close(release)
		ok(t, d.Stop(t.Context()))
		if n := d.rows("mails"); n != 0 {
			t.Errorf("%d mails were not sent to their end when the program stopped", n)
		}
	})
}

// TestMailersTell has all mailers work for an address, and measures when the next mail comes: were
// it sooner for an address without an account, somebody would learn that there is none.
func TestMailersTell(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{"SQLite": testdb.SQLite, "PostgreSQL": testdb.Postgres} {
		t.Run(name, func(t *testing.T) {
			at := database(t)
			synctest.Test(t, func(t *testing.T) { // so that nobody waits for the slow server
				d := newDesk(t, at)
				d.join("ada@example.com")
				arrived := make(chan string)
				d.send = func(_ context.Context, m Mail) error {
					time.Sleep(5 * time.Second)
					arrived <- m.To
					return nil
				}
				ctx, stop := context.WithCancel(t.Context())
				ok(t, d.Start(ctx))
				post := func(p Purpose, email string) {
					d.pass(time.Millisecond) // the first one asked for is the first to be sent
					ok(t, d.change(ctx, from, func(tx *transaction) error { return tx.post(string(p), "", email) }))
					synctest.Wait()
				}
				wait := func(to string) {
					for <-arrived != to {
					}
				}
				post(ForSignUp, "eve@example.com")
				wait("eve@example.com")
				for _, p := range []Purpose{ForReset, ForSignIn} {
					for _, email := range []string{"ada@example.com", "nobody@example.com"} {
						began := time.Now()
						for range mailers {
							post(p, email)
						}
						post(ForSignUp, "eve@example.com")
						wait("eve@example.com")
						if took := time.Since(began).Round(time.Second); took != 10*time.Second {
							t.Errorf("%s for %s: the next mail comes after %v", p, email, took)
						}
					}
				}
				for range mailers {
					post(ForReset, "nobody@example.com")
				}
				began := time.Now()
				stop()
				ok(t, d.Stop(t.Context()))
				if took := time.Since(began); took > time.Second {
					t.Errorf("the program stops after %v", took)
				}
			})
		})
	}
}

// TestOutboxKilled has a process that is killed while it sends: another one does it later,
// and not before.
func TestOutboxKilled(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		ok(t, d.SendLink(t.Context(), ForSignUp, "ada@example.com", from))
		d.send = func(context.Context, Mail) error { panic("killed") }
		func() {
			defer func() {
				if recover() == nil {
					t.Error("it lives")
				}
			}()
			d.sendNext(t.Context())
		}()
		d.send = d.receive
		if mails := d.sent(); len(mails) != 0 {
			t.Errorf("sent by two: %v", mails)
		}
		d.pass(mailLease)
		d.token("ada@example.com")
	})
}

// TestStart has the jobs send a mail by themselves, and end.
func TestStart(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		arrived := make(chan Mail, 1)
		d.send = func(_ context.Context, m Mail) error { arrived <- m; return nil }
		ctx, stop := context.WithCancel(t.Context())
		ok(t, d.Start(ctx))
		ok(t, d.SendLink(t.Context(), ForSignUp, "ada@example.com", from))
		if m := <-arrived; m.To != "ada@example.com" || m.ID == "" {
			t.Errorf("sent: %v", m)
		}
		stop()
		ok(t, d.Stop(t.Context()))
	})
}

// TestLetters sends each kind of mail.
func TestLetters(t *testing.T) {
	link := regexp.MustCompile(`^https://desk\.example/[a-z/-]+\?token=[A-Z2-7]{26}$`)
	when := regexp.MustCompile(`\son [1-9]\d? [A-Z][a-z]+ 20\d\d at \d\d:\d\d UTC, from the network 192\.0\.2\.0/24\.\n`)
	both(t, func(t *testing.T, d *desk) {
		ada := d.session(d.join("ada@example.com")).User
		for kind, l := range letters {
			email, userID := ada.Email, ada.ID
			switch Purpose(kind) { // otherwise it becomes another kind
			case ForSignUp:
				email, userID = "bob@example.com", ""
			case ForEmail:
				email = "bob@example.com"
			}
			ok(t, d.change(t.Context(), from, func(tx *transaction) error { return tx.post(kind, userID, email) }))
			mails := d.sent()
			if len(mails) != 1 || mails[0].To != email || mails[0].Subject != l.subject || mails[0].ID == "" {
				t.Errorf("%s: %+v", kind, mails)
				continue
			}
			m := mails[0]
			if strings.ContainsAny(m.Subject, "\r\n") || !strings.Contains(m.Subject, application) {
				t.Errorf("%s: the subject is %q", kind, m.Subject)
			}
			if strings.ContainsAny(m.Text, "{}\r") || !strings.HasSuffix(m.Text, "\n\n-- \n"+application+"\nhttps://desk.example\n") {
				t.Errorf("%s: the text is %q", kind, m.Text)
			}
			switch {
			case l.link == "":
				if m.Link != "" || strings.Contains(m.Text, "token") {
					t.Errorf("%s: there is a link: %+v", kind, m)
				}
				if kind != "taken" && !when.MatchString(m.Text) {
					t.Errorf("%s: it does not say when and from where: %q", kind, m.Text)
				}
			case !link.MatchString(m.Link) || !strings.Contains(m.Text, "\n\n"+m.Link+"\n\n") || !strings.Contains(m.Text, inWords(lives[l.link])):
				t.Errorf("%s: no link, or not how long it is good: %+v", kind, m)
			}
		}
	})
}

func TestInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{15 * time.Minute: "15 minutes", time.Hour: "60 minutes", 24 * time.Hour: "24 hours"} {
		if got := inWords(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
