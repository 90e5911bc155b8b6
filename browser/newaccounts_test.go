package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/matryer/is"
)

// A mailbox gets the mails that an application with accounts logs.
type mailbox chan string

var linkOfMail = regexp.MustCompile(`http://localhost:\d+(/\S+\?token=\w+)`)

// Write takes each mail in one piece, as the application writes it.
func (m mailbox) Write(text []byte) (int, error) {
	if link := linkOfMail.FindSubmatch(text); link != nil {
		m <- string(link[1])
	}
	return len(text), nil
}

// accountsApplication is what "flow new -accounts" writes.
func accountsApplication(t *testing.T) application {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "desk")
	build{dir: filepath.Join("..", "cmd", "flow")}.run(t, "go", "run", ".", "new", "-accounts", dir)
	a := application{
		name: "newaccounts", dir: filepath.Join(dir, "app"), binary: filepath.Join(t.TempDir(), "desk"),
		args: []string{"-db", filepath.Join(t.TempDir(), "desk.db"), "-url", "http://localhost:8080"}, log: make(mailbox, 10),
	}
	build{dir: dir}.run(t, "go", "build", "-o", a.binary, ".")
	return a
}

// serveToBrowser serves the application where the browser finds it.
func (a application) serveToBrowser(t *testing.T) (origin string, stop func()) {
	t.Helper()
	client, stopApp := a.serve(t)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: a.name})
	proxy.Transport = client.Transport
	s := httptest.NewServer(proxy)
	return s.URL, func() { s.Close(); stopApp() }
}

// forget removes the cookies of the browser, which all tabs share.
func forget(tb *tab) {
	tb.t.Helper()
	tb.run(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, network.ClearBrowserCookies, cdp.Empty{})
		return none, err
	})
}

// advice returns a function that says what Chromium advises about the forms of the pages since,
// such as a password without a field for the name of the user, which its manager needs.
func (tb *tab) advice() func() string {
	tb.t.Helper()
	var mu sync.Mutex
	var all strings.Builder
	err := chromedp.Listen(tb.ctx, func(event any) {
		if e, ok := event.(*log.EventEntryAdded); ok && strings.HasPrefix(e.Entry.Text, "[DOM]") {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(&all, e.Entry.Text)
		}
	})
	if err != nil {
		tb.t.Fatal(err)
	}
	tb.run(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, log.Enable, cdp.Empty{})
		return none, err
	})
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
}

// TestNewAccounts goes through the pages of "flow new -accounts" in all their states, in the
// widths of a phone and a desk, in light and in dark: they fit, axe-core finds nothing, their
// policy refuses nothing, and Chromium has no advice.
func TestNewAccounts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	forget(newTab(t)) // skips first what has no browser
	a := accountsApplication(t)
	mails := a.log.(mailbox)
	origin, stop := a.serveToBrowser(t)
	t.Cleanup(func() { stop() })
	t.Cleanup(func() { forget(newTab(t)) })

	fill := func(fields ...string) (actions []chromedp.Action[chromedp.Void]) {
		for i := 0; i < len(fields); i += 2 {
			actions = append(actions, chromedp.SetValue(fields[i], fields[i+1]))
		}
		return append(actions, chromedp.Click("main form:not([role]) button"))
	}
	// state opens a page, does something there, and looks at what is shown then. It returns the
	// tab, to go on in.
	state := func(name, path, shows string, then ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		ok := t.Run(name, func(t *testing.T) {
			is, tb := is.New(t), newTab(t)
			advice := tb.advice()
			tb.open(origin + path)
			tb.run(then...)
			tb.until("the page is there", fmt.Sprintf("document.querySelector('main').innerText.includes(%q)", shows))
			is.Equal(tb.refused(), "")
			is.Equal(advice(), "")
			for _, scheme := range []string{"light", "dark"} {
				for _, width := range []int64{390, 1280} {
					tb.look(width, scheme)
					if (scheme == "dark") == (width == 1280) {
						tb.accessible(t) // takes long: colors do not depend on the width, nor places on the scheme
					}
					is.True(tb.fits())
					tb.picture(fmt.Sprintf("newaccounts-%s-%d-%s", name, width, scheme))
				}
			}
		})
		if !ok {
			t.FailNow() // what comes next would wait for mails
		}
	}
	const first, second, wrong = "correct horse battery", "another long password", "The address or the password is wrong."

	state("home", "/", "")
	state("nothing", "/nothing", "Nothing is at")
	state("sign-up", "/sign-up", "Send me a link")
	state("sign-up-wrong", "/sign-up", "must be an address", fill("#email", "ada")...)
	state("sent", "/sign-up", "Look into your mailbox", fill("#email", "ada@example.com")...)
	link := <-mails
	state("choose", link, "Make the account")
	state("choose-wrong", link, "must have at least 12", fill("#password", "short")...)
	state("account", link, "You are signed in as ada@example.com", fill("#password", first)...)
	state("link-again", link, "go to your account")
	state("home-member", "/", "")
	state("sign-up-member", "/sign-up", "You are signed in as") // it has led to the account
	state("email", "/account/email", "ada@example.com until")
	state("email-wrong", "/account/email", "must be an address", fill("#email", "x")...)
	state("email-sent", "/account/email", "Look into your mailbox", fill("#email", "ada@example.org")...)
	link = <-mails
	state("email-link", link, "becomes ada@example.org")
	state("email-changed", link, "Your address is changed.", fill()...)
	state("email-link-again", link, "Ask for another link")
	state("password", "/account/password", "At least 12")
	state("password-wrong", "/account/password", "must have at least", fill("#password", "short")...)
	state("password-changed", "/account/password", "Your password is changed", fill("#password", second)...)
	state("sessions", "/account/sessions", "Chrome on Linux (this browser)")
	state("passkeys", "/account/passkeys", "Passkeys")
	state("change-password", "/.well-known/change-password", "All browsers in which")
	state("delete", "/account/delete", "Type ada@example.org")
	state("delete-wrong", "/account/delete", "is not that of this account", fill("#email", "bob@example.com")...)
	state("users-member", "/users", "404")
	state("everywhere", "/account/sessions", "You are signed out everywhere", chromedp.Click("main form:last-of-type:not(li form) button"))
	state("unsaved", "/sign-in?next=%2Faccount%2Fpassword&notice=unsaved", "send the form once more")
	state("sign-in", "/account", "Sign in by a link in a mail") // which it has led to
	state("sign-in-empty", "/sign-in", "Password is required", fill()...)
	state("sign-in-wrong", "/sign-in", wrong, fill("#email", "ada@example.org", "#password", first)...)
	state("mail", "/sign-in/mail", "Send me a link")
	state("mail-sent", "/sign-in/mail", "Look into your mailbox", fill("#email", "ada@example.org")...)
	link = <-mails
	state("sign-in-link", link, "as ada@example.org, in this browser")
	state("signed-in-by-link", link, "Signed in by a link", fill()...)
	forget(newTab(t))
	state("link-ended", link, "Sign in with your password")
	state("reset", "/reset", "Send me a link")
	state("reset-sent", "/reset", "Look into your mailbox", fill("#email", "ada@example.org")...)
	link = <-mails
	state("reset-link", link, "Change the password")
	state("reset-done", link, "Your password is changed", fill("#password", first)...)

	stop() // and makes an admin at the next start
	admin := a
	admin.args = append(admin.args, "-admin", "ada@example.org")
	origin, stop = admin.serveToBrowser(t)
	const bob = "bob.with.a.rather.long.name@mail.university.example.com"
	state("sign-up-bob", "/sign-up", "Look into your mailbox", fill("#email", bob)...)
	state("account-bob", <-mails, "You are signed in as bob", fill("#password", first)...)
	forget(newTab(t))
	state("account-admin", "/sign-in?next=%2Faccount", "with the role admin", fill("#email", "ada@example.org", "#password", first)...)
	state("users", "/users", "Make admin")
	state("users-none", "/users?q=eve", "No address has “eve” in it.")
	state("users-admin", "/users?q=bob", "Make no admin", fill()...)
	state("admin-stays", "/account/delete", "another admin has to take the role from you first", fill("#email", "ada@example.org")...)
	state("users-member", "/users?q=bob", "Make admin", fill()...)
	forget(newTab(t))
	state("account-bob-again", "/sign-in?next=%2Faccount", "You are signed in as bob", fill("#email", bob, "#password", first)...)
	state("deleted", "/account/delete", "Your account is deleted.", fill("#email", bob)...)
	tb := newTab(t)
	for range 10 {
		tb.open(origin + "/sign-in")
		tb.run(fill("#email", "eve@example.com", "#password", "a guess")...)
		tb.until("the guess was wrong", "document.querySelector('[role=alert]')?.innerText === "+fmt.Sprintf("%q", wrong))
	}
	state("too-many", "/sign-in", "try again in", fill("#email", "eve@example.com", "#password", "a guess")...)

	t.Run("with the keyboard, and without scripts", func(t *testing.T) {
		tb := newTab(t)
		forget(tb)
		tb.run(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
			_, err = cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
			return none, err
		})
		// tabTo presses Tab until something has the focus. The first one is the begin of the page.
		tabTo := func(what string) {
			t.Helper()
			for range 30 {
				tb.run(chromedp.KeyEvent(kb.Tab))
				if tb.do(fmt.Sprintf("return document.activeElement.matches(%q) && document.activeElement.matches(':focus-visible')", what)) == "true" {
					return
				}
			}
			t.Fatalf("Tab does not lead to %s", what)
		}
		press := func(what string) { t.Helper(); tabTo(what); tb.run(chromedp.KeyEvent(kb.Enter)) }
		write := func(what, text string) { t.Helper(); tabTo(what); tb.run(chromedp.KeyEvent(text)) }
		on := func(path string) {
			t.Helper()
			tb.until("it leads to "+path, fmt.Sprintf("location.pathname === %q", path))
		}

		tb.open(origin)
		press(`nav a[href="/sign-up"]`)
		on("/sign-up")
		write("#email", "cy@example.com"+kb.Enter)
		on("/sent")
		tb.open(origin + <-mails)
		write("#password", first)
		press("main button")
		on("/account")
		press(`a[href="/account/password"]`)
		on("/account/password")
		write("#password", second+kb.Enter)
		on("/account")
		press("nav button")
		on("/")
		press(`nav a[href="/sign-in"]`)
		on("/sign-in")
		write("#email", "cy@example.com")
		write("#password", second+kb.Enter)
		on("/account")
		press(`a[href="/account/delete"]`)
		on("/account/delete")
		write("#email", "cy@example.com")
		press("main button")
		on("/sign-in")
		tb.until("it says so", `document.querySelector("[role=status]").innerText === "Your account is deleted."`)
	})
}
